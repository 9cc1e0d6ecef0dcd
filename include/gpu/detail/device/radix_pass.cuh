// One pass of radix sort: every tile ranks its codes by a digit, learns by decoupled look-back how many equal digits
// lie before it, and scatters. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.
#pragma once

#include <cstddef>
#include <cub/block/block_radix_rank.cuh>
#include <cuda/atomic>
#include <type_traits>

#include "../keys/key.hpp"
#include "columns.cuh"
#include "distribution/tile_cursor.cuh"
#include "launching/launch.cuh"
#include "launching/scratch.cuh"
#include "tuning/radix.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr unsigned radix_digits = 256;

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

/// What the counts say about a pass.
struct radix_pass {
  bool skipped;
  bool from_buffer;  ///< else from the data
  bool first;        ///< reads keys, else codes
  bool last;         ///< writes keys
  unsigned number;   ///< of passes before it that are not skipped
};

/// Elements that one look-back spans, rounded up to tiles: sums stay below 2^29, and the states small beside the data.
inline constexpr std::size_t radix_portion = std::size_t{1} << 28;

template <class Bits, class Value>
inline constexpr tile_shape radix_tile_of = device::radix_tile(sizeof(Bits), value_bytes_v<Value>);

template <class Bits, class Value>
struct radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);

  columns<Bits, Value> buffer;
  unsigned long long* bases;   ///< [2][digits]: where the digits of a portion begin, for even and odd portions
  radix_pass* pass;            ///< [passes + 1]; the last only tells where the result lies
  unsigned long long* counts;  ///< [passes][digits]; their exclusive sums after plan_radix_kernel
  unsigned* next_tile;         ///< [passes][portions]
  unsigned* states;            ///< [tiles of a portion][digits]
  std::size_t portion;
  std::size_t portions;
  std::size_t tiles;

  radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        bases{carve.take<unsigned long long>(2 * radix_digits)},
        pass{carve.take<radix_pass>(passes + 1)},
        counts{carve.take<unsigned long long>(passes * radix_digits)},
        portion{device::divide_up(radix_portion, radix_tile_of<Bits, Value>.size()) *
                radix_tile_of<Bits, Value>.size()},
        portions{device::divide_up(n, portion)},
        tiles{device::divide_up(n < portion ? n : portion, radix_tile_of<Bits, Value>.size())} {
    next_tile = carve.take<unsigned>(passes * portions);
    states = carve.take<unsigned>(tiles * radix_digits);
  }

  /// What counts, hands out tiles or is looked at is zero before the sort: counts, next_tile and states, which follow
  /// each other.
  void clear(const context& context) const {
    const auto* const end = reinterpret_cast<const std::byte*>(states + tiles * radix_digits);
    device::set_zero(context, counts, static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(counts)));
  }
};

template <class Bits>
__device__ unsigned radix_digit(Bits rank, unsigned pass) {
  return static_cast<unsigned>(rank >> (8 * pass)) & (radix_digits - 1);
}

/// Decoupled look-back, as in scan.cuh, but a thread per digit: how many elements of the digit lie in the tiles before.
/// A word is a sum, an epoch of two bits, and whether the sum is that of all tiles up to this one. What passes and
/// portions before have left there says nothing, so that nobody has to clear it: each has the epoch after that of the
/// one before, and writes all words but those that only longer portions have, of which the next one is.
class digit_look_back {
 public:
  __device__ digit_look_back(unsigned* states, unsigned epoch, unsigned tile, unsigned digit)
      : states_{states}, epoch_{epoch % 4 * 2}, tile_{tile}, digit_{digit} {}

  /// Tells the tiles after that this one has `sum` elements of the digit; they need not wait for us any longer.
  __device__ void publish(unsigned sum) const { publish(tile_ == 0, sum); }

  /// The elements in tiles before. Afterwards the tiles after need not look farther back than to this one. A few words
  /// are asked for at a time: most answers are those of single tiles, and each takes the way to the L2 cache.
  __device__ unsigned before(unsigned sum) const {
    constexpr unsigned at_once = 4;
    unsigned total = 0;
    bool found = tile_ == 0;
    for (unsigned end = tile_; !found;) {
      unsigned words[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        words[i] = reference{at(end - 1 - min(i, end - 1))}.load(::cuda::memory_order_relaxed);
      bool known = true;
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {  // the first tile is inclusive, so that nothing is beyond it
        known = known && !found && (words[i] & 6u) == epoch_;
        if (!known) continue;
        total += words[i] >> 3;
        found = words[i] & 1u;
        --end;
      }
    }
    if (tile_ > 0) publish(true, total + sum);
    return total;
  }

 private:
  using reference = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  __device__ unsigned& at(unsigned tile) const { return states_[tile * std::size_t{radix_digits} + digit_]; }
  __device__ void publish(bool inclusive, unsigned sum) const {
    reference{at(tile_)}.store(sum << 3 | epoch_ | static_cast<unsigned>(inclusive), ::cuda::memory_order_relaxed);
  }

  unsigned* states_;
  unsigned epoch_;  ///< where it is in a word
  unsigned tile_;
  unsigned digit_;
};

/// Digits are ranked as they are.
struct plain_digits {
  __device__ unsigned Digit(unsigned digit) const { return digit; }
};

/// Called, for its counts, by the block's rank; a digit per thread, from the first on.
struct publish_counts {
  digit_look_back& tiles;
  unsigned& sum;
  __device__ void operator()(int (&counts)[1]) const {
    if (threadIdx.x >= radix_digits) return;
    sum = static_cast<unsigned>(counts[0]);
    tiles.publish(sum);
  }
};

/// What a block knows of a pass over a portion of the elements, [begin, end) of them.
template <class Bits, class Value, class Rank, class Codec>
struct radix_stage {
  const Bits* keys;
  const Value* values;      ///< null: the values are places
  columns<Bits, Value> to;  ///< without keys if these are not wanted
  std::size_t begin;
  std::size_t end;
  unsigned long long* next_bases;  ///< [digits]: receives where the digits of the portion after this one begin
  unsigned* states;                ///< [tiles][digits]
  unsigned digit;
  unsigned epoch;
  Rank rank;
  Codec encoder;
  Codec decoder;
};

template <class Bits, class Value>
struct radix_tile_storage {
  static constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  using rank = cub::BlockRadixRankMatchEarlyCounts<tile.threads, 8, false, cub::BLOCK_SCAN_WARP_SCANS>;
  static_assert(tile.threads >= static_cast<int>(radix_digits));

