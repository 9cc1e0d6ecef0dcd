// Sorting a handful of elements: Batcher's odd-even merge network and insertion sort, both in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../config.hpp"
#include "element.hpp"

namespace gpu::inline v1::detail::host {

/// Comparators (low, high) of the network for up to 16 elements, in order, one list per number of elements. The list
/// for n is that for 16 without the comparators that touch positions >= n: if the elements there were greater than all
/// others, these comparators would never swap.
class network_table {
 public:
  static constexpr std::size_t limit = 16;

  struct comparator {
    std::uint8_t low;
    std::uint8_t high;
  };

  constexpr network_table() {
    for (std::size_t n = 2; n <= limit; ++n)
      for (std::size_t run = 1; run < limit; run *= 2)
        for (std::size_t distance = run; distance > 0; distance /= 2) add_step(n, run, distance);
  }

  constexpr const comparator* begin(std::size_t n) const { return comparators_[n].data(); }
  constexpr const comparator* end(std::size_t n) const { return comparators_[n].data() + sizes_[n]; }

 private:
  constexpr void add_step(std::size_t n, std::size_t run, std::size_t distance) {
    for (std::size_t block = distance % run; block + distance < n; block += 2 * distance)
      for (std::size_t i = block; i < block + distance && i + distance < n; ++i)
        if (i / (2 * run) == (i + distance) / (2 * run))
          comparators_[n][sizes_[n]++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + distance)};
  }

  std::array<std::array<comparator, 63>, limit + 1> comparators_{};
  std::array<std::size_t, limit + 1> sizes_{};
};

inline constexpr network_table sorting_networks{};

/// Sorts first[0, n), n <= 16, by swaps alone; not stable. The sequence of comparisons depends on n, not on the data.
template <class T, class Less>
void network_sort(T* first, std::size_t n, Less& less) {
  const auto* const end = sorting_networks.end(n);
  for (const auto* step = sorting_networks.begin(n); step != end; ++step)
    host::compare_exchange(first + step->low, first + step->high, less);
}

/// An element lifted out of its slot. drop() puts it into the hole; after an exception the destructor does, unless the
/// assignment throws as well.
template <class T>
class lifted {
 public:
  explicit lifted(T* slot) : element_(std::move(*slot)), hole_{slot} {}
  lifted(const lifted&) = delete;
  lifted& operator=(const lifted&) = delete;
  ~lifted() {
    if (hole_ == nullptr) return;
    GPUPAR_TRY { *hole_ = std::move(element_); }
    GPUPAR_CATCH(...) {}  // another exception is on its way
  }

  const T& element() const noexcept { return element_; }
  void move_hole_down() {
    T* const below = hole_ - 1;
    *hole_ = std::move(*below);
    hole_ = below;
  }
  T* hole() const noexcept { return hole_; }
  void drop() {
    *hole_ = std::move(element_);
    hole_ = nullptr;
  }

 private:
  T element_;
  T* hole_;
};

/// Sorts first[0, n), of which [0, sorted) is sorted already, sorted >= 1. Stable, in place; O(n^2).
template <class T, class Less>
void insertion_sort(T* first, std::size_t n, Less& less, std::size_t sorted = 1) {
  for (std::size_t i = sorted; i < n; ++i) {
    if (!less(static_cast<const T&>(first[i]), static_cast<const T&>(first[i - 1]))) continue;
    lifted<T> x(first + i);
    do {
      x.move_hole_down();
    } while (x.hole() != first && less(x.element(), static_cast<const T&>(*(x.hole() - 1))));
    x.drop();
  }
}

}  // namespace gpu::inline v1::detail::host
