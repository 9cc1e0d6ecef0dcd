// The gaps that the whole blocks of a bucket leave at its two ends.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../config.hpp"
#include "element.hpp"

namespace gpu::inline v1::detail::host {

/// The two gaps; the head is filled first, then the tail.
template <class T>
struct gaps {
  T* head;
  T* tail;
  std::size_t head_count;
  std::size_t tail_count;

  void take(const T* from, std::size_t count) noexcept {
    const std::size_t to_head = (std::min)(count, head_count);
    host::relocate(head, from, to_head);
    host::relocate(tail, from + to_head, count - to_head);
    head += to_head;
    head_count -= to_head;
    tail += count - to_head;
    tail_count -= count - to_head;
  }

  void fill(const T& value, std::size_t count) noexcept {
    const std::size_t to_head = (std::min)(count, head_count);
    head = std::fill_n(head, to_head, value);
    head_count -= to_head;
    tail = std::fill_n(tail, count - to_head, value);
    tail_count -= count - to_head;
  }
};

}  // namespace gpu::inline v1::detail::host
