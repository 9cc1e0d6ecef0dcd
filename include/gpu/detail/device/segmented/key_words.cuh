// Keys joined with their indices: words whose order is that of the keys, and of indices where keys are equivalent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "../../keys/shared_codes.hpp"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../rows/record_keys.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int word_threads = 256;

constexpr std::size_t key_word_bytes(std::size_t key_bytes, std::size_t index_bytes) {
  return key_bytes + index_bytes > sizeof(std::uint64_t) ? sizeof(uint128) : sizeof(std::uint64_t);
}
template <class Bits, class Index>
using key_word = bits_of_size<device::key_word_bytes(sizeof(Bits), sizeof(Index))>;
template <class Bits, class Index>
using word_parts = joint<key_word<Bits, Index>, Bits, Index>;

template <class Word>
__global__ void __launch_bounds__(word_threads)
    make_key_words_kernel(record_keys<Word> keys, std::size_t n, unsigned spare_bits, Word* words) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i < n) words[i] = keys.in_front(i) | static_cast<Word>(i) << spare_bits;
}

/// words[i] = the key of element i, encoded, before i.
template <class Bits, class Index>
void make_key_words(const context& context, const keyed_elements& elements, std::size_t n,
                    key_word<Bits, Index>* words) {
  using word = key_word<Bits, Index>;
  const record_keys<word> keys{elements.data, elements.element_bytes, elements.key_offset,
                               detail::make_shared_codes<Bits>(elements.key)};
  device::launch(context, {divide_up(n, word_threads), word_threads}, make_key_words_kernel<word>, keys, n,
                 word_parts<Bits, Index>::spare_bits, words);
}

template <class Word>
__global__ void __launch_bounds__(word_threads)
    take_indices_kernel(const Word* words, std::size_t n, unsigned spare_bits, index_writer indices) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i < n) indices.write(i, static_cast<std::uint64_t>(words[i] >> spare_bits));
}

/// indices[i] = what words[i] has behind its key.
template <class Bits, class Index>
void take_indices(const context& context, const key_word<Bits, Index>* words, std::size_t n, Index* indices) {
  device::launch(context, {divide_up(n, word_threads), word_threads}, take_indices_kernel<key_word<Bits, Index>>, words,
                 n, word_parts<Bits, Index>::spare_bits, indices);
}

}  // namespace gpu::inline v1::detail::device
