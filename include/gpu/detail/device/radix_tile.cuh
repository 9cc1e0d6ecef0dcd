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
  if constexpr (sizeof(Bits) == 4) return __byte_perm(rank, 0, 0x4440 | pass);  // one instruction
  return static_cast<unsigned>(rank >> (block::digit_bits * pass)) & (radix_digits - 1);
}

/// What a block knows of a pass over a portion of the elements, [begin, end) of them: in shared memory, since a tile
/// needs the registers.
template <class Bits, class Value, class Rank, class Codec>
struct radix_stage {
  const Bits* keys;
  const Value* values;      ///< null: the values are indices
  columns<Bits, Value> to;  ///< without keys if these are not wanted
  std::size_t begin;
  std::size_t end;
  const unsigned long long* bases;  ///< [digits]: where the portion's digits go
  unsigned long long* next_bases;   ///< [digits]: receives where the digits of the portion after this one begin
  unsigned* states;                 ///< [tiles][digits]
  unsigned long long* claims;       ///< [digits]: elements that tiles have claimed, if equal digits may be in any order
  unsigned digit;
  unsigned epoch;
  bool first;  ///< keys become codes
  bool last;   ///< codes become keys
  Bits least;  ///< what codes are counted from
  Rank rank;
  Codec codec;
  unsigned tile;  ///< the number of the one that is moved
};

template <class Bits, class Value>
struct radix_tile_storage {
  static constexpr tile_shape shape = radix_tile_of<Bits, Value>;
  using ranks = block::digit_ranks<shape.threads>;
  using value = std::conditional_t<has_value_v<Value>, Value, char>;

  std::size_t offsets[radix_digits];  ///< where the digit's first element goes, less its slot, modulo 2^64
  union alignas(16) {
    typename ranks::storage ranks;
    Bits codes[shape.size()];
    value values[shape.size()];
  } of;
};

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

/// Items First, First + 1 and so on, of the thread's Items of the tile of `count` elements that begins there; if there
/// is no source, their indices.
template <int Items, int First = 0, int Count, class Element>
__device__ __forceinline__ void load_or_number(const Element* source, std::size_t begin, unsigned count,
                                               Element (&items)[Count]) {
  const unsigned own = block::item_index<Items>(First);
  const auto load = [&](auto at) {
#pragma unroll
    for (int i = 0; i < Count; ++i) items[i] = at(i * static_cast<int>(warp::threads));
  };
  if (source == nullptr)
    return load([&](int i) { return static_cast<Element>(begin + own + static_cast<unsigned>(i)); });
  const Element* const from = source + begin + own;
  if (count == blockDim.x * Items) return load([&](int i) { return from[i]; });
  const int last = static_cast<int>(count - own) - 1;
  load([&](int i) { return from[min(i, last)]; });
}

