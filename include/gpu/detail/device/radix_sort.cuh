// Stable sort of integer codes by 8-bit digits, the least significant first: one kernel counts all digits, then one
// kernel per digit moves everything. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for
// GPUs", 2022. Digits that are the same in all keys are found by the counts and skipped, which only the device knows.
#pragma once

#include <cstddef>
#include <cub/block/block_scan.cuh>

#include "../keys/key.hpp"
#include "columns.cuh"
#include "digit_counts.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "radix_pass.cuh"
#include "tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

/// Adds the digits of all keys to counts[passes][digits].
template <class Bits, class Rank, class Codec>
__global__ void __launch_bounds__(digit_count_tile(sizeof(Bits)).threads,
                                  blocks_allowed(2, digit_count_tile(sizeof(Bits)).threads))
    count_digits_kernel(const Bits* keys, std::size_t n, unsigned long long* counts, const unsigned* wanted, Rank rank,
                        Codec codec) {
  await_predecessors();
  if (wanted && *wanted == 0) return;
  constexpr tile_shape tile = device::digit_count_tile(sizeof(Bits));
  digit_counts<Bits> digits{device::dynamic_shared<typename digit_counts<Bits>::memory>()};
  __syncthreads();
  for (std::size_t first = blockIdx.x * tile.size(); first < n; first += gridDim.x * tile.size())
    digits.template add_tile<tile.items>(
        keys + first, static_cast<unsigned>(min(tile.size(), n - first)),
        [&](Bits key) { return rank(codec.encode(key)); }, counts);
  __syncthreads();
  digits.add_to(counts);
}

/// Counts become beginnings, and each pass learns its part: none if *wanted is zero. One block, a thread per digit.
/// 256 threads.
template <class Count>
__global__ void __launch_bounds__(radix_digits)
    plan_radix_kernel(Count* counts, std::size_t n, unsigned passes, radix_pass* pass, const unsigned* wanted) {
  using scan = cub::BlockScan<Count, static_cast<int>(radix_digits)>;
  __shared__ typename scan::TempStorage shared;
  await_predecessors();
  bool from_buffer = false;
  unsigned number = 0;
  for (unsigned p = 0; p < passes; ++p) {
    Count& count = counts[p * radix_digits + threadIdx.x];
    const bool skipped = __syncthreads_or(count == n || (wanted && *wanted == 0));
    scan{shared}.ExclusiveSum(count, count);
    if (threadIdx.x == 0) pass[p] = {skipped, from_buffer, number == 0, false, number};
    from_buffer ^= !skipped;
    number += !skipped;
  }
  if (threadIdx.x > 0) return;
  pass[passes] = {true, from_buffer, false, false, number};
  for (unsigned p = passes; p-- > 0;)
    if (!pass[p].skipped) {
      pass[p].last = true;
      return;
    }
}

/// A column of numbers of any width, and where it is after an odd number of passes. None if it has no bytes.
struct radix_column {
  void* data = nullptr;
  const void* buffer = nullptr;
  unsigned bytes = 0;
};

/// Brings a column of the result to its destination.
__device__ inline void finish_column(const radix_column& column, std::size_t n) {
  if (column.bytes == 0) return;
  device::with_integer(column.bytes, [&]<class Number>(Number) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
      static_cast<Number*>(column.data)[i] = static_cast<const Number*>(column.buffer)[i];
  });
}

/// Brings both columns of the result to their destination after an odd number of passes.
template <class Pass>
__global__ void finish_radix_kernel(radix_column keys, radix_column values, std::size_t n, const Pass* result) {
  await_predecessors();
  if (!result->from_buffer) return;
  device::finish_column(keys, n);
  device::finish_column(values, n);
}

/// Bytes of device memory that radix_sort takes for n elements: n elements and about 4 %.
template <class Bits, class Value>
[[nodiscard]] std::size_t radix_sort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : device::scratch_bytes<radix_scratch<Bits, Value>>(n);
}

