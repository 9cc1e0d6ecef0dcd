// Keys joined with their places: words whose order is that of the keys, and of places where keys are equivalent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "shared_codes.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int word_threads = 256;

constexpr std::size_t key_word_bytes(std::size_t key_bytes, std::size_t place_bytes) {
  return key_bytes + place_bytes > sizeof(std::uint64_t) ? sizeof(uint128) : sizeof(std::uint64_t);
}
template <class Bits, class Index>
using key_word = bits_of_size<device::key_word_bytes(sizeof(Bits), sizeof(Index))>;
template <class Bits, class Index>
using word_parts = joint<key_word<Bits, Index>, Bits, Index>;

/// A key in an array of elements, of any alignment.
template <class Bits>
__device__ Bits load_key(const std::byte* first_key, std::size_t element_bytes, std::size_t i) {
  const std::byte* const at = first_key + i * element_bytes;
  Bits key;
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Bits) == 0)
    key = *reinterpret_cast<const Bits*>(at);
  else
    std::memcpy(&key, at, sizeof(key));
  return key;
}

template <class Bits, class Index>
__global__ void __launch_bounds__(word_threads)
    make_key_words_kernel(const std::byte* first_key, std::size_t element_bytes, std::size_t n,
                          shared_codes<Bits> codes, key_word<Bits, Index>* words) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i >= n) return;
  words[i] = word_parts<Bits, Index>::join(codes.encode(device::load_key<Bits>(first_key, element_bytes, i)),
                                           static_cast<Index>(i));
}

/// words[i] = the key of element i, encoded, before i.
template <class Bits, class Index>
void make_key_words(const context& context, const keyed_elements& elements, std::size_t n,
                    key_word<Bits, Index>* words) {
  device::launch(context, {divide_up(n, word_threads), word_threads}, make_key_words_kernel<Bits, Index>,
                 static_cast<const std::byte*>(elements.data) + elements.key_offset, elements.element_bytes, n,
                 shared_codes<Bits>{elements.key}, words);
}

template <class Word, class Index>
__global__ void __launch_bounds__(word_threads)
    take_places_kernel(const Word* words, std::size_t n, unsigned spare_bits, Index* places) {
  const std::size_t i = std::size_t{blockIdx.x} * word_threads + threadIdx.x;
  if (i < n) places[i] = static_cast<Index>(words[i] >> spare_bits);
}

/// places[i] = what words[i] has behind its key.
template <class Bits, class Index>
void take_places(const context& context, const key_word<Bits, Index>* words, std::size_t n, Index* places) {
  device::launch(context, {divide_up(n, word_threads), word_threads}, take_places_kernel<key_word<Bits, Index>, Index>,
                 words, n, word_parts<Bits, Index>::spare_bits, places);
}

}  // namespace gpu::inline v1::detail::device
