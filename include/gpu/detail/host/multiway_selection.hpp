// Multiway selection: finds which part of each of k sorted sequences belongs to a prefix of their merge. Leischner,
// "GPU algorithms for comparison-based sorting and for merging based on multiway selection" (2010), chapter 5,
// algorithms 1 to 3. Ties are broken by the number of the sequence, so that a selection is unique and merges of
// selections are stable.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"
#include "../index.hpp"
#include "merge.hpp"

namespace gpu::inline v1::detail::host {

/// The sorted sequence first[0, count).
template <class Iterator>
struct sequence {
  Iterator first;
  std::size_t count;
};

/// The position in [low, high] up to which the elements of s go before `pivot`; with `equals_before`, those equal to it
/// as well.
template <class Iterator, class Pivot, class Less>
std::size_t rank_of(const sequence<Iterator>& s, std::size_t low, std::size_t high, Pivot&& pivot, bool equals_before,
                    Less& less) {
  const indexed<Iterator> element{s.first};
  return detail::partition_index(low, high, [&](std::size_t i) {
    return equals_before ? !less(pivot, element[i]) : static_cast<bool>(less(element[i], pivot));
  });
}

/// Multiway selection: low[s] becomes the number of elements of sequence s among the first `rank` of the merge of all
/// k. high[0, k) and ranks[0, k) are scratch. The pivot is the middle of the longest interval left, which it halves: of
/// sequences of length m, O(k log m) steps in the worst case, O(log m) if they are alike, with k binary searches each.
/// Terminates for every comparator; with one that contradicts itself, another number of elements may be selected.
template <class Iterator, class Less>
void select_multiway(const sequence<Iterator>* sequences, std::size_t k, std::size_t rank, std::size_t* low,
                     std::size_t* high, std::size_t* ranks, Less& less) {
  for (std::size_t s = 0; s < k; ++s) {
    low[s] = 0;
    high[s] = sequences[s].count;
  }
  for (;;) {  // the selection has between low[s] and high[s] elements of sequence s
    std::size_t longest = 0;
    for (std::size_t s = 1; s < k; ++s)
      if (high[s] - low[s] > high[longest] - low[longest]) longest = s;
    if (high[longest] == low[longest]) return;

    const std::size_t middle = low[longest] + (high[longest] - low[longest]) / 2;
    const indexed<Iterator> pivot_of{sequences[longest].first};
    std::size_t before = 0;
    for (std::size_t s = 0; s < k; ++s) {
      ranks[s] =
          s == longest ? middle : host::rank_of(sequences[s], low[s], high[s], pivot_of[middle], s < longest, less);
      before += ranks[s];
    }
    if (before < rank) {
      std::copy_n(ranks, k, low);
      low[longest] = middle + 1;
    } else {
      std::copy_n(ranks, k, high);
    }
  }
}

}  // namespace gpu::inline v1::detail::host
