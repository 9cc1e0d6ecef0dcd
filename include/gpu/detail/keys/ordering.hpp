// Derives the order of the elements from comparator and projection: either the natural order of a key that the
// precompiled kernels implement (arithmetic, enum, pointer, half, bfloat16, 128 bits; ascending or descending), or a
// custom order.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "../arguments/callables.hpp"
#include "../arguments/iterator.hpp"
#include "key.hpp"
#include "order_by.hpp"

namespace gpu::inline v1::detail {

/// The bits of a key with a natural order.
template <class Key>
constexpr auto key_bits(Key key) {
  return std::bit_cast<bits_of_size<sizeof(Key)>>(key);
}

/// The order that Compare and Projection define on elements of type T.
template <class T, class Compare, class Projection>
struct ordering {
  using projected = typename projected_key<T, Projection>::type;
  using traits = order_traits<projected, Compare>;

  static constexpr direction along = [] {
    if constexpr (natural_key<projected> || std::is_floating_point_v<projected> || is_text_v<projected>)
      return detail::direction_of<Compare, projected>();
    else
      return direction::unknown;
  }();
  /// Ordered by one number.
  static constexpr bool single = natural_key<projected> && along != direction::unknown;
  /// Ordered by strings, which are sorted by eight bytes at a time.
  static constexpr bool textual = is_text_v<projected> && along != direction::unknown;
  /// The integer type to which keys of several parts are converted; void if they are not.
  using code = bits_of_size<along == direction::unknown ? detail::code_bytes(traits::extent) : 0>;
  /// Ordered by codes of several parts, of at most 128 bits.
  static constexpr bool compound = !std::is_void_v<code> && traits::extent.fits();
  /// Ordered by codes first; elements with equal codes are compared.
  static constexpr bool led = !std::is_void_v<code> && !traits::extent.fits();

  /// Whether smaller keys, or codes, go first.
  static constexpr bool ascending = along != direction::descending;

  /// The natural order of a key that the kernels implement, described by format.
  static constexpr bool natural = single || compound;
  using key = std::conditional_t<std::is_void_v<code>, projected, code>;
  /// Format of the key, or of a prefix of it.
  static constexpr key_format format =
      detail::format_of<std::conditional_t<textual, std::uint64_t, key>>(along == direction::descending);
  /// The key is the element or a data member of it, or consists of parts of these: at the same offsets in every
  /// element.
  static constexpr bool key_in_place = (is_identity_v<Projection> || is_data_member_v<T, Projection>) &&
                                       (single || (compound && traits::in_place && traits::parts <= most_key_parts));

  /// Offset of the key in an element, in bytes. Needs key_in_place.
  static std::size_t key_offset(const Projection& projection) {
    if constexpr (is_identity_v<Projection>)
      return 0;
    else
      return detail::offset_of_member<T>(projection);
  }

  /// The bits of an element's key, or its code.
  template <class Element>
  GPUPAR_INLINE static constexpr auto bits_of(const Compare& compare, Projection& projection, const Element& element) {
    if constexpr (std::is_void_v<code>) {
      return detail::key_bits<key>(detail::call(projection, element));
    } else {
      code_writer<code> writer;
      traits::write(writer, compare, detail::call(projection, element));
      return writer.code();
    }
  }
};

/// How an order takes its operands: numbers and pointers by value, so that volatile ones can be compared.
template <class T>
using operand = std::conditional_t<std::is_scalar_v<T>, T, const T&>;

/// The strict weak order on elements that comparator and projection define, for the host; natural orders use our own
/// rule for floats.
template <class T, class Compare, class Projection>
struct element_less {
  [[no_unique_address]] mutable Compare compare;
  [[no_unique_address]] mutable Projection projection;

  GPUPAR_INLINE constexpr bool operator()(operand<T> left, operand<T> right) const {
    using order = ordering<T, Compare, Projection>;
    if constexpr (order::compound && sizeof(typename order::key) <= 8)
      return order::bits_of(compare, projection, left) < order::bits_of(compare, projection, right);
    else if constexpr (order::compound || order::led)
      return order::traits::order(compare, detail::call(projection, left), detail::call(projection, right)) < 0;
    else if constexpr (order::along == direction::unknown || order::textual)
      return detail::compared(compare, detail::call(projection, left), detail::call(projection, right));
    else if constexpr (order::along == direction::ascending)
      return detail::naturally_less<typename order::key>(detail::call(projection, left),
                                                         detail::call(projection, right));
    else
      return detail::naturally_less<typename order::key>(detail::call(projection, right),
                                                         detail::call(projection, left));
  }
};

}  // namespace gpu::inline v1::detail
