// The first few elements in stable order, on the host, by insertion. Most other elements need only one comparison, with
// the last of the few, and one branch for many such comparisons. Every thread finds the first few of its part; the
// first few of the whole are among these.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "../boundary/dispatch.hpp"
#include "../config.hpp"
#include "element.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Up to always_inserted elements are found by insertion for every n; up to most_inserted if n is so large that
/// comparing all elements takes longer than moving the ones held.
inline constexpr std::size_t always_inserted = 64, most_inserted = 128;
constexpr bool few_to_insert(std::size_t n, std::size_t k) {
  return k <= always_inserted || (k <= most_inserted && k * k <= n / 8);
}

/// Whether several elements are tested with a single branch.
template <class Iterator>
inline constexpr bool scanned_together = is_contiguous_v<Iterator> && compact<std::iter_value_t<Iterator>>;

/// Divides [0, n) into parts for take_some().
template <class Tuning, class Iterator>
[[nodiscard]] partition_of divide_to_scan(std::size_t n) noexcept {
  constexpr std::size_t grain = scanned_together<Iterator> ? Tuning::scan_grain : Tuning::pass_grain;
  return n < grain ? partition_of{n, 1} : host::divide<Tuning>(n);
}

/// Calls take(i) for the elements of [begin, end) for which takes(element) holds, expected to be few, until take()
/// returns false. Returns whether it never did. takes() may have been evaluated before the latest calls of take().
template <class Iterator, class Takes, class Take>
bool take_some(const Iterator& first, std::size_t begin, std::size_t end, const Takes& takes, const Take& take) {
  if constexpr (scanned_together<Iterator>) {
    constexpr std::size_t together = 32;
    const auto* elements = detail::address_of(first);
    for (; end - begin >= together; begin += together) {
      int any = 0;  // of a type that compilers make vectors of
      for (std::size_t i = 0; i < together; ++i) any |= static_cast<int>(takes(elements[begin + i]));
      if (any == 0) continue;
      std::array<unsigned char, together> taken;  // listed without a branch, too
      std::size_t count = 0;
      for (std::size_t i = 0; i < together; ++i) {
        taken[count] = static_cast<unsigned char>(i);
        count += static_cast<std::size_t>(takes(elements[begin + i]));
      }
      for (std::size_t i = 0; i < count; ++i)
        if (!take(begin + taken[i])) return false;
    }
  }
  for (; begin < end; ++begin)
    if (takes(*detail::advanced(first, begin)) && !take(begin)) return false;
  return true;
}

/// The indices of the first elements among those examined so far, at most `most` of them, in order. Elements are
/// examined in order of their positions, so that equivalent ones keep their order.
template <class Index, class Iterator, class Less>
class first_few {
 public:
  /// most: from 1 to most_inserted.
  first_few(const Iterator& first, std::size_t most, Less& less) : first_{&first}, less_{&less}, most_{most} {}

  [[nodiscard]] const Index* begin() const noexcept { return indices_.data(); }
  [[nodiscard]] const Index* end() const noexcept { return indices_.data() + held_; }

  /// Examines the elements [begin, end), which are behind those examined before. Returns false if so many have to be
  /// inserted that another method is faster: rarely for elements in random order, soon for descending ones.
  bool look_at(std::size_t begin, std::size_t end) {
    // Of n in random order, k ln(n / k) are expected to be inserted once k are held.
    std::size_t turns = most_ * static_cast<std::size_t>(std::bit_width((end - begin) / most_)) + 16;
    for (; begin < end && held_ < most_; ++begin) insert(begin);
    return host::take_some(
        *first_, begin, end, [this](const auto& x) -> bool { return (*less_)(x, element(indices_[most_ - 1])); },
        [&](std::size_t i) {
          if (!(*less_)(element(i), element(indices_[most_ - 1]))) return true;  // it no longer goes before the last
          if (turns-- == 0) return false;
          insert(i);
          return true;
        });
  }
  /// Examines one element; of equivalent ones, those examined before stay first.
  void look_at(std::size_t i) {
    if (held_ < most_ || (*less_)(element(i), element(indices_[held_ - 1]))) insert(i);
  }

