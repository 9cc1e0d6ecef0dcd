// The first few elements in stable order, on the host, by insertion: one comparison with the last of them does for most
// of the others, and a branch for many of these. Every thread finds those of its part, in which the first of all are.
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

/// So many are inserted, and so many among others, where comparing these takes longer than moving those that are held.
inline constexpr std::size_t always_inserted = 64, most_inserted = 128;
constexpr bool few_to_insert(std::size_t n, std::size_t k) {
  return k <= always_inserted || (k <= most_inserted && k * k <= n / 8);
}

/// Elements of which several are looked at without a branch each.
template <class Iterator>
inline constexpr bool scanned_together = is_contiguous_v<Iterator> && compact<std::iter_value_t<Iterator>>;

/// [0, n) in parts for take_some.
template <class Tuning, class Iterator>
[[nodiscard]] partition_of divide_to_scan(std::size_t n) noexcept {
  constexpr std::size_t grain = scanned_together<Iterator> ? Tuning::scan_grain : Tuning::pass_grain;
  return n < grain ? partition_of{n, 1} : host::divide<Tuning>(n);
}

/// Calls take(i) for the elements of [begin, end) for which takes(element) holds, one of many, until it says false;
/// whether it never has. What takes() says of an element may be from before the last calls of take().
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

/// Indices of the first elements of those that have been looked at, at most `most` of them, in order. They are looked
/// at from the first to the last, so that of equivalent ones the first one stays before the others.
template <class Index, class Iterator, class Less>
class first_few {
 public:
  /// most: from 1 to most_inserted.
  first_few(const Iterator& first, std::size_t most, Less& less) : first_{&first}, less_{&less}, most_{most} {}

  [[nodiscard]] const Index* begin() const noexcept { return indices_.data(); }
  [[nodiscard]] const Index* end() const noexcept { return indices_.data() + held_; }

  /// Looks at the elements [begin, end), which are behind those it has seen; false if so many of them have their turn
  /// that it takes longer than another way: of elements in any order hardly ever, of those in reverse soon.
  bool look_at(std::size_t begin, std::size_t end) {
    // Of n in any order k ln(n / k) are expected to have it once k are held.
    std::size_t turns = most_ * static_cast<std::size_t>(std::bit_width((end - begin) / most_)) + 16;
    for (; begin < end && held_ < most_; ++begin) insert(begin);
    return host::take_some(
        *first_, begin, end, [this](const auto& x) -> bool { return (*less_)(x, element(indices_[most_ - 1])); },
        [&](std::size_t i) {
          if (!(*less_)(element(i), element(indices_[most_ - 1]))) return true;  // any more
          if (turns-- == 0) return false;
          insert(i);
          return true;
        });
  }
  /// Looks at one, which is behind those it has seen.
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

/// Of so many elements, which cost nothing to copy, those held are compared as copies, and none is looked at twice.
inline constexpr std::size_t most_copied = 256;

/// The contract of find_few() for up to always_inserted of up to most_copied elements one after the other.
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

/// Writes the indices of the first k of n elements, 0 < k <= n, in stable order, to indices[0, k); false, and what is
/// there says nothing, if k is more than few, or if it would take longer than another way. O(n) comparisons;
/// `less` may be called from several threads at once; whatever it says, the indices are different ones.
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

/// Moves the elements at indices[0, k), all different, to first[0, k) in this order. The indices are used up.
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
