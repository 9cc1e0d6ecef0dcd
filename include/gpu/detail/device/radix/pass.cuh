// One pass of radix sort: every tile ranks its codes by a digit, learns by decoupled look-back how many equal digits
// lie before it, and scatters. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/radix.hpp"
#include "tile.cuh"

namespace gpu::inline v1::detail::device {

/// What counting the keys finds: a bit for each digit that is not the same in all codes and their ranks, and one for
/// whether the rank of some code differs from the code.
class varying_digits {
 public:
  static constexpr unsigned ranks_differ = 1u << 31;

  GPUPAR_HOST_DEVICE explicit varying_digits(unsigned found) : found_{found} {}

  [[nodiscard]] __device__ bool ranks_are_codes() const { return (found_ & ranks_differ) == 0; }
  [[nodiscard]] __device__ bool has(unsigned digit) const { return (found_ >> digit & 1u) != 0; }
  [[nodiscard]] __device__ unsigned count() const { return static_cast<unsigned>(__popc(found_ & ~ranks_differ)); }
  [[nodiscard]] __device__ unsigned count_before(unsigned digit) const {
    return static_cast<unsigned>(__popc(found_ & ((1u << digit) - 1)));
  }

 private:
  unsigned found_;
};

/// Where elements come from, and where they go: the same memory or other memory.
template <class Bits, class Value>
struct radix_ends {
  const Bits* keys;
  const Value* values;  ///< null: the values are the indices of keys
  columns<Bits, Value> destination;
  bool keep_keys;  ///< whether keys are wanted at the destination; passes but the last write there in any case

  [[nodiscard]] GPUPAR_HOST_DEVICE bool in_place() const { return keys == destination.keys; }
};

/// Where a pass takes elements from, and where it moves them.
template <class Bits, class Value>
struct radix_route {
  const Bits* keys;
  const Value* values;      ///< null: the values are the indices of keys
  columns<Bits, Value> to;  ///< keys are null if they are not wanted
};

/// The route of pass `number` of `count`. Passes alternate between buffer and destination: in place, the first one
/// moves to the buffer; otherwise the last one moves to the destination.
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

/// Elements that one look-back spans: sums stay below 2^29, and the states stay small compared with the data.
inline constexpr std::size_t radix_portion = std::size_t{1} << 28;

/// Portions of n elements, and the most tiles of a portion of n or fewer elements.
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
  unsigned long long* counts;  ///< [passes][digits]; a pass replaces those of the next by where digits begin
  unsigned* found;             ///< see varying_digits
  std::size_t portions;
  std::size_t tiles;    ///< of a portion, at most
  unsigned* next_tile;  ///< [passes][portions]
  unsigned* states;     ///< [tiles][digits]

  radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        bases{carve.take<unsigned long long>(2 * radix_digits)},
        counts{carve.take<unsigned long long>(passes * radix_digits)},
        found{carve.take<unsigned>(1)},
        portions{device::radix_portions(n)},
        tiles{device::most_radix_tiles<Bits, Value>(n)},
        next_tile{carve.take<unsigned>(passes * portions)},
        states{carve.take<unsigned>(tiles * radix_digits)} {}

  /// Zeroes what has to be zero before the sort: counts, found, next_tile and states, which are contiguous.
  void clear(const context& context) const {
    const auto* const end = reinterpret_cast<const std::byte*>(states + tiles * radix_digits);
    device::set_zero(context, counts, static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(counts)));
  }
};

/// A block's shared memory in a pass.
template <class Bits, class Value, class Codec>
struct radix_pass_storage {
  radix_stage<Bits, Value, Codec, true> stage;
  bool skipped;
  bool ranks_are_codes;
  unsigned long long bases[radix_digits];  ///< where the digits of the first portion go
  block::digit_sums<unsigned long long> starts;
  radix_tile_storage<Bits, Value, true> tile;
};

