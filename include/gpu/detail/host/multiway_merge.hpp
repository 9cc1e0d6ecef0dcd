// Stable merging of any number of sorted sequences. Multiway selection finds the part of each sequence that belongs to
// a part of the output, so that every thread merges parts of its own. Compact elements are merged two sequences at a
// time, window by window in the cache, without branches on comparisons; others by a tournament, which moves each
// element once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../config.hpp"
#include "buffer.hpp"
#include "merge.hpp"
#include "multiway_selection.hpp"
#include "parallel.hpp"
#include "runs.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// A tournament between the first elements of the sequences. Inner nodes keep the loser, so that a new first element of
/// the winner's sequence only has to play the losers on its path to the root: log2(k) comparisons per element.
template <class Iterator, class Less>
class loser_tree {
 public:
  /// Plays the tournament of parts[0, k); node_memory and winner_memory have room for bit_ceil(k) and 2 bit_ceil(k)
  /// numbers.
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

  /// The sequence with the least first element; among equals the one with the lowest number. At least one sequence must
  /// have elements.
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

/// Merges parts[0, k), k > 2 and none of them empty, with n elements in all, by a tournament; uses up the parts.
template <class Iterator, class Out, class Less>
void merge_by_tournament(sequence<Iterator>* parts, std::size_t k, std::size_t n, Out out, Less& less) {
  const std::size_t leaves = std::bit_ceil(k);
  buffer<std::size_t> memory(3 * leaves);
  loser_tree<Iterator, Less> tree(parts, k, memory.data(), memory.data() + leaves, less);
  for (; n != 0; --n, static_cast<void>(++out)) {
    *out = *parts[tree.winner()].first;
    if (n > 1) tree.advance();
  }
}

/// Merges parts[0, k), k > 0, by pairs and returns where the result is: in `to`, or where the only part is if k is 1.
/// `to` and `other` have room for all elements and overlap no part.
template <class T, class Less>
sequence<const T*> merge_by_halves(const sequence<const T*>* parts, std::size_t k, T* to, T* other, Less& less) {
  if (k == 1) return parts[0];
  const auto left = host::merge_by_halves(parts, k / 2, other, to, less);
  const auto right = host::merge_by_halves(parts + k / 2, k - k / 2, other + left.count, to + left.count, less);
  host::merge_compact(left.first, left.count, right.first, right.count, to, less);
  return {to, left.count + right.count};
}

/// Takes the next elements of the merge off the fronts of parts[0, k), at most `most` from each part: everything if no
/// part is longer, else everything up to and including the least of the longer parts' `most`-th elements. Writes the
/// non-empty pieces to `taken` and returns their number.
template <class T, class Less>
std::size_t take_window(sequence<const T*>* parts, std::size_t k, std::size_t most, sequence<const T*>* taken,
                        Less& less) {
  const auto pivot_of = [&](std::size_t s) -> const T& { return parts[s].first[most - 1]; };
  std::size_t first = k;  // of the parts longer than the window, the one whose `most`-th element goes first
  for (std::size_t s = 0; s < k; ++s)
    if (parts[s].count > most && (first == k || less(pivot_of(s), pivot_of(first)))) first = s;

  const T* const pivot = first == k ? nullptr : std::addressof(pivot_of(first));
  std::size_t pieces = 0;
  for (std::size_t s = 0; s < k; ++s) {
    std::size_t count = (std::min)(parts[s].count, most);
    if (pivot != nullptr && s != first)
      count = host::gallop(parts[s].first, count, [&](const T& x) -> bool {
        return s < first ? !less(*pivot, x) : static_cast<bool>(less(x, *pivot));
      });
    if (count != 0) taken[pieces++] = {parts[s].first, count};
    parts[s].first += count;
    parts[s].count -= count;
  }
  return pieces;
}

/// Removes empty parts; returns how many are left.
template <class Part>
std::size_t without_empty(sequence<Part>* parts, std::size_t k) {
  return static_cast<std::size_t>(std::remove_if(parts, parts + k, [](const auto& s) { return s.count == 0; }) - parts);
}

/// Merges parts[0, k), k > 2, with n compact elements in all; uses up the parts.
template <class Tuning, class T, class Less>
void merge_by_windows(sequence<const T*>* parts, std::size_t k, std::size_t n, T* out, Less& less) {
  constexpr std::size_t few_bytes = 4096;
  constexpr std::size_t few_parts = 64;
  constexpr std::size_t cached = Tuning::merge_window_bytes / sizeof(T);
  const std::size_t window = (std::min)(n, (std::max)(cached, Tuning::merge_window_share * k));
  few_or_buffer<T, few_bytes / sizeof(T)> scratch(window);
  few_or_buffer<sequence<const T*>, few_parts> taken(k);
  while (n != 0) {
    k = host::without_empty(parts, k);
    const std::size_t pieces = host::take_window(parts, k, window / k, taken.data(), less);
    const auto merged = host::merge_by_halves(taken.data(), pieces, out, scratch.data(), less);
    if (merged.first != out) host::relocate(out, merged.first, merged.count);
    out += merged.count;
    n -= merged.count;
  }
}

/// Merges parts[0, k) to `out` on the calling thread; uses up the parts.
template <class Tuning, class Part, class Out, class Less>
void merge_parts(sequence<Part>* parts, std::size_t k, Out out, Less& less) {
  k = host::without_empty(parts, k);
  if (k == 0) return;
  if (k == 1) return host::merge_piece(parts[0].first, parts[0].count, parts[0].first, 0, out, less);
  if (k == 2) return host::merge_piece(parts[0].first, parts[0].count, parts[1].first, parts[1].count, out, less);
  std::size_t n = 0;
  for (std::size_t s = 0; s < k; ++s) n += parts[s].count;
  if constexpr (merges_compact<Part, Part, Out>)
    host::merge_by_windows<Tuning>(parts, k, n, std::to_address(out), less);
  else
    host::merge_by_tournament(parts, k, n, out, less);
}

template <class T>
struct destroyed_at_the_end {
  T* data;
  std::size_t count = 0;
  ~destroyed_at_the_end() { std::destroy_n(data, count); }
};

/// Merges k sorted sequences to `out` stably: equal elements in the order of the sequences, as a cascade of std::merge
/// would. Any k, known at run time; sequences may be empty. Random-access iterators; the output overlaps no input.
/// O(n log k) comparisons in parallel, plus a selection per task. Scratch per task: O(k) and, for compact elements, a
/// window that fits the cache. std::bad_alloc may be thrown before the first write, or by a task; then the output is
/// unspecified. If `less` throws, the output is unspecified; if it is no strict weak order, or a sequence is not
/// sorted, the output still has every element once.
template <class Tuning = default_tuning, class Iterator, class Out, class Less>
void multiway_merge(const sequence<Iterator>* sequences, std::size_t k, Out out, Less&& less) {
  using part_iterator =
      std::conditional_t<merges_compact<Iterator, Iterator, Out>, const std::iter_value_t<Iterator>*, Iterator>;
  constexpr std::size_t few = 64;
  if (k == 0) return;
  if (k == 1) return host::merge<Tuning>(sequences[0].first, sequences[0].count, sequences[0].first, 0, out, less);
  if (k == 2)
    return host::merge<Tuning>(sequences[0].first, sequences[0].count, sequences[1].first, sequences[1].count, out,
                               less);
  std::size_t n = 0;
  for (std::size_t s = 0; s < k; ++s) n += sequences[s].count;
  // A selection costs about k searches per halving, so a part must be worth a multiple of k.
  const partition_of parts =
      n < Tuning::parallel_grain ? partition_of{n, 1} : host::divide<Tuning>(n, (std::max)(Tuning::piece, 16 * k));

  // cuts[part * k + s] elements of sequence s come before the part.
  few_or_buffer<std::size_t, 2 * few> memory((parts.count + 1) * k);
  std::size_t* const cuts = memory.data();
  std::fill_n(cuts, k, std::size_t{0});
  for (std::size_t s = 0; s < k; ++s) cuts[parts.count * k + s] = sequences[s].count;
  if (parts.count > 1)
    host::for_each_index(parts.count - 1, [&](std::size_t part) {
      buffer<std::size_t> scratch(2 * k);
      host::select_multiway(sequences, k, parts.begin(part + 1), cuts + (part + 1) * k, scratch.data(),
                            scratch.data() + k, less);
    });
  // With a comparator that contradicts itself, two selections may cross.
  for (std::size_t i = k; i < parts.count * k; ++i) cuts[i] = (std::max)(cuts[i], cuts[i - k]);

  host::for_each_index(parts.count, [&](std::size_t part) {
    const std::size_t* const begin = cuts + part * k;
    few_or_buffer<sequence<part_iterator>, few> own(k);
    destroyed_at_the_end<sequence<part_iterator>> made{own.data()};
    std::size_t offset = 0;
    for (std::size_t s = 0; s < k; ++s) {
      const auto first = sequences[s].first + static_cast<std::iter_difference_t<Iterator>>(begin[s]);
      auto* const to = static_cast<void*>(own.data() + s);
      if constexpr (std::is_same_v<part_iterator, Iterator>)
        ::new (to) sequence<Iterator>{first, begin[k + s] - begin[s]};
      else
        ::new (to) sequence<part_iterator>{std::to_address(first), begin[k + s] - begin[s]};
      ++made.count;
      offset += begin[s];
    }
    host::merge_parts<Tuning>(own.data(), k, out + static_cast<std::iter_difference_t<Out>>(offset), less);
  });
}

}  // namespace gpu::inline v1::detail::host