 private:
  decltype(auto) element(std::size_t i) const { return *detail::advanced(*first_, i); }

  void insert(std::size_t i) {
    std::size_t at = held_ < most_ ? held_++ : most_ - 1;
    for (; at > 0 && (*less_)(element(i), element(indices_[at - 1])); --at) indices_[at] = indices_[at - 1];
    indices_[at] = static_cast<Index>(i);
  }

  const Iterator* first_;
  Less* less_;
  std::size_t most_;
  std::size_t held_ = 0;
  std::array<Index, most_inserted> indices_;
};

/// Up to this many elements, which are cheap to copy, are compared with copies of the ones held, one at a time.
inline constexpr std::size_t most_copied = 256;

/// The contract of find_few() for k <= always_inserted and n <= most_copied, one element after the other.
template <class T, class Less, class Index>
bool find_among_few(const T* elements, std::size_t n, std::size_t k, Less& less, Index* indices) {
  std::array<T, always_inserted> held;
  const auto insert = [&](std::size_t i, std::size_t at) {
    for (; at > 0 && less(elements[i], held[at - 1]); --at) {
      held[at] = held[at - 1];
      indices[at] = indices[at - 1];
    }
    held[at] = elements[i];
    indices[at] = static_cast<Index>(i);
  };
  insert(0, 0);
  for (std::size_t i = 1; i < k; ++i) insert(i, i);
  T last = held[k - 1];
  std::size_t turns = k * static_cast<std::size_t>(std::bit_width(n) - std::bit_width(k) + 1) + 16;  // no division
  for (std::size_t i = k; i < n; ++i) {
    if (!less(elements[i], last)) continue;
    if (turns-- == 0) return false;
    insert(i, k - 1);
    last = held[k - 1];
  }
  return true;
}

/// Writes the indices of the first k of n elements, 0 < k <= n, in stable order, to indices[0, k). Returns false, with
/// indices[0, k) unspecified, if k is not small or another method would be faster. O(n) comparisons; `less` may be
/// called from several threads at once. The indices are distinct whatever `less` returns.
template <class Tuning = default_tuning, class Iterator, class Less, class Index>
bool find_few(const Iterator& first, std::size_t n, std::size_t k, Less& less, Index* indices) {
  using few = first_few<Index, Iterator, Less>;
  if (!few_to_insert(n, k)) return false;
  if constexpr (scanned_together<Iterator> && std::is_default_constructible_v<std::iter_value_t<Iterator>>)
    if (n <= most_copied && k <= always_inserted)
      return host::find_among_few(detail::address_of(first), n, k, less, indices);
  const partition_of parts = host::divide_to_scan<Tuning, Iterator>(n);
  few found{first, k, less};
  if (parts.count == 1) {
    if (!found.look_at(0, n)) return false;
  } else {
    std::vector<few> of_parts;
    of_parts.reserve(parts.count);
    while (of_parts.size() < parts.count) of_parts.emplace_back(first, k, less);
    std::atomic<bool> all{true};
    host::for_each_index(parts.count, [&](std::size_t part) {
      if (!of_parts[part].look_at(parts.begin(part), parts.end(part))) all.store(false, std::memory_order_relaxed);
    });
    if (!all.load(std::memory_order_relaxed)) return false;
    for (const few& of_part : of_parts)
      for (const Index index : of_part) found.look_at(static_cast<std::size_t>(index));
  }
  std::copy(found.begin(), found.end(), indices);
  return true;
}

/// Moves the elements at indices[0, k), which are distinct, to first[0, k) in this order. Overwrites the indices.
template <class T, class Index>
void bring_forward(T* first, Index* indices, std::size_t k) {
  for (std::size_t i = 0; i < k; ++i) {
    const Index from = indices[i];
    if (from == static_cast<Index>(i)) continue;
    host::exchange(first + i, first + from);
    for (std::size_t later = i + 1; later < k; ++later)
      if (indices[later] == static_cast<Index>(i)) indices[later] = from;
  }
}

}  // namespace gpu::inline v1::detail::host
