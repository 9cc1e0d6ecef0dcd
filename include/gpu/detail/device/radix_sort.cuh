// Stable sort of integer codes by 8-bit digits, the least significant first. One kernel counts all digits; then one
// kernel per digit ranks each tile's keys, learns by decoupled look-back how many equal digits lie before it, and
// scatters. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022. Digits that
// are the same in all keys are found by the counts and skipped, which only the device knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>

#include "../key.hpp"
#include "block/distribute.cuh"
#include "columns.cuh"
#include "distribution.cuh"
#include "launch.cuh"
#include "persistent.cuh"
#include "scan.cuh"
#include "scratch.cuh"
#include "tuning.hpp"

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
};

/// Elements that one look-back spans, rounded up to tiles: sums stay below 2^30, and the states small beside the data.
inline constexpr std::size_t radix_portion = std::size_t{1} << 28;

template <class Bits, class Value>
inline constexpr tile_shape radix_tile_of = radix_tile(sizeof(Bits), value_bytes_v<Value>);

template <class Bits, class Value>
struct radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);

  columns<Bits, Value> buffer;
  unsigned long long* counts;  ///< [passes][digits]; their exclusive sums after plan_radix_kernel
  unsigned long long* bases;   ///< [2][digits]: where the digits of a portion begin, for even and odd portions
  radix_pass* pass;            ///< [passes + 1]; the last only tells where the result lies
  unsigned* states;            ///< [tiles of a portion][digits]
  unsigned* next_tile;
  std::size_t portion;
  std::size_t tiles;

  radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        counts{carve.take<unsigned long long>(passes * radix_digits)},
        bases{carve.take<unsigned long long>(2 * radix_digits)},
        pass{carve.take<radix_pass>(passes + 1)},
        portion{divide_up(radix_portion, radix_tile_of<Bits, Value>.size()) * radix_tile_of<Bits, Value>.size()},
        tiles{divide_up(n < portion ? n : portion, radix_tile_of<Bits, Value>.size())} {
    states = carve.take<unsigned>(tiles * radix_digits);
    next_tile = carve.take<unsigned>(1);
  }
};

template <class Bits>
__device__ unsigned radix_digit(Bits rank, unsigned pass) {
  return static_cast<unsigned>(rank >> (8 * pass)) & (radix_digits - 1);
}

