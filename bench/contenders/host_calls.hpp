// Shared by the sorting libraries for the CPU, which have the interface of <algorithm>. A Library is a class with
// static sort, stable_sort, merge and transform, and optionally multiway_merge; or with sort, transform and only_sorts
// = true.
#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "../contender.hpp"
#include "../elements.hpp"

namespace bench {

/// Whether a library only sorts, not stably.
template <class Library>
inline constexpr bool only_sorts = requires { Library::only_sorts; };

/// Sorts keys and values as users of <algorithm> do: as pairs.
template <class Library, class Key, class Value>
void sort_pairs(Key* keys, Value* values, std::size_t n, bool stable) {
  struct row {
    Key key;
    Value value;
  };
  std::vector<row> both(n);
  Library::transform(keys, keys + n, values, both.begin(), [](Key key, Value value) { return row{key, value}; });
  const auto by_key = [](const row& left, const row& right) { return left.key < right.key; };
  if constexpr (!only_sorts<Library>)
    stable ? Library::stable_sort(both.begin(), both.end(), by_key) : Library::sort(both.begin(), both.end(), by_key);
  else
    Library::sort(both.begin(), both.end(), by_key);
  Library::transform(both.begin(), both.end(), keys, [](const row& from) { return from.key; });
  Library::transform(both.begin(), both.end(), values, [](const row& from) { return from.value; });
}

template <class Library, class Key, class Value>
outcome run_host_pairs(const problem& asked, const arrays& on) {
  auto* const keys = static_cast<Key*>(on.keys);
  auto* const values = static_cast<Value*>(on.values);
  if constexpr (!only_sorts<Library>)
    if (asked.what == operation::argsort) {
      std::iota(values, values + asked.n, Value{0});
      Library::stable_sort(values, values + asked.n, [=](Value a, Value b) { return keys[a] < keys[b]; });
      return {keys, values};
    }
  sort_pairs<Library>(keys, values, asked.n, is_stable(asked.what));
  return {keys, values};
}

/// Whether a library can check and merge sorted data in place.
template <class Library>
inline constexpr bool works_in_place = requires { &Library::template inplace_merge<int*>; };

template <class Library, class Key>
outcome merge_host_keys(const problem& asked, Key* keys, Key* out) {
  const std::size_t n = asked.n, length = (n + asked.ways - 1) / asked.ways;
  if (asked.what == operation::inplace_merge) {
    if constexpr (works_in_place<Library>) Library::inplace_merge(keys, keys + length, keys + n);
    return {keys, nullptr};
  }
  if (asked.what == operation::merge) {
    Library::merge(keys, keys + length, keys + length, keys + n, out, std::less<>{});
  } else if constexpr (requires { &Library::template multiway_merge<Key>; }) {
    std::vector<std::pair<Key*, Key*>> sequences;
    for (std::size_t begin = 0; begin < n; begin += length)
      sequences.emplace_back(keys + begin, keys + (n - begin < length ? n : begin + length));
    Library::template multiway_merge<Key>(sequences, out, n);
  }
  return {out, nullptr};
}

template <class Library, class Key>
outcome select_host_keys(const problem& asked, Key* keys, Key* out) {
  if constexpr (requires { &Library::template nth_element<Key*>; }) {
    if (asked.what == operation::nth_element)
      Library::nth_element(keys, keys + asked.n / 2, keys + asked.n);
    else if (asked.what == operation::partial_sort)
      Library::partial_sort(keys, keys + asked.ways, keys + asked.n);
    else
      Library::partial_sort_copy(keys, keys + asked.n, out, out + asked.ways);
  }
  return {keys, nullptr};
}

template <class Library, class Key>
outcome run_host_keys(const problem& asked, const arrays& on) {
  auto* const keys = static_cast<Key*>(on.keys);
  if constexpr (is_string_v<Key>) {
    Library::sort(keys, keys + asked.n, std::less<>{});
  } else if constexpr (!std::is_arithmetic_v<Key>) {
    if constexpr (only_sorts<Library>)
      Library::sort(keys, keys + asked.n, less{});
    else if (asked.what == operation::stable_sort)
      Library::stable_sort(keys, keys + asked.n, less{});
    else
      Library::sort(keys, keys + asked.n, less{});
  } else if constexpr (only_sorts<Library>) {
    Library::sort(keys, keys + asked.n, std::less<>{});
  } else if (is_selection(asked.what)) {
    return select_host_keys<Library>(asked, keys, static_cast<Key*>(on.other_keys));
  } else if (asked.what == operation::is_sorted) {
    if constexpr (works_in_place<Library>) (void)Library::is_sorted(keys, keys + asked.n);
  } else if (is_merge(asked.what)) {
    return merge_host_keys<Library>(asked, keys, static_cast<Key*>(on.other_keys));
  } else if (asked.what == operation::stable_sort) {
    Library::stable_sort(keys, keys + asked.n, std::less<>{});
  } else {
    Library::sort(keys, keys + asked.n, std::less<>{});
  }
  return {keys, nullptr};
}

/// offer() of a contender.
template <class Library>
preparation offer_host(const problem& asked) {
  using elements = element_list<element<std::uint32_t>, element<std::uint64_t>, element<std::int32_t>, element<double>,
                                element<u32x2>, element<record<16>>, element<record100>, element<std::string>,
                                element<std::string_view>, element<owner>, element<std::uint32_t, std::uint32_t>,
                                element<std::uint64_t, std::uint64_t>>;
  constexpr bool merges_many = requires { &Library::template multiway_merge<int>; };
  if (asked.what == operation::multiway_merge && !merges_many) return {};
  if (asked.what == operation::call_latency || is_segmented(asked.what) || asked.what == operation::arg_top_k ||
      asked.what == operation::merge_by_key || asked.what == operation::gather)
    return {};
  if (!works_in_place<Library> && (asked.what == operation::is_sorted || asked.what == operation::inplace_merge))
    return {};
  if (is_selection(asked.what) && !requires { &Library::template nth_element<int*>; }) return {};
  if (only_sorts<Library> && (is_merge(asked.what) || is_stable(asked.what) || asked.what == operation::argsort))
    return {};
  return with_element<preparation>(asked.element(), elements{},
                                   [&]<class Key, class Value>(element<Key, Value>) -> preparation {
                                     if (!is_asked_of<Key>(asked.what)) return {};
                                     return [asked] {
                                       return prepared{[asked](const arrays& on) {
                                                         if constexpr (element<Key, Value>::has_values)
                                                           return run_host_pairs<Library, Key, Value>(asked, on);
                                                         else
                                                           return run_host_keys<Library, Key>(asked, on);
                                                       },
                                                       {},
                                                       !is_selection(asked.what)};
                                     };
                                   });
}

}  // namespace bench
