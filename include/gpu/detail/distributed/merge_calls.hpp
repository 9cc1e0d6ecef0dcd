// Merging two sorted sequences distributed over ranks, each of which holds a part of both. Exact splitters, found for
// both sequences at once, determine which elements belong to which rank; the elements that a rank receives of one
// sequence are sorted if taken in the order of ranks; it then merges the two.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../merge.hpp"
#include "calls.hpp"

namespace gpu::inline v1::detail {

/// A column of a rank's parts of two sequences, and of its part of their merge.
template <class T>
struct merged_part {
  const T* a;
  const T* b;
  T* output;
};

/// The output of a merge: an iterator, to which a rank writes as many elements as it had before, or a range, which is
/// filled.
template <class Output, class T>
concept part_output =
    (part_iterator<std::remove_cvref_t<Output>> && std::same_as<std::iter_value_t<std::remove_cvref_t<Output>>, T>) ||
    (part_range<Output> && std::same_as<std::ranges::range_value_t<Output>, T>);

template <class Output>
auto output_begin(Output& output) {
  if constexpr (std::ranges::range<Output>)
    return std::ranges::begin(output);
  else
    return output;
}
template <class Output>
using output_iterator = decltype(detail::output_begin(std::declval<Output&>()));
template <class Output>
std::size_t output_size(Output& output, std::size_t before) {
  if constexpr (std::ranges::range<Output>)
    return detail::size_of(output);
  else
    return before;
}

/// The elements of both sequences that a rank receives of a column, one sequence after the other.
template <class T>
class received_pair {
 public:
  explicit received_pair(const merged_part<T>& part) : part_{part} {}

  void make_room(std::size_t a_count, std::size_t b_count, const execution_options& options) {
    a_count_ = a_count;
    memory_.emplace(detail::locate(part_.output), (a_count + b_count) * sizeof(T), alignof(T), options);
  }
  void exchange(communicator& ranks, const std::vector<flows>& found, bool on_device,
                const execution_options& options) {
    detail::exchange_elements(ranks, found[0], part_.a, memory_->data(), on_device, options);
    detail::exchange_elements(ranks, found[1], part_.b, memory_->data() + a_count_ * sizeof(T), on_device, options);
  }
  [[nodiscard]] merged_part<T> part() const {
    const T* const first = reinterpret_cast<const T*>(memory_->data());
    return {first, first + a_count_, part_.output};
  }