/// Adds the digits of all keys to counts[passes][digits].
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks)
    count_digits_kernel(const Bits* keys, std::size_t n, unsigned long long* counts, const unsigned* wanted, Rank rank,
                        Codec codec) {
  if (wanted && *wanted == 0) return;
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  constexpr unsigned passes = sizeof(Bits);
  __shared__ unsigned sums[passes * radix_digits];
  for (unsigned i = threadIdx.x; i < passes * radix_digits; i += tile.threads) sums[i] = 0;
  __syncthreads();
  for (std::size_t first = blockIdx.x * tile.size(); first < n; first += gridDim.x * tile.size()) {
    const std::size_t count = min(tile.size(), n - first);
    Bits ranks[tile.items];
#pragma unroll
    for (int i = 0; i < tile.items; ++i)
      ranks[i] = rank(codec.encode(keys[first + min(std::size_t{block::item_index<tile.items>(i)}, count - 1)]));
#pragma unroll
    for (int i = 0; i < tile.items; ++i)
      if (block::item_index<tile.items>(i) < count)
        for (unsigned p = 0; p < passes; ++p) atomicAdd(&sums[p * radix_digits + radix_digit(ranks[i], p)], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < passes * radix_digits; i += tile.threads)
    if (sums[i] > 0) atomicAdd(&counts[i], static_cast<unsigned long long>(sums[i]));
}

/// Counts become beginnings, and each pass learns its part: none if *wanted is zero. One block, a thread per digit.
/// A template for the number of passes; 256 threads.
template <unsigned Passes>
__global__ void __launch_bounds__(radix_digits)
    plan_radix_kernel(unsigned long long* counts, std::size_t n, radix_pass* pass, const unsigned* wanted) {
  using scan = cub::BlockScan<unsigned long long, static_cast<int>(radix_digits)>;
  __shared__ typename scan::TempStorage shared;
  bool from_buffer = false;
  bool first = true;
  for (unsigned p = 0; p < Passes; ++p) {
    unsigned long long& count = counts[p * radix_digits + threadIdx.x];
    const bool skipped = __syncthreads_or(count == n || (wanted && *wanted == 0));
    scan{shared}.ExclusiveSum(count, count);
    if (threadIdx.x == 0) pass[p] = {skipped, from_buffer, first, false};
    from_buffer ^= !skipped;
    first &= skipped;
  }
  if (threadIdx.x > 0) return;
  pass[Passes] = {true, from_buffer, false, false};
  for (unsigned p = Passes; p-- > 0;)
    if (!pass[p].skipped) {
      pass[p].last = true;
      return;
    }
}

/// Decoupled look-back, as in scan.cuh, but a thread per digit: how many elements of the digit lie in the tiles before.
class digit_look_back {
 public:
  __device__ digit_look_back(unsigned* states, unsigned tile, unsigned digit)
      : states_{states}, tile_{tile}, digit_{digit} {}

  /// Tells the tiles after that this one has `sum` elements of the digit; they need not wait for us any longer.
  __device__ void publish(unsigned sum) const { publish(tile_ == 0 ? scan_state::inclusive : scan_state::own, sum); }

  /// The elements in tiles before. Afterwards the tiles after need not look farther back than to this one.
  __device__ unsigned before(unsigned sum) const {
    unsigned total = 0;
    for (unsigned t = tile_; t > 0;) {
      const unsigned word = reference{at(t - 1)}.load(::cuda::memory_order_relaxed);
      const auto state = static_cast<scan_state>(word & 3u);
      if (state == scan_state::unknown) continue;
      total += word >> 2;
      if (state == scan_state::inclusive) break;
      --t;
    }
    if (tile_ > 0) publish(scan_state::inclusive, total + sum);
    return total;
  }

 private:
  using reference = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  __device__ unsigned& at(unsigned tile) const { return states_[tile * std::size_t{radix_digits} + digit_]; }
  __device__ void publish(scan_state state, unsigned sum) const {
    reference{at(tile_)}.store(sum << 2 | static_cast<unsigned>(state), ::cuda::memory_order_relaxed);
  }

  unsigned* states_;
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
  unsigned number;
};

/// One pass over one portion, [first, end): a block per tile. bases[0, digits) are where the portion's digits go;
/// next_bases receives those of the portion after it.
template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks)
    radix_pass_kernel(columns<Bits, Value> data, radix_scratch<Bits, Value> memory, unsigned p, std::size_t first,
                      std::size_t end, const unsigned long long* bases, unsigned long long* next_bases, Rank rank,
                      Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  using storage = radix_tile_storage<Bits, Value>;
  __shared__ storage shared;
  const radix_pass pass = memory.pass[p];
  if (pass.skipped) return;
  if (threadIdx.x == 0) shared.number = atomicAdd(memory.next_tile, 1u);
  __syncthreads();
  const unsigned number = shared.number;
  const std::size_t begin = first + number * tile.size();
  const auto count = static_cast<unsigned>(min(tile.size(), end - begin));
  const columns<Bits, Value> from = (pass.from_buffer ? memory.buffer : data) + begin;
  const columns<Bits, Value> to = pass.from_buffer ? data : memory.buffer;
  const Codec encoder = pass.first ? codec : Codec{};
  const Codec decoder = pass.last ? codec : Codec{};

  Bits codes[tile.items];
  load_items(from.keys, count, codes);
  encode_items(codes, encoder);
  unsigned digit[tile.items];  // absent elements come last, as the greatest digit's last
#pragma unroll
  for (int i = 0; i < tile.items; ++i)
    digit[i] = block::item_index<tile.items>(i) < count ? radix_digit(rank(codes[i]), p)
                                                        : static_cast<unsigned>(radix_digits) - 1;
  int slot[tile.items], start[1];
  unsigned sum = 0;
  digit_look_back tiles{memory.states, number, threadIdx.x};
  typename storage::rank{shared.of.rank}.RankKeys(digit, slot, plain_digits{}, start, publish_counts{tiles, sum});
  __syncthreads();

#pragma unroll
  for (int i = 0; i < tile.items; ++i) shared.of.codes[slot[i]] = codes[i];
  Value values[tile.items];
  if constexpr (has_value_v<Value>) load_items(from.values, count, values);
  if (threadIdx.x < radix_digits) {
    const std::size_t place = bases[threadIdx.x] + tiles.before(sum);
    shared.place[threadIdx.x] = place - static_cast<std::size_t>(start[0]);
    if (begin + count == end) next_bases[threadIdx.x] = place + sum;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile.items; ++i) {
    const unsigned own = static_cast<unsigned>(i) * tile.threads + threadIdx.x;
    const Bits code = shared.of.codes[own];
    digit[i] = radix_digit(rank(code), p);
    if (own < count) to.keys[shared.place[digit[i]] + own] = decoder.decode(code);
  }
  if constexpr (has_value_v<Value>) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile.items; ++i) shared.of.values[slot[i]] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile.items; ++i) {
      const unsigned own = static_cast<unsigned>(i) * tile.threads + threadIdx.x;
      if (own < count) to.values[shared.place[digit[i]] + own] = shared.of.values[own];
    }
  }
}

