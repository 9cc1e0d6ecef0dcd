// Sort of keys of one or two bytes by counting: how often each code occurs says all there is to know, and the keys are
// written anew. Reads and writes every key once. Knuth, The Art of Computer Programming 3, 5.2 (distribution counting).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../key.hpp"
#include "columns.cuh"
#include "launch.cuh"
#include "persistent.cuh"
#include "scan.cuh"
#include "scratch.cuh"
#include "tuning.hpp"
#include "warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

template <class Bits>
inline constexpr std::size_t code_count = std::size_t{1} << (8 * sizeof(Bits));

/// Neighbouring keys that one access to global memory takes: an aligned quad of words.
template <class Bits>
struct key_quads {
  static constexpr unsigned width = sizeof(uint4) / sizeof(Bits);
  Bits* keys;
  std::size_t n;

  /// Elements between the quad boundary at or before the first key and that key.
  __device__ std::size_t shift() const { return reinterpret_cast<std::uintptr_t>(keys) % sizeof(uint4) / sizeof(Bits); }
  __device__ std::size_t count() const { return divide_up(shift() + n, width); }
  __device__ std::size_t begin(std::size_t quad) const { return quad == 0 ? 0 : quad * width - shift(); }
  __device__ std::size_t end(std::size_t quad) const { return min((quad + 1) * width - shift(), n); }
  __device__ bool whole(std::size_t quad) const { return end(quad) - begin(quad) == width; }
  __device__ auto& operator[](std::size_t quad) const {
    using word = std::conditional_t<std::is_const_v<Bits>, const uint4, uint4>;
    return *reinterpret_cast<word*>(keys + begin(quad));
  }
};

/// Calls body with each key of a quad that was loaded whole.
template <class Bits, class Body>
__device__ __forceinline__ void for_each_key(const uint4& quad, Body body) {
  constexpr unsigned keys_per_word = sizeof(unsigned) / sizeof(Bits);
#pragma unroll
  for (const unsigned word : {quad.x, quad.y, quad.z, quad.w})
#pragma unroll
    for (unsigned k = 0; k < keys_per_word; ++k) body(static_cast<Bits>(word >> (8 * sizeof(Bits) * k)));
}

/// Counters of one-byte codes: a copy per lane, each in its own bank, so that no two lanes ever meet.
struct lane_counters {
  static constexpr int threads = 512;
  static constexpr unsigned quads_at_once = 1;
  struct storage {
    unsigned counts[code_count<std::uint8_t>][warp::threads];
  };
  storage& shared;

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < sizeof(storage) / sizeof(unsigned); i += threads) (&shared.counts[0][0])[i] = 0;
  }
  __device__ void add(unsigned code, unsigned long long*) const {
    atomicAdd(&shared.counts[code][threadIdx.x % warp::threads], 1u);
  }
  __device__ void flush(unsigned long long* totals) const {
    for (unsigned code = threadIdx.x; code < code_count<std::uint8_t>; code += threads) {
      unsigned sum = 0;
      for (unsigned i = 0; i < warp::threads; ++i) sum += shared.counts[code][(i + threadIdx.x) % warp::threads];
      if (sum > 0) atomicAdd(&totals[code], static_cast<unsigned long long>(sum));
    }
  }
};

/// Counters of two-byte codes, two to a word. One that reaches `limit` hands so many on to the totals. Between two
/// synchronisations a block adds at most 2^14 to a counter, so none leaves its 16 bits.
struct packed_counters {
  static constexpr int threads = 1024;
  static constexpr unsigned quads_at_once = 2;
  static constexpr unsigned limit = 1u << 15;
  struct storage {
    unsigned words[code_count<std::uint16_t> / 2];
  };
  storage& shared;

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < code_count<std::uint16_t> / 2; i += threads) shared.words[i] = 0;
  }
  __device__ void add(unsigned code, unsigned long long* totals) const {
    const unsigned lanes = __activemask();
    int alike = 0;
    __match_all_sync(lanes, code, &alike);
    const auto lane = static_cast<int>(threadIdx.x % warp::threads);
    if (alike && lane != __ffs(static_cast<int>(lanes)) - 1) return;
    const unsigned added = alike ? static_cast<unsigned>(__popc(lanes)) : 1;
    const unsigned half = code % 2 * 16;
    const unsigned before = atomicAdd(&shared.words[code / 2], added << half) >> half & 0xffffu;
    if (before >= limit || before + added < limit) return;
    atomicSub(&shared.words[code / 2], limit << half);
    atomicAdd(&totals[code], static_cast<unsigned long long>(limit));
  }
  __device__ void flush(unsigned long long* totals) const {
    for (unsigned i = threadIdx.x; i < code_count<std::uint16_t> / 2; i += threads) {
      const unsigned word = shared.words[i];
      if (word & 0xffffu) atomicAdd(&totals[2 * i], static_cast<unsigned long long>(word & 0xffffu));
      if (word >> 16) atomicAdd(&totals[2 * i + 1], static_cast<unsigned long long>(word >> 16));
    }
  }
};

template <class Bits>
using code_counters = std::conditional_t<sizeof(Bits) == 1, lane_counters, packed_counters>;

