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
  bool from_buffer;  ///< else from the data
  bool first;        ///< reads keys, else codes
  bool last;         ///< writes keys
  unsigned number;   ///< of passes before it that are not skipped
};

/// Elements that one look-back spans: sums stay below 2^29, and the states small beside the data.
inline constexpr std::size_t radix_portion = std::size_t{1} << 28;

/// Portions of n elements, and most tiles of one.
GPUPAR_HOST_DEVICE inline std::size_t radix_portions(std::size_t n) { return device::divide_up(n, radix_portion); }
template <class Bits, class Value>
std::size_t most_radix_tiles(std::size_t n) {
  return device::divide_up(n < radix_portion ? n : radix_portion, radix_tile_of<Bits, Value>.size());
}

template <class Bits, class Value>
struct radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);

  columns<Bits, Value> buffer;
  unsigned long long* bases;   ///< [2][digits]: where the digits of a portion begin, for even and odd portions
  radix_pass* pass;            ///< [passes + 1]; the last only tells where the result lies
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
  radix_stage<Bits, Value, Rank, Codec> stage;
  bool skipped;
  radix_tile_storage<Bits, Value> tile;
};

/// One pass over one portion: a block per tile, with the shared memory of one. bases[0, digits) are where the portion's
/// digits go; next_bases receives those of the portion after it.
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks(radix_tile_of<Bits, Value>))
    radix_pass_kernel(columns<Bits, Value> data, radix_scratch<Bits, Value> memory, std::size_t n, unsigned p,
                      unsigned portion, const unsigned long long* bases, unsigned long long* next_bases, Rank rank,
                      Codec codec) {
  await_predecessors();
  admit_successors();
  auto& shared = device::dynamic_shared<radix_pass_storage<Bits, Value, Rank, Codec>>();
  if (threadIdx.x == 0) {  // two questions at once: no other block hides what the answers take
    const unsigned number = atomicAdd(&memory.next_tile[p * memory.portions + portion], 1u);
    const radix_pass pass = memory.pass[p];
    const columns<Bits, Value> from = pass.from_buffer ? memory.buffer : data;
    const std::size_t first = portion * radix_portion;
    shared.skipped = pass.skipped;
    shared.stage = {from.keys,
                    from.values,
                    pass.from_buffer ? data : memory.buffer,
                    first,
                    min(n, first + radix_portion),
                    bases,
                    next_bases,
                    memory.states,
                    nullptr,
                    p,
                    static_cast<unsigned>(pass.number * memory.portions + portion + 1),
                    pass.first,
                    pass.last,
                    Bits{0},
                    rank,
                    codec,
                    number};
  }
  __syncthreads();
  if (!shared.skipped) device::move_radix_tile(shared.tile, shared.stage);
}

}  // namespace gpu::inline v1::detail::device
