// Multiway selection over ranks: how many elements of each rank's sorted part belong to a prefix of the merge of all
// parts. Follows Leischner's multiway selection (2010, chapter 5), for all prefixes at once, with several samples of
// each rank at a time. Elements with equal keys are ordered by rank and by index, so that every cut is unique, exact
// for any keys, and stable.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../boundary/array_view.hpp"
#include "../boundary/function_ref.hpp"
#include "../config.hpp"
#include "memory.hpp"

namespace gpu::inline v1::detail {

/// The interface of selection to a rank's sorted elements, whose type it does not know. Both callables may throw.
struct sorted_part {
  std::size_t count = 0;
  std::size_t element_bytes = 0;
  /// How many elements one step of a search reads at once: one if access is cheap, more if reading one takes as long as
  /// reading many.
  std::size_t probes = 1;
  /// Copies elements to consecutive places.
  function_ref<void(array_view<strided_elements> which, std::byte* to)> read;
  /// Whether one copy of an element goes before another; copies need not be aligned.
  function_ref<bool(const std::byte* left, const std::byte* right)> less;
};

/// Sets cuts[j] to the number of elements of this rank's sorted part that are among the first targets[j] of the merge
/// of all parts, which have `total` elements; targets are the same on all ranks, in ascending order. A rank may have
/// several parts of one type, the same number on all ranks: then the cuts of the next part follow, and equal elements
/// of all first parts come before those of the second parts. Rank j searches for the cuts of target j. In each round
/// all ranks send it samples of the elements in doubt, s of each part; it answers with two of these, one before the cut
/// and one behind it, and less than 2 / s of the elements remain in doubt. Hence there are at most 2 + log(n / s) /
/// log(s / 2) rounds, and for p targets and one part a rank sends and receives p (s + 2) elements and 96 p bytes per
/// round, in two all_to_alls; samples_of() is s. If a callable of one rank throws, all ranks throw the same rank_error.
/// With an inconsistent order, the cuts are unspecified.
GPUPAR_EXPORT void select_among_ranks(communicator& ranks, array_view<sorted_part> mine, std::size_t total,
                                      array_view<std::size_t> targets, std::size_t* cuts);

/// Whether own() reports this rank's part as sorted, the other ranks' own() theirs, and no part begins with an element
/// that goes before the last one in front of it; the answer is the same on all ranks. If a callable of one rank throws,
/// all throw the same rank_error.
[[nodiscard]] GPUPAR_EXPORT bool parts_are_sorted(communicator& ranks, const sorted_part& mine,
                                                  function_ref<bool()> own);

/// Sets positions[i] to the number of elements of a sorted part that go before pivot i, for all pivots at once.
GPUPAR_EXPORT void find_in_sorted(const sorted_part& part, const std::byte* pivots, std::size_t count,
                                  std::size_t* positions);

/// The number of samples of each rank for each target: large if there are few ranks and elements are small.
[[nodiscard]] GPUPAR_EXPORT std::size_t samples_of(std::size_t ranks, std::size_t element_bytes) noexcept;

}  // namespace gpu::inline v1::detail
