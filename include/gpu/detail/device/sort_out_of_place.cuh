// Sort of rows that are read from one array and written to another, of as many as one launch sorts. The codes need not
// exist in memory: keys are joined with their indices as they are read, and what is written is a part of each code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../keys/key.hpp"
#include "../keys/shared_codes.hpp"
#include "columns.cuh"
#include "erased_codes.cuh"
#include "erased_rows.cuh"
#include "order.cuh"
#include "resident_quicksort.cuh"
#include "tile_sort.cuh"
#include "tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// Integers that hold a key and its index.
template <class Key>
using indexed_bits = bits_of_size<std::bit_ceil(sizeof(Key) + sizeof(std::uint32_t))>;

/// Bytes of scratch that sort_out_of_place takes for n codes, at most.
template <class Bits>
[[nodiscard]] std::size_t sort_out_of_place_scratch_bytes(std::size_t n) {
  const bool fits_launch = n <= resident_tiles_for(residents::many, sizeof(Bits)).most_elements();
  return fits_launch && n > sure_tile<Bits> ? device::scratch_bytes<resident_scratch<Bits>>(n) : 0;
}

/// Keys in front of their indices. If different keys may be equivalent, the codes are in the order of a stable sort.
template <class Key>
auto indexed_rows(const Key* keys, const shared_codes<Key>& codes, std::size_t n) {
  const auto rows = erased_rows<indexed_bits<Key>>{keys, codes.codec}.before_indices();
  return codes.floating ? rows.stable_by({codes.order, n}) : rows;
}

/// Sorts rows[0, n), n > 0, of which no two codes are equal, to where they are written, if one launch can do it; else
/// writes nothing and returns false. All rows are read before the first is written. On the context's stream, without
/// waiting. Throws no_device_memory before anything is written, gpu::error if the launch is refused.
template <class Bits>
bool sort_out_of_place(const context& context, const erased_rows<Bits>& rows, std::size_t n) {
  const columns<Bits, erased> data{rows};
  return device::sort_tile(context, data, n, identity_codec{}) ||
         device::resident_quicksort(context, data, n, code_less{}, identity_codec{});
}

}  // namespace gpu::inline v1::detail::device
