// Sort of codes that are read in one place and written in another, of as many as one launch sorts. What is sorted need
// not lie anywhere: keys are joined with their places as they are read, and what is written is a part of each code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../keys/key.hpp"
#include "columns.cuh"
#include "distribution/erased_codes.cuh"
#include "order.cuh"
#include "resident_quicksort.cuh"
#include "tile_sort.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Integers that hold a key and its place.
template <class Key>
using placed_bits = bits_of_size<std::bit_ceil(sizeof(Key) + sizeof(std::uint32_t))>;
template <class Key, class Bits = placed_bits<Key>>
using placed = joint<Bits, Key, std::uint32_t>;

/// Codes of keys joined with their places, key in front.
template <class Bits, class Key, class Codec>
struct placed_codes {
  const Key* keys;
  std::uint32_t first;  ///< the place of *keys
  Codec codec;

  GPUPAR_HOST_DEVICE Bits operator[](std::ptrdiff_t i) const {
    return codec.encode(placed<Key, Bits>::join(keys[i], first + static_cast<std::uint32_t>(i)));
  }
  GPUPAR_HOST_DEVICE placed_codes operator+(std::size_t offset) const {
    return {keys + offset, first + static_cast<std::uint32_t>(offset), codec};
  }
  [[nodiscard]] erased_codes<Bits> erased() const {
    return erased_codes<Bits>{keys, placed<Key, Bits>::spare_bits}.before_indices(first).encoded_by(codec);
  }
};

/// Writes the keys of codes of keys and places.
template <class Key, class Codec>
struct decoded_keys {
  Key* keys;
  Codec codec;

  struct reference {
    Key& key;
    const Codec& codec;
    GPUPAR_HOST_DEVICE void operator=(placed_bits<Key> code) const { key = placed<Key>::high(codec.decode(code)); }
  };
  GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t i) const { return {keys[i], codec}; }
  GPUPAR_HOST_DEVICE decoded_keys operator+(std::size_t offset) const { return {keys + offset, codec}; }
};

/// Writes the places of such codes.
template <class Key, class Codec>
struct decoded_places {
  index_writer places;
  Codec codec;

  struct reference {
    const decoded_places& whole;
    std::size_t index;
    GPUPAR_HOST_DEVICE void operator=(placed_bits<Key> code) const {
      whole.places.write(index, placed<Key>::low(whole.codec.decode(code)));
    }
  };
  GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t i) const { return {*this, static_cast<std::size_t>(i)}; }
  GPUPAR_HOST_DEVICE decoded_places operator+(std::size_t offset) const { return {places + offset, codec}; }
};

/// Bytes of scratch that sort_out_of_place takes for n codes, at most.
template <class Bits>
[[nodiscard]] std::size_t sort_out_of_place_scratch_bytes(std::size_t n) {
  const bool fits_launch = n <= resident_tiles_for(residents::many, sizeof(Bits)).most_elements();
  return fits_launch && n > sure_tile<Bits> ? device::scratch_bytes<resident_scratch<Bits>>(n) : 0;
}

/// Writes the codes source[0, n), n > 0 and no two equal, to target[0, n) in order, if one launch can do it; else
/// writes nothing and returns false. All are read before the first is written. On the context's stream, without
/// waiting. Throws no_device_memory before anything is written, gpu::error if the launch is refused.
template <class Bits, class Source, class Target>
bool sort_out_of_place(const context& context, Source source, Target target, std::size_t n) {
  const columns<Bits, out_of_place<Source, Target>> data{{source, target}};
  return device::sort_tile(context, data, n, identity_codec{}) ||
         device::resident_quicksort(context, data, n, code_less{}, identity_codec{});
}

/// The same for keys[0, n) joined with their places by `codec`: decoded_keys or decoded_places says what is written,
/// keys perhaps where they come from.
template <class Key, class Codec, class Target>
bool sort_placed(const context& context, const Key* keys, const Codec& codec, Target target, std::size_t n) {
  return device::sort_out_of_place<placed_bits<Key>>(
      context, placed_codes<placed_bits<Key>, Key, Codec>{keys, 0, codec}, target, n);
}

}  // namespace gpu::inline v1::detail::device
