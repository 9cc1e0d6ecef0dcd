// Sorting: the standard's sort, stable_sort and is_sorted with a policy first; by key, by permutation and by index.
//
// Every function takes iterators or a range, then a comparator (default: std::ranges::less) and a projection (default:
// std::identity). Iterators must be random-access; elements in contiguous memory are sorted in place, others are moved
// into contiguous memory and back.
//
// Place: the device, if there is one, if this translation unit can compute the order there and if the work justifies
// the transfer; otherwise all CPU cores. explain() reports which. Data in device memory are sorted on the policy's
// stream; all other calls return when the result is complete.
// Floating-point keys: -0 and +0 are equivalent; NaN is greater than every number, whatever its sign.
// Errors: std::bad_alloc if memory runs out, gpu::error for everything else; host data are then unchanged. An exception
// thrown by a comparator reaches the caller with every element still in the range.
#pragma once

#include "argsort.hpp"
#include "by.hpp"
#include "detail/arguments/arguments.hpp"
#include "detail/arguments/delegate.hpp"
#include "detail/calls/by_key.hpp"
#include "detail/calls/indexed.hpp"
#include "detail/calls/prefix.hpp"
#include "detail/keys/key_rows.hpp"
#include "detail/misuse/sort.hpp"

namespace gpu::inline v1 {
namespace detail {
inline namespace GPUPAR_UNIT {

template <bool Stable>
struct sort_function : refuses_misuse<misuse_of_sort<true>>, delegates<sort_function<Stable>> {
  using refuses_misuse<misuse_of_sort<true>>::operator();
  using delegates<sort_function<Stable>>::operator();

  template <execution_policy Policy, rearrangeable Iterator, end_of<Iterator> Sentinel,
            class Compare = default_less<Iterator>, callable_projection<Iterator> Projection = std::identity>
    requires callable_comparator<Compare, Projection, Iterator>
  Iterator operator()(const Policy& policy, Iterator first, Sentinel last, Compare compare = {},
                      Projection projection = {}) const {
    const std::size_t count = detail::count_of(first, last);
    detail::run_call(policy, sort_call{call_terms<residence_of<Iterator>, Policy::where, Stable>{}, first, count,
                                       compare, projection});
    return detail::advanced(first, count);
  }

  template <execution_policy Policy, rearrangeable_range Range, class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  std::ranges::borrowed_iterator_t<Range> operator()(const Policy& policy, Range&& range, Compare compare = {},
                                                     Projection projection = {}) const {
    const auto first = std::ranges::begin(range);
    const std::size_t count = detail::size_of(range);
    detail::run_call(
        policy, sort_call{call_terms<residence_of<Range>, Policy::where, Stable>{}, first, count, compare, projection});
    return detail::advanced(first, count);
  }
};

template <bool Stable>
struct sort_by_key_function : refuses_misuse<misuse_of_sort_by_key>, delegates<sort_by_key_function<Stable>> {
  using refuses_misuse<misuse_of_sort_by_key>::operator();
  using delegates<sort_by_key_function<Stable>>::operator();

  /// An array is not taken as an end: it is the first value column if the keys are an array, too.
  template <execution_policy Policy, rearrangeable Keys, end_and_no_column_of<Keys> Sentinel, class... Arguments>
    requires columns_and_callable_comparator<iterators_and_order<Arguments...>, Keys>
  Keys operator()(const Policy& policy, Keys keys_first, const Sentinel& keys_last,
                  Arguments... values_and_order) const {
    const std::size_t count = detail::count_of(keys_first, keys_last);
    detail::with_columns_and_order<iterators_and_order<Arguments...>, Keys>(
        [&](const auto& compare, const auto& projection, const auto&... values) {
          constexpr residence memory = residence_of<Keys, std::remove_cvref_t<decltype(values)>...>;
          detail::run_call(policy, sort_by_key_call{call_terms<memory, Policy::where, Stable>{},
                                                    single_keys{keys_first, compare, projection}, count, values...});
        },
        values_and_order...);
    return detail::advanced(keys_first, count);
  }

  template <execution_policy Policy, rearrangeable_range Keys, class... Arguments>
    requires columns_and_callable_comparator<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>
  std::ranges::borrowed_iterator_t<Keys> operator()(const Policy& policy, Keys&& keys,
                                                    Arguments&&... values_and_order) const {
    const std::size_t count = detail::size_of(keys);
    const auto first = std::ranges::begin(keys);
    detail::with_columns_and_order<ranges_and_order<Arguments...>, std::ranges::iterator_t<Keys>>(
        [&](const auto& compare, const auto& projection, auto&... values) {
          (detail::require_room(detail::size_of(values), count), ...);
          constexpr residence memory = residence_of<Keys, decltype(values)...>;
          detail::run_call(
              policy, sort_by_key_call{call_terms<memory, Policy::where, Stable>{},
                                       single_keys{first, compare, projection}, count, std::ranges::begin(values)...});
        },
        values_and_order...);
    return detail::advanced(first, count);
  }

  template <execution_policy Policy, class Keys, rearrangeable_range... Values>
    requires key_columns_and_directions<true, Keys>
  void operator()(const Policy& policy, const Keys& keys, Values&&... values) const {
    using directions = typename directions_and_others<Keys>::directions;
    (*this)(policy, keys, directions{}, values...);
  }

  template <execution_policy Policy, class Keys, class... Compares, rearrangeable_range... Values>
    requires key_columns_and_directions<true, Keys, column_directions<Compares...>>
  void operator()(const Policy& policy, const Keys& keys, const column_directions<Compares...>&,
                  Values&&... values) const {
    detail::with_rows<column_directions<Compares...>>(keys, [&](const auto& rows, std::size_t count) {
      (detail::require_room(detail::size_of(values), count), ...);
      constexpr residence memory = residence_of_columns<Keys, Values...>;
      detail::run_call(policy, sort_by_key_call{call_terms<memory, Policy::where, Stable>{}, rows, count,
                                                std::ranges::begin(values)...});
    });
  }
};

struct is_sorted_until_function : refuses_misuse<misuse_of_sort<false>> {
  using refuses_misuse<misuse_of_sort<false>>::operator();

  template <execution_policy Policy, random_access_iterator Iterator, end_of<Iterator> Sentinel,
            class Compare = default_less<Iterator>, callable_projection<Iterator> Projection = std::identity>
    requires callable_comparator<Compare, Projection, Iterator>
  Iterator operator()(const Policy& policy, Iterator first, Sentinel last, Compare compare = {},
                      Projection projection = {}) const {
    const std::size_t count = detail::count_of(first, last);
    return detail::advanced(first, detail::sorted_prefix<residence_of<Iterator>, Policy::where>(
                                       policy.options(), single_keys{first, compare, projection}, count));
  }

  template <execution_policy Policy, random_access_range Range, class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  std::ranges::borrowed_iterator_t<Range> operator()(const Policy& policy, Range&& range, Compare compare = {},
                                                     Projection projection = {}) const {
    const auto first = std::ranges::begin(range);
    return detail::advanced(first,
                            detail::sorted_prefix<residence_of<Range>, Policy::where>(
                                policy.options(), single_keys{first, compare, projection}, detail::size_of(range)));
  }
};

struct is_sorted_function : refuses_misuse<misuse_of_sort<false>>, delegates<is_sorted_function> {
  using refuses_misuse<misuse_of_sort<false>>::operator();
  using delegates<is_sorted_function>::operator();

  template <execution_policy Policy, random_access_iterator Iterator, end_of<Iterator> Sentinel,
            class Compare = default_less<Iterator>, callable_projection<Iterator> Projection = std::identity>
    requires callable_comparator<Compare, Projection, Iterator>
  bool operator()(const Policy& policy, Iterator first, Sentinel last, Compare compare = {},
                  Projection projection = {}) const {
    const std::size_t count = detail::count_of(first, last);
    return detail::sorted_prefix<residence_of<Iterator>, Policy::where>(
               policy.options(), single_keys{first, compare, projection}, count) == count;
  }

  template <execution_policy Policy, random_access_range Range, class Compare = default_less<Range>,
            callable_projection<std::ranges::iterator_t<Range>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Range>>
  bool operator()(const Policy& policy, Range&& range, Compare compare = {}, Projection projection = {}) const {
    const auto first = std::ranges::begin(range);
    const std::size_t count = detail::size_of(range);
    return detail::sorted_prefix<residence_of<Range>, Policy::where>(
               policy.options(), single_keys{first, compare, projection}, count) == count;
  }

  template <execution_policy Policy, class Keys, class Directions = typename directions_and_others<Keys>::directions>
    requires key_columns_and_directions<false, Keys, Directions>
  bool operator()(const Policy& policy, const Keys& keys, const Directions& = {}) const {
    return detail::with_rows<Directions>(keys, [&](const auto& rows, std::size_t count) {
      return detail::sorted_prefix<residence_of_columns<Keys>, Policy::where>(policy.options(), rows, count) == count;
    });
  }
};

struct sort_indexed_function {
  template <execution_policy Policy, std::integral First, std::integral Last, class Compare, class Swap,
            class Index = std::common_type_t<First, Last>>
    requires(is_device_lambda_v<Compare> || says_whether<Compare&, Index, Index>) &&
            (is_device_lambda_v<Swap> || std::invocable<Swap&, Index, Index>)
  void operator()(const Policy& policy, First first, Last last, Compare compare, Swap swap) const {
    if (std::cmp_less(+last, +first)) refuse(errc::invalid_range, "the range ends before it begins: swap its indices");
    const auto count = static_cast<std::size_t>(last) - static_cast<std::size_t>(first);
    if (count < 2) return;
    detail::run_call(policy, sort_indexed_call{call_terms<residence::ask, Policy::where>{}, static_cast<Index>(first),
                                               count, std::move(compare), std::move(swap)});
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace detail

inline namespace GPUPAR_UNIT {

/// sort(policy, first, last, compare, projection), sort(policy, range, compare, projection) -> end of the range
/// Sorts; the order of equivalent elements is unspecified. O(n log n) work. Scratch of about n elements; if the device
/// has too little memory for that, device data are sorted in place by the bitonic network. Elements may be move-only;
/// any random-access iterator is accepted. With par_nosync, device data are sorted once the stream reaches that work.
inline constexpr detail::sort_function<false> sort{};

/// stable_sort(policy, first, last, compare, projection), stable_sort(policy, range, compare, projection)
///   -> end of the range
/// Sorts and keeps the order of equivalent elements. O(n log n) work. Scratch of about n elements, and std::bad_alloc
/// if it is not available, except for plain integers, where the order of equal ones cannot be observed. Elements may be
/// move-only; any random-access iterator is accepted. With par_nosync, device data are sorted once the stream reaches
/// that work.
inline constexpr detail::sort_function<true> stable_sort{};

/// sort_by_key(policy, keys_first, keys_last, values_first..., compare, projection),
/// sort_by_key(policy, keys, values..., compare, projection) -> end of the keys,
/// sort_by_key(policy, std::tie(keys...), by(directions...), values...)
/// Sorts the keys and moves the elements of every value column in the same way. Any number of columns of any types;
/// compare and projection apply to keys and may be omitted, but not given as {}. Columns hold at least as many elements
/// as there are keys; an array is always a column, never an end.
///
/// sort_by_key(policy, std::tie(keys…), by(directions…), values...)
/// Sorts the rows of several key columns, which are ranges of equal length: by the first column, rows with equal keys
/// there by the next, and so on, each in its direction; ascending if the directions are omitted. Any number of value
/// columns follow.
inline constexpr detail::sort_by_key_function<false> sort_by_key{};

/// stable_sort_by_key(policy, keys_first, keys_last, values_first..., compare, projection),
/// stable_sort_by_key(policy, keys, values..., compare, projection) -> end of the keys,
/// stable_sort_by_key(policy, std::tie(keys...), by(directions...), values...)
/// Sorts the keys, keeps the order of equivalent ones, and moves the elements of every value column in the same way.
/// Takes the same arguments as sort_by_key.
inline constexpr detail::sort_by_key_function<true> stable_sort_by_key{};

/// is_sorted_until(policy, first, last, compare, projection), (policy, range, …) -> end of the longest sorted prefix
/// O(n) comparisons. Synchronises with the stream if the data are on the device.
inline constexpr detail::is_sorted_until_function is_sorted_until{};

/// is_sorted(policy, first, last, compare, projection), (policy, range, …),
/// is_sorted(policy, std::tie(keys...), by(directions...)) -> bool
/// Whether is_sorted_until would return the end; of several key columns, whether sort_by_key would change nothing.
inline constexpr detail::is_sorted_function is_sorted{};

/// sort_indexed(policy, first, last, compare(i, j), swap(i, j))
/// Sorts any container that can be accessed by index, by the bitonic network with fetch and swap (Nguyen, 3.4):
/// compare(i, j) returns whether element i goes before element j, swap(i, j) exchanges them; both are called from
/// several threads at once, on disjoint pairs. O(n log^2 n) calls, in place, not stable. Runs on the host; in a .cu
/// with .require_device(), in kernels.
inline constexpr detail::sort_indexed_function sort_indexed{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
