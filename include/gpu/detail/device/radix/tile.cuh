// A tile of a radix sort pass: ranks its codes by a digit, learns how many equal digits lie before it, and scatters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/digit_ranks.cuh"
#include "../block/items.cuh"
#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../thread/codes.cuh"
#include "../thread/packed.cuh"
#include "../tuning/radix.hpp"
#include "digit_look_back.cuh"

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

/// Keys are ordered as floating-point numbers, of which some have different codes but are equivalent.
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

/// A block's parameters of a pass over a portion of the elements, [begin, end): in shared memory, since a tile needs
/// the registers. MayBeFew: whether tiles may have fewer items per thread than there is room for, if elements are few.
/// False where one block takes tile after tile, since checking would need registers.
template <class Bits, class Value, class Codec, bool MayBeFew>
struct radix_stage {
  const Bits* keys;
  const Value* values;      ///< null: the values are the indices of keys
  columns<Bits, Value> to;  ///< keys are null if they are not wanted
  std::size_t begin;
  std::size_t end;
  const unsigned long long* bases;  ///< [digits]: where the portion's digits go
  unsigned long long* next_bases;   ///< [digits]: receives where the digits of the portion after this one begin
  unsigned* states;                 ///< [tiles][digits]
  unsigned long long* claims;       ///< [digits]: elements claimed by tiles; null if equal digits keep their order
  unsigned items;                   ///< of a thread in a tile, if MayBeFew
  unsigned digit;
  unsigned epoch;
  bool first;  ///< keys become codes
  bool last;   ///< codes become keys
  Bits least;  ///< subtracted from codes
  Codec codec;
  unsigned tile;  ///< number of the tile that is moved
};

template <class Bits, class Value, bool MayBeFew>
struct radix_tile_storage {
  static constexpr tile_shape shape = radix_tile_of<Bits, Value>;
  using ranks = block::digit_ranks<shape.threads, MayBeFew>;
  using value = std::conditional_t<has_value_v<Value>, Value, char>;

  std::size_t offsets[radix_digits];  ///< where the digit's first element goes, less its slot, modulo 2^64
  union alignas(16) {
    typename ranks::storage ranks;
    Bits codes[shape.size()];
    value values[shape.size()];
  } of;
};

/// Prefetches memory[0, bytes) into the L2 cache; does nothing below compute capability 9.0.
__device__ __forceinline__ void prefetch(const void* memory, std::size_t bytes) {
#if __CUDA_ARCH__ >= 900
  constexpr std::uintptr_t unit = 16;
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (from + unit - 1) / unit * unit, end = (from + bytes) / unit * unit;
  if (begin < end)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(static_cast<unsigned>(end - begin)));
#endif
}

/// Loads Count items, from First on, of the thread's Items in the tile source[begin, begin + count), of which the
/// thread has `own`; if source is null, their indices. Items beyond the tile are meaningless.
template <int Items, bool MayBeFew, int First = 0, int Count, class Element>
__device__ __forceinline__ void load_or_number(const Element* source, std::size_t begin, unsigned count,
                                               const block::own_items& own, Element (&items)[Count]) {
  constexpr int stride = warp::threads, before = First * stride;
  const unsigned first = own.first + before;
  const auto load = [&](auto at) {
#pragma unroll
    for (int i = 0; i < Count; ++i) items[i] = at(i * stride);
  };
  if (source == nullptr)
    return load([&](int i) { return static_cast<Element>(begin + first + static_cast<unsigned>(i)); });
  const Element* const from = source + begin + first;
  if (count == blockDim.x * Items) return load([&](int i) { return from[i]; });
  const int left = own.left - before;
  block::for_items<Count, MayBeFew>([&] { return left; }, [&](int i) { items[i] = from[min(i * stride, left - 1)]; });
}

