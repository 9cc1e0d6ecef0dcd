// Sorting codes of one or two bytes by counting each value and writing it that many times.
#pragma once

#include <gpu/detail/host/buffer.hpp>
#include <gpu/detail/host/parallel.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

namespace gpu::inline v1::detail::host {

/// Whether counting pays: reading and clearing all counters must cost less than moving the codes by digits.
template <class Code>
constexpr bool pays_to_count(std::size_t n) {
  if constexpr (sizeof(Code) == 1)
    return n >= 1024;
  else
    return sizeof(Code) == 2 && n >= std::size_t{1} << 15;
}

/// Sorts first[0, n). Returns false, with nothing written, if there is no memory for the counters.
template <class Code>
bool sort_by_counting(Code* first, std::size_t n) {
  constexpr std::size_t values = std::size_t{1} << (8 * sizeof(Code));
  const partition_of parts = divide<default_tuning>(n, std::max(default_tuning::piece, 16 * values));
  buffer<std::size_t> counts(parts.count * values, std::nothrow);
  if (!counts) return false;
  for_each_index(parts.count, [&](std::size_t part) {
    std::size_t* const own = counts.data() + part * values;
    std::fill_n(own, values, std::size_t{0});
    for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) ++own[first[i]];
  });
  // ends[value]: the number of codes that are not greater
  std::size_t* const ends = counts.data();
  for (std::size_t value = 0, sum = 0; value < values; ++value) {
    for (std::size_t part = 0; part < parts.count; ++part) sum += counts[part * values + value];
    ends[value] = sum;
  }
  for_each_index(parts.count, [&](std::size_t part) {
    const std::size_t end = parts.end(part);
    auto value = static_cast<std::size_t>(std::upper_bound(ends, ends + values, parts.begin(part)) - ends);
    for (std::size_t i = parts.begin(part); i < end; ++value) {
      const std::size_t until = std::min(ends[value], end);
      std::fill(first + i, first + until, static_cast<Code>(value));
      i = until;
    }
  });
  return true;
}

}  // namespace gpu::inline v1::detail::host
