// Merging by one thread, from shared memory into registers.
#pragma once

#include "../columns.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device::thread {

/// What is left to merge of two runs: positions in a tile, [a, a_end) and [b, b_end).
struct merge_part {
  int a;
  int a_end;
  int b;
  int b_end;

  __device__ bool empty() const { return a >= a_end && b >= b_end; }
};

/// Hands out the elements of two runs in the order of their stable merge, each once, whatever `less` is.
/// Tile: arrays `keys` and, with values, `values`.
template <class Tile, class Key>
class merger {
 public:
  __device__ __forceinline__ merger(const Tile& tile, merge_part part) : tile_{tile} { start(part); }

  __device__ __forceinline__ void start(merge_part part) {
    part_ = part;
    if (part.a < part.a_end) a_key_ = tile_.keys[part.a];
    if (part.b < part.b_end) b_key_ = tile_.keys[part.b];
  }

  __device__ bool empty() const { return part_.empty(); }

  /// The next element; an unspecified one if there is none.
  template <class Value, class Less>
  __device__ __forceinline__ void next(Key& key, Value& value, Less less) {
    const bool from_b = part_.b < part_.b_end && (part_.a >= part_.a_end || less(b_key_, a_key_));
    const int from = from_b ? part_.b++ : part_.a++;
    const int end = from_b ? part_.b_end : part_.a_end;
    key = from_b ? b_key_ : a_key_;
    if constexpr (has_value_v<Value>)
      if (from < end) value = tile_.values[from];
    if (from + 1 < end) {
      const Key following = tile_.keys[from + 1];
      if (from_b)
        b_key_ = following;
      else
        a_key_ = following;
    }
  }

 private:
  const Tile& tile_;
  merge_part part_;
  Key a_key_;
  Key b_key_;
};

/// The first elements of the stable merge of both runs, at most Items. Registers beyond are unspecified.
template <int Items, class Tile, class Key, class Value, class Less>
__device__ __forceinline__ void merge(const Tile& tile, merge_part part, Key (&keys)[Items], Value (&values)[Items],
                                      Less less) {
  merger<Tile, Key> both{tile, part};
#pragma unroll
  for (int i = 0; i < Items; ++i) both.next(keys[i], values[i], less);
}

}  // namespace detail::device::thread
}  // namespace v1
}  // namespace gpu
