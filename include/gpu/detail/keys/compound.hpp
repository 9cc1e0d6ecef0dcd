// Keys composed of others: pairs, tuples, arrays, optionals, durations and time points, of numbers, strings and of one
// another. For each such type: how it is compared, the code of its leading bits, and where its numbers are located.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../arguments/thrust.hpp"
#include "../boundary/texts.hpp"
#include "bytewise.hpp"
#include "code_writer.hpp"
#include "key_parts.hpp"
#include "natural_key.hpp"
#include "shared_codes.hpp"

namespace gpu::inline v1::detail {

/// Calls body(std::integral_constant) with 0, 1 … Count - 1.
template <std::size_t Count, class Body>
GPUPAR_INLINE constexpr void unrolled(const Body& body) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (body(std::integral_constant<std::size_t, Index>{}), ...);
  }(std::make_index_sequence<Count>{});
}

/// What is known about keys of a type; by default nothing. Members:
///   extent: how much of the order codes determine, nothing if bits == 0 and there is no text;
///   order(a, b): less than, equal to, or greater than 0, as a goes before, is equivalent to or goes after b;
///   write(writer, key, descending): writes the code of a key, as far as the extent goes;
///   in_place, parts, describe(add, offset, descending): the offsets of its numbers, if these are fixed.
template <class Key>
struct key_traits {
  static constexpr bool known = false;
};

template <class Key>
inline constexpr bool has_order_v = key_traits<std::remove_cvref_t<Key>>::known;
template <class Key>
using traits_of = key_traits<std::remove_cvref_t<Key>>;

template <natural_key Key>
struct key_traits<Key> {
  using bits = bits_of_size<sizeof(Key)>;
  static constexpr bool known = true;
  static constexpr bool is_bool = std::is_same_v<Key, bool>;
  static constexpr unsigned code_bits = is_bool ? 1 : 8 * sizeof(Key);
  static constexpr code_extent extent{code_bits, true, false, 1};
  static constexpr bool in_place = true;
  static constexpr std::size_t parts = sizeof(Key) <= 8 ? 1 : 2;

  GPUPAR_HOST_DEVICE static constexpr int order(Key a, Key b) {
    return detail::naturally_less<Key>(a, b) ? -1 : detail::naturally_less<Key>(b, a) ? 1 : 0;
  }
  template <class Writer>
  GPUPAR_INLINE static constexpr void write(Writer& writer, const Key& key, bool descending) {
    constexpr auto codes = detail::make_shared_codes<bits>(detail::format_of<Key>());
    writer.put(codes.encode(std::bit_cast<bits>(key)), code_bits, descending);
  }
  template <class Add>
  static constexpr void describe(const Add& add, std::size_t offset, bool descending) {
    constexpr key_format format = detail::format_of<Key>();
    if constexpr (sizeof(Key) == 16) {
      add(key_part{offset + 8, 0, 8, 64, 0, format.kind, descending});
      add(key_part{offset, 0, 8, 64, 0, key_class::unsigned_integer, descending});
    } else {
      add(key_part{offset, 0, sizeof(Key), code_bits, format.mantissa_bits, format.kind, descending});
    }
  }
};

template <class String>
  requires is_text_v<String>
struct key_traits<String> {
  static constexpr bool known = true;
  static constexpr code_extent extent{0, true, true, 1};
  static constexpr bool in_place = false;

  GPUPAR_ANY_CALLABLE
  GPUPAR_HOST_DEVICE static constexpr int order(const String& a, const String& b) { return a.compare(b); }
  template <class Writer>
  static constexpr void write(Writer& writer, const String& key, bool descending) {
    writer.put_text(detail::text_of(key), descending);
  }
};

/// The distance in bytes from the beginning of an object to one of its members.
inline std::size_t distance_from(const volatile void* object, const volatile void* member) {
  return reinterpret_cast<std::uintptr_t>(member) - reinterpret_cast<std::uintptr_t>(object);
}

/// The traits of a key that is a sequence of members; Elements::get<i> reads the i-th.
template <class Key, class Elements, class... Members>
struct sequence_traits {
  static constexpr bool known = (has_order_v<Members> && ...);
  static constexpr code_extent extent = [] {
    if constexpr (known)
      return (code_extent{} + ... + traits_of<Members>::extent);
    else
      return code_extent{};
  }();
  static constexpr bool in_place = [] {
    if constexpr (known)
      return ((traits_of<Members>::in_place && !std::is_reference_v<Members>) && ...);
    else
      return false;
  }();
  static constexpr std::size_t parts = [] {
    if constexpr (in_place)
      return (std::size_t{0} + ... + traits_of<Members>::parts);
    else
      return std::size_t{0};
  }();

  GPUPAR_ANY_CALLABLE
  template <std::size_t Index = 0>
  GPUPAR_HOST_DEVICE static constexpr int order(const Key& a, const Key& b) {
    const int result =
        traits_of<member<Index>>::order(Elements::template get<Index>(a), Elements::template get<Index>(b));
    if constexpr (Index + 1 < sizeof...(Members))
      return result != 0 ? result : order<Index + 1>(a, b);
    else
      return result;
  }
  template <class Writer>
  GPUPAR_INLINE static constexpr void write(Writer& writer, const Key& key, bool descending) {
    detail::unrolled<sizeof...(Members)>(
        [&](auto i) { traits_of<member<i()>>::write(writer, Elements::template get<i()>(key), descending); });
  }
  template <class Add>
  static void describe(const Add& add, std::size_t offset, bool descending) {
    alignas(Key) static std::byte memory[sizeof(Key)];  // an element's addresses, without an element
    const Key& key = *reinterpret_cast<const Key*>(&memory);
    detail::unrolled<sizeof...(Members)>([&](auto i) {
      const std::size_t at = detail::distance_from(memory, std::addressof(Elements::template get<i()>(key)));
      traits_of<member<i()>>::describe(add, offset + at, descending);
    });
  }