  union {
    typename rank::TempStorage rank;
    Bits codes[tile.size()];
    std::conditional_t<has_value_v<Value>, Value, char> values[tile.size()];
  } of;
  std::size_t place[radix_digits];  ///< where the digit's first element goes, less its slot, modulo 2^64
  unsigned number;                  ///< of the tile
};

/// Moves tile shared.number of the stage. Called by every thread. bases[digits]: where the portion's digits go.
template <class Bits, class Value, class Rank, class Codec>
__device__ __forceinline__ void move_radix_tile(radix_tile_storage<Bits, Value>& shared,
                                                const radix_stage<Bits, Value, Rank, Codec>& stage,
                                                const unsigned long long* bases) {
  using storage = radix_tile_storage<Bits, Value>;
  constexpr tile_shape tile = storage::tile;
  const std::size_t begin = stage.begin + shared.number * tile.size();
  const auto count = static_cast<unsigned>(min(tile.size(), stage.end - begin));
  const unsigned p = stage.digit;

  Bits codes[tile.items];
  device::load_items(stage.keys + begin, count, codes);
  device::encode_items(codes, stage.encoder);
  unsigned digit[tile.items];  // absent elements come last, as the greatest digit's last
#pragma unroll
  for (int i = 0; i < tile.items; ++i)
    digit[i] = block::item_index<tile.items>(i) < count ? device::radix_digit(stage.rank(codes[i]), p)
                                                        : static_cast<unsigned>(radix_digits) - 1;
  int slot[tile.items], start[1];
  unsigned sum = 0;
  digit_look_back tiles{stage.states, stage.epoch, shared.number, threadIdx.x};
  typename storage::rank{shared.of.rank}.RankKeys(digit, slot, plain_digits{}, start, publish_counts{tiles, sum});
  __syncthreads();

#pragma unroll
  for (int i = 0; i < tile.items; ++i) shared.of.codes[slot[i]] = codes[i];
  Value values[tile.items];
  if constexpr (has_value_v<Value>) {
    if (stage.values != nullptr) {
      device::load_items(stage.values + begin, count, values);
    } else {
#pragma unroll
      for (int i = 0; i < tile.items; ++i) values[i] = static_cast<Value>(begin + block::item_index<tile.items>(i));
    }
  }
  if (threadIdx.x < radix_digits) {
    const std::size_t place = bases[threadIdx.x] + tiles.before(sum);
    shared.place[threadIdx.x] = place - static_cast<std::size_t>(start[0]);
    if (begin + count == stage.end) stage.next_bases[threadIdx.x] = place + sum;
  }
  __syncthreads();
  const bool keep_keys = stage.to.keys != nullptr;
#pragma unroll
  for (int i = 0; i < tile.items; ++i) {
    const unsigned own = static_cast<unsigned>(i) * tile.threads + threadIdx.x;
    const Bits code = shared.of.codes[own];
    digit[i] = device::radix_digit(stage.rank(code), p);
    if (own < count && keep_keys) stage.to.keys[shared.place[digit[i]] + own] = stage.decoder.decode(code);
  }
  if constexpr (has_value_v<Value>) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile.items; ++i) shared.of.values[slot[i]] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile.items; ++i) {
      const unsigned own = static_cast<unsigned>(i) * tile.threads + threadIdx.x;
      if (own < count) stage.to.values[shared.place[digit[i]] + own] = shared.of.values[own];
    }
  }
}

/// One pass over one portion: a block per tile. bases[0, digits) are where the portion's digits go; next_bases receives
/// those of the portion after it.
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks)
    radix_pass_kernel(columns<Bits, Value> data, radix_scratch<Bits, Value> memory, std::size_t n, unsigned p,
                      unsigned portion, const unsigned long long* bases, unsigned long long* next_bases, Rank rank,
                      Codec codec) {
  await_predecessors();
  admit_successors();
  __shared__ radix_tile_storage<Bits, Value> shared;
  const radix_pass pass = memory.pass[p];
  if (pass.skipped) return;
  if (threadIdx.x == 0) shared.number = atomicAdd(&memory.next_tile[p * memory.portions + portion], 1u);
  __syncthreads();
  const columns<Bits, Value> from = pass.from_buffer ? memory.buffer : data;
  const std::size_t first = portion * memory.portion;
  device::move_radix_tile(
      shared,
      radix_stage<Bits, Value, Rank, Codec>{from.keys, from.values, pass.from_buffer ? data : memory.buffer, first,
                                            min(n, first + memory.portion), next_bases, memory.states, p,
                                            static_cast<unsigned>(pass.number * memory.portions + portion + 1), rank,
                                            pass.first ? codec : Codec{}, pass.last ? codec : Codec{}},
      bases);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
