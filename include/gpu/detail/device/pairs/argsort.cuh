// Argsort: writes the indices of keys in the keys' order and leaves the keys alone. Round one reads keys and makes
// indices, the last step writes indices, so that neither needs a pass of its own; one launch does both for as many as
// the device holds at once. More than that go as whole words, in columns or as pairs, whichever is fastest for such
// keys and so many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../radix_choice.cuh"
#include "../radix_sort.cuh"
#include "../sort_out_of_place.cuh"
#include "joined_argsort.cuh"
#include "wide_argsort.cuh"

namespace gpu::inline v1::detail::device {

/// Whether it is worth it, for n keys of up to 8 bytes: more have indices of more than 32 bits.
constexpr bool worth_argsorting(std::size_t n) { return n <= std::size_t{1} << 32; }

/// Whether keys of 8 bytes are looked at before an argsort in pairs.
constexpr bool looks_for_duplicates(std::size_t n) { return n >= enough_to_look; }

/// Whether keys of 8 bytes and their indices are sorted as pairs, not in columns: never as many as a base case of
/// pairs.
constexpr bool argsorts_in_pairs(std::size_t n) {
  constexpr std::size_t base_case = pair_base_case_tile(2 * sizeof(std::uint64_t)).size();
  return n > base_case && (n <= most_paired_at_once || looks_for_duplicates(n));
}

/// Bytes of scratch that argsort_keys takes, at most: two arrays for n pairs, and about 6 %; none for a few.
template <class Key>
[[nodiscard]] std::size_t argsort_scratch_bytes(std::size_t n) {
  if (n <= sure_tile<indexed_bits<Key>>) return 0;
  const auto by_rounds = [n] {
    if constexpr (sizeof(Key) <= 4)
      return device::scratch_bytes<choice_scratch<joined_argsort_scratch<Key>, Key, std::uint64_t>>(n, true);
    if constexpr (sizeof(Key) > 4) {
      if (argsorts_in_pairs(n))
        return device::scratch_bytes<choice_scratch<paired_argsort_scratch<Key>, Key, std::uint64_t>>(
            n, true, looks_for_duplicates(n));
      return device::scratch_bytes<choice_scratch<column_argsort_scratch<Key>, Key, std::uint64_t>>(n, true, true);
    }
  };
  return std::max(device::sort_out_of_place_scratch_bytes<indexed_bits<Key>>(n), by_rounds());
}

/// Argsort of n keys by rounds(memory, wanted), or by digits if a sample says that this takes less time. More:
/// what Rounds take beside n.
template <class Rounds, class Key, class Index, class Sort, class... More>
void argsort_by(const context& context, const Key* keys, Index* indices, std::size_t n, const shared_codes<Key>& codes,
                Sort sort, const More&... more) {
  const scratch<choice_scratch<Rounds, Key, Index>> memory{context, n, true, more...};
  const radix_ends<Key, Index> ends{keys, nullptr, {memory->spare_keys, indices}, false};
  const condition wanted = device::sort_by_digits_or_not(context, memory->choice, memory->passes, ends, n,
                                                         digits_of_argsort(sizeof(Key), n), codes);
  sort(memory->rounds, wanted);
}

/// What an argsort by digits takes.
template <class Key, class Index>
struct digit_argsort_scratch {
  Key* keys;
  radix_scratch<Key, Index> passes;

  digit_argsort_scratch(carver& carve, std::size_t n) : keys{carve.take<Key>(n)}, passes{carve, n} {}
};

/// Bytes of scratch that argsort_by_digits takes: n keys twice, n indices, and about 4 %.
template <class Key, class Index>
[[nodiscard]] std::size_t argsort_by_digits_bytes(std::size_t n) {
  return device::scratch_bytes<digit_argsort_scratch<Key, Index>>(n);
}

/// Writes the indices of keys in their order, n > 0 of any number, by passes, whatever the keys.
template <class Key, class Index>
void argsort_by_digits(const context& context, const Key* keys, Index* indices, std::size_t n,
                       const shared_codes<Key>& codes) {
  const scratch<digit_argsort_scratch<Key, Index>> memory{context, n};
  const radix_ends<Key, Index> ends{keys, nullptr, {memory->keys, indices}, false};
  device::with_rank(codes, [&](auto rank, const key_codec<Key>& codec) {
    device::radix_sort(context, memory->passes, ends, n, rank, codec);
  });
}

/// Writes the indices of keys[0, n) in their order to `indices`: of equal codes the first one comes first. n as
/// worth_argsorting() says; keys of 8 bytes only if blocks have pair_shared_bytes of shared memory. Enqueues on the
/// context's stream; launches depend on n alone. Throws std::bad_alloc before anything is written, gpu::error if a
/// launch is refused.
template <class Key, class Index>
void argsort_keys(const context& context, const Key* keys, Index* indices, std::size_t n,
                  const shared_codes<Key>& codes) {
  const auto rows = device::indexed_rows(keys, codes, n).written_to(nullptr, indices, sizeof(Index));
  if (device::sort_out_of_place(context, rows, n)) return;
  if constexpr (sizeof(Key) <= 4) {
    argsort_by<joined_argsort_scratch<Key>>(
        context, keys, indices, n, codes,
        [&](const auto& rounds, condition wanted) { argsort_joined(context, rounds, keys, indices, codes, wanted); });
  } else if (argsorts_in_pairs(n)) {
    const bool looks = looks_for_duplicates(n);
    argsort_by<paired_argsort_scratch<Key>>(
        context, keys, indices, n, codes,
        [&](const auto& rounds, condition wanted) {
          argsort_in_pairs(context, rounds, keys, indices, n, looks, codes, wanted);
        },
        looks);
  } else {
    argsort_by<column_argsort_scratch<Key>>(
        context, keys, indices, n, codes,
        [&](const auto& rounds, condition wanted) {
          argsort_in_columns(context, rounds, keys, indices, n, codes, wanted);
        },
        sizeof(Index) > sizeof(std::uint32_t));
  }
}

}  // namespace gpu::inline v1::detail::device