 private:
  template <std::size_t Index>
  using member = std::tuple_element_t<Index, std::tuple<Members...>>;
};

struct by_name {
  template <std::size_t Index, class Key>
  GPUPAR_INLINE GPUPAR_HOST_DEVICE static constexpr const auto& get(const Key& key) {
    if constexpr (Index == 0)
      return key.first;
    else
      return key.second;
  }
};
struct by_get {
  GPUPAR_ANY_CALLABLE
  template <std::size_t Index, class Key>
  GPUPAR_INLINE GPUPAR_HOST_DEVICE static constexpr const auto& get(const Key& key) {
    return std::get<Index>(key);
  }
};
/// Reads array elements without operator[], which is host-only.
template <class Element>
struct by_index {
  template <std::size_t Index, class Key>
  GPUPAR_INLINE GPUPAR_HOST_DEVICE static const Element& get(const Key& key) {
    return reinterpret_cast<const Element*>(&key)[Index];
  }
};

template <class First, class Second>
struct key_traits<std::pair<First, Second>> : sequence_traits<std::pair<First, Second>, by_name, First, Second> {};
template <class... Members>
  requires(sizeof...(Members) > 0)
struct key_traits<std::tuple<Members...>> : sequence_traits<std::tuple<Members...>, by_get, Members...> {};

/// The key type of each member of an array.
template <std::size_t, class Element>
struct repeated {
  using type = Element;
};
template <class Array, class Element, class Indices>
struct array_traits;
template <class Array, class Element, std::size_t... Index>
struct array_traits<Array, Element, std::index_sequence<Index...>>
    : sequence_traits<Array, by_index<Element>, typename repeated<Index, Element>::type...> {};

/// Arrays with more elements than a code has bits are not treated as keys: one comparison would be generated for each
/// element.
template <class Element, std::size_t Count>
  requires(Count > 0 && Count <= most_code_bits)
struct key_traits<std::array<Element, Count>>
    : array_traits<std::array<Element, Count>, Element, std::make_index_sequence<Count>> {};
template <class Element, std::size_t Count>
  requires(Count <= most_code_bits)
struct key_traits<Element[Count]> : array_traits<Element[Count], Element, std::make_index_sequence<Count>> {};

template <class Key>
  requires has_order_v<Key>
struct key_traits<std::optional<Key>> {
  using traits = key_traits<Key>;
  static constexpr bool known = true;
  static constexpr code_extent extent = code_extent{1} + traits::extent;
  static constexpr bool in_place = false;  // the flag of std::optional is at an unknown offset

  GPUPAR_ANY_CALLABLE
  GPUPAR_HOST_DEVICE static constexpr int order(const std::optional<Key>& a, const std::optional<Key>& b) {
    if (a.has_value() && b.has_value()) return traits::order(*a, *b);
    return static_cast<int>(a.has_value()) - static_cast<int>(b.has_value());
  }
  template <class Writer>
  GPUPAR_INLINE static constexpr void write(Writer& writer, const std::optional<Key>& key, bool descending) {
    writer.put(static_cast<std::uint8_t>(key.has_value()), 1, descending);
    if (key.has_value()) traits::write(writer, *key, descending);
  }
};

/// Whether T is std::chrono::duration or time_point, recognised by name, because their header is sensitive to macros.
/// Requires nothing of other types, which may be incomplete.
template <class T>
constexpr bool is_time() {
  const std::string_view type = detail::type_name<T>();
  const std::string_view name = type.substr(0, type.find('<'));
  return name.starts_with("std::") && (name.ends_with("chrono::duration") || name.ends_with("chrono::time_point"));
}

/// Durations and time points are ordered by the number that they hold.
template <class Key>
  requires(detail::is_time<Key>() && sizeof(Key) == sizeof(typename Key::rep) && natural_key<typename Key::rep>)
struct key_traits<Key> {
  using number = typename Key::rep;
  using traits = key_traits<number>;
  static constexpr bool known = true;
  static constexpr code_extent extent = traits::extent;
  static constexpr bool in_place = true;
  static constexpr std::size_t parts = traits::parts;

  GPUPAR_HOST_DEVICE static int order(const Key& a, const Key& b) { return traits::order(number_of(a), number_of(b)); }
  template <class Writer>
  GPUPAR_INLINE static void write(Writer& writer, const Key& key, bool descending) {
    traits::write(writer, number_of(key), descending);
  }
  template <class Add>
  static constexpr void describe(const Add& add, std::size_t offset, bool descending) {
    traits::describe(add, offset, descending);
  }

 private:
  /// Reads the number without count(), which is host-only.
  GPUPAR_HOST_DEVICE static const number& number_of(const Key& key) { return reinterpret_cast<const number&>(key); }
};

}  // namespace gpu::inline v1::detail
