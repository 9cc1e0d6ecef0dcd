// The permutation that sorts a range, with a policy first: returned as a vector, or written to an output.
#pragma once

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "by.hpp"
#include "detail/arguments/arguments.hpp"
#include "detail/arguments/delegate.hpp"
#include "detail/calls/argsort.hpp"
#include "detail/keys/key_rows.hpp"
#include "detail/misuse/argsort.hpp"

namespace gpu::inline v1 {
namespace detail {

/// Identifies argsort to policies that carry out calls themselves, and calls it with other policies.
struct argsort_function {
  template <execution_policy Policy, class... Arguments>
  auto operator()(const Policy& policy,
                  Arguments&&... arguments) const -> decltype(argsort(policy, std::forward<Arguments>(arguments)...)) {
    return argsort(policy, std::forward<Arguments>(arguments)...);
  }
};

inline namespace GPUPAR_UNIT {

/// Determines an order by find(pointer to unsigned integers) and writes it. Returns the end of the written indices.
template <class Index, class Output, class Find>
Output write_order(std::size_t count, Output output, const Find& find) {
  if constexpr (index_iterator<Output>) {
    using integer = std::iter_value_t<Output>;
    using index = bits_of_size<sizeof(integer)>;
    detail::require_countable<integer>(count);
    if constexpr (is_contiguous_v<Output>) {
      find(reinterpret_cast<index*>(detail::address_of(output)));
    } else {
      host::buffer<index> order{count};
      find(order.data());
      std::copy_n(order.data(), count, output);
    }
    return detail::advanced(output, count);
  } else {
    using index = bits_of_size<sizeof(Index)>;
    detail::require_countable<Index>(count);
    host::buffer<index> order{count};
    find(order.data());
    for (std::size_t i = 0; i < count; ++i) {
      *output = static_cast<Index>(order[i]);
      ++output;
    }
    return output;
  }
}

template <class Index, class Find>
std::vector<Index> make_order(std::size_t count, const Find& find) {
  std::vector<Index> order;
  detail::require_countable<Index>(count);
  order.resize(count);
  find(reinterpret_cast<bits_of_size<sizeof(Index)>*>(order.data()));
  return order;
}

/// Returns a function that writes the sorting permutation of `count` keys to where its argument points.
template <residence Memory, class Policy, class Rows>
auto order_finder(const Policy& chosen, const Rows& keys, std::size_t count) {
  return [&chosen, keys, count](auto* indices) {
    detail::run_call(chosen, argsort_call{call_terms<Memory, Policy::where>{}, keys, count, indices});
  };
}

}  // namespace GPUPAR_UNIT

template <class Index, class... Arguments>
using mistake_in_argsort =
    first_mistake<unless<order_index<Index>, misuse::indices_must_be_writable_integers_of_32_or_64_bits>,
                  mistake_in<misuse_of_argsort, Arguments...>>;

}  // namespace detail

inline namespace GPUPAR_UNIT {

/// argsort(policy, keys_first, keys_last, indices_first, compare, projection),
/// argsort(policy, keys, indices, compare, projection) -> end of the written indices,
/// argsort<Index>(policy, keys_first, keys_last, compare, projection),
/// argsort<Index>(policy, keys, compare, projection) -> std::vector<Index>,
/// argsort<Index>(policy, std::tie(keys...), by(directions...), indices)
/// Writes or returns the permutation p for which keys[p[0]], keys[p[1]] … are sorted; the keys are not changed.
/// Indices are integers of 32 or 64 bits, written to a range, through an iterator, or to an output iterator; their type
/// is std::size_t unless specified otherwise. Several key columns are accepted as in sort_by_key; their indices are
/// written or returned in the same way. Throws gpu::error (errc::invalid_range) if indices are too narrow or too few.
template <class Index = std::size_t, execution_policy Policy, detail::random_access_iterator Keys,
          detail::end_and_no_column_of<Keys> Sentinel, detail::index_output<Index> Indices,
          class Compare = detail::default_less<Keys>, detail::callable_projection<Keys> Projection = std::identity>
  requires detail::callable_comparator<Compare, Projection, Keys>
Indices argsort(const Policy& policy, Keys keys_first, const Sentinel& keys_last, Indices indices, Compare compare = {},
                Projection projection = {}) {
  const std::size_t count = detail::count_of(keys_first, keys_last);
  return detail::write_order<Index>(count, std::move(indices),
                                    detail::order_finder<detail::residence_of<Keys, Indices>>(
                                        policy, detail::single_keys{keys_first, compare, projection}, count));
}

template <class Index = std::size_t, execution_policy Policy, detail::random_access_range Keys,
          detail::index_range Indices, class Compare = detail::default_less<Keys>,
          detail::callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
  requires detail::callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
std::ranges::borrowed_iterator_t<Indices> argsort(const Policy& policy, Keys&& keys, Indices&& indices,
                                                  Compare compare = {}, Projection projection = {}) {
  const std::size_t count = detail::size_of(keys);
  const auto first = std::ranges::begin(keys);
  detail::require_room(detail::size_of(indices), count);
  return detail::write_order<Index>(count, std::ranges::begin(indices),
                                    detail::order_finder<detail::residence_of<Keys, Indices>>(
                                        policy, detail::single_keys{first, compare, projection}, count));
}

template <class Index = std::size_t, execution_policy Policy, detail::random_access_range Keys,
          detail::index_output<Index> Indices, class Compare = detail::default_less<Keys>,
          detail::callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
  requires(!detail::end_and_no_column_of<Indices, std::decay_t<Keys>>) &&
          detail::callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
Indices argsort(const Policy& policy, Keys&& keys, Indices indices, Compare compare = {}, Projection projection = {}) {
  const std::size_t count = detail::size_of(keys);
  const auto first = std::ranges::begin(keys);
  return detail::write_order<Index>(count, std::move(indices),
                                    detail::order_finder<detail::residence_of<Keys, Indices>>(
                                        policy, detail::single_keys{first, compare, projection}, count));
}

template <detail::order_index Index = std::size_t, execution_policy Policy, detail::random_access_iterator Keys,
          detail::end_and_no_column_of<Keys> Sentinel, class Compare = detail::default_less<Keys>,
          detail::callable_projection<Keys> Projection = std::identity>
  requires detail::callable_comparator<Compare, Projection, Keys>
[[nodiscard]] std::vector<Index> argsort(const Policy& policy, Keys keys_first, const Sentinel& keys_last,
                                         Compare compare = {}, Projection projection = {}) {
  const std::size_t count = detail::count_of(keys_first, keys_last);
  return detail::make_order<Index>(count, detail::order_finder<detail::residence_of<Keys>>(
                                              policy, detail::single_keys{keys_first, compare, projection}, count));
}

template <detail::order_index Index = std::size_t, execution_policy Policy, detail::random_access_range Keys,
          class Compare = detail::default_less<Keys>,
          detail::callable_projection<std::ranges::iterator_t<Keys>> Projection = std::identity>
  requires detail::callable_comparator<Compare, Projection, std::ranges::iterator_t<Keys>>
[[nodiscard]] std::vector<Index> argsort(const Policy& policy, Keys&& keys, Compare compare = {},
                                         Projection projection = {}) {
  const std::size_t count = detail::size_of(keys);
  const auto first = std::ranges::begin(keys);
  return detail::make_order<Index>(count, detail::order_finder<detail::residence_of<Keys>>(
                                              policy, detail::single_keys{first, compare, projection}, count));
}

template <detail::order_index Index = std::size_t, execution_policy Policy, class Keys,
          class Directions = typename detail::directions_and_others<Keys>::directions>
  requires detail::key_columns_and_directions<false, Keys, Directions>
[[nodiscard]] std::vector<Index> argsort(const Policy& policy, const Keys& keys, const Directions& = {}) {
  return detail::with_rows<Directions>(keys, [&](const auto& rows, std::size_t count) {
    return detail::make_order<Index>(count,
                                     detail::order_finder<detail::residence_of_columns<Keys>>(policy, rows, count));
  });
}

template <class Index = std::size_t, execution_policy Policy, class Keys, class Directions, class Indices>
  requires detail::key_columns_and_directions<false, Keys, Directions> &&
           (detail::index_range<Indices> || detail::index_output<Indices, Index>)
auto argsort(const Policy& policy, const Keys& keys, const Directions&, Indices&& indices) {
  return detail::with_rows<Directions>(keys, [&](const auto& rows, std::size_t count) {
    const auto find = detail::order_finder<detail::residence_of_columns<Keys, Indices>>(policy, rows, count);
    if constexpr (std::ranges::range<Indices>) {
      detail::require_room(detail::size_of(indices), count);
      return detail::write_order<Index>(count, std::ranges::begin(indices), find);
    } else {
      return detail::write_order<Index>(count, std::forward<Indices>(indices), find);
    }
  });
}

template <class Index = std::size_t, execution_policy Policy, class Keys, class Indices>
  requires detail::key_columns_and_directions<false, Keys> &&
           (!detail::are_directions_v<std::remove_cvref_t<Indices>>) &&
           (detail::index_range<Indices> || detail::index_output<Indices, Index>)
auto argsort(const Policy& policy, const Keys& keys, Indices&& indices) {
  using directions = typename detail::directions_and_others<Keys>::directions;
  return gpu::argsort<Index>(policy, keys, directions{}, std::forward<Indices>(indices));
}

template <class Index = std::size_t, detail::carrying_policy Policy, class A1 = detail::left_out,
          class A2 = detail::left_out, class A3 = detail::left_out, class A4 = detail::left_out,
          class A5 = detail::left_out, class A6 = detail::left_out>
auto argsort(const Policy& policy, A1&& a1 = {}, A2&& a2 = {}, A3&& a3 = {}, A4&& a4 = {}, A5&& a5 = {}, A6&& a6 = {})
    -> decltype(detail::delegates<detail::argsort_function>{}(policy, std::forward<A1>(a1), std::forward<A2>(a2),
                                                              std::forward<A3>(a3), std::forward<A4>(a4),
                                                              std::forward<A5>(a5), std::forward<A6>(a6))) {
  return detail::delegates<detail::argsort_function>{}(policy, std::forward<A1>(a1), std::forward<A2>(a2),
                                                       std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
                                                       std::forward<A6>(a6));
}

#if defined(__clang__) && defined(__cpp_deleted_function)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
#endif

// Deleted overloads, one for each mistake.
#define GPUPAR_REFUSES(mistake, words)                                                                         \
  template <class Index = std::size_t, class Mistake = detail::misuse::mistake, class Policy,                  \
            class A1 = detail::misuse::none, class A2 = detail::misuse::none, class A3 = detail::misuse::none, \
            class A4 = detail::misuse::none, class A5 = detail::misuse::none>                                  \
    requires std::is_same_v<detail::mistake_in_argsort<Index, Policy, A1, A2, A3, A4, A5>, Mistake>            \
  detail::misuse::mistake argsort(Policy&&, A1&& = {}, A2&& = {}, A3&& = {}, A4&& = {}, A5&& = {}) =           \
      GPUPAR_DELETED(words)

GPUPAR_EACH_MISTAKE(GPUPAR_REFUSES);

#undef GPUPAR_REFUSES
#if defined(__clang__) && defined(__cpp_deleted_function)
#pragma clang diagnostic pop
#endif

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
