// The last step of a selection: puts a few ranks in order, each finding its position by counting those before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../launching/launch.cuh"
#include "../rows/row_copy.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "rank.cuh"
#include "rescue.cuh"
#include "sampling.cuh"

namespace gpu::inline v1::detail::device {

/// Where the selected elements go, in order: their indices, and their rows of some columns. Null where not requested.
struct selected_output {
  static constexpr int most_columns = 2;
  index_writer order;
  row_copy rows[most_columns] = {};
  int columns = 0;

  /// How many lanes write an element: one, unless rows are long.
  [[nodiscard]] unsigned lanes() const {
    std::size_t most = 0;
    for (int c = 0; c < columns; ++c) most = std::max(most, rows[c].bytes);
    return most <= most_bytes_of_lane ? 1 : enumeration_lanes;
  }
  /// Writes the element at `index` to `position`. Called by `lanes` lanes, each with its number `lane`.
  __device__ void write(std::size_t index, std::size_t position, unsigned lane, unsigned lanes) const {
    for (int c = 0; c < columns; ++c) rows[c].copy(index, position, lane, lanes);
    if (lane == 0 && order) order.write(position, index);
  }
};

/// Writes the elements of the first ranks, as many as are wanted, in order.
template <class Rank>
__global__ void __launch_bounds__(enumeration_threads)
    enumeration_kernel(const Rank* ranks, const selected_ranks<Rank>* selected, selected_output output) {
  await_predecessors();
  __shared__ alignas(16) unsigned char memory[enumeration_tile * sizeof(Rank)];
  Rank* const tile = reinterpret_cast<Rank*>(memory);
  const auto count = static_cast<unsigned>(selected->count);
  const std::size_t wanted = selected->wanted;
  if (blockIdx.x * enumerated_by_block >= count) return;
  const unsigned own = blockIdx.x * enumerated_by_block + threadIdx.x / enumeration_lanes;
  const unsigned lane = threadIdx.x % enumeration_lanes;
  const Rank rank = ranks[own < count ? own : count - 1];
  unsigned before = 0;
  for (unsigned begin = 0; begin < count; begin += enumeration_tile) {
    const unsigned size = min(count - begin, enumeration_tile);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += enumeration_threads) tile[i] = ranks[begin + i];
    __syncthreads();
    for (unsigned i = lane; i < size; i += enumeration_lanes) before += tile[i] < rank;
  }
  for (int mask = 1; mask < enumeration_lanes; mask *= 2) before += __shfl_xor_sync(warp::all_lanes, before, mask);
  if (own >= count || before >= wanted) return;
  output.write(rank_parts<Rank>::index(rank), before, lane, enumeration_lanes);
}

/// Writes the wanted one of the kept ranks, all of which a block can hold, to *threshold.
template <class Rank>
__global__ void __launch_bounds__(selection_sampling_threads)
    threshold_kernel(const Rank* kept, const selected_ranks<Rank>* selected, Rank* threshold) {
  await_predecessors();
  __shared__ bound_storage shared;
  Rank ranks[sample_items<Rank>];
  const int held = device::hold(kept, static_cast<unsigned>(selected->count), ranks);
  const auto wanted = static_cast<unsigned>(selected->wanted);
  const Rank found = device::find_bound(ranks, held, Rank{}, rank_parts<Rank>::greatest(), wanted, 0, shared);
  if (threadIdx.x == 0) *threshold = found;
}

/// Writes the elements of the first *count ranks, which are in order; `lanes` lanes write each.
template <class Count>
__global__ void __launch_bounds__(enumeration_threads)
    write_ordered_kernel(rank_indices ranks, const Count* count, selected_output output, unsigned lanes) {
  await_predecessors();
  const unsigned i = blockIdx.x * enumeration_threads + threadIdx.x, own = i / lanes;
  if (own < *count) output.write(ranks[own], own, i % lanes, lanes);
}

/// Sets keys[*count, most), of `key_bytes` bytes each, to the key with the code *rest. `codec`: for keys in the upper
/// bytes of a Code.
template <class Code>
__global__ void __launch_bounds__(enumeration_threads)
    fill_rest_kernel(void* keys, unsigned key_bytes, std::size_t most, const unsigned long long* count,
                     const void* rest, key_codec<Code> codec) {
  await_predecessors();
  const std::size_t i = blockIdx.x * std::size_t{enumeration_threads} + threadIdx.x;
  if (i < *count || i >= most) return;
  const unsigned more_bits = 8 * (sizeof(Code) - key_bytes);
  device::with_integer(key_bytes, [&]<class Bits>(Bits) {
    const auto code = static_cast<Code>(static_cast<Code>(*static_cast<const Bits*>(rest)) << more_bits);
    static_cast<Bits*>(keys)[i] = static_cast<Bits>(codec.decode(code) >> more_bits);
  });
}

/// order[i] = the index of ranks[i], i < n.
template <class Count>
__global__ void __launch_bounds__(enumeration_threads)
    write_order_kernel(rank_indices ranks, index_writer order, Count n) {
  await_predecessors();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * enumeration_threads + threadIdx.x;
  if (i < n) order.write(i, ranks[i]);
}

}  // namespace gpu::inline v1::detail::device
