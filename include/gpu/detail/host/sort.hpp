// Selects the algorithm that sorts on the host.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>

#include "../../execution.hpp"
#include "../config.hpp"
#include "bitonic_sort.hpp"
#include "buffer.hpp"
#include "merge_sort.hpp"
#include "parallel.hpp"
#include "quicksort.hpp"
#include "sample_sort.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Merge sort where stability is not required: falls back to in-place quicksort if compact elements get no scratch.
template <class Tuning, class T, class Less>
void merge_sort_or_quicksort(T* first, std::size_t n, Less& less) {
  if constexpr (compact<T>) {
    if (n <= Tuning::insertion_limit) return host::merge_sort<Tuning>(first, n, less);
    buffer<T> scratch(n, std::nothrow);
    if (scratch) return host::merge_sort_with<Tuning>(first, scratch.data(), n, less);
    host::quicksort<Tuning>(first, n, less);
  } else {
    host::merge_sort<Tuning>(first, n, less);
  }
}

/// Sorts first[0, n) by `less` with the fastest algorithm; not stable. The contract is that of quicksort().
template <class Tuning = default_tuning, class T, class Less>
void sort(T* first, std::size_t n, Less&& less) {
  host::quicksort<Tuning>(first, n, less);
}

/// Sorts first[0, n) by `less` with the algorithm `how`, under the contract of that algorithm's own function. Radix
/// cannot sort by a comparator: std::invalid_argument, nothing written.
template <class Tuning = default_tuning, class T, class Less>
void sort(T* first, std::size_t n, Less&& less, algorithm how) {
  switch (how) {
    case algorithm::automatic:
    case algorithm::quicksort:
      return host::sort<Tuning>(first, n, less);
    case algorithm::bitonic:
      return host::bitonic_sort<Tuning>(first, n, less);
    case algorithm::sample_sort:
      return host::sample_sort<Tuning>(first, n, less);
    case algorithm::merge_sort:
      return host::merge_sort_or_quicksort<Tuning>(first, n, less);
    case algorithm::radix:
      break;
  }
  GPUPAR_THROW(std::invalid_argument("gpu::sort: this algorithm needs arithmetic keys in natural order"));
}

/// Sorts stably with the fastest algorithm: for many elements sample sort, since distribution takes one pass over
/// memory where merging takes one per level.
template <class Tuning = default_tuning, class T, class Less>
void stable_sort(T* first, std::size_t n, Less&& less) {
  if (n < Tuning::parallel_grain && !host::pays_to_sort_together<Tuning>(n))
    return host::merge_sort<Tuning>(first, n, less);
  host::sample_sort<Tuning>(first, n, less);
}

/// Sorts stably with the algorithm `how`; bitonic, quicksort and radix throw std::invalid_argument.
template <class Tuning = default_tuning, class T, class Less>
void stable_sort(T* first, std::size_t n, Less&& less, algorithm how) {
  switch (how) {
    case algorithm::automatic:
      return host::stable_sort<Tuning>(first, n, less);
    case algorithm::sample_sort:
      return host::sample_sort<Tuning>(first, n, less);
    case algorithm::merge_sort:
      return host::merge_sort<Tuning>(first, n, less);
    case algorithm::bitonic:
    case algorithm::quicksort:
    case algorithm::radix:
      break;
  }
  GPUPAR_THROW(std::invalid_argument("gpu::stable_sort: this algorithm cannot sort stably by a comparator"));
}

/// Sorts, stably if `Stable`; with the algorithm `how`, if given.
template <bool Stable, class T, class Less, class... How>
void sort_as(T* first, std::size_t n, Less&& less, How... how) {
  if constexpr (Stable)
    host::stable_sort(first, n, less, how...);
  else
    host::sort(first, n, less, how...);
}

}  // namespace gpu::inline v1::detail::host
