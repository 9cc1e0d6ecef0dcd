// The gpupar calls that its contenders time, on views of data in any place.
#pragma once

#include <gpu/algorithm.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "../contender.hpp"
#include "../elements.hpp"

namespace bench {

/// A contender for the library's own choice of algorithm, and one for each that can be forced.
using gpupar_offer = preparation (*)(const problem& asked, gpu::algorithm how);
inline std::vector<registered> add_every_algorithm(bool needs_device, gpupar_offer offer) {
  std::vector<registered> all;
  for (const auto how : {gpu::algorithm::automatic, gpu::algorithm::bitonic, gpu::algorithm::quicksort,
                         gpu::algorithm::sample_sort, gpu::algorithm::merge_sort, gpu::algorithm::radix}) {
    const std::string suffix = how == gpu::algorithm::automatic ? "" : '_' + std::string{to_string(how)};
    all.emplace_back("gpupar" + suffix, needs_device, [how, offer](const problem& asked) { return offer(asked, how); });
  }
  return all;
}

/// Merges `ways` sorted sequences that lie one after the other in `keys`.
template <class View, class Policy>
void merge_sequences(const Policy& policy, View keys, View out, std::size_t ways) {
  const std::size_t n = keys.size(), length = (n + ways - 1) / ways;
  const auto part = [&](std::size_t begin) {
    begin = begin < n ? begin : n;
    return View{keys.data() + begin, n - begin < length ? n - begin : length};
  };
  if (ways == 2) {
    gpu::merge(policy, part(0), part(length), out.begin());
    return;
  }
  std::vector<View> sequences;
  for (std::size_t i = 0; i < ways; ++i) sequences.push_back(part(i * length));
  gpu::multiway_merge(policy, sequences, out.begin());
}

/// Selections: the greatest keys or their indices, the least keys in front, or the middle key.
template <template <class> class View, class Key, class Policy>
outcome call_selection(const problem& asked, const Policy& policy, const arrays& on) {
  const View<Key> keys{static_cast<Key*>(on.keys), asked.n};
  if (asked.what == operation::nth_element)
    gpu::nth_element(policy, keys, keys.begin() + static_cast<std::ptrdiff_t>(asked.n / 2));
  else if (asked.what == operation::partial_sort)
    gpu::partial_sort(policy, keys, keys.begin() + static_cast<std::ptrdiff_t>(asked.ways));
  else if (asked.what == operation::top_k)
    gpu::top_k(policy, keys, View<Key>{static_cast<Key*>(on.other_keys), asked.ways});
  else if constexpr (sizeof(Key) >= sizeof(std::uint32_t))
    gpu::arg_top_k(policy, keys, View<std::uint32_t>{static_cast<std::uint32_t*>(on.other_keys), asked.ways});
  return {on.other_keys, nullptr};
}

/// The order of keys with several parts.
template <class Key>
auto order_of_parts() {
  return gpu::by(&Key::first).then(&Key::second);
}

/// Sorts of keys with several parts.
template <template <class> class View, class Key, class Policy>
outcome call_parts(const problem& asked, const Policy& policy, const arrays& on) {
  const View<Key> keys{static_cast<Key*>(on.keys), asked.n};
  if (asked.what == operation::stable_sort)
    gpu::stable_sort(policy, keys, order_of_parts<Key>());
  else
    gpu::sort(policy, keys, order_of_parts<Key>());
  return {on.keys, nullptr};
}

/// Operations on keys alone, in natural order.
template <template <class> class View, class Key, class Policy>
outcome call_keys(const problem& asked, const Policy& policy, const arrays& on) {
  const View<Key> keys{static_cast<Key*>(on.keys), asked.n};
  if (asked.what == operation::is_sorted) {
    (void)gpu::is_sorted(policy, keys);
    return {on.keys, nullptr};
  }
  if (asked.what == operation::inplace_merge) {
    gpu::inplace_merge(policy, keys, keys.begin() + static_cast<std::ptrdiff_t>((asked.n + 1) / 2));
    return {on.keys, nullptr};
  }
  if (is_merge(asked.what)) {
    merge_sequences(policy, keys, View<Key>{static_cast<Key*>(on.other_keys), asked.n}, asked.ways);
    return {on.other_keys, nullptr};
  }
  if (asked.what == operation::stable_sort)
    gpu::stable_sort(policy, keys);
  else
    gpu::sort(policy, keys);
  return {on.keys, nullptr};
}

/// Operations on keys and values.
template <template <class> class View, class Key, class Value, class Policy>
outcome call_pairs(const problem& asked, const Policy& policy, const arrays& on) {
  const View<Key> keys{static_cast<Key*>(on.keys), asked.n};
  const View<Value> values{static_cast<Value*>(on.values), asked.n};
  if (asked.what == operation::merge_by_key) {
    const auto middle = static_cast<std::ptrdiff_t>((asked.n + 1) / 2);
    auto* const keys_out = static_cast<Key*>(on.other_keys);
    auto* const values_out = static_cast<Value*>(on.other_values);
    gpu::merge_by_key(policy, keys.begin(), keys.begin() + middle, keys.begin() + middle, keys.end(), values.begin(),
                      values.begin() + middle, View<Key>{keys_out, asked.n}.begin(),
                      View<Value>{values_out, asked.n}.begin());
    return {keys_out, values_out};
  }
  if constexpr (is_index_v<Value>)
    if (asked.what == operation::argsort) {
      gpu::argsort(policy, keys, values);
      return {on.keys, on.values};
    }
  if (asked.what == operation::stable_sort_by_key)
    gpu::stable_sort_by_key(policy, keys, values);
  else
    gpu::sort_by_key(policy, keys, values);
  return {on.keys, on.values};
}

/// Operations by the comparator of elements.hpp, on records or keys.
template <template <class> class View, class Key, class Policy>
outcome call_comparator(const problem& asked, const Policy& policy, const arrays& on) {
  gpu::sort(policy, View<Key>{static_cast<Key*>(on.keys), asked.n}, less{});
  return {on.keys, nullptr};
}

/// Whether the algorithm can be forced for this operation.
[[nodiscard]] inline bool may_force(operation what) {
  return what == operation::sort || what == operation::sort_by_key;
}

}  // namespace bench
