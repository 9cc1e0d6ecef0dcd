// Dividing [0, n) among the threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"
#include "element.hpp"
#include "executor.hpp"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::host {

/// [0, n) in `count` parts whose sizes differ by at most one.
struct partition_of {
  std::size_t n;
  std::size_t count;

  [[nodiscard]] std::size_t begin(std::size_t part) const noexcept {
    return n / count * part + (std::min)(part, n % count);
  }
  [[nodiscard]] std::size_t end(std::size_t part) const noexcept { return begin(part + 1); }
};

/// [0, n) in parts of at least `least` elements, not more than the threads can use; one part if there is one thread.
template <class Tuning>
[[nodiscard]] partition_of divide(std::size_t n, std::size_t least = Tuning::piece) noexcept {
  const std::size_t threads = concurrency();
  const std::size_t most = threads == 1 ? 1 : threads * Tuning::tasks_per_thread;
  return {n, std::clamp<std::size_t>(n / least, 1, most)};
}

/// Whether sorting n elements by a comparator in pieces, one per thread, and merging them is the fastest way.
template <class Tuning>
[[nodiscard]] bool pays_to_merge_pieces(std::size_t n) noexcept {
  return n >= Tuning::merge_grain && n < Tuning::merge_limit && concurrency() > 1;
}

/// Calls body(begin, end) for parts of [0, n) that cover it, possibly at the same time.
template <class Tuning, class Body>
void for_each_part(std::size_t n, Body&& body) {
  if (n == 0) return;
  const partition_of parts = n < Tuning::pass_grain ? partition_of{n, 1} : host::divide<Tuning>(n);
  if (parts.count == 1) return body(std::size_t{0}, n);
  host::for_each_index(parts.count, [&](std::size_t part) { body(parts.begin(part), parts.end(part)); });
}

template <class Tuning, class T>
void parallel_relocate(T* to, const T* from, std::size_t n) {
  host::for_each_part<Tuning>(
      n, [&](std::size_t begin, std::size_t end) { host::relocate(to + begin, from + begin, end - begin); });
}

template <class Tuning, class T>
void parallel_reverse(T* first, std::size_t n) {
  host::for_each_part<Tuning>(n / 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) host::exchange(first + i, first + (n - 1 - i));
  });
}

}  // namespace detail::host
}  // namespace v1
}  // namespace gpu