/// Moves the stage's tile. Called by every thread of as many as the tile has.
template <class Bits, class Value, class Rank, class Codec>
__device__ __forceinline__ void move_radix_tile(radix_tile_storage<Bits, Value>& shared,
                                                const radix_stage<Bits, Value, Rank, Codec>& stage) {
  using storage = radix_tile_storage<Bits, Value>;
  constexpr int items = storage::shape.items;
  constexpr auto threads = static_cast<unsigned>(storage::shape.threads), tile = threads * items;
  // Found in shared memory wherever they are asked for: a tile needs the registers.
  const auto begin = [&] { return stage.begin + std::size_t{stage.tile} * tile; };
  const auto count = [&] { return static_cast<unsigned>(min(std::size_t{tile}, stage.end - begin())); };
  const auto left_after = [&](unsigned index) { return static_cast<int>(count()) - static_cast<int>(index); };
  const auto tiles = [&] { return digit_look_back{stage.states, stage.epoch, stage.tile, threadIdx.x}; };
  if constexpr (has_value_v<Value>)  // one wait for memory, not two
    if (threadIdx.x == 0 && stage.values) device::prefetch(stage.values + begin(), count() * sizeof(Value));

  Bits codes[items];
  device::load_items(stage.keys + begin(), count(), codes);
  if (stage.first) {
    device::encode_items(codes, stage.codec);
    const Bits least = stage.least;
#pragma unroll
    for (int i = 0; i < items; ++i) codes[i] = static_cast<Bits>(codes[i] - least);
  }
  const Rank rank = stage.rank;
  const auto digit_of = [&](int i, unsigned which) { return device::radix_digit(rank(codes[i]), which); };
  thread::packed<items, block::slot_bits> slots;
  const auto rank_tile = [&] {
    const int left = left_after(block::item_index<items>(0));
    if constexpr (!has_value_v<Value>)
      if (stage.claims != nullptr)
        return typename storage::ranks{
            block::in_any_order{}, shared.of.ranks, slots, left, stage.digit, digit_of, [&](unsigned sum) {
              shared.offsets[threadIdx.x] = atomicAdd(&stage.claims[threadIdx.x], static_cast<unsigned long long>(sum));
            }};
    return typename storage::ranks{shared.of.ranks, slots,    left,
                                   stage.digit,     digit_of, [&](unsigned sum) { tiles().publish(sum); }};
  };
  const typename storage::ranks ranks = rank_tile();
  __syncthreads();

  const auto to_slots = [&]<int Count>(auto& staged, const auto (&own)[Count], int first = 0) {
    const int left = left_after(block::item_index<items>(first));
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (i * warp::threads < left) staged[slots[first + i]] = own[i];
  };
  to_slots(shared.of.codes, codes);
  constexpr int portions = device::radix_value_portions(sizeof(Bits), value_bytes_v<Value>);
  constexpr int at_once = (items + portions - 1) / portions;
  typename storage::value values[at_once];
  if constexpr (has_value_v<Value>) device::load_or_number<items>(stage.values, begin(), count(), values);
  if (threadIdx.x < radix_digits) {
    const std::size_t before = stage.claims != nullptr ? shared.offsets[threadIdx.x] : tiles().before(ranks.sum);
    const std::size_t offset = stage.bases[threadIdx.x] + before;
    shared.offsets[threadIdx.x] = offset - ranks.start;
    if (begin() + count() == stage.end) stage.next_bases[threadIdx.x] = offset + ranks.sum;
  }
  __syncthreads();

  thread::packed<items, block::digit_bits> digits;  // of the slots that the thread writes
  const auto write_keys = [&](auto key_of) {
    const int left = stage.to.keys != nullptr ? left_after(threadIdx.x) : 0;
    const unsigned p = stage.digit;
    Bits* const keys = thread::forgotten(stage.to.keys + threadIdx.x);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned distance = static_cast<unsigned>(i) * threads;
      const Bits code = shared.of.codes[threadIdx.x + distance];
      const unsigned digit = device::radix_digit(rank(code), p);
      if constexpr (has_value_v<Value>) digits.set(i, digit);
      if (static_cast<int>(distance) < left) keys[shared.offsets[digit] + distance] = key_of(code);
    }
  };
  if (stage.last && !(stage.least == 0 && device::changes_nothing(stage.codec)))
    write_keys([&](Bits code) { return stage.codec.decode(static_cast<Bits>(code + stage.least)); });
  else
    write_keys([](Bits code) { return code; });
  if constexpr (has_value_v<Value>) {
    __syncthreads();
    to_slots(shared.of.values, values);
    if constexpr (at_once < items) {
      typename storage::value others[items - at_once];
      device::load_or_number<items, at_once>(stage.values, begin(), count(), others);
      to_slots(shared.of.values, others, at_once);
    }
    __syncthreads();
    const int left = left_after(threadIdx.x);
    Value* const to = thread::forgotten(stage.to.values + threadIdx.x);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned distance = static_cast<unsigned>(i) * threads;
      if (static_cast<int>(distance) < left)
        to[shared.offsets[digits[i]] + distance] = shared.of.values[threadIdx.x + distance];
    }
  }
}

}  // namespace gpu::inline v1::detail::device