/// Adds how often each code occurs to counts[code_count]; leaves code_count behind them.
template <class Bits, class Codec>
__global__ void __launch_bounds__(code_counters<Bits>::threads)
    count_codes_kernel(key_quads<const Bits> quads, unsigned long long* counts, Codec codec) {
  using counters = code_counters<Bits>;
  const counters of_block{dynamic_shared<typename counters::storage>()};
  if (blockIdx.x == 0 && threadIdx.x == 0) counts[code_count<Bits>] = code_count<Bits>;
  of_block.clear();
  const auto add = [&](Bits key) { of_block.add(codec.encode(key), counts); };
  const std::size_t count = quads.count();
  constexpr unsigned at_once = counters::quads_at_once;
  constexpr std::size_t portion = std::size_t{at_once} * counters::threads;
  // Whole quads, the next ones under way while these are counted.
  const auto quad_at = [&](std::size_t first, unsigned q) { return first + q * counters::threads + threadIdx.x; };
  const auto counted_whole = [&](std::size_t quad) { return quad > 0 && quad + 1 < count; };
  uint4 next[at_once];
  const auto load = [&](std::size_t first) {
#pragma unroll
    for (unsigned q = 0; q < at_once; ++q)
      if (counted_whole(quad_at(first, q))) next[q] = quads[quad_at(first, q)];
  };
  load(blockIdx.x * portion);
  for (std::size_t first = blockIdx.x * portion; first < count; first += gridDim.x * portion) {
    uint4 loaded[at_once];
#pragma unroll
    for (unsigned q = 0; q < at_once; ++q) loaded[q] = next[q];
    load(first + gridDim.x * portion);
    __syncthreads();
#pragma unroll
    for (unsigned q = 0; q < at_once; ++q)
      if (counted_whole(quad_at(first, q))) for_each_key<Bits>(loaded[q], add);
  }
  // The first and the last quad, perhaps in part.
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (std::size_t quad = 0; quad < count; quad += count > 1 ? count - 1 : 1)
      for (std::size_t i = quads.begin(quad); i < quads.end(quad); ++i) add(quads.keys[i]);
  __syncthreads();
  of_block.flush(counts);
}

inline constexpr int write_threads = 256;

/// Writes n keys in order; starts[c] is the first place of code c. A block finds the codes of its quads, a thread those
/// of its quad among them.
template <class Bits, class Codec>
__global__ void __launch_bounds__(write_threads)
    write_codes_kernel(key_quads<Bits> quads, const unsigned long long* starts, Codec codec) {
  constexpr auto last_code = static_cast<unsigned>(code_count<Bits> - 1);
  // The last code from `low` up to `high` that starts at or before a place; `low` does.
  const auto code_at = [&](std::size_t place, unsigned low, unsigned high) {
    while (low < high) {
      const unsigned middle = high - (high - low) / 2;
      if (starts[middle] <= place)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  };
  const auto key_of = [&](unsigned code) { return codec.decode(static_cast<Bits>(code)); };
  __shared__ unsigned bounds[2];
  const std::size_t count = quads.count();
  constexpr std::size_t portion = 16 * write_threads;  // what a block looks up at once
  for (std::size_t first = blockIdx.x * portion; first < count; first += gridDim.x * portion) {
    const std::size_t last = min(first + portion, count) - 1;
    if (threadIdx.x < 2)
      bounds[threadIdx.x] = code_at(threadIdx.x == 0 ? quads.begin(first) : quads.end(last) - 1, 0, last_code);
    __syncthreads();
    const unsigned greatest = bounds[1];
    unsigned code = bounds[0];
    for (std::size_t quad = first + threadIdx.x; quad <= last; quad += write_threads) {
      const std::size_t begin = quads.begin(quad), end = quads.end(quad);
      if (code < greatest && starts[code + 1] <= begin) code = code_at(begin, code + 1, greatest);
      if (quads.whole(quad) && (code == greatest || starts[code + 1] >= end)) {
        const unsigned key = key_of(code);
        const unsigned all = key * (sizeof(Bits) == 1 ? 0x01010101u : 0x00010001u);
        quads[quad] = uint4{all, all, all, all};
      } else {
        for (std::size_t i = begin; i < end; ++i) {
          while (code < greatest && starts[code + 1] <= i) ++code;
          quads.keys[i] = key_of(code);
        }
      }
    }
    __syncthreads();
  }
}

/// Counts, and behind them their number, as the scan wants it.
template <class Bits>
struct counting_scratch {
  unsigned long long* counts;
  scan_scratch sums;
  explicit counting_scratch(carver& carve)
      : counts{carve.take<unsigned long long>(code_count<Bits> + 1)}, sums{carve, code_count<Bits>} {}
};

/// Whether keys without values are sorted faster by counting: if there are enough of them, and the counters fit a
/// block of every device.
template <class Bits>
bool worth_counting(std::size_t n) {
  return enough_to_count(n, sizeof(Bits)) && least_shared_bytes() >= sizeof(typename code_counters<Bits>::storage);
}

/// Sorts keys[0, n) in place by code. Enqueues on the context's stream; launches depend on n alone. O(n + codes).
/// Throws std::bad_alloc before anything is written.
template <class Bits, class Codec>
void counting_sort(const context& context, Bits* keys, std::size_t n, Codec codec) {
  using counters = code_counters<Bits>;
  const scratch<counting_scratch<Bits>> memory{context};
  set_zero(context, memory->counts, code_count<Bits> * sizeof(unsigned long long));
  const std::size_t quads = n / key_quads<Bits>::width + 2;
  const auto count = count_codes_kernel<Bits, Codec>;
  const auto write = write_codes_kernel<Bits, Codec>;
  launch(context,
         persistent_shape(context, count, divide_up(quads, counters::threads), counters::threads,
                          sizeof(typename counters::storage)),
         count, key_quads<const Bits>{keys, n}, memory->counts, codec);
  exclusive_scan(context, memory->counts, memory->counts + code_count<Bits>, memory->sums);
  launch(context, persistent_shape(context, write, divide_up(quads, write_threads), write_threads), write,
         key_quads<Bits>{keys, n}, memory->counts, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
