// cub::DeviceMergeSort by a user-defined comparator.
#include <cub/device/device_merge_sort.cuh>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

template <class Key>
prepared sort_keys(std::size_t n) {
  return with_temporary_memory(
      [n](void* memory, std::size_t& bytes, const arrays& on) {
        check(cub::DeviceMergeSort::SortKeys(memory, bytes, static_cast<Key*>(on.keys), n, less{}));
        return outcome{on.keys, nullptr};
      },
      0);
}

template <class Key, class Value>
prepared sort_pairs(std::size_t n) {
  return with_temporary_memory(
      [n](void* memory, std::size_t& bytes, const arrays& on) {
        check(cub::DeviceMergeSort::SortPairs(memory, bytes, static_cast<Key*>(on.keys), static_cast<Value*>(on.values),
                                              n, less{}));
        return outcome{on.keys, on.values};
      },
      0);
}

template <class Element>
preparation offer_element(const problem& asked) {
  using key = typename Element::key_type;
  using value = typename Element::value_type;
  const std::size_t n = asked.n;
  if constexpr (Element::has_values) {
    if (asked.what == operation::sort_by_key || asked.what == operation::stable_sort_by_key)
      return [n] { return sort_pairs<key, value>(n); };
  } else {
    if (asked.what == operation::sort || asked.what == operation::stable_sort ||
        asked.what == operation::sort_comparator)
      return [n] { return sort_keys<key>(n); };
  }
  return {};
}

using elements = element_list<element<std::uint32_t>, element<std::uint64_t>, element<uint128>, element<record<16>>,
                              element<record<32>>, element<record100>, element<reversed32>, element<reversed64>,
                              element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>,
                              element<std::uint32_t, std::uint64_t>, element<std::uint64_t, std::uint32_t>>;

const registered cub_merge_sort{"cub_merge_sort", true, [](const problem& asked) {
                                  return with_element<preparation>(asked.element(), elements{}, [&](auto e) {
                                    return offer_element<decltype(e)>(asked);
                                  });
                                }};

}  // namespace
}  // namespace bench
