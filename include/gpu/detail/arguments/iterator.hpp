// What the algorithms ask of iterators, comparators and projections. Failures of these concepts are what a user reads
// first after a mistake, so their names say what is wrong.
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

/// Random access in the sense of C++20 or of C++17 (which std::sort asks for), to elements that someone can sort.
template <class Iterator>
concept random_access_iterator = (std::random_access_iterator<Iterator> || standard_random_access_iterator<Iterator>) &&
                                 !fancy_device_elements<Iterator>;

/// What `*it` is, of what stands for the iterator.
template <class Iterator>
using reference_of = std::iter_reference_t<plain_iterator_t<Iterator>>;

/// An end whose distance from the beginning is known at once.
template <class Sentinel, class Iterator>
concept sized_end_of = requires(const Sentinel& last, const Iterator& first) {
  { last - first } -> std::convertible_to<std::ptrdiff_t>;
};

/// An end of any kind; one without a distance is looked for from the beginning.
template <class Sentinel, class Iterator>
concept end_of = sized_end_of<Sentinel, Iterator> || std::sentinel_for<Sentinel, Iterator>;

/// An end as an argument of a call with columns, where an array is the next column and no end.
template <class Argument, class Iterator>
concept end_and_no_column_of = end_of<std::decay_t<Argument>, Iterator> && !std::is_array_v<Argument>;

template <class Range>
concept random_access_range = std::ranges::range<Range> && random_access_iterator<std::ranges::iterator_t<Range>>;

/// Elements can be moved out and in: more general than std::permutable, so that std::vector<bool> and hand-made
/// proxies of C++17 are welcome.
template <class Iterator>
concept rearrangeable =
    random_access_iterator<Iterator> && requires(plain_iterator_t<Iterator> it, std::iter_value_t<Iterator> value) {
      *it = std::move(value);
      std::iter_value_t<Iterator>(std::ranges::iter_move(it));
    };

/// What elements can be written to one after the other: an output iterator of C++17 or of C++20, perhaps move-only.
template <class Output, class Iterator>
concept output_for = std::move_constructible<Output> && !fancy_device_elements<Output> &&
                     requires(plain_iterator_t<Output>& output, plain_iterator_t<Iterator>& element) {
                       *output = *element;
                       ++output;
                     };

/// What is compared of a sequence: its elements, or the proxies for them where making an element of one is dear, or not
/// possible.
template <class Iterator>
using compared_element = std::conditional_t<std::is_reference_v<reference_of<Iterator>> ||
                                                std::is_trivially_copyable_v<std::iter_value_t<Iterator>>,
                                            std::iter_value_t<Iterator>, std::remove_cv_t<reference_of<Iterator>>>;

template <class Projection, class Iterator>
concept callable_projection = is_device_lambda_v<Projection> || std::invocable<Projection&, reference_of<Iterator>>;

/// Callable, with a result that says yes or no: it converts to bool, if only when asked to.
template <class Callable, class... Arguments>
concept says_whether = std::invocable<Callable, Arguments...> &&
                       std::constructible_from<bool, std::invoke_result_t<Callable, Arguments...>>;

/// A comparator that can be called with two projected elements.
template <class Compare, class Projection, class Iterator>
concept callable_comparator = is_device_lambda_v<Compare> || is_device_lambda_v<Projection> ||
                              says_whether<Compare&, std::invoke_result_t<Projection&, reference_of<Iterator>>,
                                           std::invoke_result_t<Projection&, reference_of<Iterator>>>;

/// References to elements of an iterator or a range, and what they refer to.
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

/// The order without a comparator, of an iterator's or a range's elements: std::ranges::less, which asks for all six
/// comparisons, or operator< alone where there is no more, as the standard's iterator forms do. Proxies of references
/// may have more comparisons than the values, which are compared, too.
template <class Elements, class Reference = typename element_types<Elements>::reference,
          class Value = typename element_types<Elements>::value>
using default_less =
    std::conditional_t<!(compares_two<std::ranges::less, Reference> && compares_two<std::ranges::less, Value>) &&
                           compares_two<std::less<>, Reference>,
                       std::less<>, std::ranges::less>;

/// Which comparison orders elements of two sequences: whether an element of the second goes before one of the first.
template <class Elements1, class Elements2, class Reference1 = typename element_types<Elements1>::reference,
          class Reference2 = typename element_types<Elements2>::reference>
using default_less_between = std::conditional_t<!std::predicate<std::ranges::less&, Reference2, Reference1> &&
                                                    says_whether<std::less<>&, Reference2, Reference1>,
                                                std::less<>, std::ranges::less>;

/// A comparator that says of projected elements whether one of the second sequence goes before one of the first, which
/// is all that merges ask.
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

/// Whether a copy of a merge of `Input` can be written to the output, as elements of their own.
template <class Output, class Input>
concept filled_from_copy_of = requires(plain_iterator_t<Output>& output, std::iter_value_t<Input>&& element) {
  *output = static_cast<std::iter_value_t<Input>&&>(element);
  requires std::constructible_from<std::iter_value_t<Input>, reference_of<Input>>;
};

/// Whether a merge writes its elements in any order, from several threads.
template <class Output>
inline constexpr bool written_anywhere_v = random_access_iterator<Output> && !shares_words_v<Output>;

/// Elements side by side in memory that may be read and written as such: not one by one, as volatile ones ask.
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
