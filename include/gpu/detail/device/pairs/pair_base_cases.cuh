// Base cases of pairs. A block sorts codes that join the leading bits in which a base case's keys differ with positions
// in it, and fetches the pairs by these positions. This is stable, and codes have 32 bits whatever the keys.
#pragma once

#include <bit>
#include <cstddef>

#include "../block/bin_sort.cuh"
#include "../block/extremes.cuh"
#include "../distribution/base_cases.cuh"
#include "../distribution/subproblems.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/pairs.hpp"
#include "overflowing_pairs.cuh"
#include "pair_destinations.cuh"
#include "pairs.cuh"

namespace gpu::inline v1::detail::device {

/// Where a sorted tile of codes is stored: writes the pairs at the positions in the codes.
template <class Key, class Decoder>
struct fetched_pairs {
  columns<Key, Key> target;
  const key_value<Key>* pairs;  ///< of the tile, in shared memory
  unsigned position_mask;
  Decoder decoder;

  struct reference {
    const fetched_pairs& of;
    unsigned index;
    __device__ void operator=(unsigned code) const {
      const key_value<Key> pair = of.pairs[code & of.position_mask];
      of.target.set(index, of.decoder.decode(pair.key), pair.value);
    }
  };
  __device__ reference operator[](unsigned index) const { return {*this, index}; }
};

/// Sorts a base case of pairs by one block. Codes are the leading bits of keys, relative to the least key and without
/// the low bits that all share, followed by positions in the base case. Few keys agree in these bits but differ in the
/// others: their runs are short, and ordered afterwards.
template <class Key>
class pair_base_case_sort {
  static constexpr tile_shape shape = pair_base_case_tile(sizeof(key_value<Key>));
  static constexpr int items = shape.items;
  using bins = block::bin_sort<unsigned, shape.threads, items, true>;
  static constexpr unsigned position_bits = std::countr_zero(bins::tile);
  static constexpr unsigned position_mask = bins::tile - 1;
  static constexpr unsigned most_runs = 128;
  static constexpr unsigned longest_run = 16;

 public:
  static constexpr int threads = shape.threads;
  static constexpr unsigned tile = bins::tile;

  struct storage {
    key_value<Key> pairs[tile];
    typename bins::storage bins;
    block::extremes_storage<Key, threads> range;
    typename block::common_low_bits<threads>::storage low_bits;
    unsigned runs[most_runs];  ///< first position and, in the upper half, number of codes
    unsigned runs_found;
  };
  static_assert(sizeof(storage) <= pair_shared_bytes);

  __device__ pair_base_case_sort(storage& shared, bool stable) : shared_{shared}, stable_{stable} {}

  /// Sorts a base case of 0 < n <= tile pairs; returns false, having written nothing, if bins overflow, or if runs are
  /// too many or too long. repeats: keys occur several times each; if equal keys may be in any order, bins may then
  /// overflow as long as such bins hold few codes. locate(): returns the base case, which is cheaper to find again than
  /// to keep. Called by every thread; synchronises before.
  template <class Locate, class Decoder>
  __device__ bool sort(Locate locate, unsigned n, bool repeats, Decoder decoder) {
    Key keys[items];
    __syncthreads();
    block::common_low_bits<threads> low_bits{shared_.low_bits};
    const Key first = device::load_pairs<threads>(locate(), n, shared_.pairs, keys);
    low_bits.publish(keys, first);
    if (threadIdx.x == 0) shared_.runs_found = 0;
    const auto range = block::extremes<threads>(keys, shared_.range);
    const Key span = static_cast<Key>(range.greatest - range.least);
    constexpr unsigned kept_bits = 32 - position_bits;
    const unsigned wide = block::measured_bits<Key> - block::leading_zeros(span);
    const unsigned alike_in = low_bits.count();
    const unsigned left_out = max(wide > kept_bits ? wide - kept_bits : 0, alike_in);
    unsigned codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i)
      codes[i] = static_cast<unsigned>(static_cast<Key>(keys[i] - range.least) >> left_out) << position_bits | index(i);
    bins sorted{shared_.bins};
    const unsigned greatest = static_cast<unsigned>(span >> left_out) << position_bits | position_mask;
    const unsigned ignored = repeats && !stable_ ? position_mask : 0;
    if (!sorted.sort(codes, n, {0, greatest}, ignored)) return false;
    if (left_out > alike_in && !order_runs(sorted, n)) return false;
    sorted.store(fetched_pairs<Key, Decoder>{locate().data, shared_.pairs, position_mask, decoder}, n,
                 identity_codec{});
    return true;
  }

