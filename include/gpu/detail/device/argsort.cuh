// Argsort: writes the indices of keys in the keys' order and leaves the keys unchanged. Every sort used here reads keys
// and makes indices in its first step, and writes indices in its last, so that neither needs a step of its own: sorts
// in one launch, of as many keys as the device holds at once, or passes by digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sort_by_digits.cuh"
#include "sort_out_of_place.cuh"

namespace gpu::inline v1::detail::device {

/// Whether argsort_keys() is worthwhile for n keys of up to 8 bytes: more than 2^32 keys have indices of more than 32
/// bits.
constexpr bool worth_argsorting(std::size_t n) { return n <= std::size_t{1} << 32; }

/// Bytes of scratch that argsort_by_digits takes: room for n keys twice, for n indices, and about 4 %.
template <class Key, class Index>
[[nodiscard]] std::size_t argsort_by_digits_bytes(std::size_t n) {
  return device::sort_by_digits_scratch_bytes<Key, Index>(n, false);
}

/// Writes the indices of keys[0, n) in their order, by passes by digits, for any n and any keys.
template <class Key, class Index>
void argsort_by_digits(const context& context, const Key* keys, Index* indices, std::size_t n,
                       const shared_codes<Key>& codes) {
  const radix_ends<Key, Index> ends{keys, nullptr, {nullptr, indices}, false};
  if constexpr (sizeof(Key) > 1 && sizeof(Key) <= 8)
    if (codes.floating)
      return device::sort_by_digits(context, ends, n, floating_rank<Key>{codes.order}, codes.codec);
  device::sort_by_digits(context, ends, n, code_rank{}, codes.codec);
}

/// Bytes of scratch that argsort_keys takes, at most: none for a few.
template <class Key, class Index>
[[nodiscard]] std::size_t argsort_scratch_bytes(std::size_t n) {
  if (n <= sure_tile<indexed_bits<Key>>) return 0;
  return std::max(device::sort_out_of_place_scratch_bytes<indexed_bits<Key>>(n),
                  device::argsort_by_digits_bytes<Key, Index>(n));
}

/// Writes the indices of keys[0, n) in their order to `indices`; of equal codes the first one comes first. n: see
/// worth_argsorting(). Enqueues on the context's stream; the launches depend only on n. Throws std::bad_alloc before
/// anything is written, gpu::error if a launch is refused.
template <class Key, class Index>
void argsort_keys(const context& context, const Key* keys, Index* indices, std::size_t n,
                  const shared_codes<Key>& codes) {
  const auto rows = device::indexed_rows(keys, codes, n).written_to(nullptr, indices, sizeof(Index));
  if (!device::sort_out_of_place(context, rows, n)) device::argsort_by_digits(context, keys, indices, n, codes);
}

}  // namespace gpu::inline v1::detail::device
