// Thrust, as its users call it: temporary memory is allocated in the call. Host data are copied to memory allocated for
// the call and back. Operations that Thrust lacks are done by a sort, or by a merge and a copy.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "../contender.hpp"
#include "../cuda_check.hpp"
#include "../elements.hpp"
#include "../memory.hpp"

namespace bench {
namespace {

template <class Key>
outcome sort_host_data(const arrays& on, std::size_t n) {
  const block memory{place::device, n * sizeof(Key)};
  auto* const keys = static_cast<Key*>(memory.data());
  check(cudaMemcpy(keys, on.keys, n * sizeof(Key), cudaMemcpyHostToDevice));
  thrust::sort(thrust::device, keys, keys + n);
  check(cudaMemcpy(on.keys, keys, n * sizeof(Key), cudaMemcpyDeviceToHost));
  return {on.keys, nullptr};
}

template <class Key, class Index>
outcome argsort(const arrays& on, std::size_t n) {
  const auto* const keys = static_cast<const Key*>(on.keys);
  auto* const copied = static_cast<Key*>(on.other_keys);
  auto* const indices = static_cast<Index*>(on.values);
  thrust::copy(thrust::device, keys, keys + n, copied);
  thrust::sequence(thrust::device, indices, indices + n);
  thrust::stable_sort_by_key(thrust::device, copied, copied + n, indices);
  return {keys, indices};
}

template <class Key, class Value>
outcome run_pairs(operation what, const arrays& on, std::size_t n) {
  auto* const keys = static_cast<Key*>(on.keys);
  auto* const values = static_cast<Value*>(on.values);
  if (what == operation::argsort) return argsort<Key, Value>(on, n);
  if (what == operation::merge_by_key) {
    auto* const keys_out = static_cast<Key*>(on.other_keys);
    auto* const values_out = static_cast<Value*>(on.other_values);
    const std::size_t half = (n + 1) / 2;
    thrust::merge_by_key(thrust::device, keys, keys + half, keys + half, keys + n, values, values + half, keys_out,
                         values_out);
    return {keys_out, values_out};
  }
  if (what == operation::sort_by_key)
    thrust::sort_by_key(thrust::device, keys, keys + n, values);
  else
    thrust::stable_sort_by_key(thrust::device, keys, keys + n, values);
  return {keys, values};
}

template <class Key>
outcome run_keys(operation what, const arrays& on, std::size_t n) {
  auto* const keys = static_cast<Key*>(on.keys);
  if (what == operation::host_sort_pageable || what == operation::host_sort_pinned) return sort_host_data<Key>(on, n);
  if (what == operation::is_sorted) {
    (void)thrust::is_sorted(thrust::device, keys, keys + n);
    return {keys, nullptr};
  }
  if (is_merge(what)) {
    auto* const out = static_cast<Key*>(on.other_keys);
    auto* const middle = keys + (n + 1) / 2;
    thrust::merge(thrust::device, keys, middle, middle, keys + n, out);
    if (what != operation::inplace_merge) return {out, nullptr};
    thrust::copy(thrust::device, out, out + n, keys);
    return {keys, nullptr};
  }
  if (what == operation::stable_sort)
    thrust::stable_sort(thrust::device, keys, keys + n);
  else
    thrust::sort(thrust::device, keys, keys + n);
  return {keys, nullptr};
}

template <class Element>
preparation offer_element(operation what, std::size_t n) {
  using key = typename Element::key_type;
  using value = typename Element::value_type;
  return [what, n] {
    return prepared{[what, n](const arrays& on) {
      if constexpr (Element::has_values)
        return run_pairs<key, value>(what, on, n);
      else
        return run_keys<key>(what, on, n);
    }};
  };
}

using elements = element_list<element<std::uint32_t>, element<std::uint64_t>, element<std::int32_t>,
                              element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>;

const registered thrust_contender{
    "thrust", true, [](const problem& asked) -> preparation {
      if (asked.what == operation::sort_comparator || asked.what == operation::multiway_merge ||
          asked.what == operation::gather || asked.what == operation::sort_indexed || is_segmented(asked.what))
        return {};
      return with_element<preparation>(asked.element(), elements{},
                                       [&](auto e) { return offer_element<decltype(e)>(asked.what, asked.n); });
    }};

}  // namespace
}  // namespace bench
