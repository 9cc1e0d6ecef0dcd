// Stable merging of any number of sorted sequences. Multiway selection tells which part of each sequence belongs to a
// part of the output; a tournament tree merges the part. Leischner, "GPU algorithms for comparison-based sorting and
// for merging based on multiway selection" (2010), chapter 5, algorithms 1 to 3. Ties are broken by the number of the
// sequence, so that a selection is unique and merges of selections are stable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <new>
#include <utility>

#include "../config.hpp"
#include "buffer.hpp"
#include "merge.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::host {

/// first[0, count), sorted.
template <class Iterator>
struct sequence {
  Iterator first;
  std::size_t count;
};

/// How many elements of s[low, high) go before `pivot`; with `equals_before`, those that are equal to it as well.
template <class Iterator, class Pivot, class Less>
std::size_t rank_of(const sequence<Iterator>& s, std::size_t low, std::size_t high, Pivot&& pivot, bool equals_before,
                    Less& less) {
  const indexed<Iterator> element{s.first};
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool before = equals_before ? !less(pivot, element[middle]) : static_cast<bool>(less(element[middle], pivot));
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Multiway selection: low[s] becomes how many elements of sequence s are among the first `rank` of the merge of all
/// k. high[0, k) and ranks[0, k) are scratch. The pivot is the middle of the longest interval that is left, which it
/// halves: O(k log) steps in the worst case, O(log) for sequences alike, of k binary searches each. Ends for every
/// comparator; one that contradicts itself may get another number of elements.
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
      ranks[s] = s == longest ? middle : rank_of(sequences[s], low[s], high[s], pivot_of[middle], s < longest, less);
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

/// A tournament of sequences, each of which plays its first element. Inner nodes keep the loser, so that the next
/// match of a sequence is against the loser at each node on its way up: log2(k) comparisons per element.
template <class Iterator, class Less>
class loser_tree {
 public:
  /// Plays for parts[0, k); node_memory and winner_memory have room for bit_ceil(k) and 2 bit_ceil(k) numbers.
  loser_tree(sequence<Iterator>* parts, std::size_t k, std::size_t* node_memory, std::size_t* winner_memory, Less& less)
      : parts_{parts}, k_{k}, leaves_{std::bit_ceil(k)}, losers_{node_memory}, less_{less} {
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) winner_memory[leaves_ + leaf] = leaf;
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      const std::size_t a = winner_memory[2 * node];
      const std::size_t b = winner_memory[2 * node + 1];
      const bool b_wins = beats(b, a);
      winner_memory[node] = b_wins ? b : a;
      losers_[node] = b_wins ? a : b;
    }
    winner_ = winner_memory[1];
  }

  /// The sequence with the least first element; of equals the one with the lowest number. There must be an element.
  [[nodiscard]] std::size_t winner() const noexcept { return winner_; }

  /// Removes the winner's first element.
  void advance() {
    ++parts_[winner_].first;
    --parts_[winner_].count;
    for (std::size_t node = (leaves_ + winner_) / 2; node > 0; node /= 2)
      if (beats(losers_[node], winner_)) std::swap(losers_[node], winner_);
  }

 private:
  /// Empty sequences lose against all others, whatever the comparator says.
  bool beats(std::size_t a, std::size_t b) {
    if (a >= k_ || parts_[a].count == 0) return false;
    if (b >= k_ || parts_[b].count == 0) return true;
    return a < b ? !less_(*parts_[b].first, *parts_[a].first)
                 : static_cast<bool>(less_(*parts_[a].first, *parts_[b].first));
  }

  sequence<Iterator>* parts_;
  std::size_t k_;
  std::size_t leaves_;
  std::size_t* losers_;
  std::size_t winner_;
  Less& less_;
};

/// Merges parts[0, k), which it uses up, to `out` on the calling thread.
template <class Iterator, class Out, class Less>
void merge_by_tournament(sequence<Iterator>* parts, std::size_t k, Out out, Less& less) {
  std::size_t live = 0;
  for (std::size_t s = 0; s < k; ++s)
    if (parts[s].count != 0) parts[live++] = parts[s];
  if (live == 0) return;
  if (live == 1) return merge_piece(parts[0].first, parts[0].count, parts[0].first, 0, out, less);
  if (live == 2) return merge_piece(parts[0].first, parts[0].count, parts[1].first, parts[1].count, out, less);

  std::size_t left = 0;
  for (std::size_t s = 0; s < live; ++s) left += parts[s].count;
  buffer<std::size_t> memory(3 * std::bit_ceil(live));
  loser_tree<Iterator, Less> tree(parts, live, memory.data(), memory.data() + std::bit_ceil(live), less);
  for (; left != 0; --left, static_cast<void>(++out)) {
    *out = *parts[tree.winner()].first;
    if (left > 1) tree.advance();
  }
}

/// Copies the k sorted sequences to `out` in order, stably: equal elements in the order of the sequences. The same as
/// a cascade of std::merge. Any k at run time; sequences may be empty. Random-access iterators; the output overlaps no
/// input. O(n log k) comparisons in parallel, and a selection per task; scratch of O(k) per task (std::bad_alloc
/// before the first write or in a task, when the output is unspecified). If `less` throws, the output is unspecified;
/// if it is no strict weak order, or a sequence is not sorted, the output still has every element once.
template <class Tuning = default_tuning, class Iterator, class Out, class Less>
void multiway_merge(const sequence<Iterator>* sequences, std::size_t k, Out out, Less&& less) {
  if (k == 0) return;
  if (k == 1) return host::merge<Tuning>(sequences[0].first, sequences[0].count, sequences[0].first, 0, out, less);
  if (k == 2)
    return host::merge<Tuning>(sequences[0].first, sequences[0].count, sequences[1].first, sequences[1].count, out,
                               less);
  std::size_t n = 0;
  for (std::size_t s = 0; s < k; ++s) n += sequences[s].count;
  // A selection costs about k searches per halving, so a part must be worth a multiple of k.
  const partition_of parts =
      n < Tuning::parallel_grain ? partition_of{n, 1} : divide<Tuning>(n, std::max(Tuning::piece, 16 * k));

  // cuts[part * k + s] elements of sequence s come before the part.
  buffer<std::size_t> cuts((parts.count + 1) * k);
  std::fill_n(cuts.data(), k, std::size_t{0});
  for (std::size_t s = 0; s < k; ++s) cuts[parts.count * k + s] = sequences[s].count;
  for_each_index(parts.count - 1, [&](std::size_t part) {
    buffer<std::size_t> scratch(2 * k);
    select_multiway(sequences, k, parts.begin(part + 1), cuts.data() + (part + 1) * k, scratch.data(),
                    scratch.data() + k, less);
  });
  // A comparator that contradicts itself may cross two selections.
  for (std::size_t i = k; i < parts.count * k; ++i) cuts[i] = std::max(cuts[i], cuts[i - k]);

  for_each_index(parts.count, [&](std::size_t part) {
    const std::size_t* const begin = cuts.data() + part * k;
    const std::size_t* const end = begin + k;
    buffer<sequence<Iterator>> own(k);
    std::size_t place = 0;
    for (std::size_t s = 0; s < k; ++s) {
      ::new (static_cast<void*>(own.data() + s)) sequence<Iterator>{
          sequences[s].first + static_cast<std::iter_difference_t<Iterator>>(begin[s]), end[s] - begin[s]};
      place += begin[s];
    }
    merge_by_tournament(own.data(), k, out + static_cast<std::iter_difference_t<Out>>(place), less);
  });
}

}  // namespace detail::host
}  // namespace v1
}  // namespace gpu
