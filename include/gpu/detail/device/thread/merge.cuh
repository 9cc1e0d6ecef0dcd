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

/// Yields the elements of two runs in the order of their stable merge, each exactly once whatever `less` is, with one
/// call of `less` per element. Tile: arrays `keys` and, with values, `values`.
template <class Tile, class Key>
class merger {
 public:
  /// Reads nothing behind position `last`; from the runs' begins up to it all positions must hold elements.
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
    const bool precedes = less(b_key_, a_key_);  // computed even if not needed; & and | avoid branches
    const bool from_b = (part_.b < part_.b_end) & ((part_.a >= part_.a_end) | precedes);
    const int from = from_b ? part_.b : part_.a, behind = from + 1;
    part_.a = from_b ? part_.a : behind;  // selection takes one instruction less than a conditional addition
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
  /// Clamps a position, so that neither reads nor comparisons need a branch.
  __device__ int within(int position) const { return min(position, last_); }

  const Tile& tile_;
  int last_;
  merge_part part_;
  Key a_key_;
  Key b_key_;
};

/// Writes the first elements of the stable merge of both runs, at most Items, to registers; those beyond are
/// unspecified. Reads nothing behind the element at position `last`.
template <int Items, class Tile, class Key, class Value, class Less>
__device__ __forceinline__ void merge(const Tile& tile, merge_part part, int last, Key (&keys)[Items],
                                      Value (&values)[Items], Less less) {
  merger<Tile, Key> both{tile, part, last};
#pragma unroll
  for (int i = 0; i < Items; ++i) both.next(keys[i], values[i], less);
}

}  // namespace gpu::inline v1::detail::device::thread
