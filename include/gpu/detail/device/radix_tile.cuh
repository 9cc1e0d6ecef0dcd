// A tile of a pass of radix sort: ranks its codes by a digit, learns how many equal digits lie before it, and scatters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../keys/key.hpp"
#include "block/digit_ranks.cuh"
#include "block/items.cuh"
#include "columns.cuh"
#include "digit_look_back.cuh"
#include "distribution/tile_cursor.cuh"
#include "launching/context.hpp"
#include "tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

template <class Bits, class Value>
inline constexpr tile_shape radix_tile_of = device::radix_tile(sizeof(Bits), value_bytes_v<Value>);
template <class Bits, class Value>
inline constexpr tile_shape long_radix_tile_of = device::long_radix_tile(sizeof(Bits), value_bytes_v<Value>);

/// Keys are ordered by their codes.
struct code_rank {
  template <class Bits>
  GPUPAR_HOST_DEVICE Bits operator()(Bits code) const {
    return code;
  }
};

/// Keys are ordered as floating-point numbers, with equivalent codes.
template <class Bits>
struct floating_rank {
  floating_code_less<Bits> order;
  GPUPAR_HOST_DEVICE Bits operator()(Bits code) const { return order.rank(code); }
};

template <class Bits>
__device__ unsigned radix_digit(Bits rank, unsigned pass) {
  return static_cast<unsigned>(rank >> (8 * pass)) & (radix_digits - 1);
}

/// What a block knows of a pass over a portion of the elements, [begin, end) of them: in shared memory, since a tile
/// needs the registers.
template <class Bits, class Value, class Rank, class Codec>
struct radix_stage {
  const Bits* keys;
  const Value* values;      ///< null: the values are places
  columns<Bits, Value> to;  ///< without keys if these are not wanted
  std::size_t begin;
  std::size_t end;
  const unsigned long long* bases;  ///< [digits]: where the portion's digits go
  unsigned long long* next_bases;   ///< [digits]: receives where the digits of the portion after this one begin
  unsigned* states;                 ///< [tiles][digits]
  unsigned digit;
  unsigned epoch;
  bool first;  ///< keys become codes
  bool last;   ///< codes become keys
  Rank rank;
  Codec codec;
};

template <class Bits, class Value>
struct radix_tile_storage {
  static constexpr tile_shape longest = long_radix_tile_of<Bits, Value>;
  using ranks = block::digit_ranks<longest.threads>;
  using value = std::conditional_t<has_value_v<Value>, Value, char>;

  std::size_t place[radix_digits];  ///< where the digit's first element goes, less its slot, modulo 2^64
  unsigned number;                  ///< of the tile
  union alignas(16) {               // the last member: of shorter tiles a part is there
    typename ranks::storage ranks;
    Bits codes[longest.size()];
    value values[longest.size()];
  } of;

  /// What a tile takes.
  static constexpr std::size_t bytes(tile_shape tile) {
    constexpr std::size_t widest = sizeof(Bits) > sizeof(value) ? sizeof(Bits) : sizeof(value);
    const std::size_t counts = ranks::bytes(tile.threads), elements = widest * tile.size();
    return sizeof(radix_tile_storage) - sizeof(of) + (counts > elements ? counts : elements);
  }
};

/// The shape of n elements' tiles where blocks have `beside` bytes of shared memory beside one.
template <class Bits, class Value>
tile_shape radix_tile_on(const device_properties& device, std::size_t n, std::size_t beside) {
  constexpr tile_shape longest = long_radix_tile_of<Bits, Value>;
  const std::size_t shared_bytes = beside + radix_tile_storage<Bits, Value>::bytes(longest);
  const bool worth_it = worth_long_radix_tiles(sizeof(Bits), value_bytes_v<Value>, n, device.multiprocessors);
  return worth_it && shared_bytes <= device.shared_bytes_per_block ? longest : radix_tile_of<Bits, Value>;
}

/// Asks for what lies at memory[0, bytes), so that it is in the L2 cache when it is read.
__device__ __forceinline__ void prefetch(const void* memory, std::size_t bytes) {
#if __CUDA_ARCH__ >= 900
  constexpr std::uintptr_t unit = 16;
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (from + unit - 1) / unit * unit, end = (from + bytes) / unit * unit;
  if (begin < end)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(static_cast<unsigned>(end - begin)));
