// Multiway merge of integer codes, of which equal ones look alike: when multiway selection has cut a tile's part out of
// every sequence, its codes are sorted by bins, whose cost does not grow with the number of sequences. Tiles need not
// have equal sizes, so that the selection may stop where it comes near.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../../key.hpp"
#include "../block/bin_sort.cuh"
#include "../block/multiway_merge.cuh"
#include "../launch.cuh"
#include "../tuning.hpp"
#include "multiway_selection.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Codes of one and two bytes repeat too often for bins.
template <class Key, class Value>
inline constexpr bool may_merge_by_bins_v = thread::interpolates_v<Key, code_less> && !has_value_v<Value>;
template <class Key, class Value, class Less>
inline constexpr bool merges_by_bins_v = may_merge_by_bins_v<Key, Value> && std::is_same_v<Less, code_less>;

/// A tile of codes from many sequences: the parts that are not empty, in the order of their sequences.
template <class Key, int Size>
struct tile_of_runs {
  static constexpr int group = warp::threads;
  /// The parts of `group` neighbouring codes: bits where one begins, and the number of the last that begins before.
  struct group_parts {
    unsigned starts;
    int before;
  };

  const Key* sources[max_sequences];  ///< of a part, less its place in the tile
  int bounds[max_sequences + 1];      ///< where parts begin in the tile, and the end of the last
  group_parts groups[Size / group];
  std::size_t begin;  ///< where the tile begins in the output
  int parts;

  /// Finds the parts of tile blockIdx.x. Synchronises.
  __device__ void find(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
    if (threadIdx.x < warp::threads) find_parts(set, cuts + static_cast<std::size_t>(blockIdx.x) * set.count);
    __syncthreads();
    const int first = static_cast<int>(threadIdx.x) * group;
    if (first < Size) {
      const int before = first == 0 || parts == 0 ? -1 : block::run_list{bounds, parts, 0}.run_at(first - 1);
      unsigned starts = 0;
      for (int part = before + 1; part < parts && bounds[part] < first + group; ++part)
        starts |= 1u << (bounds[part] - first);
      groups[threadIdx.x] = {starts, before};
    }
    __syncthreads();
  }

  __device__ int count() const { return bounds[parts]; }

  /// Where the code is that belongs to a position, before the tile's end.
  __device__ const Key* locate(int position) const {
    const group_parts at = groups[position / group];
    const unsigned until = ~0u >> (group - 1 - position % group);
    return sources[at.before + __popc(at.starts & until)] + position;
  }

 private:
  __device__ void find_parts(const sequence_set<Key, no_value>& set, const std::size_t* cuts) {
    const int lane = static_cast<int>(threadIdx.x);
    std::size_t from_all = 0;
    int before = 0;
    int listed = 0;
    for (int first = 0; first < set.count; first += warp::threads) {
      const int s = first + lane;
      const std::size_t from = s < set.count ? cuts[s] : 0;
      const std::size_t to = s < set.count ? cuts[set.count + s] : 0;
      const int end = warp::inclusive_sum(static_cast<int>(to - from));
      const unsigned used = __ballot_sync(warp::all_lanes, from < to);
      if (from < to) {
        const int part = listed + __popc(used & ((1u << lane) - 1));
        bounds[part + 1] = before + end;
        sources[part] = set.items[s].data.keys + to - (before + end);
      }
      listed += __popc(used);
      from_all += from;
      before += __shfl_sync(warp::all_lanes, end, warp::threads - 1);
    }
    from_all = warp::sum(from_all);
    if (lane == 0) {
      bounds[0] = 0;
      begin = from_all;
      parts = listed;
    }
  }
};

/// What a block holds at a time.
template <class Key>
inline constexpr tile_shape run_bins_v = bin_tile(sizeof(Key));
/// Tiles are cut to one item per thread less than fits, and half that off the mark at either end.
template <class Key>
inline constexpr std::size_t bins_slack_v = run_bins_v<Key>.threads / 2;
template <class Key>
inline constexpr std::size_t bins_tile_v = run_bins_v<Key>.size() - 2 * bins_slack_v<Key>;
/// The smallest tile that multiway merges of these columns cut.
template <class Key, class Value>
inline constexpr std::size_t least_tile_v =
    may_merge_by_bins_v<Key, Value> ? std::min(merge_tile_size_v<Key, Value>, bins_tile_v<Key>)
                                    : merge_tile_size_v<Key, Value>;

/// Block t merges output tile t: by bins, or two sequences at a time if bins are too crowded or codes too few.
template <class Key, class Encoder, class Decoder>
__global__ void __launch_bounds__(run_bins_v<Key>.threads, bin_blocks(sizeof(Key)))
    multiway_bins_kernel(const __grid_constant__ sequence_set<Key, no_value> set, const std::size_t* cuts,
                         const Key* bounds, Key* output, Encoder encoder, Decoder decoder) {
  constexpr int threads = run_bins_v<Key>.threads, items = run_bins_v<Key>.items;
  using bins = block::bin_sort<Key, threads, items, items - 2>;
  __shared__ union {
    typename bins::storage bins;
    block::merge_storage<Key, no_value, threads, items + 1> merge;
  } shared;
  __shared__ tile_of_runs<Key, threads * items> runs;
  runs.find(set, cuts);
  const int count = runs.count();
  Key* const target = output + runs.begin;

  if (count >= threads * (items - 2)) {
    Key codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i)
      codes[i] = *runs.locate(min(i * threads + static_cast<int>(threadIdx.x), count - 1));
#pragma unroll
    for (int i = 0; i < items; ++i) codes[i] = encoder.encode(codes[i]);
    bins tile{shared.bins};
    if (tile.sort(codes, static_cast<unsigned>(count), bounds[blockIdx.x], bounds[blockIdx.x + 1]))
      return tile.store(target, static_cast<unsigned>(count), decoder);
    __syncthreads();
  }
  block::load<threads, items + 1>(shared.merge, count, [&](int i, auto) { return runs.locate(i); }, encoder);
  block::multiway_merge(shared.merge, runs.bounds, runs.parts, count, code_less{});
  block::store<threads, items + 1>(shared.merge, count, columns<Key, no_value>{target, nullptr}, decoder);
}

/// Merges at most max_sequences sequences, of n codes in all, into output[0, n). `cuts` and `bounds`: room for one more
/// per sequence, or one more, than there are tiles.
template <class Key, class Encoder, class Decoder>
void merge_by_bins(const context& context, const sequence_set<Key, no_value>& set, std::size_t n, Key* output,
                   Encoder encoder, Decoder decoder, std::size_t* cuts, Key* bounds) {
  const std::size_t tiles = divide_up(n, bins_tile_v<Key>);
  select_cuts(context, set, bins_tile_v<Key>, bins_slack_v<Key>, tiles, cuts, bounds, code_less{}, encoder);
  launch(context, {tiles, run_bins_v<Key>.threads}, multiway_bins_kernel<Key, Encoder, Decoder>, set, cuts, bounds,
         output, encoder, decoder);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
