// Stable radix sort by digits of eight bits, the least significant first. Digits hold only bits in which keys differ.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../config.hpp"
#include "buffer.hpp"
#include "distribute.hpp"
#include "element.hpp"
#include "introsort.hpp"
#include "merge_sort.hpp"
#include "parallel.hpp"
#include "permute.hpp"
#include "sorted.hpp"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::host {

inline constexpr unsigned digit_bits = 8;
static_assert(std::size_t{1} << digit_bits == bucket_limit);

/// The bits in which the keys of first[0, n), n >= 1, are not all the same.
template <class Tuning, class Key, class T, class Encode>
Key varying_bits(const T* first, std::size_t n, Encode& encode) {
  const partition_of parts = divide<Tuning>(n);
  struct seen_bits {
    Key set;
    Key common;
  };
  buffer<seen_bits> seen(parts.count);
  for_each_index(parts.count, [&](std::size_t part) {
    Key set = 0;
    Key common = static_cast<Key>(~Key{0});
    for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) {
      const Key key = encode(first[i]);
      set = static_cast<Key>(set | key);
      common = static_cast<Key>(common & key);
    }
    seen[part] = {set, common};
  });
  for (std::size_t part = 1; part < parts.count; ++part) {
    seen[0].set = static_cast<Key>(seen[0].set | seen[part].set);
    seen[0].common = static_cast<Key>(seen[0].common & seen[part].common);
  }
  return static_cast<Key>(seen[0].set ^ seen[0].common);
}

/// Distributes from[0, n) to `to` by the digit at `shift`, stably. Digits are remembered while they are counted: an
/// `encode` that contradicts itself costs order, not elements. If it throws, from[0, n) is as it was.
template <class T, class Encode>
void distribute_by_digit(const T* from, T* to, std::uint8_t* digits, partition_of parts, std::size_t* counts,
                         unsigned shift, Encode& encode) {
  for_each_index(parts.count, [&](std::size_t part) {
    std::array<std::size_t, bucket_limit> own{};
    for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) {
      digits[i] = static_cast<std::uint8_t>(encode(from[i]) >> shift);
      ++own[digits[i]];
    }
    std::copy(own.begin(), own.end(), counts + part * bucket_limit);
  });
  bucket_bounds bounds;
  bounds.count = bucket_limit;
  place_buckets(bounds, counts, parts.count);
  for_each_index(parts.count, [&](std::size_t part) {
    std::array<std::size_t, bucket_limit> places;
    std::copy_n(counts + part * bucket_limit, bucket_limit, places.begin());
    const std::size_t begin = parts.begin(part);
    scatter(from + begin, to, digits + begin, parts.end(part) - begin, places.data());
  });
}

/// Sorts elements of one byte by counting each value and writing it as often. Only if no two values that occur share
/// a key, because then equal elements cannot be told apart; otherwise returns false, having written nothing.
template <class Tuning, class Key, class T, class Encode>
bool sort_by_counting(T* first, std::size_t n, Encode& encode) {
  static_assert(sizeof(T) == 1 && std::is_trivially_copyable_v<T>);
  const partition_of parts = divide<Tuning>(n);
  buffer<std::size_t> counts(parts.count * bucket_limit);
  for_each_index(parts.count, [&](std::size_t part) {
    std::array<std::size_t, bucket_limit> own{};
    const auto* const bytes = reinterpret_cast<const unsigned char*>(first);
    for (std::size_t i = parts.begin(part); i < parts.end(part); ++i) ++own[bytes[i]];
    std::copy(own.begin(), own.end(), counts.data() + part * bucket_limit);
  });
  struct occurring {
    Key key;
    unsigned char byte;
    std::size_t count;
  };
  std::array<occurring, bucket_limit> values;
  std::size_t distinct = 0;
  for (std::size_t byte = 0; byte < bucket_limit; ++byte) {
    std::size_t count = 0;
    for (std::size_t part = 0; part < parts.count; ++part) count += counts[part * bucket_limit + byte];
    if (count == 0) continue;
    const auto pattern = static_cast<unsigned char>(byte);
    const held<T> value(reinterpret_cast<const T*>(&pattern));
    values[distinct++] = {static_cast<Key>(encode(value.value)), pattern, count};
  }
  auto less = [](const occurring& a, const occurring& b) { return a.key < b.key; };
  introsort<Tuning>(values.data(), distinct, less);
  for (std::size_t i = 1; i < distinct; ++i)
    if (!less(values[i - 1], values[i])) return false;
  auto* place = reinterpret_cast<unsigned char*>(first);
  for (std::size_t i = 0; i < distinct; place += values[i++].count) std::memset(place, values[i].byte, values[i].count);
  return true;
}

