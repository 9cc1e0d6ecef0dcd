// Pairs: a key and its value as one element, which a distribution moves as one stream instead of two. An array of n
// pairs fits into the memory of n keys and n values, so a sort in place needs no more scratch than one of columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../config.hpp"
#include "../../keys/key.hpp"
#include "../block/distribute.cuh"
#include "../columns.cuh"
#include "../erased_codes.cuh"
#include "../tuning/distribution.hpp"
#include "../tuning/pairs.hpp"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// A key and a value of the same width, aligned so that a pair is copied in one access.
template <class Key>
struct alignas(2 * sizeof(Key)) key_value {
  Key key;
  Key value;
};

/// How pairs are ordered, by their keys, and how they move where this need not be stable: in `counted` tiles, two of
/// which share a multiprocessor, or, if wide, in tiles of one large block.
template <class Key>
struct by_key {
  using element = key_value<Key>;
  using code = Key;
  static constexpr bool counted = sizeof(element) <= 8;
  static constexpr tile_shape tile = pair_tile(sizeof(element));
  static constexpr int blocks = pair_blocks(sizeof(element));
  GPUPAR_HOST_DEVICE static code code_of(const element& pair) { return pair.key; }
};
/// Encodes the keys of pairs.
template <class Codec>
struct pair_codec {
  Codec codec;
  template <class Key>
  GPUPAR_HOST_DEVICE key_value<Key> encode(const key_value<Key>& pair) const {
    return {codec.encode(pair.key), pair.value};
  }
  GPUPAR_HOST_DEVICE bool changes_nothing() const { return codec.changes_nothing(); }
};

/// Pairs whose keys and values are in separate arrays, to be read.
template <class Key>
struct pairs_of_columns {
  const Key* keys;
  const Key* values;
  GPUPAR_HOST_DEVICE key_value<Key> operator[](std::ptrdiff_t i) const { return {keys[i], values[i]}; }
  GPUPAR_HOST_DEVICE pairs_of_columns operator+(std::size_t offset) const { return {keys + offset, values + offset}; }
};

/// An array of elements in two pieces of memory: the first half of each chunk lies in the one, the second half in the
/// other, where the keys and the values of the same chunk would lie. In one piece of memory, a chunk's halves follow
/// each other. In two, the elements of a last chunk that is not full lie at `rest`.
template <class Element>
class split_array {
  static constexpr std::size_t half_bytes = 128;  // the most that caches move at once
  static constexpr std::size_t half = half_bytes / sizeof(Element);

 public:
  static constexpr std::size_t chunk = 2 * half;
  static_assert(warp::threads % chunk == 0);

  split_array() = default;

  /// In memory for n elements, rounded up to chunks.
  explicit split_array(Element* data)
      : first_{data}, second_{data + half}, stride_{chunk}, whole_{~std::size_t{0}}, rest_{nullptr}, offset_{0} {}

  /// In two columns of n, each of half an element's size and aligned to an element; `rest`: room for a chunk.
  split_array(void* keys, void* values, std::size_t n, Element* rest)
      : first_{static_cast<Element*>(keys)},
        second_{static_cast<Element*>(values)},
        stride_{half},
        whole_{n / chunk * chunk},
        rest_{rest},
        offset_{0} {}

  GPUPAR_HOST_DEVICE Element& operator[](std::size_t index) const {
    const std::size_t at = offset_ + index;
    Element* const base = at % chunk < half ? first_ : second_;
    Element* const element = base + (at / chunk * stride_ + at % half);
    return at < whole_ ? *element : rest_[at % chunk];
  }
  GPUPAR_HOST_DEVICE split_array operator+(std::size_t offset) const {
    split_array other = *this;
    other.offset_ += offset;
    return other;
  }

  /// How far an element lies from the one `step` before it: a multiple of a chunk, and neither lies in the rest.
  GPUPAR_HOST_DEVICE std::size_t distance(std::size_t step) const { return step / chunk * stride_; }

  /// Loads items of a tile; one address and one distance serve all items of a thread.
  template <int Items>
  __device__ __forceinline__ void load(unsigned count, Element (&elements)[Items]) const {
    const split_array own = *this + block::item_index<Items>(0);
    if (count == blockDim.x * Items && offset_ + count <= whole_) {
      const Element* next = &own[0];
#pragma unroll
      for (int i = 0; i < Items; ++i, next += distance(warp::threads)) elements[i] = *next;
    } else {
      const int last = static_cast<int>(count - block::item_index<Items>(0)) - 1;
#pragma unroll
      for (int i = 0; i < Items; ++i)
        elements[i] = own[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(min(i * warp::threads, last)))];
    }
  }

 private:
  Element* first_;
  Element* second_;
  std::size_t stride_;
  std::size_t whole_;
  Element* rest_;
  std::size_t offset_;
};

template <int Items, class Element>
__device__ __forceinline__ void load_items(split_array<Element> source, unsigned count, Element (&elements)[Items]) {
  source.load(count, elements);
}

/// The codes of elements.
template <class Key, class Source>
struct codes_in {
  Source elements;
  GPUPAR_HOST_DEVICE Key operator[](std::size_t i) const { return elements[i].key; }
  GPUPAR_HOST_DEVICE codes_in operator+(std::size_t offset) const { return {elements + offset}; }
};

template <int Items, class Key, class Source>
__device__ __forceinline__ void load_items(codes_in<Key, Source> source, unsigned count, Key (&codes)[Items]) {
  key_value<Key> elements[Items];
  device::load_items(source.elements, count, elements);
#pragma unroll
  for (int i = 0; i < Items; ++i) codes[i] = elements[i].key;
}

}  // namespace gpu::inline v1::detail::device
