// Stable merge of any number of sorted sequences by multiway selection: for every tile of the output a warp finds how
// many elements of each sequence precede it, then a block merges the tile's pieces of all sequences in shared memory.
// Leischner, "GPU algorithms for comparison-based sorting and for merging based on multiway selection" (paper 001),
// section 5.2: the selection by pivots of its algorithm 3, made deterministic; equivalent elements are ordered by their
// sequences, which makes every pivot unique.
#pragma once

#include <algorithm>
#include <vector>

#include "block/multiway_merge.cuh"
#include "merge.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A sorted sequence of a multiway merge.
template <class Key, class Value>
struct sequence {
  const_columns<Key, Value> data;
  std::size_t count;
};

/// What one launch merges: two sequences per lane of a warp, and few enough to travel as kernel parameters.
inline constexpr int sequences_per_lane = 2;
inline constexpr int max_sequences = sequences_per_lane * block::warp_threads;

template <class Key, class Value>
struct sequence_set {
  sequence<Key, Value> items[max_sequences];
  int count;
};

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline std::size_t warp_sum(std::size_t value) {
  for (int mask = block::warp_threads / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(all_lanes, value, mask);
  return value;
}

__device__ inline std::size_t warp_max(std::size_t value) {
  for (int mask = block::warp_threads / 2; mask > 0; mask /= 2) {
    const std::size_t other = __shfl_xor_sync(all_lanes, value, mask);
    value = other > value ? other : value;
  }
  return value;
}

/// How many of keys[low, high) and before precede the pivot; those equivalent to it do if `ties`.
template <class Keys, class Key, class Less>
__device__ std::size_t rank_in(const Keys& keys, std::size_t low, std::size_t high, const Key& pivot, bool ties,
                               Less less) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool precedes = ties ? !less(pivot, keys[middle]) : less(keys[middle], pivot);
    if (precedes)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Multiway selection by a warp: cut[s] of the calling lane's sequences such that the `wanted` first elements of the
/// merge, 0 < wanted < their number, are the first cut[s] of every sequence. Lane l has sequences l, l + 32, ….
/// Each step ranks the middle of the widest interval in all sequences; its interval at least halves, so that any `less`
/// ends after at most the sum of their logarithms.
template <class Key, class Value, class Less, class Codec>
__device__ void select(const sequence_set<Key, Value>& set, std::size_t wanted, std::size_t (&cut)[sequences_per_lane],
                       Less less, Codec codec) {
  const int lane = static_cast<int>(threadIdx.x) % block::warp_threads;
  std::size_t high[sequences_per_lane];
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = i * block::warp_threads + lane;
    cut[i] = 0;
    high[i] = s < set.count ? set.items[s].count : 0;
  }
  for (std::size_t selected = 0; selected < wanted;) {  // [0, cut) are selected, [high, count) are not
    std::size_t widest = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const std::size_t candidate = (high[i] - cut[i]) * max_sequences + (i * block::warp_threads + lane);
      widest = candidate > widest ? candidate : widest;
    }
    const int chosen = static_cast<int>(warp_max(widest) % max_sequences);
    std::size_t position = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i)
      if (chosen / block::warp_threads == i)
        position = __shfl_sync(all_lanes, cut[i] + (high[i] - cut[i]) / 2, chosen % block::warp_threads);
    const Key pivot = codec.encode(set.items[chosen].data.keys[position]);

    std::size_t rank[sequences_per_lane];
    std::size_t before = 0;
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      const int s = i * block::warp_threads + lane;
      rank[i] = s == chosen ? position : cut[i];
      if (s != chosen && cut[i] < high[i])
        rank[i] =
            rank_in(encoded_keys<Key, Codec>{set.items[s].data.keys, codec}, cut[i], high[i], pivot, s < chosen, less);
      before += rank[i];
    }
    before = warp_sum(before);
#pragma unroll
    for (int i = 0; i < sequences_per_lane; ++i) {
      if (before > wanted)
        high[i] = rank[i];
      else
        cut[i] = rank[i] + (before < wanted && i * block::warp_threads + lane == chosen ? 1 : 0);
    }
    if (before <= wanted) selected = before < wanted ? before + 1 : before;
  }
}

inline constexpr int selection_threads = 128;

/// Warp t selects the cuts before output tile t, cuts[t * set.count + s], for tiles 0 to `tiles` inclusive.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(selection_threads)
    multiway_selection_kernel(const __grid_constant__ sequence_set<Key, Value> set, unsigned tile, std::size_t tiles,
                              std::size_t* cuts, Less less, Codec codec) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  const std::size_t warp = thread / block::warp_threads;
  const int lane = static_cast<int>(thread % block::warp_threads);
  if (warp > tiles) return;
  std::size_t cut[sequences_per_lane] = {};
  if (warp > 0 && warp < tiles) select(set, warp * tile, cut, less, codec);
