// Digits of codes, which are unsigned integers: choosing the window of leading bits in which codes differ, counting the
// values of its digits, and distributing codes by one digit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gpu::inline v1::detail::host {

inline constexpr unsigned digit_bits = 8;
inline constexpr unsigned most_digits = 4;

/// std::bit_width(), for 128-bit codes as well.
template <class Code>
unsigned width_of(Code code) {
  if constexpr (sizeof(Code) == 16) {
    const auto high = static_cast<std::uint64_t>(code >> 64);
    const auto low = static_cast<std::uint64_t>(code);
    return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  } else {
    return static_cast<unsigned>(std::bit_width(code));
  }
}

/// A window of `digits` digits from bit `shift` upwards. If `complete`, codes that agree in it are equal.
struct digit_window {
  unsigned shift = 0;
  unsigned digits = 0;
  bool complete = true;
};

/// The window for codes[0, n): wide enough to distinguish nearly all of n evenly spread codes.
template <class Code>
digit_window window_for(const Code* codes, std::size_t n) {
  Code set = 0;
  Code common = static_cast<Code>(~Code{0});
  for (std::size_t i = 0; i < n; ++i) {
    set = static_cast<Code>(set | codes[i]);
    common = static_cast<Code>(common & codes[i]);
  }
  const Code varying = static_cast<Code>(set ^ common);
  const unsigned width = width_of(varying);
  const unsigned wanted = static_cast<unsigned>(std::bit_width(n)) + 1;
  digit_window window;
  window.digits =
      std::min({(wanted + digit_bits - 1) / digit_bits, (width + digit_bits - 1) / digit_bits, most_digits});
  window.shift = width > window.digits * digit_bits ? width - window.digits * digit_bits : 0;
  window.complete = (varying & static_cast<Code>((Code{1} << window.shift) - 1)) == 0;
  return window;
}

using digit_counts = std::array<std::array<std::size_t, std::size_t{1} << digit_bits>, most_digits>;

template <class Code>
std::size_t digit_of(Code code, unsigned shift) {
  return static_cast<std::uint8_t>(code >> shift);
}

/// Counts all digits of the window in one pass.
template <unsigned Digits, class Code>
void count_digits(const Code* codes, std::size_t n, unsigned shift, digit_counts& counts) {
  for (unsigned digit = 0; digit < Digits; ++digit) counts[digit].fill(0);
  for (std::size_t i = 0; i < n; ++i) {
    Code rest = static_cast<Code>(codes[i] >> shift);
    for (unsigned digit = 0; digit < Digits; ++digit) {
      ++counts[digit][digit_of(rest, 0)];
      if constexpr (sizeof(Code) > 1) rest = static_cast<Code>(rest >> digit_bits);
    }
  }
}

template <class Code>
void count_window(const Code* codes, std::size_t n, const digit_window& window, digit_counts& counts) {
  switch (window.digits) {
    case 1:
      return count_digits<1>(codes, n, window.shift, counts);
    case 2:
      return count_digits<2>(codes, n, window.shift, counts);
    case 3:
      return count_digits<3>(codes, n, window.shift, counts);
    default:
      return count_digits<4>(codes, n, window.shift, counts);
  }
}

/// The number of equally frequent digit values for which as many pairs of codes would share a value as they do.
inline double effective_values(const std::array<std::size_t, std::size_t{1} << digit_bits>& counts, std::size_t n) {
  double pairs = 0;
  for (const std::size_t count : counts) pairs += static_cast<double>(count) * static_cast<double>(count);
  const auto codes = static_cast<double>(n);
  return std::min(static_cast<double>(counts.size()), codes * (codes - 1) / std::max(pairs - codes, 1.0));
}

/// Counts the digits of the window. If the codes share leading bits, as similar numbers do, their exponents above all,
/// widens the window until it distinguishes most codes, and counts again.
template <class Code>
void count_and_widen(const Code* codes, std::size_t n, digit_window& window, digit_counts& counts) {
  count_window(codes, n, window, counts);
  if (window.complete) return;
  double cells = 1;
  for (unsigned digit = 0; digit < window.digits; ++digit) cells *= effective_values(counts[digit], n);
  const unsigned narrow = window.digits;
  for (; cells < 2 * static_cast<double>(n) && window.digits < most_digits && window.shift > 0; ++window.digits) {
    window.shift -= std::min(window.shift, digit_bits);
    cells *= static_cast<double>(std::size_t{1} << digit_bits);
  }
  if (window.digits != narrow) count_window(codes, n, window, counts);
}

inline constexpr std::size_t line_bytes = 64;  ///< of a cache line

/// Whether the positions that a pass writes to fall into so few sets of the L1 cache that they evict each other, as
/// happens if all digit values are equally frequent and the positions therefore a power of two apart.
template <class Code>
bool offsets_collide(const Code* to, std::size_t n, const std::size_t* offsets) {
  constexpr std::size_t few = std::size_t{1} << 14;   // the cache holds all of them
  constexpr std::size_t sets = 64, overflowing = 24;  // of 8 to 12 lines each
  if (n < few) return false;
  std::array<unsigned char, sets> heads{};
  for (std::size_t value = 0; value < std::size_t{1} << digit_bits; ++value)
    if (++heads[reinterpret_cast<std::uintptr_t>(to + offsets[value]) / line_bytes % sets] >= overflowing) return true;
  return false;
}

/// Distributes codes by a digit, writing a whole cache line of one value at a time. Wassenberg and Sanders,
/// "Engineering a multi-core radix sort", 2011 (software write-combining).
template <class Code>
void scatter_by_lines(const Code* from, Code* to, std::size_t n, unsigned shift, std::size_t* offsets) {
  constexpr std::size_t values = std::size_t{1} << digit_bits, length = line_bytes / sizeof(Code);
  alignas(line_bytes) Code lines[values][length];
  const std::size_t before = reinterpret_cast<std::uintptr_t>(to) / sizeof(Code) % length;
  Code* const aligned = to - before;  // the beginning of a cache line
  std::array<std::size_t, values> begins;
  for (std::size_t value = 0; value < values; ++value) begins[value] = offsets[value] += before;
  const auto flush = [&](std::size_t value, std::size_t line) {  // it may begin with slots of the previous value
    const std::size_t begin = std::max(line, begins[value]), end = std::min(line + length, offsets[value]);
    if (end - begin == length)
      std::copy_n(lines[value], length, aligned + begin);
    else
      std::copy(lines[value] + (begin - line), lines[value] + (end - line), aligned + begin);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t value = digit_of(from[i], shift), offset = offsets[value]++, last = length - 1;
    lines[value][offset % length] = from[i];
    if (offset % length == last) flush(value, offset - last);
  }
  for (std::size_t value = 0; value < values; ++value) {
    const std::size_t end = offsets[value], line = end - end % length;
    if (end > std::max(line, begins[value])) flush(value, line);
    offsets[value] -= before;
  }
}

/// Distributes codes stably to `to` by one digit. `offsets` holds the counts of its values; on return, where the codes
/// of each value end.
template <class Code>
void scatter_by_digit(const Code* from, Code* to, std::size_t n, unsigned shift, std::size_t* offsets) {
  std::size_t offset = 0;
  for (std::size_t value = 0; value < std::size_t{1} << digit_bits; ++value)
    offset += std::exchange(offsets[value], offset);
  if (offsets_collide(to, n, offsets)) return scatter_by_lines(from, to, n, shift, offsets);
  for (std::size_t i = 0; i < n; ++i) to[offsets[digit_of(from[i], shift)]++] = from[i];
}

}  // namespace gpu::inline v1::detail::host
