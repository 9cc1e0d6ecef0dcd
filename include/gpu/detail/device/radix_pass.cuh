// One pass of radix sort: every tile ranks its codes by a digit, learns by decoupled look-back how many equal digits
// lie before it, and scatters. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.
#pragma once

#include <cstddef>

#include "../keys/key.hpp"
#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/scratch.cuh"
#include "radix_tile.cuh"
#include "tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

/// What the counts say about a pass.
struct radix_pass {
  bool skipped;
  unsigned number;  ///< of passes before it that are not skipped
};

/// Where elements come from, and where they shall be: there, too, or elsewhere.
template <class Bits, class Value>
struct radix_ends {
  const Bits* keys;
  const Value* values;  ///< null: the indices of keys
  columns<Bits, Value> destination;
  bool keep_keys;  ///< whether keys are wanted at the destination; if not, their memory serves on the way

  [[nodiscard]] GPUPAR_HOST_DEVICE bool in_place() const { return keys == destination.keys; }
};

/// Where a pass moves elements.
template <class Bits, class Value>
struct radix_route {
  const Bits* keys;
  const Value* values;      ///< null: the indices of keys
  columns<Bits, Value> to;  ///< without keys if these are not wanted
};

/// Passes alternate between buffer and destination: in place, the first one of `count` moves to the buffer, else the
/// last one to the destination.
template <class Bits, class Value>
__device__ radix_route<Bits, Value> route_of(const radix_ends<Bits, Value>& ends, const columns<Bits, Value>& buffer,
                                             unsigned number, unsigned count) {
  const auto end_of = [&](unsigned which) {
    const bool at_destination = ends.in_place() ? which % 2 == 1 : (count - 1 - which) % 2 == 0;
    return at_destination ? ends.destination : buffer;
  };
  const bool first = number == 0;
  const columns<Bits, Value> from = end_of(first ? 0 : number - 1);
  columns<Bits, Value> to = end_of(number);
  if (number + 1 == count && !ends.keep_keys) to.keys = nullptr;
  return {first ? ends.keys : from.keys, first ? ends.values : from.values, to};
}

/// Elements that one look-back spans: sums stay below 2^29, and the states small beside the data.
inline constexpr std::size_t radix_portion = std::size_t{1} << 28;

/// Portions of n elements, and most tiles of one, also of fewer elements.
GPUPAR_HOST_DEVICE inline std::size_t radix_portions(std::size_t n) { return device::divide_up(n, radix_portion); }
template <class Bits, class Value>
std::size_t most_radix_tiles(std::size_t n) {
  const std::size_t tiles = device::divide_up(n < radix_portion ? n : radix_portion, radix_tile_of<Bits, Value>.size());
  return tiles > radix_tiles_at_once ? tiles : radix_tiles_at_once;
}

template <class Bits, class Value>
struct radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);

  columns<Bits, Value> buffer;
  unsigned long long* bases;   ///< [2][digits]: where the digits of a portion begin, for even and odd portions
  radix_pass* pass;            ///< [passes + 1]; the last only tells how many there are
  unsigned long long* counts;  ///< [passes][digits]; their exclusive sums after plan_radix_kernel
  std::size_t portions;
  std::size_t tiles;    ///< of a portion, at most
  unsigned* next_tile;  ///< [passes][portions]
  unsigned* states;     ///< [tiles][digits]

  radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        bases{carve.take<unsigned long long>(2 * radix_digits)},
        pass{carve.take<radix_pass>(passes + 1)},
        counts{carve.take<unsigned long long>(passes * radix_digits)},
        portions{device::radix_portions(n)},
        tiles{device::most_radix_tiles<Bits, Value>(n)},
        next_tile{carve.take<unsigned>(passes * portions)},
        states{carve.take<unsigned>(tiles * radix_digits)} {}

  /// What counts, hands out tiles or is looked at is zero before the sort: counts, next_tile and states, which follow
  /// each other.
  void clear(const context& context) const {
    const auto* const end = reinterpret_cast<const std::byte*>(states + tiles * radix_digits);
    device::set_zero(context, counts, static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(counts)));
  }
};

/// A block's shared memory in a pass.
template <class Bits, class Value, class Rank, class Codec>
struct radix_pass_storage {
  radix_stage<Bits, Value, Rank, Codec, true> stage;
  bool skipped;
  radix_tile_storage<Bits, Value, true> tile;
};

/// One pass over one portion: a block per tile, with the shared memory of one. bases[0, digits) are where the portion's
/// digits go; next_bases receives those of the portion after it.
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks(radix_tile_of<Bits, Value>))
    radix_pass_kernel(radix_ends<Bits, Value> ends, radix_scratch<Bits, Value> memory, std::size_t n, unsigned p,
                      unsigned portion, const unsigned long long* bases, unsigned long long* next_bases, Rank rank,
                      Codec codec) {
  const bool first = p == 0 && portion == 0;
  if (first) await_predecessors();  // else what plans and clears is done, as the launch before has begun
  auto& shared = device::dynamic_shared<radix_pass_storage<Bits, Value, Rank, Codec>>();
  if (threadIdx.x == 0) {  // two questions at once: no other block hides what the answers take
    const unsigned number = atomicAdd(&memory.next_tile[p * memory.portions + portion], 1u);
    const radix_pass pass = memory.pass[p];
    const unsigned count = memory.pass[radix_scratch<Bits, Value>::passes].number;
    const radix_route<Bits, Value> route = device::route_of(ends, memory.buffer, pass.number, count);
    const std::size_t begin = portion * radix_portion;
    shared.skipped = pass.skipped;
    shared.stage = {route.keys,
                    route.values,
                    route.to,
                    begin,
                    min(n, begin + radix_portion),
                    bases,
                    next_bases,
                    memory.states,
                    nullptr,
                    device::items_for(radix_tile_of<Bits, Value>, n),
                    p,
                    static_cast<unsigned>(pass.number * memory.portions + portion + 1),
                    pass.number == 0,
                    pass.number + 1 == count,
                    Bits{0},
                    rank,
                    codec,
                    number};
  }
  __syncthreads();
  if (!first) await_predecessors();
  admit_successors();
  if (!shared.skipped) device::move_radix_tile(shared.tile, shared.stage);
}

}  // namespace gpu::inline v1::detail::device