#pragma unroll
  for (int i = 0; i < sequences_per_lane; ++i) {
    const int s = i * block::warp_threads + lane;
    if (s < set.count) cuts[warp * set.count + s] = warp < tiles ? cut[i] : set.items[s].count;
  }
}

/// Sets *contradiction if cuts before a later tile lie before those of an earlier one.
template <class Cut>
__global__ void __launch_bounds__(selection_threads)
    multiway_check_kernel(const Cut* cuts, std::size_t cuts_count, int sequences, unsigned* contradiction) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * selection_threads + threadIdx.x;
  if (i + sequences < cuts_count && cuts[i] > cuts[i + sequences]) *contradiction = 1;
}

/// The part of every sequence that belongs to tile blockIdx.x: where it begins, and its length.
/// After a contradiction, tiles are cut from the sequences one after another.
template <class Key, class Value>
__device__ void tile_parts(const sequence_set<Key, Value>& set, const std::size_t* cuts, bool contradiction,
                           std::size_t begin, std::size_t end, std::size_t* begins, int* lengths) {
  for (int s = static_cast<int>(threadIdx.x); s < set.count; s += static_cast<int>(blockDim.x)) {
    std::size_t from = cuts[static_cast<std::size_t>(blockIdx.x) * set.count + s];
    std::size_t to = cuts[(static_cast<std::size_t>(blockIdx.x) + 1) * set.count + s];
    if (contradiction) {
      std::size_t before = 0;
      for (int other = 0; other < s; ++other) before += set.items[other].count;
      const std::size_t count = set.items[s].count;
      from = begin < before ? 0 : begin - before < count ? begin - before : count;
      to = end < before ? 0 : end - before < count ? end - before : count;
    }
    begins[s] = from;
    lengths[s] = static_cast<int>(to - from);
  }
}

/// bounds[0, count] from the lengths of runs in bounds[1, count], by the first warp.
__device__ inline void bounds_of_lengths(int* bounds, int count) {
  if (threadIdx.x >= block::warp_threads) return;
  int before = 0;
  for (int base = 1; base <= count; base += block::warp_threads) {
    const int index = base + static_cast<int>(threadIdx.x);
    int sum = index <= count ? bounds[index] : 0;
    for (int distance = 1; distance < block::warp_threads; distance *= 2) {
      const int left = __shfl_up_sync(all_lanes, sum, distance);
      if (static_cast<int>(threadIdx.x) >= distance) sum += left;
    }
    if (index <= count) bounds[index] = before + sum;
    before += __shfl_sync(all_lanes, sum, block::warp_threads - 1);
  }
  if (threadIdx.x == 0) bounds[0] = 0;
}

/// Block t merges output tile t.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(merge_tile_v<Key, Value>.threads)
    multiway_merge_kernel(const __grid_constant__ sequence_set<Key, Value> set, std::size_t n, const std::size_t* cuts,
                          const unsigned* contradiction, columns<Key, Value> output, Less less, Codec encoder,
                          Codec decoder) {
  constexpr tile_shape shape = merge_tile_v<Key, Value>;
  constexpr std::size_t tile_size = merge_tile_size_v<Key, Value>;
  __shared__ block::merge_storage<Key, Value, shape.threads, shape.items> storage;
  __shared__ std::size_t begins[max_sequences];
  __shared__ int bounds[max_sequences + 1];

  const std::size_t begin = blockIdx.x * tile_size;
  const std::size_t end = n - begin < tile_size ? n : begin + tile_size;
  bool contradicted = false;
  if constexpr (!strict_weak_order_v<Less>) contradicted = *contradiction != 0;
  tile_parts(set, cuts, contradicted, begin, end, begins, bounds + 1);
  __syncthreads();
  bounds_of_lengths(bounds, set.count);
  __syncthreads();

  const int count = static_cast<int>(end - begin);
  const block::run_list runs{bounds, set.count, 0};
  const auto read = [&](auto column, int i) {
    const int s = runs.run_at(i);
    return column(set.items[s].data)[begins[s] + (i - bounds[s])];
  };
  block::fill<shape.threads, shape.items>(
      storage.keys, count, [&](int i) { return encoder.encode(read([](const auto& data) { return data.keys; }, i)); });
  if constexpr (has_value_v<Value>)
    block::fill<shape.threads, shape.items>(
        storage.values, count, [&](int i) { return read([](const auto& data) { return data.values; }, i); });
  block::multiway_merge(storage, bounds, set.count, count, less);
  block::store<shape.threads, shape.items>(storage, count, output + begin, decoder);
}

