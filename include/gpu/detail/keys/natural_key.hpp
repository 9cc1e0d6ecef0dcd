// Keys with a natural order: numbers, enums and pointers in the order that the precompiled kernels implement, and
// strings of bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "key.hpp"

namespace gpu::inline v1::detail {

/// The number of explicit mantissa bits of types that are ordered as binary floating-point numbers; else 0.
template <class T>
inline constexpr int mantissa_bits_v = 0;
template <>
inline constexpr int mantissa_bits_v<float> = 23;
template <>
inline constexpr int mantissa_bits_v<double> = 52;
template <>
inline constexpr int mantissa_bits_v<__half> = 10;
template <>
inline constexpr int mantissa_bits_v<__nv_bfloat16> = 7;
#if defined(__FLT16_MANT_DIG__) && defined(__clang__)
template <>
inline constexpr int mantissa_bits_v<_Float16> = 10;
#elif defined(__STDCPP_FLOAT16_T__)
template <>
inline constexpr int mantissa_bits_v<_Float16> = 10;
#endif

template <class T>
inline constexpr bool is_integer_v = std::is_integral_v<T>;
#if defined(__SIZEOF_INT128__)
template <>
inline constexpr bool is_integer_v<int128> = true;
template <>
inline constexpr bool is_integer_v<uint128> = true;
#endif

/// An enumeration whose < and > are the built-in ones.
template <class T>
concept plainly_ordered_enum = std::is_enum_v<T> && !requires(T a, T b) { operator<(a, b); } &&
                               !requires(T a, T b) { operator>(a, b); } && !requires(T a, T b) { operator<=>(a, b); };

/// The format of keys of type T; bytes == 0 if T has no natural order that the kernels implement.
template <class T>
constexpr key_format format_of(bool descending = false) {
  key_format format;
  format.descending = descending;
  if constexpr (mantissa_bits_v < T >> 0) {
    format.kind = key_class::floating_point;
    format.mantissa_bits = static_cast<std::uint8_t>(mantissa_bits_v<T>);
    if constexpr (requires { sizeof(T); }) format.bytes = static_cast<std::uint8_t>(sizeof(T));
  } else if constexpr (plainly_ordered_enum<T>) {
    return detail::format_of<std::underlying_type_t<T>>(descending);
  } else if constexpr (is_integer_v<T>) {
    format.bytes = static_cast<std::uint8_t>(sizeof(T));
    if (static_cast<T>(-1) < T{0}) format.kind = key_class::signed_integer;
  } else if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_object_v<std::remove_pointer_t<T>>) format.bytes = sizeof(T);
  }
  return format;
}

template <class T>
concept natural_key = detail::format_of<T>().bytes != 0;

/// Strings that are ordered lexicographically by their characters as unsigned bytes.
template <class T>
inline constexpr bool is_text_v = false;
template <class Character>
inline constexpr bool is_text_character_v = std::is_same_v<Character, char> || std::is_same_v<Character, unsigned char>;
#if defined(__cpp_char8_t)
template <>
inline constexpr bool is_text_character_v<char8_t> = true;
#endif
template <class Character, class Allocator>
inline constexpr bool is_text_v<std::basic_string<Character, std::char_traits<Character>, Allocator>> =
    is_text_character_v<Character>;
template <class Character>
inline constexpr bool is_text_v<std::basic_string_view<Character, std::char_traits<Character>>> =
    is_text_character_v<Character>;

/// Whether `left` goes before `right` in the natural order of keys. Floating point: -0 equals +0, NaNs are last.
template <class Key>
GPUPAR_HOST_DEVICE constexpr bool naturally_less(Key left, Key right) {
  if constexpr (std::is_floating_point_v<Key>) {
    const bool number = left == left;
    return number & !(right <= left);  // evaluates both, without a branch
  } else if constexpr (mantissa_bits_v<Key> > 0) {
    using bits = bits_of_size<sizeof(Key)>;
    constexpr auto codec = detail::make_codec<bits>(detail::format_of<Key>());
    return detail::make_floating_code_less<bits>(detail::format_of<Key>())(
        codec.encode(__builtin_bit_cast(bits, left)), codec.encode(__builtin_bit_cast(bits, right)));
  } else if constexpr (std::is_pointer_v<Key>) {
    return reinterpret_cast<std::uintptr_t>(left) < reinterpret_cast<std::uintptr_t>(right);
  } else {
    return left < right;
  }
}

}  // namespace gpu::inline v1::detail
