// Distributes elements to buckets that all ranks have in common, in the order of buckets that the caller wants: what a
// rank does with its part of a sequence before its elements travel. A round of quicksort (partitions.cuh) except at its
// ends: all ranks choose by the same sample, the caller chooses the order between counting and moving, and keys arrive
// as keys, not as codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "partitions.cuh"
#include "sampled_keys.cuh"

namespace gpu::inline v1::detail::device {

/// Writes keys where codes are assigned.
template <class Bits>
struct keys_of_codes {
  struct element {
    Bits& key;
    const key_codec<Bits>& codec;
    __device__ void operator=(Bits code) const { key = codec.decode(code); }
  };
  Bits* keys;
  key_codec<Bits> codec;
  __device__ element operator[](std::size_t i) const { return {keys[i], codec}; }
};

/// Scratch for n elements of a rank, and `draws` codes of all ranks.
template <class Bits>
struct shared_buckets {
  using rounds_type = partitions<by_itself<Bits>, no_value, code_less>;
  static constexpr unsigned most = block::max_buckets<Bits> < 256 ? block::max_buckets<Bits> : 256;

  std::size_t n;
  rounds_type rounds;
  unsigned draws;
  Bits* sample;
  std::uint16_t* order;  ///< order[i]: the i-th bucket in the order that is wanted

  shared_buckets(carver& carve, std::size_t n, std::size_t draws)
      : n{n},
        rounds{carve, plan(n)},
        draws{static_cast<unsigned>(draws)},
        sample{carve.take<Bits>(draws)},
        order{carve.take<std::uint16_t>(block::max_buckets<Bits>)} {
    // The sample is divided as if it were all elements, to as many buckets as possible, by the same draws on all ranks.
    distribution_plan& chosen = rounds.parts.plan;
    chosen.rounds = 1;
    chosen.longest_base_case = chosen.even_base_case = divide_up(draws, 2 * most);
    chosen.longest_with_heavy = 0;
    chosen.samples = {1, 2};
  }

  /// Lists are at least as long as for enough elements to fill `most` buckets.
  static distribution_plan plan(std::size_t n) {
    constexpr std::size_t longest = device::longest_base_case<Bits, no_value, code_less>();
    const std::size_t enough = longest * most;
    distribution_plan plan = rounds_type::plan(n < enough ? enough : n, longest, 0);
    plan.most_buckets = most;
    return plan;
  }
};

/// Makes the sample the only subproblem. One block.
template <class Count>
__global__ void begin_sample_kernel(worklist parts, Count draws) {
  await_predecessors();
  parts.totals[0] = {};
  parts.add_subproblem(0, 0, draws);
}

/// Makes all n elements the only subproblem, divided as the sample is. One block.
template <class Count>
__global__ void __launch_bounds__(offset_threads) begin_elements_kernel(worklist parts, Count n) {
  await_predecessors();
  subproblem& all = parts.subproblems_of(0)[0];
  if (threadIdx.x == 0) {
    parts.totals[0] = {};
    parts.totals[0].subproblems = 1;
    all.count = n;
    parts.claim(all, 0);
  }
  __syncthreads();
  for (unsigned j = threadIdx.x; j < all.tile_ranges; j += offset_threads) parts.subproblem_of[j] = 0;
}

/// Turns the counts of buckets into their offsets, in the order that is wanted. One block.
template <class Count>
__global__ void __launch_bounds__(offset_threads)
    order_buckets_kernel(worklist parts, const std::uint16_t* order, Count* counts) {
  await_predecessors();
  using scan = cub::BlockScan<Count, offset_threads>;
  __shared__ typename scan::TempStorage shared;
  const bool has_bucket = threadIdx.x < parts.subproblems_of(0)[0].buckets;
  Count& offset = counts[has_bucket ? order[threadIdx.x] : 0];
  const Count count = has_bucket ? offset : 0;
  Count start = 0;
  scan{shared}.ExclusiveSum(count, start);
  if (has_bucket) offset = start;
}

/// Enqueue these kernels.
template <class Count>
void begin_sample(const context& context, const worklist& parts, Count draws) {
  device::launch_early(context, shape{1, 1}, begin_sample_kernel<Count>, parts, draws);
}
template <class Count>
void begin_elements(const context& context, const worklist& parts, Count n) {
  device::launch_early(context, shape{1, offset_threads}, begin_elements_kernel<Count>, parts, n);
}
template <class Count>
void order_buckets(const context& context, const worklist& parts, const std::uint16_t* order, Count* counts) {
  device::launch_early(context, shape{1, offset_threads}, order_buckets_kernel<Count>, parts, order, counts);
}

/// The first half: chooses buckets by the sample in memory.sample, and counts from[0, n). After that the subproblem
/// holds the number of buckets, and rounds.counts.of_all the number of elements in each.
template <class Bits>
void count_for_ranks(const context& context, const shared_buckets<Bits>& memory, Bits* from,
                     const key_codec<Bits>& codec) {
  const auto& parts = memory.rounds.parts;
  const tile_counters& counts = memory.rounds.counts;
  device::begin_sample(context, parts, memory.draws);
  device::choose_round<Bits>(context, parts, 0, memory.sample, counts.of_all, code_less{}, detail::codes_by(codec));
  device::begin_elements(context, parts, memory.n);
  device::count_buckets<Bits>(context, parts, 0, device::only_read(from), counts, code_less{}, detail::keys_by(codec));
}

/// The second half: moves all elements to their buckets in to[0, n), in the order in memory.order.
template <class Bits>
void move_for_ranks(const context& context, const shared_buckets<Bits>& memory, Bits* from, Bits* to,
                    const key_codec<Bits>& codec) {
  using tiles = tile_move<by_itself<Bits>, no_value, code_less>;
  using source = columns<Bits, no_value>;
  using target = stream<keys_of_codes<Bits>>;
  const auto& parts = memory.rounds.parts;
  device::order_buckets(context, parts, memory.order, memory.rounds.counts.of_all);
  device::launch_persistent(
      context, {parts.plan.tile_range_limit(), tiles::threads, tiles::shared_bytes(parts.plan.piece)},
      move_partitions_kernel<by_itself<Bits>, no_value, source, target, code_less, key_codec<Bits>, key_codec<Bits>>,
      parts, 0u, source{from, nullptr}, target{{to, codec}}, memory.rounds.counts, code_less{}, codec, codec);
}

}  // namespace gpu::inline v1::detail::device
