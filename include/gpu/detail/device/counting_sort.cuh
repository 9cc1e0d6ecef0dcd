// Sort of keys of one or two bytes by counting: the number of times that each code occurs determines the output, so
// that the keys are generated anew. Reads and writes every key once. Knuth, The Art of Computer Programming 3, 5.2
// (distribution counting).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../keys/key.hpp"
#include "block/code_counters.cuh"
#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "scan.cuh"
#include "tuning/counting.hpp"
#include "tuning/rows.hpp"
#include "warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

using block::code_count;
using block::code_counters;

/// Neighbouring keys that one access to global memory transfers: an aligned quad of words.
template <class Bits>
struct key_quads {
  static constexpr unsigned width = sizeof(uint4) / sizeof(Bits);
  Bits* keys;
  std::size_t n;

  /// Elements between the quad boundary at or before the first key and that key.
  __device__ std::size_t shift() const { return reinterpret_cast<std::uintptr_t>(keys) % sizeof(uint4) / sizeof(Bits); }
  __device__ std::size_t count() const { return device::divide_up(shift() + n, width); }
  __device__ std::size_t begin(std::size_t quad) const { return quad == 0 ? 0 : quad * width - shift(); }
  __device__ std::size_t end(std::size_t quad) const { return min((quad + 1) * width - shift(), n); }
  /// The nearest quad boundaries: not after, and not before, a position.
  __device__ std::size_t boundary_before(std::size_t position) const { return begin((shift() + position) / width); }
  __device__ std::size_t boundary_after(std::size_t position) const {
    return begin(device::divide_up(shift() + position, width));
  }
  __device__ bool whole(std::size_t quad) const { return end(quad) - begin(quad) == width; }
  __device__ auto& operator[](std::size_t quad) const {
    using word = std::conditional_t<std::is_const_v<Bits>, const uint4, uint4>;
    return *reinterpret_cast<word*>(keys + begin(quad));
  }
};

/// Adds how often each code occurs to counts[code_count].
template <class Bits, class Codec>
__global__ void __launch_bounds__(code_counters<Bits>::threads)
    count_codes_kernel(key_quads<const Bits> quads, unsigned long long* counts, Codec codec) {
  using counters = code_counters<Bits>;
  const counters of_block{device::dynamic_shared<typename counters::storage>()};
  const block::code_totals<Bits, Codec> totals{counts, codec};
  of_block.clear();
  const auto count_one = [&](Bits key) { of_block.count(key, totals); };
  const std::size_t count = quads.count();
  constexpr unsigned at_once = counters::quads_at_once;
  constexpr std::size_t portion = std::size_t{at_once} * counters::threads;
  // Whole quads; the next ones are loaded while these are counted.
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
    for (unsigned q = 0; q < at_once; ++q) {
      const bool counted = counted_whole(quad_at(first, q));
      if (__all_sync(warp::all_lanes, counted))
        of_block.count(loaded[q], totals);
      else if (counted)
        block::for_each_key<Bits>(loaded[q], count_one);
    }
  }
  // The first and the last quad, perhaps in part.
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (std::size_t quad = 0; quad < count; quad += count > 1 ? count - 1 : 1)
      for (std::size_t i = quads.begin(quad); i < quads.end(quad); ++i) count_one(quads.keys[i]);
  __syncthreads();
  of_block.flush(totals);
}

/// For each code, writes those keys that share a quad with other codes or lie in an incomplete first or last quad.
template <class Bits, class Codec>
__device__ void write_edges(const key_quads<Bits>& quads, const unsigned long long* starts, Codec codec) {
  constexpr unsigned codes = code_count<Bits>;
  for (unsigned code = blockIdx.x * write_threads + threadIdx.x; code < codes; code += gridDim.x * write_threads) {
    const std::size_t begin = starts[code], end = code + 1 < codes ? starts[code + 1] : quads.n;
    const std::size_t whole_begin = min(quads.boundary_after(begin), end);
    const std::size_t whole_end = max(quads.boundary_before(end), whole_begin);
    const Bits key = codec.decode(static_cast<Bits>(code));
    for (std::size_t i = begin; i < whole_begin; ++i) quads.keys[i] = key;
    for (std::size_t i = whole_end; i < end; ++i) quads.keys[i] = key;
  }
}

