// Stable merge of any number of sorted sequences by multiway selection: for every tile of the output a warp finds how
// many elements of each sequence precede it, then a block merges the tile's pieces of all sequences in shared memory.
// Leischner, "GPU algorithms for comparison-based sorting and for merging based on multiway selection" (paper 001),
// chapter 5.
#pragma once

#include <algorithm>
#include <vector>

#include "../block/multiway_merge.cuh"
#include "merge.cuh"
#include "multiway_bins.cuh"
#include "multiway_selection.cuh"

namespace gpu::inline v1::detail::device {

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
  if (threadIdx.x >= warp::threads) return;
  int before = 0;
  for (int base = 1; base <= count; base += warp::threads) {
    const int index = base + static_cast<int>(threadIdx.x);
    const int sum = warp::inclusive_sum(index <= count ? bounds[index] : 0);
    if (index <= count) bounds[index] = before + sum;
    before += __shfl_sync(warp::all_lanes, sum, warp::threads - 1);
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
  device::tile_parts(set, cuts, contradicted, begin, end, begins, bounds + 1);
  __syncthreads();
  device::bounds_of_lengths(bounds, set.count);
  __syncthreads();

  const int count = static_cast<int>(end - begin);
  const block::run_list runs{bounds, set.count, 0};
  block::load<shape.threads, shape.items>(
      storage, count,
      [&](int i, auto column) {
        const int s = runs.run_at(i);
        return column(set.items[s].data) + (begins[s] + static_cast<std::size_t>(i - bounds[s]));
      },
      encoder);
  block::multiway_merge(storage, bounds, set.count, count, less);
  block::store<shape.threads, shape.items>(storage, count, output + begin, decoder);
}

/// Scratch of a multiway merge of n elements of `sequences` sequences: the cuts of one launch, and a second array for n
/// elements if one launch does not suffice.
template <class Key, class Value>
struct multiway_memory {
  multiway_memory(carver& carve, std::size_t n, std::size_t sequences)
      : cuts{carve.take<std::size_t>((device::divide_up(n, device::least_tile<Key, Value>(sequences)) + 1) *
                                     std::min<std::size_t>(sequences, max_sequences))},
        contradiction{carve.take<unsigned>(1)},
        bounds{carve.take<Key>(bounds_of(n))} {
    if (sequences <= max_sequences) return;
    data.keys = carve.take<Key>(n);
    if constexpr (has_value_v<Value>) data.values = carve.take<Value>(n);
  }
  static std::size_t bounds_of(std::size_t n) {
    if constexpr (may_merge_by_bins_v<Key, Value>)
      return device::divide_up(n, device::least_bins_tile<Key>()) + 1;
    else
      return 0;
  }

  std::size_t* cuts;
  unsigned* contradiction;
  Key* bounds;
  columns<Key, Value> data;
};

/// Upper bound on the bytes of scratch that multiway_merge takes.
template <class Key, class Value>
std::size_t multiway_merge_scratch_bytes(std::size_t n, std::size_t sequences) {
  return device::scratch_bytes<multiway_memory<Key, Value>>(n, sequences);
}

/// Merges at most max_sequences sequences, of n elements in all, into output[0, n).
template <class Key, class Value, class Less, class Codec>
void multiway_pass(const context& context, const sequence<Key, Value>* sequences, int count, std::size_t n,
                   columns<Key, Value> output, Less less, Codec encoder, Codec decoder,
                   const multiway_memory<Key, Value>& memory) {
  sequence_set<Key, Value> set{};
  std::copy_n(sequences, count, set.items);
  set.count = count;
  if constexpr (merges_by_bins_v<Key, Value, Less>) {
    device::merge_by_bins(context, set, n, output.keys, encoder, decoder, memory.cuts, memory.bounds);
  } else {
    constexpr tile_shape tile = merge_tile_v<Key, Value>;
    const std::size_t tiles = divide_up(n, tile.size());
    device::select_cuts(context, set, tile.size(), 0, tiles, memory.cuts, static_cast<Key*>(nullptr), less, encoder);
    if constexpr (!strict_weak_order_v<Less>) {
      device::set_zero(context, memory.contradiction, sizeof(unsigned));
      const std::size_t cuts = (tiles + 1) * static_cast<std::size_t>(count);
      device::launch(context, {divide_up(cuts, selection_threads), selection_threads},
                     multiway_check_kernel<std::size_t>, memory.cuts, cuts, count, memory.contradiction);
    }
    device::launch(context, {tiles, tile.threads}, multiway_merge_kernel<Key, Value, Less, Codec>, set, n, memory.cuts,
                   memory.contradiction, output, less, encoder, decoder);
  }
}

/// Merges neighbouring sequences in as few groups as possible, each in one launch, one after another into `target`;
/// returns the merged sequences.
template <class Key, class Value, class Less, class Codec>
std::vector<sequence<Key, Value>> multiway_level(const context& context, const std::vector<sequence<Key, Value>>& runs,
                                                 columns<Key, Value> target, Less less, Codec encoder, Codec decoder,
                                                 const multiway_memory<Key, Value>& memory) {
  const std::size_t groups = device::divide_up(runs.size(), max_sequences);
  const std::size_t per_group = device::divide_up(runs.size(), groups);
  std::vector<sequence<Key, Value>> merged;
  for (std::size_t first = 0; first < runs.size(); first += per_group) {
    const std::size_t count = std::min(per_group, runs.size() - first);
    std::size_t n = 0;
    for (std::size_t s = first; s < first + count; ++s) n += runs[s].count;
    device::multiway_pass(context, runs.data() + first, static_cast<int>(count), n, target, less, encoder, decoder,
                          memory);
    merged.push_back({device::as_const(target), n});
    target = target + n;
  }
  return merged;
}

/// Merges `count` sorted sequences into `output`, which overlaps none of them. `sequences`: an array on the host that
/// need not outlive the call. Stable: of equivalent elements those of earlier sequences come first. Any number of
/// sequences of any lengths; up to 64 in one pass over the elements, up to 64^p in p. Enqueued on the context's stream,
/// without waiting. Keys are compared by `less` as encoded by `codec` and stored as they were. O(n log k) and, for the
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
  if (runs.size() == 2)
    return device::merge(context, runs[0].data, runs[0].count, runs[1].data, runs[1].count, output, less, codec);

  const scratch<multiway_memory<Key, Value>> memory{context, n, runs.size()};
  int passes = 1;
  for (std::size_t left = runs.size(); left > max_sequences; left = divide_up(left, max_sequences)) ++passes;
  Codec encoder = codec;
  for (; passes > 0; --passes) {  // the last pass ends in output, the one before it in scratch, …
    const columns<Key, Value> target = passes % 2 != 0 ? output : memory->data;
    const Codec decoder = passes == 1 ? codec : Codec{};
    runs = device::multiway_level(context, runs, target, less, encoder, decoder, *memory);
    encoder = Codec{};
  }
}

}  // namespace gpu::inline v1::detail::device
