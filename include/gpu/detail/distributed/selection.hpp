// Multiway selection over ranks: how many elements of each rank's sorted part belong to a prefix of the merge of all.
// As Leischner's multiway selection (2010, chapter 5), of all prefixes at once, with several samples of each rank at a
// time: elements that have one key are ordered by rank and by index, so that every cut is unique, exact whatever the
// keys, and stable.
#pragma once

#include <cstddef>

#include "../../communicator.hpp"
#include "../boundary/array_view.hpp"
#include "../boundary/function_ref.hpp"
#include "../config.hpp"
#include "memory.hpp"

namespace gpu::inline v1::detail {

/// What selection asks of a rank's sorted elements, whose type it does not know. Both callables may throw.
struct sorted_part {
  std::size_t count = 0;
  std::size_t element_bytes = 0;
  /// How many elements a step of a search reads at once: one where they are at hand, more where reading one takes as
  /// long as reading many.
  std::size_t probes = 1;
  /// Copies elements, one after the other.
  function_ref<void(array_view<strided_elements> which, std::byte* to)> read;
  /// Whether a copy of an element goes before another; copies lie anywhere.
  function_ref<bool(const std::byte* left, const std::byte* right)> less;
};

/// cuts[j] becomes how many elements of this rank's sorted part are among the first targets[j] of the merge of all
/// parts, `total` elements in all; targets are the same on all ranks, in rising order. A rank may have several parts,
/// of one type, and all ranks as many: then the cuts of the next part follow, and equal elements of all first parts
/// come before those of the second. Rank j looks for the cuts of target j. In a round all ranks send it samples of what
/// is in doubt, s of each part; it answers with two of these, one before the cut and one behind it, and less than 2 / s
/// of the elements in doubt are left. So rounds are at most 2 + log(n / s) / log(s / 2), and a rank sends and gets in
/// each, for p targets and one part, p (s + 2) elements and 96 p bytes in two all_to_alls; samples_of() is s. If a
/// callable of one rank throws, all ranks throw the same rank_error. With an order that contradicts itself, the cuts
/// may be any.
GPUPAR_EXPORT void select_among_ranks(communicator& ranks, array_view<sorted_part> mine, std::size_t total,
                                      array_view<std::size_t> targets, std::size_t* cuts);

/// Whether own() finds this rank's part sorted, all others theirs, and no part begins with an element that goes before
/// the last one in front of it: the same answer on all ranks. If a callable of one throws, all throw the same
/// rank_error.
[[nodiscard]] GPUPAR_EXPORT bool parts_are_sorted(communicator& ranks, const sorted_part& mine,
                                                  function_ref<bool()> own);

/// positions[i] becomes how many elements of a sorted part go before pivot i, all at once.
GPUPAR_EXPORT void find_in_sorted(const sorted_part& part, const std::byte* pivots, std::size_t count,
                                  std::size_t* positions);

/// Samples of each rank for each target: many if ranks are few and elements small.
[[nodiscard]] GPUPAR_EXPORT std::size_t samples_of(std::size_t ranks, std::size_t element_bytes) noexcept;

}  // namespace gpu::inline v1::detail