 private:
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * threads + threadIdx.x; }

  /// Whether the pair at the position in `code` precedes the pair at the position in `other`.
  __device__ bool precedes(unsigned code, unsigned other) const {
    return shared_.pairs[code & position_mask].key < shared_.pairs[other & position_mask].key;
  }
  /// Whether two codes differ in their positions only.
  __device__ static bool alike(unsigned code, unsigned other) { return (code ^ other) <= position_mask; }
  __device__ bool out_of_order(unsigned code, unsigned next) const { return alike(code, next) && precedes(next, code); }

  /// Sorts runs of codes that are alike by their pairs; false if they are too many or too long. Synchronises.
  __device__ bool order_runs(const bins& sorted, unsigned n) {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i + 1 < n; i += threads)
      if (out_of_order(sorted[i], sorted[i + 1])) list_run(sorted, i, n);
    __syncthreads();
    const unsigned found = shared_.runs_found;
    if (found > most_runs) return false;
    if (threadIdx.x < found) order_run(sorted, shared_.runs[threadIdx.x] & 0xffffu, shared_.runs[threadIdx.x] >> 16);
    __syncthreads();
    return true;
  }

  /// Lists the run around position i, which is out of order there, unless it is also out of order at an earlier
  /// position.
  __device__ void list_run(const bins& sorted, unsigned i, unsigned n) {
    unsigned first = i, end = i + 2;
    for (; first > 0 && alike(sorted[first - 1], sorted[i]) && i - first < longest_run; --first)
      if (out_of_order(sorted[first - 1], sorted[first])) return;
    while (end < n && alike(sorted[end], sorted[i]) && end - first <= longest_run) ++end;
    const bool too_long = end - first > longest_run;
    const unsigned number = atomicAdd(&shared_.runs_found, too_long ? most_runs + 1 : 1u);
    if (number < most_runs) shared_.runs[number] = (end - first) << 16 | first;
  }

  __device__ void order_run(const bins& sorted, unsigned first, unsigned count) {
    for (unsigned end = first + 1; end < first + count; ++end) {
      const unsigned code = sorted[end];
      unsigned slot = end;
      for (; slot > first && precedes(code, sorted[slot - 1]); --slot) sorted[slot] = sorted[slot - 1];
      sorted[slot] = code;
    }
  }

  storage& shared_;
  bool stable_;
};

/// Sorts the base cases of pairs into data; lists those that are too long or too full for that.
template <class Key>
__global__ void __launch_bounds__(pair_base_case_tile(sizeof(key_value<Key>)).threads,
                                  pair_base_case_blocks(sizeof(key_value<Key>)))
    pair_base_cases_kernel(const base_case* base_cases, const unsigned* base_case_count, base_case_list overflowing,
                           pair_destinations<Key> pairs, bool stable, key_codec<Key> decoder) {
  await_predecessors();
  using base_case_sort = pair_base_case_sort<Key>;
  auto& shared = device::dynamic_shared<typename base_case_sort::storage>();
  const unsigned count = *base_case_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto locate = [&] { return base_case_of_pairs<Key>{base_cases[l], pairs}; };
    if (base_cases[l].all_equal) {
      locate().unpack(decoder);
      continue;
    }
    const auto n = static_cast<unsigned>(min(std::size_t{base_cases[l].count}, std::size_t{base_case_sort::tile} + 1));
    const bool repeats = base_cases[l].repeats != repetition::seldom;
    const bool sorted = n <= base_case_sort::tile && base_case_sort{shared, stable}.sort(locate, n, repeats, decoder);
    if (!sorted && threadIdx.x == 0) overflowing.add(l);
  }
}

/// Sorts all base cases into pairs.data. `spare`: columns of n elements, which may lie where the buffer is.
template <class Key>
void sort_pair_base_cases(const context& context, const worklist_of<Key, code_less>& parts,
                          pair_destinations<Key> pairs, columns<Key, Key> spare, unsigned* finalized,
                          bool stable, const key_codec<Key>& decoder) {
  using base_case_sort = pair_base_case_sort<Key>;
  const std::size_t limit = parts.plan.base_case_limit();
  device::launch_persistent(context, {divide_up(limit * warp::threads, finalize_threads), finalize_threads},
                            finalize_chunks_kernel<Key>, parts.base_cases, parts.base_case_count, pairs,
                            finalized);
  device::launch_early(
      context,
      shape{parts.plan.base_case_blocks(limit), base_case_sort::threads, sizeof(typename base_case_sort::storage)},
      pair_base_cases_kernel<Key>, parts.base_cases, parts.base_case_count, parts.lists.overflowing, pairs, stable,
      decoder);
  device::launch_persistent(context,
                            {limit, base_case_sort::threads, sizeof(typename pair_word_sort<Key>::storage)},
                            overflowing_pairs_kernel<Key>, parts.base_cases, parts.lists.overflowing,
                            parts.lists.merged, pairs, decoder);
  device::merge_listed_base_cases<true>(context, parts, limit, pairs.data, spare, key_codec<Key>{}, decoder);
}

}  // namespace gpu::inline v1::detail::device
