// cub::DeviceRadixSort, between two buffers; for argsort from input to output, since the keys must be preserved. From
// the toolkit's CUB or another one: each translation unit that includes this has its own sorts.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

template <class Key>
prepared sort_keys(std::size_t n, int end_bit) {
  return with_temporary_memory(
      [n, end_bit](void* memory, std::size_t& bytes, const arrays& on) {
        cub::DoubleBuffer<Key> keys{static_cast<Key*>(on.keys), static_cast<Key*>(on.other_keys)};
        check(cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, end_bit));
        return outcome{keys.Current(), nullptr};
      },
      n * sizeof(Key));
}

template <class Key, class Value>
prepared sort_pairs(std::size_t n, int end_bit) {
  return with_temporary_memory(
      [n, end_bit](void* memory, std::size_t& bytes, const arrays& on) {
        cub::DoubleBuffer<Key> keys{static_cast<Key*>(on.keys), static_cast<Key*>(on.other_keys)};
        cub::DoubleBuffer<Value> values{static_cast<Value*>(on.values), static_cast<Value*>(on.other_values)};
        check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, end_bit));
        return outcome{keys.Current(), values.Current()};
      },
      n * (sizeof(Key) + sizeof(Value)));
}

template <class Key, class Index>
prepared argsort(std::size_t n, int end_bit) {
  return with_temporary_memory(
      [n, end_bit](void* memory, std::size_t& bytes, const arrays& on) {
        auto* const indices = static_cast<Index*>(on.values);
        auto* const counted = static_cast<Index*>(on.other_values);
        if (memory != nullptr) count_up(counted, n);
        check(cub::DeviceRadixSort::SortPairs(memory, bytes, static_cast<const Key*>(on.keys),
                                              static_cast<Key*>(on.other_keys), counted, indices, n, 0, end_bit));
        return outcome{on.keys, indices};
      },
      n * (sizeof(Key) + sizeof(Index)));
}

template <class Element>
preparation offer_element(const problem& asked, int end_bit) {
  using key = typename Element::key_type;
  using value = typename Element::value_type;
  const std::size_t n = asked.n;
  if constexpr (Element::has_values) {
    if constexpr (is_index_v<value>)
      if (asked.what == operation::argsort) return [=] { return argsort<key, value>(n, end_bit); };
    if (asked.what == operation::sort_by_key || asked.what == operation::stable_sort_by_key)
      return [=] { return sort_pairs<key, value>(n, end_bit); };
  } else {
    if (asked.what == operation::sort || asked.what == operation::stable_sort)
      return [=] { return sort_keys<key>(n, end_bit); };
  }
  return {};
}

/// Sorts by all bits of the keys or, if `told`, by the lowest bits, the only ones that a user knows to vary.
template <class Elements>
preparation offer_radix(const problem& asked, bool told) {
  return with_element<preparation>(asked.element(), Elements{}, [&](auto e) -> preparation {
    const int bits = 8 * static_cast<int>(decltype(e)::key_bytes), known = kinds::describe(asked.input.real).told_bits;
    if (told && (known == 0 || known >= bits)) return {};
    return offer_element<decltype(e)>(asked, told ? known : bits);
  });
}

}  // namespace
}  // namespace bench