/// Moves a tile where some ranks are not codes, which is rare: a separate function, since the usual case needs the
/// registers.
template <class Bits, class Value, class Rank, class Codec>
__device__ __noinline__ void move_ranked_tile(Rank rank) {
  auto& shared = device::dynamic_shared<radix_pass_storage<Bits, Value, Codec>>();
  device::move_radix_tile(shared.tile, shared.stage, rank);
}

/// Moves a tile by its codes, or by ranks where some differ from the codes.
template <class Bits, class Value, class Codec, class Rank>
__device__ __forceinline__ void move_pass_tile(radix_pass_storage<Bits, Value, Codec>& shared, Rank rank) {
  if constexpr (!std::is_same_v<Rank, code_rank>)
    if (!shared.ranks_are_codes) return device::move_ranked_tile<Bits, Value, Rank, Codec>(rank);
  device::move_radix_tile(shared.tile, shared.stage, code_rank{});
}

/// Where each digit begins, given counts[0, digits): returned to the thread of each digit. Synchronises once.
__device__ inline unsigned long long bases_by(const unsigned long long* counts,
                                              block::digit_sums<unsigned long long>& shared) {
  const bool own = threadIdx.x < radix_digits;
  return block::digit_starts(shared, own, own ? counts[threadIdx.x] : 0ull);
}

/// One pass over one portion, with one block per tile. bases[0, digits): where the portion's digits go; null for the
/// first portion of the first pass, whose blocks compute it from the counts. The first portion of a pass also replaces
/// the next pass's counts by its bases. next_bases receives those of the portion after this one.
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks(radix_tile_of<Bits, Value>))
    radix_pass_kernel(radix_ends<Bits, Value> ends, radix_scratch<Bits, Value> memory, std::size_t n, unsigned p,
                      unsigned portion, const unsigned long long* bases, unsigned long long* next_bases, Rank rank,
                      Codec codec) {
  const bool first = p == 0 && portion == 0;
  if (first) await_predecessors();  // else counting and clearing are done, since the previous launch has begun
  auto& shared = device::dynamic_shared<radix_pass_storage<Bits, Value, Codec>>();
  if (threadIdx.x == 0) {  // two requests at once: no other block hides their latency
    const unsigned number = atomicAdd(&memory.next_tile[p * memory.portions + portion], 1u);
    const varying_digits digits{*memory.found};
    const unsigned before = digits.count_before(p), count = digits.count();
    const radix_route<Bits, Value> route = device::route_of(ends, memory.buffer, before, count);
    const std::size_t begin = portion * radix_portion;
    shared.skipped = !digits.has(p);
    shared.ranks_are_codes = digits.ranks_are_codes();
    shared.stage = {route.keys,
                    route.values,
                    route.to,
                    begin,
                    min(n, begin + radix_portion),
                    bases != nullptr ? bases : shared.bases,
                    next_bases,
                    memory.states,
                    nullptr,
                    device::items_for(radix_tile_of<Bits, Value>, n),
                    p,
                    static_cast<unsigned>(before * memory.portions + portion + 1),
                    before == 0,
                    before + 1 == count,
                    Bits{0},
                    codec,
                    number};
  }
  if (bases == nullptr) {
    const unsigned long long base = device::bases_by(memory.counts, shared.starts);
    if (threadIdx.x < radix_digits) shared.bases[threadIdx.x] = base;
  } else {
    __syncthreads();
  }
  if (!first) await_predecessors();
  admit_successors();
  if (!shared.skipped) device::move_pass_tile(shared, rank);
  if (p + 1 < radix_scratch<Bits, Value>::passes && portion == 0 && shared.stage.tile == 0) {
    __syncthreads();
    unsigned long long* const next = memory.counts + (p + 1) * radix_digits;
    const unsigned long long base = device::bases_by(next, shared.starts);
    if (threadIdx.x < radix_digits) next[threadIdx.x] = base;
  }
}

}  // namespace gpu::inline v1::detail::device
