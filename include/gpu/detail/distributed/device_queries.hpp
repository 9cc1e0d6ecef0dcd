// Merges, checks and permutations with a policy on several devices.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <vector>

#include "device_calls.hpp"
#include "queries.hpp"

namespace gpu::inline v1::detail {

/// Refuses arrays that the host cannot access: spans on devices must be gpu::partitioned.
template <class T>
void require_on_host(const T* data, std::size_t count) {
  detail::require_memory(data, count);
  if (count > 0 && !detail::host_reaches(detail::locate(data)))
    refuse(errc::host_unreachable,
           "the elements are in device memory: pass the span of each device, as gpu::partitioned");
}

inline namespace GPUPAR_UNIT {

/// Whether `count` elements in host memory are sorted: each device examines a part, and the first element behind it.
template <class Policy, class T, class Compare, class Projection>
bool are_sorted_on_devices(const Policy& policy, const std::vector<int>& ids, const T* data, std::size_t count,
                           const Compare& compare, const Projection& projection) {
  detail::require_on_host(data, count);
  const host::partition_of parts{count, ids.size()};
  std::vector<unsigned char> sorted(ids.size());
  detail::on_each_device(ids, detail::options_on_devices(policy.options()),
                         [&](std::size_t r, const execution_options& own) {
                           const std::size_t first = parts.begin(r), last = (std::min)(parts.end(r) + 1, count);
                           const T* const part = data + first;
                           sorted[r] = detail::sorted_prefix<residence::ask, Policy::where>(
                                           own, single_keys{part, compare, projection}, last - first) == last - first;
                         });
  return std::find(sorted.begin(), sorted.end(), 0) == sorted.end();
}

template <class Policy, part_iterator Iterator, end_of<Iterator> Sentinel, class Compare = left_out,
          class Projection = left_out>
  requires ordered_by<Compare, Projection, Iterator, Iterator>
bool on_devices(std::type_identity<is_sorted_function>, const Policy& policy, const std::vector<int>& ids,
                Iterator first, Sentinel last, const Compare& compare = {}, const Projection& projection = {}) {
  return detail::are_sorted_on_devices(policy, ids, detail::address_of(first), detail::count_of(first, last),
                                       detail::given<default_less<Iterator>>(compare),
                                       detail::given<std::identity>(projection));
}

template <class Policy, part_range Range, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Range>, Range>
bool on_devices(std::type_identity<is_sorted_function>, const Policy& policy, const std::vector<int>& ids,
                Range&& range, const Compare& compare = {}, const Projection& projection = {}) {
  return detail::are_sorted_on_devices(policy, ids, detail::address_of(std::ranges::begin(range)),
                                       detail::size_of(range), detail::given<default_less<Range>>(compare),
                                       detail::given<std::identity>(projection));
}

template <class Policy, class T, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, T*, T*>
bool on_devices(std::type_identity<is_sorted_function>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<T>& parts, const Compare& compare = {}, const Projection& projection = {}) {
  bool sorted = false;
  const auto look = [&](communicator& ranks, const execution_options& own) {
    const bool said = detail::over_ranks(std::type_identity<is_sorted_function>{}, fixed_policy<Policy::where>{own},
                                         ranks, parts.spans[ranks.rank()], compare, projection);
    if (ranks.rank() == 0) sorted = said;
  };
  detail::on_partitioned(ids, policy.options(), look, parts);
  return sorted;
}

/// For keys and indices in host memory. Sorts a copy of the keys, and the indices with it.
template <class Policy, part_range Keys, index_range Indices, class Compare = left_out, class Projection = left_out>
  requires part_range<Indices> && ordered_by<Compare, Projection, std::ranges::iterator_t<Keys>, Keys>
std::ranges::borrowed_iterator_t<Indices> on_devices(std::type_identity<argsort_function>, const Policy& policy,
                                                     const std::vector<int>& ids, Keys&& keys, Indices&& indices,
                                                     const Compare& compare = {}, const Projection& projection = {}) {
  using key = std::ranges::range_value_t<Keys>;
  const std::size_t count = detail::size_of(keys);
  detail::require_room(detail::size_of(indices), count);
  detail::require_countable<std::ranges::range_value_t<Indices>>(count);
  const auto* const data = detail::address_of(std::ranges::begin(keys));
  auto* const index_data = detail::address_of(std::ranges::begin(indices));
  detail::require_on_host(data, count);
  detail::require_on_host(index_data, count);
  host::buffer<key> copies{count};
  host::parallel_relocate<host::default_tuning>(copies.data(), const_cast<key*>(data), count);
  std::iota(index_data, index_data + count, std::ranges::range_value_t<Indices>{0});
  detail::sort_columns_on_devices<true>(policy, ids, count, detail::given<default_less<Keys>>(compare),
                                        detail::given<std::identity>(projection), copies.data(), index_data);
  return detail::advanced(std::ranges::begin(indices), count);
}

template <class Policy, class Key, index_integer Integer, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, Key*, Key*>
void on_devices(std::type_identity<argsort_function>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<Key>& keys, const partitioned<Integer>& indices, const Compare& compare = {},
                const Projection& projection = {}) {
  const auto find = [&](communicator& ranks, const execution_options& own) {
    const std::size_t r = ranks.rank();
    detail::over_ranks(std::type_identity<argsort_function>{}, fixed_policy<Policy::where>{own}, ranks, keys.spans[r],
                       indices.spans[r], compare, projection);
  };
  detail::call_on_partitioned(policy, ids, find, keys, indices);
}

/// For sequences and output in host memory: each device merges the pieces that make up its part of the output.
template <class Policy, class T, class Compare, class Projection>
void merge_on_devices(const Policy& policy, const std::vector<int>& ids, std::size_t a_count, std::size_t b_count,
                      const Compare& compare, const Projection& projection, const merged_part<T>& all) {
  const std::size_t count = a_count + b_count;
  detail::require_mergeable(all, a_count, b_count, count);
  detail::require_on_host(all.a, a_count);
  detail::require_on_host(all.b, b_count);
  detail::require_on_host(all.output, count);

  const std::array<host::sequence<const T*>, 2> sequences{{{all.a, a_count}, {all.b, b_count}}};
  const host::partition_of parts{count, ids.size()};
  const element_less<T, Compare, Projection> less{compare, projection};
  std::vector<std::size_t> a_cuts{0}, b_cuts{0};
  for (std::size_t r = 0; r < ids.size(); ++r) {
    std::array<std::size_t, 2> cut{}, low{}, high{};
    host::select_multiway(sequences.data(), 2, parts.end(r), cut.data(), low.data(), high.data(), less);
    // With an inconsistent order, any cut may have been found.
    a_cuts.push_back(std::clamp(cut[0], a_cuts[r], a_cuts[r] + parts.end(r) - parts.begin(r)));
    b_cuts.push_back(parts.end(r) - a_cuts.back());
  }
  detail::with_progress(policy, [&](const execution_options& options) {
    detail::on_each_device(ids, detail::options_on_devices(options), [&](std::size_t r, const execution_options& own) {
      const merged_part<T> mine{all.a + a_cuts[r], all.b + b_cuts[r], all.output + parts.begin(r)};
      detail::merge_part<residence::ask, Policy::where>(own, a_cuts[r + 1] - a_cuts[r], b_cuts[r + 1] - b_cuts[r],
                                                        compare, projection, mine);
    });
  });
}

template <class Policy, part_range A, part_range B, part_iterator Output, class Compare = left_out,
          class Projection = left_out>
  requires part_output<Output, std::ranges::range_value_t<A>> &&
           std::same_as<std::ranges::range_value_t<A>, std::ranges::range_value_t<B>> &&
           ordered_by<Compare, Projection, std::ranges::iterator_t<A>, A>
std::ranges::merge_result<std::ranges::borrowed_iterator_t<A>, std::ranges::borrowed_iterator_t<B>, Output> on_devices(
    std::type_identity<merge_function>, const Policy& policy, const std::vector<int>& ids, A&& a, B&& b, Output output,
    const Compare& compare = {}, const Projection& projection = {}) {
  const std::size_t a_count = detail::size_of(a), b_count = detail::size_of(b);
  detail::merge_on_devices(policy, ids, a_count, b_count, detail::given<default_less<A>>(compare),
                           detail::given<std::identity>(projection),
                           merged_part<std::ranges::range_value_t<A>>{detail::address_of(std::ranges::begin(a)),
                                                                      detail::address_of(std::ranges::begin(b)),
                                                                      detail::address_of(output)});
  return {detail::advanced(std::ranges::begin(a), a_count), detail::advanced(std::ranges::begin(b), b_count),
          detail::advanced(output, a_count + b_count)};
}

template <class Policy, part_iterator A, end_of<A> EndA, part_iterator B, end_of<B> EndB, part_iterator Output,
          class Compare = left_out, class Projection = left_out>
  requires part_output<Output, std::iter_value_t<A>> && std::same_as<std::iter_value_t<A>, std::iter_value_t<B>> &&
           ordered_by<Compare, Projection, A, A>
Output on_devices(std::type_identity<merge_function>, const Policy& policy, const std::vector<int>& ids, A a_first,
                  EndA a_last, B b_first, EndB b_last, Output output, const Compare& compare = {},
                  const Projection& projection = {}) {
  const std::size_t a_count = detail::count_of(a_first, a_last), b_count = detail::count_of(b_first, b_last);
  detail::merge_on_devices(policy, ids, a_count, b_count, detail::given<default_less<A>>(compare),
                           detail::given<std::identity>(projection),
                           merged_part<std::iter_value_t<A>>{detail::address_of(a_first), detail::address_of(b_first),
                                                             detail::address_of(output)});
  return detail::advanced(output, a_count + b_count);
}

template <class Policy, class T, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, T*, T*>
void on_devices(std::type_identity<merge_function>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<T>& a, const partitioned<T>& b, const partitioned<T>& output,
                const Compare& compare = {}, const Projection& projection = {}) {
  detail::call_with_spans<merge_function>(policy, ids, compare, projection, a, b, output);
}

/// Value columns are at least as long as their keys.
template <class Policy, class Key, class Value, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, Key*, Key*>
void on_devices(std::type_identity<merge_by_key_function>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<Key>& a, const partitioned<Key>& b, const partitioned<Value>& a_values,
                const partitioned<Value>& b_values, const partitioned<Key>& output,
                const partitioned<Value>& output_values, const Compare& compare = {},
                const Projection& projection = {}) {
  const auto merge = [&](communicator& ranks, const execution_options& own) {
    const std::size_t r = ranks.rank();
    detail::agreed(ranks, [&] {
      detail::require_room(a_values.spans[r].size(), a.spans[r].size());
      detail::require_room(b_values.spans[r].size(), b.spans[r].size());
    });
    detail::over_ranks(std::type_identity<merge_by_key_function>{}, fixed_policy<Policy::where>{own}, ranks,
                       a.spans[r].begin(), a.spans[r].end(), b.spans[r].begin(), b.spans[r].end(),
                       a_values.spans[r].begin(), b_values.spans[r].begin(), output.spans[r], output_values.spans[r],
                       compare, projection);
  };
  detail::call_on_partitioned(policy, ids, merge, a, b, a_values, b_values, output, output_values);
}

/// Sorts from spans of any lengths to others with room for a device's share; the contents of the former are then
/// unspecified.
template <class Policy, class T, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, T*, T*>
void on_devices(std::type_identity<sort_balanced_function>, const Policy& policy, const std::vector<int>& ids,
                const partitioned<T>& parts, const partitioned<T>& output, const Compare& compare = {},
                const Projection& projection = {}) {
  const auto sort = [&](communicator& ranks, const execution_options& own) {
    const auto &from = parts.spans[ranks.rank()], &to = output.spans[ranks.rank()];
    const auto call = detail::enter("sort_balanced", [&] { return detail::with_memory(from.size(), from.data()); });
    const auto room = [&](std::size_t count) {
      detail::require_room(to.size(), count);
      detail::require_memory(to.data(), count);
      detail::require_disjoint(from.data(), from.size(), to.data(), count);
      return to.data();
    };
    detail::sort_balanced_over<residence::device, Policy::where>(ranks, own, call, from.data(), room,
                                                                 detail::given<default_less<T*>>(compare),
                                                                 detail::given<std::identity>(projection));
  };
  detail::call_on_partitioned(policy, ids, sort, parts, output);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
