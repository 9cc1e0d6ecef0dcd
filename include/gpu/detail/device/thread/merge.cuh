// Merging by one thread, from shared memory into registers.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::thread {

/// What is left to merge of two runs: positions in a tile, [a, a_end) and [b, b_end).
struct merge_part {
  int a;
  int a_end;
  int b;
  int b_end;

  __device__ bool empty() const { return a >= a_end && b >= b_end; }
};

/// Hands out the elements of two runs in the order of their stable merge, each once, whatever `less` is, which is asked
/// once for each of them. Tile: arrays `keys` and, with values, `values`.
template <class Tile, class Key>
class merger {
 public:
  /// Reads nothing behind position `last`, which is that of an element, as all from the runs' begins to there are.
  __device__ __forceinline__ merger(const Tile& tile, merge_part part, int last) : tile_{tile}, last_{last} {
    start(part);
  }

  __device__ __forceinline__ void start(merge_part part) {
    part_ = part;
    a_key_ = tile_.keys[within(part.a)];
    b_key_ = tile_.keys[within(part.b)];
  }

  __device__ bool empty() const { return part_.empty(); }

  /// The next element; an unspecified one if there is none.
  template <class Value, class Less>
  __device__ __forceinline__ void next(Key& key, Value& value, Less less) {
    const bool precedes = less(b_key_, a_key_);  // whether it counts or not: no branch, hence & and |
    const bool from_b = (part_.b < part_.b_end) & ((part_.a >= part_.a_end) | precedes);
    const int from = from_b ? part_.b : part_.a, behind = from + 1;
    part_.a = from_b ? part_.a : behind;  // selected, which takes an instruction less than to add if it is
    part_.b = from_b ? behind : part_.b;
    key = from_b ? b_key_ : a_key_;
    if constexpr (has_value_v<Value>) value = tile_.values[within(from)];
    const Key following = tile_.keys[within(behind)];
    if (from_b)
      b_key_ = following;
    else
      a_key_ = following;
  }

 private:
  /// Neither reads nor comparisons need a branch this way.
  __device__ int within(int position) const { return min(position, last_); }

  const Tile& tile_;
  int last_;
  merge_part part_;
  Key a_key_;
  Key b_key_;
};

/// The first elements of the stable merge of both runs, at most Items. Registers beyond are unspecified.
/// Reads nothing behind the element at position `last`.
template <int Items, class Tile, class Key, class Value, class Less>
__device__ __forceinline__ void merge(const Tile& tile, merge_part part, int last, Key (&keys)[Items],
                                      Value (&values)[Items], Less less) {
  merger<Tile, Key> both{tile, part, last};
#pragma unroll
  for (int i = 0; i < Items; ++i) both.next(keys[i], values[i], less);
}

}  // namespace gpu::inline v1::detail::device::thread
