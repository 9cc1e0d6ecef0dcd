// Stable sort of integer codes by 8-bit digits, the least significant first: one kernel counts all digits, then one
// kernel per digit moves all elements. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for
// GPUs", 2022. Digits that are the same in all keys are recognised by their counts and skipped; only the device knows
// which.
#pragma once

#include <cstddef>

#include "../keys/key.hpp"
#include "block/distinct_prefixes.cuh"
#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "radix/digit_counts.cuh"
#include "radix/pass.cuh"
#include "tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

/// Adds the digits of all keys to counts[passes][digits]; *found becomes what varying_digits reads. Does nothing if
/// *wanted is zero.
template <class Bits, class Rank, class Codec>
__global__ void __launch_bounds__(digit_count_tile(sizeof(Bits)).threads,
                                  blocks_allowed(2, digit_count_tile(sizeof(Bits)).threads))
    count_digits_kernel(const Bits* keys, std::size_t n, unsigned long long* counts, unsigned* found,
                        const unsigned* wanted, Rank rank, Codec codec) {
  await_predecessors();
  if (wanted && *wanted == 0) return;
  constexpr tile_shape tile = device::digit_count_tile(sizeof(Bits));
  digit_counts<Bits> digits{device::dynamic_shared<typename digit_counts<Bits>::memory>()};
  __shared__ unsigned found_here;
  if (threadIdx.x == 0) found_here = 0;
  const Bits first_code = codec.encode(keys[0]);
  Bits codes_differ = 0, ranks_differ = 0;  // codes from the first one; ranks from codes
  const auto rank_of = [&](Bits key) {
    const Bits code = codec.encode(key), ranked = rank(code);
    codes_differ |= static_cast<Bits>(code ^ first_code);
    ranks_differ |= static_cast<Bits>(ranked ^ code);
    return ranked;
  };
  __syncthreads();
  for (std::size_t first = blockIdx.x * tile.size(); first < n; first += gridDim.x * tile.size())
    digits.template add_tile<tile.items>(keys + first, static_cast<unsigned>(min(tile.size(), n - first)), rank_of,
                                         counts);
  if (ranks_differ != 0) atomicOr(&found_here, varying_digits::ranks_differ);
  const unsigned all =
      block::differing_digits<1, Bits>({static_cast<Bits>(codes_differ | ranks_differ)}, 0, found_here);
  if (threadIdx.x == 0 && (all & ~__ldcg(found)) != 0) atomicOr(found, all);
  digits.add_to(counts);
}

/// A column of numbers of any width: where it shall end up, and where it is if the passes did not put it there; a null
/// `source` stands for indices. Without bytes there is no column.
struct radix_column {
  void* destination = nullptr;
  const void* source = nullptr;
  unsigned bytes = 0;
};

/// Copies a column of the result to its destination.
__device__ inline void finish_column(const radix_column& column, std::size_t n) {
  if (column.bytes == 0) return;
  device::with_integer(column.bytes, [&]<class Number>(Number) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    const auto* const source = static_cast<const Number*>(column.source);
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
      static_cast<Number*>(column.destination)[i] = source != nullptr ? source[i] : static_cast<Number>(i);
  });
}

/// Copies both columns of the result to their destination where the passes have not: if sorting in place, after an odd
/// number of passes, else after none.
template <class Found>
__global__ void finish_radix_kernel(radix_column keys, radix_column values, std::size_t n, const Found* found,
                                    bool in_place) {
  await_predecessors();
  const unsigned passes = varying_digits{*found}.count();
  if (in_place ? passes % 2 == 0 : passes > 0) return;
  device::finish_column(keys, n);
  device::finish_column(values, n);
}

/// Bytes of device memory that radix_sort takes for n elements: room for n elements, plus about 4 %.
template <class Bits, class Value>
[[nodiscard]] std::size_t radix_sort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : device::scratch_bytes<radix_scratch<Bits, Value>>(n);
}

