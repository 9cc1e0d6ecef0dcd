// Callers' comparators and projections as kernels call them.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "../keys/ordering.hpp"
#include "order.cuh"

namespace gpu::inline v1::detail::device {

/// Reads the key of an element: a data member as x.*p, anything else by a plain call. Never through an invoke, which
/// would hide from the compiler that a callable belongs to the host.
template <class Projection, class T>
__device__ decltype(auto) project(Projection& projection, const T& element) {
  if constexpr (is_identity_v<Projection>)
    return (element);
  else if constexpr (std::is_member_object_pointer_v<Projection>)
    return (element.*projection);
  else
    return projection(element);
}

/// direction_of() as a variable, which device code may read.
template <class Compare, class Key>
inline constexpr direction along_v = detail::direction_of<Compare, Key>();

/// Arrays that are compared element by element, each in natural order: what std::array's own operators do, which belong
/// to the host.
template <class T>
inline constexpr bool is_integer_array_v = false;
template <class Element, std::size_t Count>
inline constexpr bool is_integer_array_v<std::array<Element, Count>> =
    natural_key<Element> && mantissa_bits_v<Element> == 0 && Count > 0;

template <class Element, std::size_t Count>
__device__ bool lexicographically_less(const std::array<Element, Count>& left,
                                       const std::array<Element, Count>& right) {
  const auto* const a = reinterpret_cast<const Element*>(&left);
  const auto* const b = reinterpret_cast<const Element*>(&right);
  for (std::size_t i = 0; i < Count; ++i)
    if (a[i] != b[i]) return a[i] < b[i];
  return false;
}

/// The order that Compare and Projection define, on the device. Standard functors, which belong to the host, are
/// replaced.
template <class T, class Compare, class Projection>
struct compare_elements {
  mutable Compare compare;
  mutable Projection projection;

  __device__ bool operator()(const T& left, const T& right) const {
    return by_key(device::project(projection, left), device::project(projection, right));
  }

 private:
  template <class Key>
  __device__ bool by_key(const Key& left, const Key& right) const {
    if constexpr (along_v<Compare, Key> == direction::ascending)
      return before(left, right);
    else if constexpr (along_v<Compare, Key> == direction::descending)
      return before(right, left);
    else
      return static_cast<bool>(compare(left, right));
  }

  template <class Key>
  __device__ static bool before(const Key& left, const Key& right) {
    if constexpr (natural_key<Key>)
      return detail::naturally_less<Key>(left, right);
    else if constexpr (is_integer_array_v<Key>)
      return device::lexicographically_less(left, right);
    else
      return left < right;
  }
};

/// Raw memory of a T: what kernels move where an array of T itself would run a constructor.
template <class T>
struct opaque {
  alignas(T) std::byte bytes[sizeof(T)];
  __device__ const T& get() const { return reinterpret_cast<const T&>(bytes); }
};

template <class T, class Less>
struct compare_opaque {
  Less less;
  __device__ bool operator()(const opaque<T>& left, const opaque<T>& right) const {
    return less(left.get(), right.get());
  }
};

/// Order of the indices of elements that stay where they are.
template <class T, class Index, class Less>
struct compare_by_index {
  const T* elements;
  Less less;
  __device__ bool operator()(Index left, Index right) const { return less(elements[left], elements[right]); }
};

template <class T, class Index, class Less>
inline constexpr bool compares_values_v<compare_by_index<T, Index, Less>> = false;

/// compare(i, j) or swap(i, j) of a container whose first index is not 0.
template <class Index, class Callable>
struct from_first_index {
  Index first;
  mutable Callable callable;
  __device__ decltype(auto) operator()(std::size_t i, std::size_t j) const {
    return callable(static_cast<Index>(first + static_cast<Index>(i)),
                    static_cast<Index>(first + static_cast<Index>(j)));
  }
};

/// The key type that kernels sort Ts as, and the comparator to go with it.
template <class T, class Less>
struct movable {
  using key = T;
  static Less compare(Less less) { return less; }
};
template <class T, class Less>
  requires(!std::is_trivially_default_constructible_v<T>)
struct movable<T, Less> {
  using key = opaque<T>;
  static compare_opaque<T, Less> compare(Less less) { return {less}; }
};

}  // namespace gpu::inline v1::detail::device
