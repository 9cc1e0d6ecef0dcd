// cub::DeviceRadixSort, between two buffers; for argsort from input to output, since the keys must stay.
#include <cub/device/device_radix_sort.cuh>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

template <class Key>
prepared sort_keys(std::size_t n) {
  return with_temporary_memory(
      [n](void* memory, std::size_t& bytes, const arrays& on) {
        cub::DoubleBuffer<Key> keys{static_cast<Key*>(on.keys), static_cast<Key*>(on.other_keys)};
        check(cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n));
        return outcome{keys.Current(), nullptr};
      },
      n * sizeof(Key));
}

template <class Key, class Value>
prepared sort_pairs(std::size_t n) {
  return with_temporary_memory(
      [n](void* memory, std::size_t& bytes, const arrays& on) {
        cub::DoubleBuffer<Key> keys{static_cast<Key*>(on.keys), static_cast<Key*>(on.other_keys)};
        cub::DoubleBuffer<Value> values{static_cast<Value*>(on.values), static_cast<Value*>(on.other_values)};
        check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n));
        return outcome{keys.Current(), values.Current()};
      },
      n * (sizeof(Key) + sizeof(Value)));
}

template <class Key, class Index>
prepared argsort(std::size_t n) {
  return with_temporary_memory(
      [n](void* memory, std::size_t& bytes, const arrays& on) {
        auto* const indices = static_cast<Index*>(on.values);
        auto* const counted = static_cast<Index*>(on.other_values);
        if (memory != nullptr) count_up(counted, n);
        check(cub::DeviceRadixSort::SortPairs(memory, bytes, static_cast<const Key*>(on.keys),
                                              static_cast<Key*>(on.other_keys), counted, indices, n));
        return outcome{on.keys, indices};
      },
      n * (sizeof(Key) + sizeof(Index)));
}

template <class Element>
preparation offer_element(const problem& asked) {
  using key = typename Element::key_type;
  using value = typename Element::value_type;
  const std::size_t n = asked.n;
  if constexpr (Element::has_values) {
    if (asked.what == operation::argsort) return [n] { return argsort<key, value>(n); };
    if (asked.what == operation::sort_by_key || asked.what == operation::stable_sort_by_key)
      return [n] { return sort_pairs<key, value>(n); };
  } else {
    if (asked.what == operation::sort || asked.what == operation::stable_sort) return [n] { return sort_keys<key>(n); };
  }
  return {};
}

using elements =
    element_list<element<std::uint8_t>, element<std::uint16_t>, element<std::uint32_t>, element<std::uint64_t>,
                 element<uint128>, element<std::int32_t>, element<std::int64_t>, element<float>, element<double>,
                 element<__half>, element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>;

const registered cub_radix{"cub_radix", true, [](const problem& asked) {
                             return with_element<preparation>(asked.element(), elements{}, [&](auto e) {
                               return offer_element<decltype(e)>(asked);
                             });
                           }};

}  // namespace
}  // namespace bench
