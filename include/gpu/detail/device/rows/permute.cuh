// Records by way of an order of their indices: keys out of records with the order to begin with, and rows gathered.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../key.hpp"
#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int permute_threads = 256;

template <class Index>
__global__ void __launch_bounds__(permute_threads) fill_sequence_kernel(Index* target, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i < n) target[i] = static_cast<Index>(i);
}

/// target[i] = i for i < n.
template <class Index>
void fill_sequence(const context& context, Index* target, std::size_t n) {
  device::launch(context, {divide_up(n, permute_threads), permute_threads}, fill_sequence_kernel<Index>, target, n);
}

/// Word: std::uint8_t for keys that are not aligned, else Bits.
template <class Word, class Bits, class Index, class Codec>
__global__ void __launch_bounds__(permute_threads)
    extract_keys_kernel(const std::byte* first_key, std::size_t record_bytes, Codec codec, Bits* keys, Index* places,
                        std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  const Word* const source = reinterpret_cast<const Word*>(first_key + i * record_bytes);
  Word words[sizeof(Bits) / sizeof(Word)];
#pragma unroll
  for (int word = 0; word < static_cast<int>(sizeof(Bits) / sizeof(Word)); ++word) words[word] = source[word];
  Bits key;
  std::memcpy(&key, words, sizeof(Bits));
  keys[i] = codec.encode(key);
  if (places != nullptr) places[i] = static_cast<Index>(i);
}

/// keys[i] = what codec makes of the Bits at byte key_offset of record i, for n records of record_bytes each, of any
/// alignment. Unless `places` is null, places[i] = i.
template <class Bits, class Index = std::uint32_t, class Codec = identity_codec>
void extract_keys(const context& context, const void* records, std::size_t record_bytes, std::size_t key_offset,
                  Bits* keys, std::size_t n, Index* places = nullptr, Codec codec = {}) {
  const std::byte* const first_key = static_cast<const std::byte*>(records) + key_offset;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(first_key) | record_bytes) % alignof(Bits) == 0;
  device::launch(
      context, {divide_up(n, permute_threads), permute_threads},
      aligned ? extract_keys_kernel<Bits, Bits, Index, Codec> : extract_keys_kernel<std::uint8_t, Bits, Index, Codec>,
      first_key, record_bytes, codec, keys, places, n);
}

/// Rows of `words` words; `lanes` neighbouring threads, a power of two up to 32, copy a row together.
template <class Word, class Index>
__global__ void __launch_bounds__(permute_threads)
    gather_rows_kernel(const Word* source, Word* target, std::size_t words, unsigned lanes, const Index* order,
                       std::size_t n) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  const std::size_t row = thread / lanes;
  if (row >= n) return;
  const Word* const from = source + static_cast<std::size_t>(order[row]) * words;
  Word* const to = target + row * words;
  for (std::size_t word = thread % lanes; word < words; word += lanes) to[word] = from[word];
}

template <class Word, class Index>
void gather_words(const context& context, const void* source, void* target, std::size_t row_bytes, const Index* order,
                  std::size_t n) {
  const std::size_t words = row_bytes / sizeof(Word);
  const unsigned lanes = words >= 32 ? 32 : std::bit_ceil(static_cast<unsigned>(words));
  device::launch(context, {divide_up(n * lanes, permute_threads), permute_threads}, gather_rows_kernel<Word, Index>,
                 static_cast<const Word*>(source), static_cast<Word*>(target), words, lanes, order, n);
}

/// Row i of target = row order[i] of source, for n rows of row_bytes > 0 each; the two do not overlap. Index: 32 or 64
/// bits. In the widest words, of up to 16 bytes, that the alignment of both and of the rows allows.
template <class Index>
void gather_rows(const context& context, const void* source, void* target, std::size_t row_bytes, const Index* order,
                 std::size_t n) {
  const std::uintptr_t alignment =
      reinterpret_cast<std::uintptr_t>(source) | reinterpret_cast<std::uintptr_t>(target) | row_bytes;
  if (alignment % sizeof(uint4) == 0) return device::gather_words<uint4>(context, source, target, row_bytes, order, n);
  if (alignment % 8 == 0) return device::gather_words<std::uint64_t>(context, source, target, row_bytes, order, n);
  if (alignment % 4 == 0) return device::gather_words<std::uint32_t>(context, source, target, row_bytes, order, n);
  if (alignment % 2 == 0) return device::gather_words<std::uint16_t>(context, source, target, row_bytes, order, n);
  device::gather_words<std::uint8_t>(context, source, target, row_bytes, order, n);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
