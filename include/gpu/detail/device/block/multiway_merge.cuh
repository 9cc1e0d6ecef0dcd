// Stable merge of many neighbouring runs of a tile in shared memory by one block: rounds of merges of two runs, as in
// merge.cuh, but of any lengths. A thread's piece of the result may span several pairs of runs.
#pragma once

#include "merge.cuh"

namespace gpu::inline v1::detail::device::block {

/// The runs of a tile after `round` rounds of merges of neighbours. The original ones are given by their begins in
/// ascending order and the end of the last. Pair q comprises what were 2^(round + 1) original runs, from run q *
/// 2^(round + 1) on.
class run_list {
 public:
  __device__ run_list(const int* bounds, int count, int round) : bounds_{bounds}, count_{count}, round_{round} {}

  __device__ int bound(int index) const { return bounds_[min(index << round_, count_)]; }
  __device__ int pairs() const { return (count_ + (2 << round_) - 1) >> (round_ + 1); }
  __device__ run_pair pair(int q) const { return {bound(2 * q), bound(2 * q + 1), bound(2 * q + 2)}; }

  /// The last pair that begins at or before the position.
  __device__ int pair_at(int position) const { return last_before(position, pairs(), 2); }
  /// The last original run that begins there; it contains the position if any does.
  __device__ int run_at(int position) const { return last_before(position, count_, 1); }

 private:
  __device__ int last_before(int position, int number, int scale) const {
    int found = 0;
    for (int step = 1 << (31 - __clz(number)); step > 0; step /= 2)
      if (found + step < number && bound(scale * (found + step)) <= position) found += step;
    return found;
  }

  const int* bounds_;
  int count_;
  int round_;
};

/// Where a thread's piece ends: at positions a and b in pair `pair`.
struct merge_limit {
  int pair;
  int a;
  int b;
};

/// Merges elements [first, min(first + Items, n)) of the round's result into registers.
template <int Items, class Storage, class Key, class Value, class Less>
__device__ __forceinline__ void merge_pairs(const Storage& storage, run_list runs, int q, thread::merge_part part,
                                            merge_limit limit, int first, int n, Key (&keys)[Items],
                                            Value (&values)[Items], Less less) {
  const auto limited = [&](thread::merge_part whole) {
    if (q == limit.pair) {
      whole.a_end = limit.a;
      whole.b_end = limit.b;
    }
    return whole;
  };
  thread::merger<Storage, Key> both{storage, limited(part), max(n - 1, 0)};
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (first + i < n) {
      while (both.empty() && q + 1 < runs.pairs()) {
        const run_pair next = runs.pair(++q);
        both.start(limited({next.begin, next.middle, next.middle, next.end}));
      }
      both.next(keys[i], values[i], less);
    }
}

/// Merges neighbouring runs in storage, n elements in all, until one is left; `bounds`, in shared memory, holds the
/// begins of `count` runs and the end of the last. Synchronises before and after. Stable; if `less` is no strict weak
/// order, the result may be unordered, but no element is lost.
template <int Threads, int Items, class Key, class Value, class Less>
__device__ void multiway_merge(merge_storage<Key, Value, Threads, Items>& storage, const int* bounds, int count, int n,
                               Less less) {
  Key keys[Items];
  Value values[Items];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * Items;
  __syncthreads();
#pragma unroll 1
  for (int round = 0; 1 << round < count; ++round) {
    const run_list runs{bounds, count, round};
    const int q = runs.pair_at(first);
    const run_pair pair = runs.pair(q);
    const thread::merge_part part = block::part_from(storage, pair, min(first, n) - pair.begin, less);
    merge_limit limit{-1, 0, 0};
    bool fits = true;
    if constexpr (!strict_weak_order_v<Less>) {
      storage.cuts[thread] = part.a;
      __syncthreads();
      if (first + Items < n) {
        limit.pair = runs.pair_at(first + Items);
        limit.a = storage.cuts[thread + 1];
        limit.b = runs.pair(limit.pair).middle + first + Items - limit.a;
        fits = limit.pair != q || (part.a <= limit.a && part.b <= limit.b);
      }
    }
    block::merge_pairs(storage, runs, q, part, limit, first, fits ? n : 0, keys, values, less);
    if (__syncthreads_or(!fits)) continue;
    block::registers_to_tile(keys, values, first, storage);
    __syncthreads();
  }
}

}  // namespace gpu::inline v1::detail::device::block
