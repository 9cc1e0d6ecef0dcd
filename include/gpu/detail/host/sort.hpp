// Which algorithm sorts on the host: the choice, and nothing else.
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

/// Merge sort where no stability is asked for: without memory for it quicksort in place.
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

/// Sorts first[0, n) by `less` with the algorithm named, or the fastest that needs no stability. The contract is that
/// of the algorithm's own function; radix cannot sort by a comparator (std::invalid_argument, nothing written).
template <class Tuning = default_tuning, class T, class Less>
void sort(T* first, std::size_t n, Less&& less, algorithm how = algorithm::automatic) {
  switch (how) {
    case algorithm::automatic:
    case algorithm::quicksort:
      return host::quicksort<Tuning>(first, n, less);
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

/// Sorts stably; bitonic, quicksort and radix throw std::invalid_argument.
template <class Tuning = default_tuning, class T, class Less>
void stable_sort(T* first, std::size_t n, Less&& less, algorithm how = algorithm::automatic) {
  switch (how) {
    case algorithm::automatic:
      // Distribution passes over memory once where merging passes once per level.
      if (n < Tuning::parallel_grain && !host::pays_to_sort_together<Tuning>(n))
        return host::merge_sort<Tuning>(first, n, less);
      return host::sample_sort<Tuning>(first, n, less);
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

}  // namespace gpu::inline v1::detail::host
