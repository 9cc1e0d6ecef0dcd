// Stable merges of neighbouring runs of a tile in shared memory, by merge path: every thread finds where its own piece
// of the result begins, then merges that piece into registers. Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path",
// 2012; Green, McColl and Bader, "GPU Merge Path", 2012.
#pragma once

#include "../columns.cuh"
#include "../order.cuh"
#include "../thread/merge.cuh"
#include "../warp/shuffle.cuh"
#include "load_store.cuh"

namespace gpu::inline v1::detail::device::block {

/// Synchronises the `threads` neighbours that work together, a power of two: their warp if it holds them all, else the
/// block.
__device__ __forceinline__ void synchronize(int threads) {
  if (threads <= warp::threads)
    __syncwarp();
  else
    __syncthreads();
}

/// Synchronises, and returns whether the predicate holds for any thread of the warp or of the block.
__device__ __forceinline__ bool synchronize_any(int threads, bool predicate) {
  if (threads > warp::threads) return __syncthreads_or(predicate);
  __syncwarp();
  return __any_sync(0xffffffffu, predicate);
}

/// Two runs of a tile, [begin, middle) and, after `gap` elements (usually none), one of the length of [middle, end).
struct run_pair {
  int begin;
  int middle;
  int end;
  int gap = 0;

  __device__ int second() const { return middle + gap; }
  __device__ int second_end() const { return end + gap; }
};

/// Shared memory for merges of tiles of Threads * Items elements.
template <class Key, class Value, int Threads, int Items>
struct merge_storage : tile_storage<Key, Value, Threads * Items> {
  int cuts[Threads];
};

/// Merge path in two runs of a tile: how many of the first `diagonal` results come from `a`. In long runs whose
/// elements are distributed at random, the cut is close to a's proportional share of the diagonal: two probes, one on
/// either side of that, save five halvings.
template <class Key, class Less>
__device__ __forceinline__ int cut_near_share(const Key* a, int a_count, const Key* b, int b_count, int diagonal,
                                              Less less) {
  constexpr int margin = 48, length = 32 * margin;  // at least two standard deviations for up to 9216 elements
  const Key* const across = b + diagonal - 1;       // across[-i] is compared with a[i]
  int low = max(diagonal - b_count, 0), high = min(diagonal, a_count);
  const auto look = [&](int at) {
    if (less(across[-at], a[at]))
      high = at;
    else
      low = at + 1;
  };
  if (a_count + b_count >= length) {
    const float share = __fdividef(static_cast<float>(a_count), static_cast<float>(a_count + b_count));
    const int expected = __float2int_rz(share * static_cast<float>(diagonal));
    const int before = expected - margin, behind = expected + margin;
    if (low <= before && before < high) look(before);
    if (low <= behind && behind < high) look(behind);
  }
  while (low < high) look((low + high) >> 1);
  return low;
}

/// The part of a merge that begins at a diagonal.
template <class Tile, class Less>
__device__ __forceinline__ thread::merge_part part_from(const Tile& tile, run_pair runs, int diagonal, Less less) {
  const auto* const a = tile.keys + runs.begin;
  const auto* const b = tile.keys + runs.second();
  const int a_count = runs.middle - runs.begin, b_count = runs.end - runs.middle;
  const int cut = block::cut_near_share(a, a_count, b, b_count, diagonal, less);
  return {runs.begin + cut, runs.middle, runs.second() + diagonal - cut, runs.second_end()};
}

/// Ends the calling thread's part where the next thread's begins. Returns false, with an empty part, if the next one
/// begins earlier, which happens only if `less` is no strict weak order. `threads` neighbours share `runs`.
template <int Items, class Storage>
__device__ __forceinline__ bool end_at_next_part(Storage& storage, run_pair runs, int threads, int next_diagonal,
                                                 thread::merge_part& part) {
  const int thread = static_cast<int>(threadIdx.x);
  storage.cuts[thread] = part.a;
  synchronize(threads);
  if (((thread + 1) & (threads - 1)) == 0) return true;
  const int next_a = storage.cuts[thread + 1];
  const int next_b = runs.second() + next_diagonal - (next_a - runs.begin);
  const bool fits = part.a <= next_a && part.b <= next_b;
  part.a_end = fits ? next_a : part.a;
  part.b_end = fits ? next_b : part.b;
  return fits;
}

/// Merges two runs in shared memory by `threads` neighbours, a power of two, all of which take part; other groups of
/// the block do the same with their own runs. The result is in registers: the calling thread's are positions [first,
/// first + Items) of the merged runs as if there were no gap, as far as these are below runs.end. Stable. If `less` is
/// no strict weak order, the runs may be left as they are; no element is lost. Only the runs and the gap are read, and
/// `less` is never called for elements of the gap. The tile must have been written and synchronised; it may be
/// overwritten afterwards.
template <int Items, class Storage, class Key, class Value, class Less>
__device__ __forceinline__ void merge(Storage& storage, run_pair runs, int threads, int first, Key (&keys)[Items],
                                      Value (&values)[Items], Less less) {
  const int length = runs.end - runs.begin;
  const int last = max(runs.second_end() - 1, runs.begin);
  const int diagonal = min(max(first - runs.begin, 0), length);
  thread::merge_part part = block::part_from(storage, runs, diagonal, less);
  const auto take_part = [&] {
    if (first < runs.end) thread::merge(storage, part, last, keys, values, less);
  };
  if constexpr (strict_weak_order_v<Less>) {
    take_part();
    synchronize(threads);
  } else {
    const int next_diagonal = min(diagonal + Items, length);
    const bool fits = block::end_at_next_part<Items>(storage, runs, threads, next_diagonal, part);
    take_part();
    if (synchronize_any(threads, !fits)) {
      block::tile_to_registers(storage, first, keys, values);
      synchronize(threads);
    }
  }
}

}  // namespace gpu::inline v1::detail::device::block
