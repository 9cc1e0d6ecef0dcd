// Sorting records by an order of their indices: extracts keys, with the initial order, and gathers rows by an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../tuning/rows.hpp"
#include "record_keys.cuh"

namespace gpu::inline v1::detail::device {

template <class Count>
__global__ void __launch_bounds__(permute_threads) fill_sequence_kernel(index_writer target, Count first, Count n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i < n) target.write(i, first + i);
}

/// Index i of target becomes first + i, for i < n.
template <class Count>
void fill_sequence(const context& context, index_writer target, Count n, Count first = 0) {
  device::launch(context, {divide_up(n, permute_threads), permute_threads}, fill_sequence_kernel<Count>, target, first,
                 n);
}

template <class Code>
__global__ void __launch_bounds__(permute_threads)
    extract_keys_kernel(record_keys<Code> records, void* keys, index_writer indices, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  device::with_integer(records.key_bytes(), [&]<class Bits>(Bits) {
    if constexpr (sizeof(Bits) <= sizeof(Code)) static_cast<Bits*>(keys)[i] = static_cast<Bits>(records[i]);
  });
  if (indices) indices.write(i, i);
}

/// keys[i] = the code of record i, as wide as its key, for n records. Writes the indices 0 to n - 1, if they are
/// wanted.
template <class Code>
void extract_codes(const context& context, const record_keys<Code>& records, void* keys, std::size_t n,
                   index_writer indices) {
  device::launch(context, {divide_up(n, permute_threads), permute_threads}, extract_keys_kernel<Code>, records, keys,
                 indices, n);
}

/// keys[i] = what codec makes of the Bits at byte key_offset of record i, for n records of record_bytes each, of any
/// alignment. Writes the indices 0 to n - 1, if they are wanted.
template <class Bits, class Codec = key_codec<Bits>>
void extract_keys(const context& context, const void* records, std::size_t record_bytes, std::size_t key_offset,
                  Bits* keys, std::size_t n, index_writer indices = {}, const Codec& codec = {}) {
  device::extract_codes(context, record_keys<widest_code<Bits>>{records, record_bytes, key_offset, codec}, keys, n,
                        indices);
}

/// Division of numbers of words in a tile by the words of a row.
struct row_division {
  unsigned words;
  unsigned factor;  ///< 2^32 / words, rounded up; 0 for one word, and for rows longer than a tile

  explicit row_division(std::size_t words)
      : words{static_cast<unsigned>(words)},
        factor{words == 1 || words > gather_tile ? 0 : 0xffffffffu / static_cast<unsigned>(words) + 1} {}
  __device__ unsigned row_of(unsigned word) const {
    return factor != 0 ? __umulhi(word, factor) : words == 1 ? word : 0;
  }
};

/// An order of rows given by indices in device memory; an index greater than `last` counts as `last`.
struct listed_order {
  index_reader indices;
  std::size_t last = ~std::size_t{0};

  __device__ std::size_t operator[](std::size_t i) const { return min(indices[i], last); }
};

/// `rows` rows per block.
template <class Word, class Order>
__global__ void __launch_bounds__(permute_threads)
    gather_rows_kernel(const Word* source, Word* target, row_division division, unsigned rows, Order order,
                       std::size_t n) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * rows;
  const unsigned count = static_cast<unsigned>(min(n - first, static_cast<std::size_t>(rows))) * division.words;
  Word* const to = target + first * division.words;
  for (unsigned base = threadIdx.x; base < count; base += gather_tile) {
    Word words[gather_items];
#pragma unroll
    for (int i = 0; i < gather_items; ++i) {
      const unsigned at = min(base + static_cast<unsigned>(i) * permute_threads, count - 1);
      const unsigned row = division.row_of(at);
      words[i] = source[static_cast<std::size_t>(order[first + row]) * division.words + (at - row * division.words)];
    }
#pragma unroll
    for (int i = 0; i < gather_items; ++i) {
      const unsigned at = base + static_cast<unsigned>(i) * permute_threads;
      if (at < count) to[at] = words[i];
    }
  }
}

template <class Word, class Order>
void gather_words(const context& context, const void* source, void* target, std::size_t row_bytes, Order order,
                  std::size_t n) {
  const row_division division{row_bytes / sizeof(Word)};
  unsigned rows = division.words < gather_tile ? gather_tile / division.words : 1;
  if (rows >= 32) rows = rows / 32 * 32;  // blocks begin with whole lines
  device::launch(context, {divide_up(n, rows), permute_threads}, gather_rows_kernel<Word, Order>,
                 static_cast<const Word*>(source), static_cast<Word*>(target), division, rows, order, n);
}

/// Row i of target = row order[i] of source, for n rows of row_bytes > 0 each; the two do not overlap. Order: indices
/// in device memory, a listed_order, or anything else that returns where a row comes from. Copies the widest words, of
/// up to 16 bytes, that the alignment of both and of the rows allows.
template <class Order>
  requires(!std::is_pointer_v<Order>)
void gather_rows(const context& context, const void* source, void* target, std::size_t row_bytes, Order order,
                 std::size_t n) {
  const std::uintptr_t alignment =
      reinterpret_cast<std::uintptr_t>(source) | reinterpret_cast<std::uintptr_t>(target) | row_bytes;
  const auto gather = [&]<class Word>(Word) {
    device::gather_words<Word>(context, source, target, row_bytes, order, n);
  };
  if (alignment % sizeof(uint4) == 0) return gather(uint4{});
  if (alignment % 8 == 0) return gather(std::uint64_t{});
  if (alignment % 4 == 0) return gather(std::uint32_t{});
  if (alignment % 2 == 0) return gather(std::uint16_t{});
  gather(std::uint8_t{});
}

inline void gather_rows(const context& context, const void* source, void* target, std::size_t row_bytes,
                        index_reader order, std::size_t n) {
  device::gather_rows(context, source, target, row_bytes, listed_order{order}, n);
}

}  // namespace gpu::inline v1::detail::device
