// Sorting indices by functions of the caller: by a comparator, or by codes of any length. Compiled once inside the
// library, for elements of all types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../boundary/function_ref.hpp"
#include "../config.hpp"
#include "permutation.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts indices by less(i, j) with the algorithm `how`, stably if `stable`. The contract is that of host::sort() or
/// host::stable_sort(); less may be called from several threads at once.
GPUPAR_EXPORT void sort_indices(std::uint64_t* indices, std::size_t n,
                                function_ref<bool(std::size_t, std::size_t)> less, bool stable, algorithm how);

/// Elements, identified by their indices, with codes of any length. The functions may be called from several threads
/// at once.
struct coded_elements {
  std::size_t bits;  ///< length of a code; the largest value if lengths differ or codes do not decide the whole order
  bool whole;        ///< whether codes decide the whole order
  /// Writes to the upper half of each of entries[0, n), whose lower half is an index, 64 bits of that element's code:
  /// those after the first `skip` bits, padded with zeros. Returns whether any code continues after them.
  function_ref<bool(uint128* entries, std::size_t n, std::size_t skip)> rewrite;
  /// Sorts entries stably by comparing their elements.
  function_ref<void(uint128* entries, std::size_t n)> sort;
};

/// Sorts entries stably by less(i, j) of the indices in their lower halves.
GPUPAR_EXPORT void sort_entries(uint128* entries, std::size_t n, function_ref<bool(std::size_t, std::size_t)> less);

/// Writes the permutation that sorts the elements stably. `how` is the algorithm that sorts entries by bits of their
/// codes. Throws std::bad_alloc, and whatever the elements' functions throw.
GPUPAR_EXPORT void argsort_by_codes(const coded_elements& elements, permutation& order, algorithm how);

/// Completes `order`, which sorts the elements stably by the first 1 to 16 bytes of their codes; codes[i] holds those
/// of element i. Sorts every group with equal bytes by what follows. Throws like argsort_by_codes().
GPUPAR_EXPORT void sort_equal_codes(const coded_elements& elements, permutation& order, const column& codes);

}  // namespace gpu::inline v1::detail::host