/// Moves the stage's tile by the ranks of its codes. Called by every thread of a block of the tile's threads.
template <class Bits, class Value, class Rank, class Codec, bool MayBeFew>
__device__ __forceinline__ void move_radix_tile(radix_tile_storage<Bits, Value, MayBeFew>& shared,
                                                const radix_stage<Bits, Value, Codec, MayBeFew>& stage, Rank rank) {
  using storage = radix_tile_storage<Bits, Value, MayBeFew>;
  constexpr int items = storage::shape.items;
  constexpr auto threads = static_cast<unsigned>(storage::shape.threads);
  // Read from shared memory wherever they are needed: a tile needs the registers.
  const auto of_thread = [&]() -> unsigned { return MayBeFew ? stage.items : items; };
  const auto begin = [&] { return stage.begin + std::size_t{stage.tile} * (threads * of_thread()); };
  const auto count = [&] {
    return static_cast<unsigned>(min(std::size_t{threads * of_thread()}, stage.end - begin()));
  };
  const auto own = [&] { return block::own_items{of_thread(), count()}; };
  const auto tiles = [&] { return digit_look_back{stage.states, stage.epoch, stage.tile, threadIdx.x}; };
  if constexpr (has_value_v<Value>)  // one wait for memory, not two
    if (threadIdx.x == 0 && stage.values) device::prefetch(stage.values + begin(), count() * sizeof(Value));

  Bits codes[items];
  device::load_or_number<items, MayBeFew>(stage.keys, begin(), count(), own(), codes);
  if (stage.first) {
    device::encode_items(codes, stage.codec);
    const Bits least = stage.least;
#pragma unroll
    for (int i = 0; i < items; ++i) codes[i] = static_cast<Bits>(codes[i] - least);
  }
  const auto digit_of = [&](int i, unsigned which) { return device::radix_digit(rank(codes[i]), which); };
  thread::packed<items, block::slot_bits> slots;
  const auto rank_tile = [&] {
    const auto left = [&] { return own().left; };
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

  const auto to_slots = [&]<int Count>(auto& staged, const auto(&elements)[Count], int first = 0) {
    constexpr int stride = warp::threads;
    const int left = own().left - first * stride;
    block::for_items<Count, MayBeFew>([&] { return left; },
                                      [&](int i) {
                                        if (i * stride < left) staged[slots[first + i]] = elements[i];
                                      });
  };
  to_slots(shared.of.codes, codes);
  constexpr int portions = device::radix_value_portions(sizeof(Bits), value_bytes_v<Value>);
  constexpr int at_once = (items + portions - 1) / portions;
  typename storage::value values[at_once];
  if constexpr (has_value_v<Value>)
    device::load_or_number<items, MayBeFew>(stage.values, begin(), count(), own(), values);
  if (threadIdx.x < radix_digits) {
    const std::size_t before = stage.claims != nullptr ? shared.offsets[threadIdx.x] : tiles().before(ranks.sum);
    const std::size_t offset = stage.bases[threadIdx.x] + before;
    shared.offsets[threadIdx.x] = offset - ranks.start;
    if (begin() + count() == stage.end) stage.next_bases[threadIdx.x] = offset + ranks.sum;
  }
  __syncthreads();

  thread::packed<items, block::digit_bits> digits;  // of the slots that the thread writes
  const auto write = [&](bool wanted, auto put) {
    constexpr auto stride = static_cast<int>(threads);
    const auto left = static_cast<int>(count() - threadIdx.x);
    block::for_items<items, MayBeFew, stride>([&] { return left; },
                                              [&](int i) { put(i, i * threads, wanted && i * stride < left); });
  };
  const auto write_keys = [&](auto key_of) {
    const unsigned p = stage.digit;
    Bits* const keys = thread::forgotten(stage.to.keys + threadIdx.x);
    write(stage.to.keys != nullptr, [&](int i, unsigned distance, bool wanted) {
      const Bits code = shared.of.codes[threadIdx.x + distance];
      const unsigned digit = device::radix_digit(rank(code), p);
      if constexpr (has_value_v<Value>) digits.set(i, digit);
      if (wanted) keys[shared.offsets[digit] + distance] = key_of(code);
    });
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
      device::load_or_number<items, MayBeFew, at_once>(stage.values, begin(), count(), own(), others);
      to_slots(shared.of.values, others, at_once);
    }
    __syncthreads();
    Value* const to = thread::forgotten(stage.to.values + threadIdx.x);
    write(true, [&](int i, unsigned distance, bool wanted) {
      if (wanted) to[shared.offsets[digits[i]] + distance] = shared.of.values[threadIdx.x + distance];
    });
  }
}

}  // namespace gpu::inline v1::detail::device
