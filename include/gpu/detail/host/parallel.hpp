// Dividing [0, n) among the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

#include "../config.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "executor.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// [0, n) divided into `count` parts whose sizes differ by at most one.
struct partition_of {
  std::size_t n;
  std::size_t count;

  [[nodiscard]] std::size_t begin(std::size_t part) const noexcept {
    return n / count * part + (std::min)(part, n % count);
  }
  [[nodiscard]] std::size_t end(std::size_t part) const noexcept { return begin(part + 1); }
};

/// Divides [0, n) into parts of at least `least` elements, at most Tuning::tasks_per_thread of them per thread; into a
/// single part if n is smaller or there is only one thread.
template <class Tuning>
[[nodiscard]] partition_of divide(std::size_t n, std::size_t least = Tuning::piece) noexcept {
  const std::size_t threads = concurrency();
  const std::size_t most = threads == 1 ? 1 : threads * Tuning::tasks_per_thread;
  return {n, std::clamp<std::size_t>(n / least, 1, most)};
}

/// Whether it pays to use all threads for sorting n elements by a comparator.
template <class Tuning>
[[nodiscard]] bool pays_to_sort_together(std::size_t n) noexcept {
  return n >= Tuning::comparator_grain && concurrency() > 1;
}

/// Calls body(begin, end) for all parts, possibly at the same time.
inline void for_each_of(const partition_of& parts, function_ref<void(std::size_t, std::size_t)> body) {
  host::for_each_index(parts.count, [&](std::size_t part) { body(parts.begin(part), parts.end(part)); });
}

/// Calls body(begin, end) for parts of [0, n) that cover it, possibly at the same time.
template <class Tuning, class Body>
void for_each_part(std::size_t n, Body&& body) {
  if (n == 0) return;
  const partition_of parts = n < Tuning::pass_grain ? partition_of{n, 1} : host::divide<Tuning>(n);
  if (parts.count == 1) return body(std::size_t{0}, n);
  host::for_each_of(parts, body);
}

/// Whether holds(i) for all i < n. Evaluates it for every i, without stopping early.
template <class Tuning, class Holds>
[[nodiscard]] bool all_hold(std::size_t n, const Holds& holds) {
  std::atomic<bool> all{true};
  host::for_each_part<Tuning>(n, [&](std::size_t begin, std::size_t end) {
    bool here = true;
    for (std::size_t i = begin; i < end; ++i) here &= holds(i);
    if (!here) all.store(false, std::memory_order_relaxed);
  });
  return all;
}

/// Calls body(0) … body(count - 1), each once: in parallel, or on the calling thread where there is too little
/// memory. `body` must not throw.
template <class Body>
void for_each_index_surely(std::size_t count, const Body& body) {
  buffer<unsigned char> done(count, std::nothrow);
  if (done) {
    std::fill_n(done.data(), count, static_cast<unsigned char>(0));
    GPUPAR_TRY {
      return host::for_each_index(count, [&](std::size_t index) {
        body(index);
        done[index] = 1;
      });
    }
    GPUPAR_CATCH(...) {}
  }
  for (std::size_t index = 0; index < count; ++index)
    if (!done || !done[index]) body(index);
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

}  // namespace gpu::inline v1::detail::host
