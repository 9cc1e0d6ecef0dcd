// Elements and their order, as described to the precompiled library.
#pragma once

#include <cstddef>

#include "../boundary/dispatch.hpp"

namespace gpu::inline v1::detail {

/// Describes elements to the precompiled library. Several parts that fill a word are treated as a single key.
template <class T, class Compare, class Projection>
keyed_elements keyed(const T* data, const Compare& compare, const Projection& projection) {
  using order = ordering<T, Compare, Projection>;
  keyed_elements elements{const_cast<std::remove_const_t<T>*>(data), sizeof(T), order::key_offset(projection),
                          order::format};
  if constexpr (order::compound) {
    key_parts parts;
    order::traits::describe([&](const key_part& part) { parts.add(part); }, compare, elements.key_offset);
    if (const word_of_parts word = detail::find_word(parts); word.format.bytes != 0) {
      elements.key_offset = word.offset;
      elements.key = word.format;
    } else {
      elements.parts = parts;
    }
  }
  (void)compare;
  return elements;
}

/// Whether elements consist of nothing but their key, including keys of several parts at any offsets.
template <class T, class Compare, class Projection>
bool are_keys(const Compare& compare, const Projection& projection) {
  using order = ordering<T, Compare, Projection>;
  if constexpr (order::compound && order::key_in_place)
    return detail::keyed(static_cast<const T*>(nullptr), compare, projection).fills();
  else
    return is_identity_v<Projection> && !order::compound && !order::led;
}

/// Whether stability is requested and can be observed: equal integers that fill the elements are indistinguishable.
template <bool Stable>
bool stability_shows(const keyed_elements& elements) {
  return Stable && !(elements.fills() && elements.key.is_of_parts());
}

/// The natural keys of [first, first + count), or their codes, in contiguous memory.
template <class Iterator, class Compare, class Projection>
auto extract_keys(const Iterator& first, std::size_t count, const Compare& compare, Projection projection) {
  using element_type = compared_element<Iterator>;
  using order = ordering<element_type, Compare, Projection>;
  host::buffer<bits_of_size<sizeof(typename order::key)>> keys{count};
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const element_type& element = *detail::advanced(first, i);
      keys[i] = order::bits_of(compare, projection, element);
    }
  });
  return keys;
}

}  // namespace gpu::inline v1::detail