/// Scratch of a multiway merge of n elements of so many sequences: cuts of one launch, and a second home for n elements
/// if one launch does not suffice.
template <class Key, class Value>
struct multiway_memory {
  multiway_memory(carver& carve, std::size_t n, std::size_t sequences)
      : cuts{carve.take<std::size_t>((divide_up(n, merge_tile_size_v<Key, Value>) + 1) *
                                     std::min<std::size_t>(sequences, max_sequences))},
        contradiction{carve.take<unsigned>(1)} {
    if (sequences <= max_sequences) return;
    data.keys = carve.take<Key>(n);
    if constexpr (has_value_v<Value>) data.values = carve.take<Value>(n);
  }
  std::size_t* cuts;
  unsigned* contradiction;
  columns<Key, Value> data;
};

/// Bytes of scratch that multiway_merge takes at most.
template <class Key, class Value>
std::size_t multiway_merge_scratch_bytes(std::size_t n, std::size_t sequences) {
  return scratch_bytes<multiway_memory<Key, Value>>(n, sequences);
}

/// Merges at most max_sequences sequences, of n elements in all, into output[0, n).
template <class Key, class Value, class Less, class Codec>
void multiway_pass(const context& context, const sequence<Key, Value>* sequences, int count, std::size_t n,
                   columns<Key, Value> output, Less less, Codec encoder, Codec decoder,
                   const multiway_memory<Key, Value>& memory) {
  constexpr tile_shape tile = merge_tile_v<Key, Value>;
  const std::size_t tiles = divide_up(n, tile.size());
  sequence_set<Key, Value> set{};
  std::copy_n(sequences, count, set.items);
  set.count = count;
  launch(context, {divide_up((tiles + 1) * block::warp_threads, selection_threads), selection_threads},
         multiway_selection_kernel<Key, Value, Less, Codec>, set, static_cast<unsigned>(tile.size()), tiles,
         memory.cuts, less, encoder);
  if constexpr (!strict_weak_order_v<Less>) {
    check(cudaMemsetAsync(memory.contradiction, 0, sizeof(unsigned), context.stream));
    const std::size_t cuts = (tiles + 1) * static_cast<std::size_t>(count);
    launch(context, {divide_up(cuts, selection_threads), selection_threads}, multiway_check_kernel<std::size_t>,
           memory.cuts, cuts, count, memory.contradiction);
  }
  launch(context, {tiles, tile.threads}, multiway_merge_kernel<Key, Value, Less, Codec>, set, n, memory.cuts,
         memory.contradiction, output, less, encoder, decoder);
}

/// Merges neighbouring sequences in as few groups as one launch each allows, one after another into `target`; returns
/// the merged ones.
template <class Key, class Value, class Less, class Codec>
std::vector<sequence<Key, Value>> multiway_level(const context& context, const std::vector<sequence<Key, Value>>& runs,
                                                 columns<Key, Value> target, Less less, Codec encoder, Codec decoder,
                                                 const multiway_memory<Key, Value>& memory) {
  const std::size_t groups = divide_up(runs.size(), max_sequences);
  const std::size_t per_group = divide_up(runs.size(), groups);
  std::vector<sequence<Key, Value>> merged;
  for (std::size_t first = 0; first < runs.size(); first += per_group) {
    const std::size_t count = std::min(per_group, runs.size() - first);
    std::size_t n = 0;
    for (std::size_t s = first; s < first + count; ++s) n += runs[s].count;
    multiway_pass(context, runs.data() + first, static_cast<int>(count), n, target, less, encoder, decoder, memory);
    merged.push_back({as_const(target), n});
    target = target + n;
  }
  return merged;
}

/// Merges `count` sorted sequences, given by an array on the host that may go once this returns, into `output`, which
/// overlaps none of them. Stably: of equivalent elements those of earlier sequences come first. Any number of sequences
/// of any lengths; up to 64 in one pass over the elements, up to 64^p in p. Enqueued on the context's stream, without
/// waiting. Keys are compared by `less` as encoded by `codec` and stored as they were. O(n log k) and, for the
/// selection, O(n / tile * k log^2 n) at worst. Throws std::bad_alloc before anything is written, gpu::error.
template <class Key, class Value, class Less, class Codec>
void multiway_merge(const context& context, const sequence<Key, Value>* sequences, std::size_t count,
                    columns<Key, Value> output, Less less, Codec codec) {
  std::vector<sequence<Key, Value>> runs;
  std::size_t n = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (sequences[s].count > 0) runs.push_back(sequences[s]);
    n += sequences[s].count;
  }
  if (n == 0) return;
  if (runs.size() == 1) return device::copy(context, runs[0].data, n, output);

  const scratch<multiway_memory<Key, Value>> memory{context, n, runs.size()};
  int passes = 1;
  for (std::size_t left = runs.size(); left > max_sequences; left = divide_up(left, max_sequences)) ++passes;
  Codec encoder = codec;
  for (; passes > 0; --passes) {  // the last pass ends in output, the one before it in scratch, …
    const columns<Key, Value> target = passes % 2 != 0 ? output : memory->data;
    const Codec decoder = passes == 1 ? codec : Codec{};
    runs = multiway_level(context, runs, target, less, encoder, decoder, *memory);
    encoder = Codec{};
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