/// The last code in [low, high] that starts at or before `position`; `low` must do so.
inline __device__ unsigned code_at(const unsigned long long* starts, std::size_t position, unsigned low,
                                   unsigned high) {
  while (low < high) {
    const unsigned middle = high - (high - low) / 2;
    if (starts[middle] <= position)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// The code at a position, searched in [0, high] by a full warp. Its lanes test 32 codes at once, so that four steps
/// find one of 2^16.
inline __device__ unsigned code_at_by_warp(const unsigned long long* starts, std::size_t position, unsigned high) {
  const unsigned lane = threadIdx.x % warp::threads;
  unsigned low = 0;
  while (low < high) {
    const auto step = static_cast<unsigned>(divide_up(high - low, warp::threads));
    const unsigned tried = low + (lane + 1) * step;
    const unsigned not_after = __popc(__ballot_sync(warp::all_lanes, tried <= high && starts[tried] <= position));
    low += not_after * step;
    high = min(high, low + step - 1);
  }
  return low;
}

/// Turns counts into the first position of each code, `starts`, and writes n keys in order. A block finds the codes at
/// both ends of its quads, and each thread searches between them for the codes of its own quads. Quads that hold
/// several codes, or are incomplete, are written by write_edges().
template <class Bits, class Codec>
__global__ void __launch_bounds__(write_threads)
    write_codes_kernel(key_quads<Bits> quads, unsigned long long* starts, scan_scratch sums, Codec codec) {
  static_assert(write_threads == scan_threads);
  constexpr auto last_code = static_cast<unsigned>(code_count<Bits> - 1);
  await_predecessors();
  device::scan_tiles(starts, code_count<Bits>, sums);
  device::await_scan(code_count<Bits>, sums);
  device::write_edges(quads, starts, codec);
  __shared__ unsigned bounds[2];
  const std::size_t count = quads.count();
  constexpr std::size_t portion = 8 * write_threads;  // quads per block at a time
  for (std::size_t first = blockIdx.x * portion; first < count; first += gridDim.x * portion) {
    const std::size_t last = min(first + portion, count) - 1;
    if (const unsigned side = threadIdx.x / warp::threads; side < 2)
      bounds[side] = device::code_at_by_warp(starts, side == 0 ? quads.begin(first) : quads.end(last) - 1, last_code);
    __syncthreads();
    const unsigned greatest = bounds[1];
    unsigned code = bounds[0];
    for (std::size_t quad = first + threadIdx.x; quad <= last; quad += write_threads) {
      const std::size_t begin = quads.begin(quad);
      if (code < greatest && starts[code + 1] <= begin) code = code_at(starts, begin, code + 1, greatest);
      if (!quads.whole(quad) || (code < greatest && starts[code + 1] < quads.end(quad))) continue;
      const unsigned key = codec.decode(static_cast<Bits>(code));
      const unsigned all = key * (sizeof(Bits) == 1 ? 0x01010101u : 0x00010001u);
      quads[quad] = uint4{all, all, all, all};
    }
    __syncthreads();
  }
}

/// Counts, directly followed by the scratch of their scan, so that one call clears both: the device waits for every
/// call of the host before the first kernel.
template <class Bits>
struct counting_scratch {
  unsigned long long* counts;
  scan_scratch sums;
  explicit counting_scratch(carver& carve)
      : counts{carve.take<unsigned long long>(code_count<Bits>)}, sums{carve, code_count<Bits>} {}

  void clear(const context& context) const {
    static_assert(code_count<Bits> * sizeof(unsigned long long) % carver::alignment == 0);
    device::set_zero(context, counts, (code_count<Bits> + sums.words()) * sizeof(unsigned long long));
  }
};

/// Whether keys without values are sorted faster by counting: there must be enough of them, and the counters must fit
/// in the shared memory of a block on every device.
template <class Bits>
bool worth_counting(std::size_t n) {
  return enough_to_count(n, sizeof(Bits)) && least_shared_bytes() >= sizeof(typename code_counters<Bits>::storage);
}

/// Sorts keys[0, n) in place by code. Enqueues on the context's stream; the launches depend only on n. O(n + codes).
/// Throws std::bad_alloc before anything is written.
template <class Bits, class Codec>
void counting_sort(const context& context, Bits* keys, std::size_t n, Codec codec) {
  using counters = code_counters<Bits>;
  const scratch<counting_scratch<Bits>> memory{context};
  memory->clear(context);
  const std::size_t quads = n / key_quads<Bits>::width + 2;
  const auto count = count_codes_kernel<Bits, Codec>;
  device::launch(context,
                 device::persistent_shape(context, count, device::divide_up(quads, counters::threads),
                                          counters::threads, sizeof(typename counters::storage)),
                 count, key_quads<const Bits>{keys, n}, memory->counts, codec);
  device::launch_persistent(context, {divide_up(quads, write_threads), write_threads}, write_codes_kernel<Bits, Codec>,
                            key_quads<Bits>{keys, n}, memory->counts, memory->sums, codec);
}

}  // namespace gpu::inline v1::detail::device