/// Enqueues all passes over all portions.
template <class Bits, class Value, class Rank, class Codec>
void radix_passes(const context& context, const radix_ends<Bits, Value>& ends, std::size_t n,
                  const radix_scratch<Bits, Value>& memory, Rank rank, Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  const std::size_t tile_size = std::size_t{device::items_for(tile, n)} * tile.threads;
  constexpr std::size_t shared_bytes = sizeof(radix_pass_storage<Bits, Value, Codec>);
  static_assert(shared_bytes <= (value_bytes_v<Value> <= 8 ? radix_shared_bytes : wide_value_shared_bytes));
  for (unsigned p = 0; p < sizeof(Bits); ++p) {
    const unsigned long long* bases = p == 0 ? nullptr : memory.counts + p * radix_digits;
    for (unsigned portion = 0; portion < memory.portions; ++portion) {
      const std::size_t rest = n - portion * radix_portion;
      const std::size_t tiles = divide_up(rest < radix_portion ? rest : radix_portion, tile_size);
      unsigned long long* next_bases = memory.bases + portion % 2 * radix_digits;
      device::launch_early(context, shape{tiles, tile.threads, shared_bytes},
                           radix_pass_kernel<Bits, Value, Rank, Codec>, ends, memory, n, p, portion, bases, next_bases,
                           rank, codec);
      bases = next_bases;
    }
  }
}

/// Counts the digits of all keys, unless *wanted is zero. `counts` and *found are clear.
template <class Bits, class Rank, class Codec>
void count_digits(const context& context, const Bits* keys, std::size_t n, unsigned long long* counts, unsigned* found,
                  const unsigned* wanted, Rank rank, Codec codec) {
  constexpr tile_shape tile = device::digit_count_tile(sizeof(Bits));
  constexpr std::size_t shared_bytes = sizeof(typename digit_counts<Bits>::memory);
  static_assert(shared_bytes <= radix_shared_bytes);
  device::launch_persistent(context, {divide_up(n, tile.size()), tile.threads, shared_bytes},
                            count_digits_kernel<Bits, Rank, Codec>, keys, n, counts, found, wanted, rank, codec);
}

/// The end of the sort, which does not depend on types: enqueues finish_radix_kernel.
template <class Found>
void finish_radix(const context& context, const radix_column& keys, const radix_column& values, std::size_t n,
                  const Found* found, bool in_place) {
  constexpr int threads = 256;
  device::launch_persistent(context, {divide_up(n, threads), threads}, finish_radix_kernel<Found>, keys, values, n,
                            found, in_place);
}

/// The whole sort. Does nothing if *wanted, in device memory, is zero; only a sort in place may pass `wanted`.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, const radix_scratch<Bits, Value>& memory, const radix_ends<Bits, Value>& ends,
                std::size_t n, Rank rank, Codec codec, const unsigned* wanted = nullptr) {
  memory.clear(context);
  device::count_digits(context, ends.keys, n, memory.counts, memory.found, wanted, rank, codec);
  device::radix_passes(context, ends, n, memory, rank, codec);
  const bool in_place = ends.in_place();
  const radix_column keys{ends.destination.keys, in_place ? memory.buffer.keys : ends.keys,
                          ends.keep_keys ? static_cast<unsigned>(sizeof(Bits)) : 0};
  const radix_column values{ends.destination.values, in_place ? memory.buffer.values : ends.values,
                            static_cast<unsigned>(value_bytes_v<Value>)};
  device::finish_radix(context, keys, values, n, memory.found, in_place);
}

/// Sorts data[0, n) in place and stably by rank(code), an unsigned integer as wide as the code. Enqueues on the
/// context's stream; the launches depend only on n. At most sizeof(Bits) passes over the data. Throws std::bad_alloc
/// before anything is written.
template <class Bits, class Value, class Rank, class Codec>
void radix_sort(const context& context, columns<Bits, Value> data, std::size_t n, Rank rank, Codec codec) {
  if (n < 2) return;
  const scratch<radix_scratch<Bits, Value>> memory{context, n};
  device::radix_sort(context, *memory, radix_ends<Bits, Value>{data.keys, data.values, data, true}, n, rank, codec);
}

}  // namespace gpu::inline v1::detail::device