/// Radix sort of compact elements.
template <class Tuning, class Key, class T, class Encode>
void radix_sort_compact(T* first, std::size_t n, Encode& encode) {
  if constexpr (sizeof(T) == 1)
    if (sort_by_counting<Tuning, Key>(first, n, encode)) return;
  const partition_of parts = divide<Tuning>(n);
  buffer<T> scratch(n);
  buffer<std::uint8_t> digits(n);
  buffer<std::size_t> counts(parts.count * bucket_limit);
  auto less = [&encode](const T& a, const T& b) -> bool { return encode(a) < encode(b); };
  if (sorted_by_inspection<Tuning, true>(first, n, less)) return;

  Key varying = varying_bits<Tuning, Key>(std::as_const(first), n, encode);
  T* from = first;
  T* to = scratch.data();
  try {
    for (unsigned shift = 0; varying != 0;) {
      for (; !static_cast<bool>(varying & 1); varying = static_cast<Key>(varying >> 1)) ++shift;
      distribute_by_digit(from, to, digits.data(), parts, counts.data(), shift, encode);
      std::swap(from, to);
      shift += digit_bits;
      // Two shifts: a key may be no wider than the digit.
      varying = static_cast<Key>(static_cast<Key>(varying >> (digit_bits - 1)) >> 1);
    }
  } catch (...) {
    if (from != first) relocate(first, from, n);
    throw;
  }
  if (from != first) parallel_relocate<Tuning>(first, from, n);
}

/// An element that is sorted by proxy.
template <class Key, class T>
struct keyed_pointer {
  Key key;
  const T* element;
};

/// Sorts first[0, n) by encode(element), an unsigned integer of 8 to 128 bits, ascending; stable. O(n) per digit of
/// eight varying bits. Scratch for n elements and n bytes (n pairs of key and pointer for elements that are large or
/// not trivially copyable), taken before the first write: std::bad_alloc leaves the range as it was. `encode` may be
/// called from several threads at once; if it throws, first[0, n) holds all its elements in some order.
template <class Tuning = default_tuning, class T, class Encode>
void radix_sort(T* first, std::size_t n, Encode&& encode) {
  using Key = std::remove_cvref_t<std::invoke_result_t<Encode&, const T&>>;
  static_assert(static_cast<Key>(~Key{0}) > Key{0}, "keys are unsigned");
  if (n < Tuning::radix_limit)
    return merge_sort<Tuning>(first, n, [&encode](const T& a, const T& b) -> bool { return encode(a) < encode(b); });
  using entry = keyed_pointer<Key, T>;
  if constexpr (compact<T> && sizeof(T) <= 2 * sizeof(entry)) {
    radix_sort_compact<Tuning, Key>(first, n, encode);
  } else {
    buffer<entry> entries(n);
    const T* const elements = first;
    for_each_part<Tuning>(n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) entries[i] = {encode(elements[i]), elements + i};
    });
    auto key_of = [](const entry& x) { return x.key; };
    radix_sort_compact<Tuning, Key>(entries.data(), n, key_of);
    permute_from<Tuning>(first, n, [&](std::size_t i) { return static_cast<std::size_t>(entries[i].element - first); });
  }
}

}  // namespace detail::host
}  // namespace v1
}  // namespace gpu
