// Moving single elements. No element may be lost when a comparator throws: these functions either do not call it at
// all or call it before they write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../config.hpp"
#include "../keys/bytewise.hpp"
#include "../keys/key.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

/// Types that are sorted by moving the elements themselves; all others are sorted through pointers.
template <class T>
inline constexpr bool compact = is_bytewise_v<T> && sizeof(T) <= compact_bytes;

/// Types that are exchanged by conditional moves rather than by branches.
template <class T>
inline constexpr bool branchless = std::is_arithmetic_v<T> || (is_bytewise_v<T> && sizeof(T) <= branchless_bytes);

/// Copies the bytes of one element; T's assignment operators may be deleted.
template <class T>
GPUPAR_INLINE inline void relocate(T* to, const T* from) noexcept {
  static_assert(is_bytewise_v<T>);
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), sizeof(T));
}

/// Copies the bytes of n elements; the ranges do not overlap.
template <class T>
void relocate(T* to, const T* from, std::size_t n) noexcept {
  static_assert(is_bytewise_v<T>);
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 2 / sizeof(T);  // avoids a warning of g++ for more
  if (n - 1 < most) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
}

/// The result of a comparison as a number that no compiler turns into a branch: half of the time that would be
/// mispredicted.
GPUPAR_INLINE inline std::size_t number_of(bool so) noexcept {
  std::size_t number = so;
  asm("" : "+r"(number));
  return number;
}

/// The result of a comparison as a number for choose(): like number_of(), except for integers. Compilers make no branch
/// of a choice between these anyway, and fewer instructions if they see what is compared.
template <class T>
GPUPAR_INLINE inline std::size_t choice_of(bool so) noexcept {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, uint128>) return so;
  return host::number_of(so);
}

/// `a` if `so` is 1, `b` if it is 0, without a branch. g++ -O3 turns choices between pointers into branches
/// (-fsplit-paths), except between pointers to integers.
template <class T>
GPUPAR_INLINE inline const T* choose(std::size_t so, const T* a, const T* b) noexcept {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, uint128>) {
    return so ? a : b;
  } else {
    const auto of_a = reinterpret_cast<std::uintptr_t>(a);
    const auto of_b = reinterpret_cast<std::uintptr_t>(b);
    return reinterpret_cast<const T*>(of_b ^ ((of_a ^ of_b) & (std::uintptr_t{0} - so)));
  }
}

/// A bytewise copy of an element outside the range, whatever constructors T has.
template <class T>
union held {
  GPUPAR_INLINE explicit held(const T* from) noexcept { host::relocate(__builtin_addressof(value), from); }
  GPUPAR_INLINE const T* get() const noexcept { return __builtin_addressof(value); }

  T value;
};

/// Swaps two elements, which may be the same one.
template <class T>
GPUPAR_INLINE inline void exchange(T* a, T* b) {
  if constexpr (is_bytewise_v<T>) {
    const held<T> x(a);
    host::relocate(a, b);
    host::relocate(b, x.get());
  } else if (a != b) {
    using std::swap;
    swap(*a, *b);
  }
}

/// Swaps *a and *b if *b goes before *a. Integers without a branch: in their own order (code_less) compilers make a
/// minimum and a maximum of it, but they would make a branch for any other comparator.
template <class T, class Less>
GPUPAR_INLINE inline void compare_exchange(T* a, T* b, Less& less) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<std::remove_const_t<Less>, code_less>) {
    const T x = *a;
    const T y = *b;
    const T all_if_swapped = static_cast<T>(T{0} - static_cast<T>(host::number_of(less(y, x))));
    const T difference = static_cast<T>((x ^ y) & all_if_swapped);
    *a = static_cast<T>(x ^ difference);
    *b = static_cast<T>(y ^ difference);
  } else if constexpr (std::is_arithmetic_v<T>) {
    const T x = *a;
    const T y = *b;
    const bool swapped = less(y, x);
    *a = swapped ? y : x;
    *b = swapped ? x : y;
  } else if constexpr (branchless<T>) {
    const held<T> x(a);
    const held<T> y(b);
    const std::size_t swapped = host::number_of(less(y.value, x.value));
    host::relocate(a, swapped ? y.get() : x.get());
    host::relocate(b, swapped ? x.get() : y.get());
  } else {
    if (less(static_cast<const T&>(*b), static_cast<const T&>(*a))) host::exchange(a, b);
  }
}

/// Relocates the elements of a range when it is destroyed, after success as well as after an exception: [done, n) from
/// `from` to `destination`, unless they are the same. [0, done) is already there, or somebody else's responsibility.
template <class T>
struct relocation_guard {
  T* destination;
  const T* from;
  std::size_t n;
  std::size_t done = 0;

  relocation_guard(T* to, const T* source, std::size_t count) noexcept : destination{to}, from{source}, n{count} {}
  relocation_guard(const relocation_guard&) = delete;
  relocation_guard& operator=(const relocation_guard&) = delete;
  ~relocation_guard() {
    if (destination != from) host::relocate(destination + done, from + done, n - done);
  }
};

}  // namespace gpu::inline v1::detail::host
