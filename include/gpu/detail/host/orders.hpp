// Orders of indices that the library sorts by code of the caller's, compiled once for callers of all types: by a
// comparator, and by codes of any length.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../boundary/function_ref.hpp"
#include "../config.hpp"
#include "permutation.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts indices by less(i, j), with the algorithm named, or the fastest that is stable, if it has to be. The contract
/// is that of host::sort() and host::stable_sort(); less may be called from several threads at once.
GPUPAR_EXPORT void sort_indices(std::uint64_t* indices, std::size_t n,
                                function_ref<bool(std::size_t, std::size_t)> less, bool stable, algorithm how);

/// Elements, known by their indices, with codes of any length. Functions may be called from several threads at once.
struct coded_elements {
  std::size_t bits;  ///< of a code; the greatest number if codes differ in it, or do not tell the whole order
  bool whole;        ///< whether codes tell the whole order
  /// Puts above the indices in entries[0, n) the 64 bits of their elements' codes that follow the first `skip`, with
  /// zeros where codes end; whether any code goes on behind.
  function_ref<bool(uint128* entries, std::size_t n, std::size_t skip)> rewrite;
  /// Sorts entries stably by comparison of their elements.
  function_ref<void(uint128* entries, std::size_t n)> sort;
};

/// Sorts entries stably by less(i, j) of the indices in their lower halves.
GPUPAR_EXPORT void sort_entries(uint128* entries, std::size_t n, function_ref<bool(std::size_t, std::size_t)> less);

/// Writes the stable order of elements 0, 1 … Entries of leading bits are sorted with the algorithm named. Throws
/// std::bad_alloc, and what the elements' functions throw.
GPUPAR_EXPORT void argsort_by_codes(const coded_elements& elements, permutation& order, algorithm how);

/// Sorts each group of equal codes in a stable order by the beginnings of codes, of which codes[i], in 1 to 16 bytes,
/// is that of element i. Throws as argsort_by_codes().
GPUPAR_EXPORT void sort_equal_codes(const coded_elements& elements, permutation& order, const column& codes);

}  // namespace gpu::inline v1::detail::host