 private:
  merged_part<T> part_;
  std::size_t a_count_ = 0;
  std::optional<rank_memory> memory_;
};

/// A rank's call of a merge; counting() returns its sizes before and after, and may throw.
template <class Counting>
rank_call enter_merge(std::string_view name, const Counting& counting) {
  rank_call call{name, 0, 0, nullptr};
  GPUPAR_TRY { std::tie(call.before, call.after) = counting(); }
  GPUPAR_CATCH(...) { call.refused = std::current_exception(); }
  return call;
}

/// Refuses null pointers and an output that overlaps an input.
template <class T>
void require_mergeable(const merged_part<T>& part, std::size_t a_count, std::size_t b_count, std::size_t after) {
  detail::require_memory(part.a, a_count);
  detail::require_memory(part.b, b_count);
  detail::require_memory(part.output, after);
  detail::require_disjoint(part.a, a_count, part.output, after);
  detail::require_disjoint(part.b, b_count, part.output, after);
}

inline namespace GPUPAR_UNIT {

/// Merges the elements of one rank, and moves a value column with them, if there is one.
template <residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void merge_part(const execution_options& options, std::size_t a_count, std::size_t b_count, const Compare& compare,
                const Projection& projection, const merged_part<Key>& keys, const merged_part<Values>&... values) {
  static_assert(sizeof...(Values) <= 1);
  using terms = call_terms<Memory, Where>;
  if constexpr (sizeof...(Values) == 0)
    detail::run_call(
        options, merge_call{terms{}, keys.a, a_count, keys.b, b_count, keys.output, compare, projection, projection});
  else
    (detail::run_call(options, merge_by_key_call{terms{}, keys.a, a_count, keys.b, b_count, values.a, values.b,
                                                 keys.output, values.output, compare, projection}),
     ...);
}

/// For each rank but the last, how many of this rank's elements go to that rank or to one before it: of the first
/// sequence, then of the second.
template <class Key, class Less>
std::vector<std::size_t> cut_both_among_ranks(communicator& ranks, const execution_options& options,
                                              const part_sizes& sizes, std::size_t a_count, std::size_t b_count,
                                              const merged_part<Key>& keys, const Less& less) {
  const auto targets = detail::targets_of(sizes);
  const std::size_t total = detail::sum_of(sizes.after);
  std::vector<std::size_t> cuts(2 * targets.size());
  detail::with_sorted_part(options, keys.a, a_count, less, [&](const sorted_part& a) {
    detail::with_sorted_part(options, keys.b, b_count, less, [&](const sorted_part& b) {
      const std::array both{a, b};
      detail::select_among_ranks(ranks, both, total, targets, cuts.data());
    });
  });
  return cuts;
}

/// Merges the sequences of all ranks. Inputs are not changed; after a failure, the contents of outputs are unspecified.
template <residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void merge_over(communicator& ranks, execution_options options, rank_call call, std::size_t a_count,
                std::size_t b_count, const Compare& compare, const Projection& projection, const merged_part<Key>& keys,
                const merged_part<Values>&... values) {
  const progress_listener done = detail::begin_phases(call, options);
  std::vector<column_memory> memory;
  const auto add = [&](const auto& part) {
    const std::size_t column = memory.size() / 3;
    memory.push_back({column, part.a, a_count});
    memory.push_back({column, part.b, b_count});
    memory.push_back({column, part.output, call.after});
  };
  add(keys);
  (add(values), ...);
  const part_sizes sizes = detail::introduce_memory<Compare, Projection, Key, Values...>(ranks, options, call, memory);
  if (ranks.size() == 1)
    return detail::agreed(ranks, [&] {
      detail::merge_part<Memory, Where>(options, a_count, b_count, compare, projection, keys, values...);
      done(1);
    });

  const element_less<Key, Compare, Projection> less{compare, projection};
  const auto cuts = detail::cut_both_among_ranks(ranks, options, sizes, a_count, b_count, keys, less);
  const auto found = detail::flows_of(ranks, sizes.after, std::array{a_count, b_count}, cuts);
  const std::size_t a_got = detail::sum_of(found[0].from), b_got = detail::sum_of(found[1].from);
  const auto with_room = [&](auto... columns) {
    detail::agreed(ranks, [&] { (columns.make_room(a_got, b_got, options), ...); });
    detail::exchange_columns(ranks, found, sizes.on_device, options, columns...);
    detail::agreed(ranks, [&] {
      detail::merge_part<Memory, Where>(options, a_got, b_got, compare, projection, columns.part()...);
      done(1);
    });
  };
  with_room(received_pair<Key>{keys}, received_pair<Values>{values}...);
}

/// Merges the sequences of all ranks; those of this rank begin at a and b, and counts() returns their lengths and may
/// throw.
template <residence Memory, placement Where, class Output, class A, class B, class Counts, class Compare,
          class Projection>
output_iterator<Output> merge_sequences(communicator& ranks, const execution_options& options, const A& a, const B& b,
                                        std::remove_reference_t<Output>& output, const Counts& counts,
                                        const Compare& compare, const Projection& projection) {
  const merged_part<std::iter_value_t<A>> part{detail::address_of(a), detail::address_of(b),
                                               detail::address_of(detail::output_begin(output))};
  std::size_t a_count = 0, b_count = 0;
  const auto call = detail::enter_merge("merge", [&] {
    std::tie(a_count, b_count) = counts();
    const std::size_t after = detail::output_size(output, a_count + b_count);
    detail::require_mergeable(part, a_count, b_count, after);
    return std::pair{a_count + b_count, after};
  });
  detail::merge_over<Memory, Where>(ranks, options, call, a_count, b_count, detail::given<default_less<A>>(compare),
                                    detail::given<std::identity>(projection), part);
  return detail::advanced(detail::output_begin(output), call.after);
}

template <class Policy, part_range A, part_range B, part_output<std::ranges::range_value_t<A>> Output,
          class Compare = left_out, class Projection = left_out>
  requires std::same_as<std::ranges::range_value_t<A>, std::ranges::range_value_t<B>> &&
           ordered_by<Compare, Projection, std::ranges::iterator_t<A>, A>
output_iterator<Output> over_ranks(std::type_identity<merge_function>, const Policy& policy, communicator& ranks, A&& a,
                                   B&& b, Output&& output, const Compare& compare = {},
                                   const Projection& projection = {}) {
  return detail::merge_sequences<residence_of<A, B, Output>, Policy::where, Output>(
      ranks, policy.options(), std::ranges::begin(a), std::ranges::begin(b), output,
      [&] { return std::pair{detail::size_of(a), detail::size_of(b)}; }, compare, projection);
}

template <class Policy, part_iterator A, end_of<A> EndA, part_iterator B, end_of<B> EndB,
          part_output<std::iter_value_t<A>> Output, class Compare = left_out, class Projection = left_out>
  requires std::same_as<std::iter_value_t<A>, std::iter_value_t<B>> && ordered_by<Compare, Projection, A, A>
output_iterator<Output> over_ranks(std::type_identity<merge_function>, const Policy& policy, communicator& ranks,
                                   A a_first, EndA a_last, B b_first, EndB b_last, Output&& output,
                                   const Compare& compare = {}, const Projection& projection = {}) {
  return detail::merge_sequences<residence_of<A, B, Output>, Policy::where, Output>(
      ranks, policy.options(), a_first, b_first, output,
      [&] { return std::pair{detail::count_of(a_first, a_last), detail::count_of(b_first, b_last)}; }, compare,
      projection);
}

template <class Policy, part_iterator KeysA, end_of<KeysA> EndA, part_iterator KeysB, end_of<KeysB> EndB,
          part_iterator ValuesA, part_iterator ValuesB, part_output<std::iter_value_t<KeysA>> KeysOut,
          part_output<std::iter_value_t<ValuesA>> ValuesOut, class Compare = left_out, class Projection = left_out>
  requires std::same_as<std::iter_value_t<KeysA>, std::iter_value_t<KeysB>> &&
           std::same_as<std::iter_value_t<ValuesA>, std::iter_value_t<ValuesB>> &&
           ordered_by<Compare, Projection, KeysA, KeysA>
std::pair<output_iterator<KeysOut>, output_iterator<ValuesOut>> over_ranks(
    std::type_identity<merge_by_key_function>, const Policy& policy, communicator& ranks, KeysA a_first, EndA a_last,
    KeysB b_first, EndB b_last, ValuesA a_values, ValuesB b_values, KeysOut&& keys_out, ValuesOut&& values_out,
    const Compare& compare = {}, const Projection& projection = {}) {
  const merged_part<std::iter_value_t<KeysA>> keys{detail::address_of(a_first), detail::address_of(b_first),
                                                   detail::address_of(detail::output_begin(keys_out))};
  const merged_part<std::iter_value_t<ValuesA>> values{detail::address_of(a_values), detail::address_of(b_values),
                                                       detail::address_of(detail::output_begin(values_out))};
  std::size_t a_count = 0, b_count = 0;
  const auto call = detail::enter_merge("merge_by_key", [&] {
    a_count = detail::count_of(a_first, a_last);
    b_count = detail::count_of(b_first, b_last);
    const std::size_t after = detail::output_size(keys_out, a_count + b_count);
    detail::require_room(detail::output_size(values_out, after), after);
    detail::require_mergeable(keys, a_count, b_count, after);
    detail::require_mergeable(values, a_count, b_count, after);
    return std::pair{a_count + b_count, after};
  });
  detail::merge_over<residence_of<KeysA, KeysB, ValuesA, ValuesB, KeysOut, ValuesOut>, Policy::where>(
      ranks, policy.options(), call, a_count, b_count, detail::given<default_less<KeysA>>(compare),
      detail::given<std::identity>(projection), keys, values);
  return {detail::advanced(detail::output_begin(keys_out), call.after),
          detail::advanced(detail::output_begin(values_out), call.after)};
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
