// The requirements of the algorithms on iterators, comparators and projections. Failures of these concepts are the
// first thing a user reads after a mistake, so their names state what is wrong.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>

#include "../config.hpp"
#include "lambda.hpp"
#include "thrust.hpp"

namespace gpu::inline v1::detail {

template <class Iterator>
concept standard_random_access_iterator = requires {
  typename std::iterator_traits<Iterator>::iterator_category;
  requires std::derived_from<typename std::iterator_traits<Iterator>::iterator_category,
                             std::random_access_iterator_tag>;
};

/// Random access in the sense of C++20 or of C++17 (which std::sort requires), to elements that the host or kernels can
/// access.
template <class Iterator>
concept random_access_iterator = (std::random_access_iterator<Iterator> || standard_random_access_iterator<Iterator>) &&
                                 !fancy_device_elements<Iterator>;

/// The type of `*it`, where `it` is the plain iterator.
template <class Iterator>
using reference_of = std::iter_reference_t<plain_iterator_t<Iterator>>;

/// An end whose distance from the beginning is known at once.
template <class Sentinel, class Iterator>
concept sized_end_of = requires(const Sentinel& last, const Iterator& first) {
  { last - first } -> std::convertible_to<std::ptrdiff_t>;
};

/// An end of any kind; if its distance is not known, it is searched for from the beginning.
template <class Sentinel, class Iterator>
concept end_of = sized_end_of<Sentinel, Iterator> || std::sentinel_for<Sentinel, Iterator>;

/// An end as an argument of a call with columns, where an array is the next column and not an end.
template <class Argument, class Iterator>
concept end_and_no_column_of = end_of<std::decay_t<Argument>, Iterator> && !std::is_array_v<Argument>;

template <class Range>
concept random_access_range = std::ranges::range<Range> && random_access_iterator<std::ranges::iterator_t<Range>>;

/// Elements can be moved out and in. More general than std::permutable, so that std::vector<bool> and user-defined
/// proxies of C++17 are accepted.
template <class Iterator>
concept rearrangeable =
    random_access_iterator<Iterator> && requires(plain_iterator_t<Iterator> it, std::iter_value_t<Iterator> value) {
      *it = std::move(value);
      std::iter_value_t<Iterator>(std::ranges::iter_move(it));
    };

/// An iterator to which elements can be written one after the other: an output iterator of C++17 or C++20, possibly
/// move-only.
template <class Output, class Iterator>
concept output_for = std::move_constructible<Output> && !fancy_device_elements<Output> &&
                     requires(plain_iterator_t<Output>& output, plain_iterator_t<Iterator>& element) {
                       *output = *element;
                       ++output;
                     };

/// The type that is compared in a sequence: its elements, or the proxies for them if constructing an element from a
/// proxy is expensive or impossible.
template <class Iterator>
using compared_element = std::conditional_t<std::is_reference_v<reference_of<Iterator>> ||
                                                std::is_trivially_copyable_v<std::iter_value_t<Iterator>>,
                                            std::iter_value_t<Iterator>, std::remove_cv_t<reference_of<Iterator>>>;

template <class Projection, class Iterator>
concept callable_projection = is_device_lambda_v<Projection> || std::invocable<Projection&, reference_of<Iterator>>;

/// Callable with a result that is convertible to bool, possibly only explicitly.
template <class Callable, class... Arguments>
concept says_whether = std::invocable<Callable, Arguments...> &&
                       std::constructible_from<bool, std::invoke_result_t<Callable, Arguments...>>;

/// A comparator that can be called with two projected elements.
template <class Compare, class Projection, class Iterator>
concept callable_comparator = is_device_lambda_v<Compare> || is_device_lambda_v<Projection> ||
                              says_whether<Compare&, std::invoke_result_t<Projection&, reference_of<Iterator>>,
                                           std::invoke_result_t<Projection&, reference_of<Iterator>>>;

/// The reference type of the elements of an iterator or a range, and the type of an lvalue of these elements.
template <class Elements>
struct element_types {
  using reference = void;
  using value = void;
};
template <class Elements>
  requires std::ranges::range<Elements>
struct element_types<Elements> {
  using reference = reference_of<std::ranges::iterator_t<Elements>>;
  using value = std::ranges::range_value_t<Elements>&;
};
template <class Elements>
  requires(!std::ranges::range<Elements>) && requires(Elements& it) { *it; }
struct element_types<Elements> {
  using reference = decltype(*std::declval<plain_iterator_t<Elements>&>());
  using value = std::iter_value_t<Elements>&;
};

template <class Compare, class T>
concept compares_two = says_whether<Compare&, T, T>;

/// The default order of the elements of an iterator or a range: std::ranges::less, which requires all six comparisons,
/// or operator< alone if there is nothing more, as in the iterator overloads of the standard. Proxies may have more
/// comparisons than the values, which are compared, too, so both are checked.
template <class Elements, class Reference = typename element_types<Elements>::reference,
          class Value = typename element_types<Elements>::value>
using default_less =
    std::conditional_t<!(compares_two<std::ranges::less, Reference> && compares_two<std::ranges::less, Value>) &&
                           compares_two<std::less<>, Reference>,
                       std::less<>, std::ranges::less>;

/// The default comparison between elements of two sequences: whether an element of the second goes before one of the
/// first.
template <class Elements1, class Elements2, class Reference1 = typename element_types<Elements1>::reference,
          class Reference2 = typename element_types<Elements2>::reference>
using default_less_between = std::conditional_t<!std::predicate<std::ranges::less&, Reference2, Reference1> &&
                                                    says_whether<std::less<>&, Reference2, Reference1>,
                                                std::less<>, std::ranges::less>;

/// A comparator that returns, for projected elements, whether one of the second sequence goes before one of the first,
/// which is all that merges need.
template <class Compare, class Projection1, class Iterator1, class Projection2, class Iterator2>
concept callable_comparator_between =
    is_device_lambda_v<Compare> || is_device_lambda_v<Projection1> || is_device_lambda_v<Projection2> ||
    says_whether<Compare&, std::invoke_result_t<Projection2&, reference_of<Iterator2>>,
                 std::invoke_result_t<Projection1&, reference_of<Iterator1>>>;

/// Neighbouring elements may share a word, as those of std::vector<bool> do: two threads must not write them at once.
template <class Iterator>
inline constexpr bool shares_words_v = false;
template <class Iterator>
  requires std::same_as<std::iter_value_t<Iterator>, bool> && (!std::is_reference_v<reference_of<Iterator>>)
inline constexpr bool shares_words_v<Iterator> = true;

/// Whether the result of merging `Input` can be copied into elements of their own and these be written to the output.
template <class Output, class Input>
concept filled_from_copy_of = requires(plain_iterator_t<Output>& output, std::iter_value_t<Input>&& element) {
  *output = static_cast<std::iter_value_t<Input>&&>(element);
  requires std::constructible_from<std::iter_value_t<Input>, reference_of<Input>>;
};

/// Whether a merge can write the elements of the output in any order, from several threads.
template <class Output>
inline constexpr bool written_anywhere_v = random_access_iterator<Output> && !shares_words_v<Output>;

/// Contiguous elements that may be read and written as such, unlike volatile ones, which must be accessed one by one.
template <class Iterator>
inline constexpr bool is_contiguous_v =
    (std::contiguous_iterator<plain_iterator_t<Iterator>> || std::is_pointer_v<plain_iterator_t<Iterator>>) &&
    !std::is_volatile_v<std::remove_reference_t<reference_of<Iterator>>>;

/// The address of the first element. An empty range may hold null; an end iterator is never dereferenced.
template <class Iterator>
  requires is_contiguous_v<Iterator>
constexpr auto address_of(Iterator it) noexcept {
  if constexpr (wraps_pointer<Iterator>)
    return detail::unwrap(it);
  else
    return std::to_address(it);
}

}  // namespace gpu::inline v1::detail