/// All passes over all portions.
template <class Bits, class Value, class Rank, class Codec>
void radix_passes(const context& context, columns<Bits, Value> data, std::size_t n,
                  const radix_scratch<Bits, Value>& memory, Rank rank, Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  constexpr std::size_t shared_bytes = sizeof(radix_pass_storage<Bits, Value, Rank, Codec>);
  static_assert(shared_bytes <= (value_bytes_v<Value> <= 8 ? radix_shared_bytes : wide_value_shared_bytes));
  for (unsigned p = 0; p < sizeof(Bits); ++p) {
    const unsigned long long* bases = memory.counts + p * radix_digits;
    for (unsigned portion = 0; portion < memory.portions; ++portion) {
      const std::size_t rest = n - portion * radix_portion;
      const std::size_t tiles = divide_up(rest < radix_portion ? rest : radix_portion, tile.size());
      unsigned long long* next_bases = memory.bases + portion % 2 * radix_digits;
      device::launch_early(context, shape{tiles, tile.threads, shared_bytes},
                           radix_pass_kernel<Bits, Value, Rank, Codec>, data, memory, n, p, portion, bases, next_bases,
                           rank, codec);
      bases = next_bases;
    }
  }
}

/// Counts the digits of all keys, unless *wanted is zero. `counts` are clear.
template <class Bits, class Rank, class Codec>
void count_digits(const context& context, const Bits* keys, std::size_t n, unsigned long long* counts,
                  const unsigned* wanted, Rank rank, Codec codec) {
  constexpr tile_shape tile = device::digit_count_tile(sizeof(Bits));
  constexpr std::size_t shared_bytes = sizeof(typename digit_counts<Bits>::memory);
  static_assert(shared_bytes <= radix_shared_bytes);
  device::launch_persistent(context, {divide_up(n, tile.size()), tile.threads, shared_bytes},
                            count_digits_kernel<Bits, Rank, Codec>, keys, n, counts, wanted, rank, codec);
}

/// What does not depend on types: passes are planned, and columns finished.
template <class Count>
void plan_radix(const context& context, Count* counts, std::size_t n, unsigned passes, radix_pass* pass,
                const unsigned* wanted) {
  device::launch_early(context, shape{1, radix_digits}, plan_radix_kernel<Count>, counts, n, passes, pass, wanted);
}
template <class Pass>
void finish_radix(const context& context, const radix_column& keys, const radix_column& values, std::size_t n,
                  const Pass* result) {
  constexpr int threads = 256;
  device::launch_persistent(context, {divide_up(n, threads), threads}, finish_radix_kernel<Pass>, keys, values, n,
                            result);
}

/// The whole sort; it leaves the data alone if *wanted, in device memory, is zero.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, const radix_scratch<Bits, Value>& memory, columns<Bits, Value> data,
                std::size_t n, Rank rank, Codec codec, const unsigned* wanted = nullptr) {
  constexpr unsigned passes = radix_scratch<Bits, Value>::passes;
  memory.clear(context);
  device::count_digits(context, data.keys, n, memory.counts, wanted, rank, codec);
  device::plan_radix(context, memory.counts, n, passes, memory.pass, wanted);
  device::radix_passes(context, data, n, memory, rank, codec);
  const radix_column keys{data.keys, memory.buffer.keys, sizeof(Bits)};
  const radix_column values{data.values, memory.buffer.values, static_cast<unsigned>(value_bytes_v<Value>)};
  device::finish_radix(context, keys, values, n, memory.pass + passes);
}

/// Sorts data[0, n) in place and stably by rank(code), an unsigned integer as wide as the code. Enqueues on the
/// context's stream; launches depend on n alone. sizeof(Bits) passes over the data at most. Throws std::bad_alloc
/// before anything is written.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, columns<Bits, Value> data, std::size_t n, Rank rank, Codec codec) {
  if (n < 2) return;
  const scratch<radix_scratch<Bits, Value>> memory{context, n};
  device::radix_sort(context, *memory, data, n, rank, codec);
}

}  // namespace gpu::inline v1::detail::device