/// Brings the result home after an odd number of passes.
template <class Bits, class Value>
__global__ void finish_radix_kernel(columns<Bits, Value> data, columns<Bits, Value> buffer, std::size_t n,
                                    const radix_pass* result) {
  if (!result->from_buffer) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    data.set(i, buffer.keys[i], buffer.value(i));
}

/// Bytes of device memory that radix_sort takes for n elements: n elements and about 4 %.
template <class Bits, class Value>
[[nodiscard]] std::size_t radix_sort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : scratch_bytes<radix_scratch<Bits, Value>>(n);
}

/// All passes over all portions.
template <class Bits, class Value, class Rank, class Codec>
void radix_passes(const context& context, columns<Bits, Value> data, std::size_t n,
                  const radix_scratch<Bits, Value>& memory, Rank rank, Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  for (unsigned p = 0; p < sizeof(Bits); ++p) {
    const unsigned long long* bases = memory.counts + p * radix_digits;
    unsigned portion = 0;
    for (std::size_t first = 0; first < n; first += memory.portion, ++portion) {
      const std::size_t end = n - first > memory.portion ? first + memory.portion : n;
      const std::size_t tiles = divide_up(end - first, tile.size());
      unsigned long long* next_bases = memory.bases + portion % 2 * radix_digits;
      check(cudaMemsetAsync(memory.states, 0, tiles * radix_digits * sizeof(unsigned), context.stream));
      check(cudaMemsetAsync(memory.next_tile, 0, sizeof(unsigned), context.stream));
      launch(context, shape{tiles, tile.threads}, radix_pass_kernel<Bits, Value, Rank, Codec>, data, memory, p, first,
             end, bases, next_bases, rank, codec);
      bases = next_bases;
    }
  }
}

/// The whole sort; it leaves the data alone if *wanted, in device memory, is zero.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, const radix_scratch<Bits, Value>& memory, columns<Bits, Value> data,
                std::size_t n, Rank rank, Codec codec, const unsigned* wanted = nullptr) {
  constexpr unsigned passes = radix_scratch<Bits, Value>::passes;
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  constexpr int threads = 256;
  const auto count = count_digits_kernel<Bits, Value, Rank, Codec>;
  check(cudaMemsetAsync(memory.counts, 0, passes * radix_digits * sizeof(unsigned long long), context.stream));
  launch(context, persistent_shape(context, count, divide_up(n, tile.size()), tile.threads), count, data.keys, n,
         memory.counts, wanted, rank, codec);
  launch(context, shape{1, radix_digits}, plan_radix_kernel<passes>, memory.counts, n, memory.pass, wanted);
  radix_passes(context, data, n, memory, rank, codec);
  const auto finish = finish_radix_kernel<Bits, Value>;
  launch(context, persistent_shape(context, finish, divide_up(n, threads), threads), finish, data, memory.buffer, n,
         memory.pass + passes);
}

/// Sorts data[0, n) in place and stably by rank(code), an unsigned integer as wide as the code. Enqueues on the
/// context's stream; launches depend on n alone. sizeof(Bits) passes over the data at most. Throws std::bad_alloc
/// before anything is written.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, columns<Bits, Value> data, std::size_t n, Rank rank, Codec codec) {
  if (n < 2) return;
  const scratch<radix_scratch<Bits, Value>> memory{context, n};
  radix_sort(context, *memory, data, n, rank, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