#endif
}

/// The thread's items of the tile of `count` elements that begins there or, if there is no source, their places.
template <int Items, class Element>
__device__ __forceinline__ void load_or_number(const Element* source, std::size_t begin, unsigned count,
                                               Element (&items)[Items]) {
  if (source != nullptr) return device::load_items(source + begin, count, items);
#pragma unroll
  for (int i = 0; i < Items; ++i) items[i] = static_cast<Element>(begin + block::item_index<Items>(i));
}

/// Moves tile shared.number of the stage. Called by every thread of as many as the tile has.
template <class Bits, class Value, class Rank, class Codec>
__device__ __forceinline__ void move_radix_tile(radix_tile_storage<Bits, Value>& shared,
                                                const radix_stage<Bits, Value, Rank, Codec>& stage) {
  using storage = radix_tile_storage<Bits, Value>;
  constexpr int items = storage::longest.items;
  constexpr auto threads = static_cast<unsigned>(radix_tile_of<Bits, Value>.threads);
  const unsigned tile = blockDim.x * items;
  const std::size_t begin = stage.begin + std::size_t{shared.number} * tile;
  const auto count = static_cast<unsigned>(min(std::size_t{tile}, stage.end - begin));
  if constexpr (has_value_v<Value>)  // one block alone would wait for memory twice
    if (threadIdx.x == threads && stage.values) device::prefetch(stage.values + begin, count * sizeof(Value));

  Bits codes[items];
  device::load_items(stage.keys + begin, count, codes);
  if (stage.first) device::encode_items(codes, stage.codec);
  const Rank rank = stage.rank;
  const unsigned p = stage.digit;
  unsigned slot[items];  // digits at first; absent elements come last, as the greatest digit's last
#pragma unroll
  for (int i = 0; i < items; ++i)
    slot[i] = block::item_index<items>(i) < count ? device::radix_digit(rank(codes[i]), p) : radix_digits - 1;
  const digit_look_back tiles{stage.states, stage.epoch, shared.number, threadIdx.x};
  const typename storage::ranks ranks{shared.of.ranks, slot, [&](unsigned sum) { tiles.publish(sum); }};
  __syncthreads();

#pragma unroll
  for (int i = 0; i < items; ++i) shared.of.codes[slot[i]] = codes[i];
  typename storage::value values[items];
  if constexpr (has_value_v<Value>) device::load_or_number(stage.values, begin, count, values);
  if (threadIdx.x < radix_digits) {
    const std::size_t place = stage.bases[threadIdx.x] + tiles.before(ranks.sum);
    shared.place[threadIdx.x] = place - ranks.start;
    const unsigned absent = threadIdx.x == radix_digits - 1 ? tile - count : 0;  // have been counted
    if (begin + count == stage.end) stage.next_bases[threadIdx.x] = place + ranks.sum - absent;
  }
  __syncthreads();
  // A long tile is written in halves, so that a thread's slots are at distances that do not depend on blockDim.
  const unsigned first = threadIdx.x / threads * (threads * items) + threadIdx.x % threads;
  const int left = static_cast<int>(count) - static_cast<int>(first);
  unsigned digit[items];
  const bool keeps_keys = stage.to.keys != nullptr, last = stage.last;
  Bits* const keys = stage.to.keys + first;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned distance = static_cast<unsigned>(i) * threads;
    const Bits code = shared.of.codes[first + distance];
    digit[i] = device::radix_digit(rank(code), p);
    if (static_cast<int>(distance) < left && keeps_keys)
      keys[shared.place[digit[i]] + distance] = last ? stage.codec.decode(code) : code;
  }
  if constexpr (has_value_v<Value>) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) shared.of.values[slot[i]] = values[i];
    __syncthreads();
    Value* const to = stage.to.values + first;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned distance = static_cast<unsigned>(i) * threads;
      if (static_cast<int>(distance) < left) to[shared.place[digit[i]] + distance] = shared.of.values[first + distance];
    }
  }
}

}  // namespace gpu::inline v1::detail::device
