// Keys joined with their indices: words whose order is that of the keys, and of indices where keys are equivalent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../rows/record_keys.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int word_threads = 256;

template <class Bits, class Index>
using key_word = bits_of_size<(sizeof(Bits) + sizeof(Index) > sizeof(std::uint64_t) ? sizeof(uint128) : 8)>;
template <class Bits, class Index>
using word_parts = joint<key_word<Bits, Index>, Bits, Index>;

/// words[i] = the encoded key of element i, followed by i.
template <class Word>
__global__ void __launch_bounds__(word_threads)
    make_key_words_kernel(record_keys<Word> keys, std::size_t n, unsigned spare_bits, Word* words) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i < n) words[i] = keys.in_front(i) | static_cast<Word>(i) << spare_bits;
}

/// indices[i] = the index behind the key in words[i].
template <class Word>
__global__ void __launch_bounds__(word_threads)
    take_indices_kernel(const Word* words, std::size_t n, unsigned spare_bits, index_writer indices) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i < n) indices.write(i, static_cast<std::uint64_t>(words[i] >> spare_bits));
}

}  // namespace gpu::inline v1::detail::device
