// Merge path: where a diagonal of the merge matrix crosses the path that a stable merge of two sorted sequences
// takes. Shared by both backends. Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include "config.hpp"

namespace gpu::inline v1::detail {

/// How many of the first `diagonal` elements of the stable merge of a[0, a_count) and b[0, b_count) come from a.
/// Equal elements of a precede those of b. Needs diagonal <= a_count + b_count. Takes O(log min(a_count, b_count,
/// diagonal)) and stays within both sequences for any `less`, even one that is not a strict weak order.
GPUPAR_ANY_CALLABLE
template <class Index, class A, class B, class Less>
GPUPAR_HOST_DEVICE constexpr Index merge_path(const A& a, Index a_count, const B& b, Index b_count, Index diagonal,
                                              Less&& less) {
  Index low = diagonal > b_count ? diagonal - b_count : Index{0};
  Index high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {  // [0, low) come from a, [high, a_count) do not
    const Index middle = low + (high - low) / 2;
    if (less(b[diagonal - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace gpu::inline v1::detail
