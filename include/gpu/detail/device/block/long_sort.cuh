// Merge sort of more than a tile by one block, stable if wanted, through global memory: for the rare subsequence that
// is still too long after all rounds of a distribution sort. Tiles are sorted in shared memory, then runs are merged
// pairwise.
#pragma once

#include <cstddef>
#include <cub/block/block_scan.cuh>
#include <cuda/functional>

#include "../../merge_path.hpp"
#include "../columns.cuh"
#include "merge_sort.cuh"

namespace gpu::inline v1::detail::device::block {

template <class Key, class Value, int Threads, int Items, bool Stable>
class long_sort {
  using tile_sort = merge_sort<Key, Value, Threads, Items, Stable>;
  using scan = cub::BlockScan<int, Threads>;
  static constexpr std::size_t tile = tile_sort::tile;

 public:
  union storage {
    typename tile_sort::storage sort;
    struct {
      typename scan::TempStorage scan;
      int cuts[Threads + 1];
    } merge;
  };

  __device__ explicit long_sort(storage& shared) : shared_{shared} {}

  /// Sorts source[0, count) into target[0, count); source is either target or other, both of which are written. O(count
  /// log count) whatever `less` is; if it is no strict weak order, the result may be unordered, but no element is lost.
  /// Called by every thread; synchronises.
  template <class Less, class Encoder, class Decoder>
  __device__ void sort(columns<Key, Value> source, columns<Key, Value> target, columns<Key, Value> other,
                       std::size_t count, Less less, Encoder encoder, Decoder decoder) {
    sort(source, target, other, count, less, encoder, decoder,
         [&](auto& loaded) { block::load<Threads, Items>(source, static_cast<int>(count), loaded, encoder); });
  }

  /// Like the above, except that if the elements fit into one tile, load(the tile's storage) puts them there, encoded.
  template <class Less, class Encoder, class Decoder, class Load>
  __device__ void sort(columns<Key, Value> source, columns<Key, Value> target, columns<Key, Value> other,
                       std::size_t count, Less less, Encoder encoder, Decoder decoder, Load load) {
    unsigned passes = 0;
    while ((tile << passes) < count) ++passes;
    if (passes == 0) {
      load(shared_.sort);
      return tile_sort{shared_.sort}.sort_loaded(target, static_cast<int>(count), less, decoder);
    }
    columns<Key, Value> from = passes % 2 ? other : target;
    columns<Key, Value> to = passes % 2 ? target : other;
    for (std::size_t first = 0; first < count; first += tile)
      tile_sort{shared_.sort}.sort(source + first, from + first, length(first, tile, count), less, encoder,
                                   identity_codec{});
    for (std::size_t run = tile; run < count; run *= 2) {
      for (std::size_t first = 0; first < count; first += 2 * run)
        merge_runs(from + first, min(run, count - first), min(2 * run, count - first), to + first, less,
                   2 * run >= count, decoder);
      const auto swapped = from;
      from = to;
      to = swapped;
    }
  }

 private:
  __device__ static int length(std::size_t first, std::size_t limit, std::size_t count) {
    return static_cast<int>(min(limit, count - first));
  }

  /// Merges from[0, middle) and from[middle, end), one tile of the result at a time.
  template <class Less, class Decoder>
  __device__ void merge_runs(columns<Key, Value> from, std::size_t middle, std::size_t end, columns<Key, Value> to,
                             Less less, bool last, Decoder decoder) {
    __syncthreads();  // what other threads have written is read below
    std::size_t a = 0;
    for (std::size_t done = 0; done < end; done += tile) {
      const std::size_t b = middle + (done - a);
      const int cut = cut_tile(from + a, static_cast<int>(min(tile, middle - a)), from + b,
                               static_cast<int>(min(tile, end - b)), length(done, tile, end), less);
      merge_piece(from, a, b, to + done, length(done, tile, end), less, last, decoder);
      a += static_cast<std::size_t>(cut);
    }
    __syncthreads();
  }

  /// Leaves in cuts[t] how many of the first t * Items results of the tile come from a; returns cuts[Threads]. If
  /// `less` is a strict weak order, the two scans change nothing; otherwise they make both a's and b's shares grow from
  /// thread to thread, within both runs, so that each element is still taken once.
  template <class Less>
  __device__ int cut_tile(columns<Key, Value> a, int a_count, columns<Key, Value> b, int b_count, int count,
                          Less less) {
    const int end = min((static_cast<int>(threadIdx.x) + 1) * Items, count);
    int cut = detail::merge_path(a.keys, a_count, b.keys, b_count, end, less);
    __syncthreads();
    scan{shared_.merge.scan}.InclusiveScan(cut, cut, ::cuda::maximum<int>{});
    int minus_b = min(cut - end, 0);
    __syncthreads();
    scan{shared_.merge.scan}.InclusiveScan(minus_b, minus_b, ::cuda::minimum<int>{});
    if (threadIdx.x == 0) shared_.merge.cuts[0] = 0;
    shared_.merge.cuts[threadIdx.x + 1] = minus_b + end;
    __syncthreads();
    return shared_.merge.cuts[Threads];
  }

  template <class Less, class Decoder>
  __device__ void merge_piece(columns<Key, Value> from, std::size_t a, std::size_t b, columns<Key, Value> to, int count,
                              Less less, bool last, Decoder decoder) {
    const int first = min(static_cast<int>(threadIdx.x) * Items, count);
    const int end = min(first + Items, count);
    const int a_cut = shared_.merge.cuts[threadIdx.x];
    const int a_end_cut = shared_.merge.cuts[threadIdx.x + 1];
    const std::size_t a_end = a + static_cast<std::size_t>(a_end_cut);
    const std::size_t b_end = b + static_cast<std::size_t>(end - a_end_cut);
    a += static_cast<std::size_t>(a_cut);
    b += static_cast<std::size_t>(first - a_cut);
    for (int i = first; i < end; ++i) {
      const bool from_b = b < b_end && (a >= a_end || less(from.keys[b], from.keys[a]));
      const std::size_t taken = from_b ? b++ : a++;
      to.set(static_cast<std::size_t>(i), last ? decoder.decode(from.keys[taken]) : from.keys[taken],
             from.value(taken));
    }
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
