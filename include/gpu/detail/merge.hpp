// The merges between the public functions and the backends.
#pragma once

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "by_key.hpp"
#include "host/merge.hpp"
#include "host/multiway_merge.hpp"
#include "merge_output.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// The type as which keys of two sequences are compared by our own rule for natural orders: that of both, or what two
/// numbers are converted to of which one is floating; void if the comparator decides.
template <class OrderA, class OrderB, class A = typename OrderA::key, class B = typename OrderB::key>
struct common_key {
  static constexpr bool ordered_alike = OrderA::along != direction::unknown && OrderA::along == OrderB::along;
  static constexpr bool floating = std::is_floating_point_v<A> || std::is_floating_point_v<B>;
  static constexpr auto find() {
    if constexpr (ordered_alike && std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && floating)
      return std::type_identity<std::common_type_t<A, B>>{};
    else
      return std::type_identity<
          std::conditional_t<ordered_alike && OrderA::natural && std::is_same_v<A, B>, A, void>>{};
  }
  using type = typename decltype(find())::type;
};

/// Order between an element of the second sequence (first argument) and one of the first: all that merging asks.
template <class A, class B, class Compare, class ProjectionA, class ProjectionB>
struct between_less {
  [[no_unique_address]] mutable Compare compare;
  [[no_unique_address]] mutable ProjectionA projection_a;
  [[no_unique_address]] mutable ProjectionB projection_b;

  constexpr bool operator()(operand<B> b, operand<A> a) const {
    using order_a = ordering<A, Compare, ProjectionA>;
    using order_b = ordering<B, Compare, ProjectionB>;
    using key = typename common_key<order_a, order_b>::type;
    if constexpr ((order_a::compound || order_a::led) &&
                  std::is_same_v<typename order_a::projected, typename order_b::projected>)
      return order_a::traits::order(compare, detail::call(projection_b, b), detail::call(projection_a, a)) < 0;
    else if constexpr (std::is_void_v<key>)
      return detail::compared(compare, detail::call(projection_b, b), detail::call(projection_a, a));
    else if constexpr (order_a::along == direction::ascending)
      return detail::naturally_less<key>(static_cast<key>(detail::call(projection_b, b)),
                                         static_cast<key>(detail::call(projection_a, a)));
    else
      return detail::naturally_less<key>(static_cast<key>(detail::call(projection_a, a)),
                                         static_cast<key>(detail::call(projection_b, b)));
  }
};

inline namespace GPUPAR_UNIT {

/// The device way of a merge of sequences of one type into another range, by one comparator and projection.
template <class Compare, class Projection, placement Where, class Input, class... Others>
constexpr device_way way_of_merge() {
  using T = std::iter_value_t<Input>;
  constexpr device_way way = detail::way_of<T, Compare, Projection, Where>();
  if constexpr (!is_column_v<Input> || !(is_column_v<Others> && ...))
    return device_way::none;
  else
    return way == device_way::keys_by_index ? device_way::none : way;
}

/// The way of a merge of two sequences that need not be of one type: the kernels' must, and the output's.
template <class Compare, class ProjectionA, class ProjectionB, placement Where, class A, class B, class Output>
constexpr device_way way_of_merge_between() {
  if constexpr (is_column_v<Output> && std::is_same_v<ProjectionA, ProjectionB> &&
                std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>) {
    if constexpr (std::is_same_v<std::iter_value_t<A>, std::iter_value_t<Output>>)
      return detail::way_of_merge<Compare, ProjectionA, Where, A, B, Output>();
  }
  return device_way::none;
}

/// The way of a merge of keys with a column of values: inputs and output of each must be of one type.
template <class Compare, class Projection, placement Where, class KeysA, class KeysB, class KeysOut, class ValuesA,
          class ValuesB, class ValuesOut>
constexpr device_way way_of_merge_of_columns() {
  if constexpr (is_column_v<ValuesA> && is_column_v<ValuesB> && is_column_v<ValuesOut>)
    if constexpr (std::is_same_v<std::iter_value_t<ValuesA>, std::iter_value_t<ValuesB>> &&
                  std::is_same_v<std::iter_value_t<ValuesA>, std::iter_value_t<ValuesOut>>)
      return detail::way_of_merge_between<Compare, Projection, Projection, Where, KeysA, KeysB, KeysOut>();
  return device_way::none;
}

/// A merge of columns on the device, if that is where it belongs; false if the host shall do it. Inputs are of type
/// const T; `at` rules.
template <device_way Way, residence Memory, class T, class Compare, class Projection>
bool merge_on_device(const execution_options& options, operation what, const location& at, const merge_data& rows,
                     T* output, const Compare& compare, const Projection& projection) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.input_count; ++i) count += rows.inputs[i].count;
  auto work = detail::describe<Way, Memory, T, Compare, Projection>(what, at, count);
  work.value_columns = rows.value_columns;
  for (std::size_t c = 0; c < rows.value_columns; ++c) work.value_bytes += rows.output_values[c].element_bytes;
  const plan decided = detail::decide(work, options);
  bool done = false;
  if (decided.where == backend::device) {
    if constexpr (Way == device_way::precompiled) {
      const merge_request request{detail::keyed(output, compare, projection), rows};
      detail::announce(work, decided, [&](plan& told) {
        told.scratch_bytes = detail::staging_bytes(at, 2 * count * (work.element_bytes + work.value_bytes)) +
                             device_merge_scratch_bytes(request);
      });
      device_merge(request, options);
      done = true;
    }
#if defined(__CUDACC__)
    if constexpr (Way == device_way::instantiated) {
      detail::announce(work, decided);
      device::merge_elements(options, rows, output,
                             device::compare_elements<T, Compare, Projection>{compare, projection});
      done = true;
    }
#endif
  }
  if (!done) detail::announce(work, decided);
  (void)compare;
  return done;
}

/// A merge that only the host can do: refuses data out of its reach, and says where it runs.
template <residence Memory, class T, class Compare, class Projection>
void keep_on_host(const execution_options& options, operation what, const location& at, std::size_t count,
                  std::size_t value_bytes = 0) {
  auto work = detail::describe<device_way::none, Memory, T, Compare, Projection>(what, at, count);
  work.value_bytes = value_bytes;
  detail::announce(work, detail::decide(work, options));
}

/// Are two projections of one type the same one? Pointers to members of one type may still differ.
template <class ProjectionA, class ProjectionB>
bool same_projection(const ProjectionA& a, const ProjectionB& b) {
  if constexpr (!std::is_same_v<ProjectionA, ProjectionB>)
    return false;
  else if constexpr (std::is_member_object_pointer_v<ProjectionA>)
    return a == b;
  else
    return true;
}

template <residence Memory, placement Where, class A, class B, class Output, class Compare, class ProjectionA,
          class ProjectionB>
Output merge_two(const execution_options& options, const A& a, std::size_t a_count, const B& b, std::size_t b_count,
                 Output output, const Compare& compare, const ProjectionA& projection_a,
                 const ProjectionB& projection_b) {
  using T = std::iter_value_t<A>;
  const std::size_t count = a_count + b_count;
  detail::require_apart(a, a_count, output, count);
  detail::require_apart(b, b_count, output, count);
  if (count == 0) return output;

  constexpr device_way way = detail::way_of_merge_between<Compare, ProjectionA, ProjectionB, Where, A, B, Output>();
  detail::require_way<way, Where, Memory>();
  const std::array places{detail::locate_iterator(a), detail::locate_iterator(b), detail::locate_iterator(output)};
  const location at = detail::ruling_location(places);
  if (way == device_way::none || !detail::same_projection(projection_a, projection_b)) {
    detail::keep_on_host<Memory, T, Compare, ProjectionA>(options, operation::merge, at, count);
  } else if constexpr (way != device_way::none) {
    const std::array<merge_input, 2> inputs{{{detail::address_of(a), a_count}, {detail::address_of(b), b_count}}};
    const merge_data rows{inputs.data(), inputs.size(), places.data()};
    if (detail::merge_on_device<way, Memory>(options, operation::merge, at, rows, detail::address_of(output), compare,
                                             projection_a))
      return detail::advanced(output, count);
  }
  if constexpr (host_may_serve<Where, Memory, Compare, ProjectionA, ProjectionB>) {
    const between_less<compared_element<A>, compared_element<B>, Compare, ProjectionA, ProjectionB> less{
        compare, projection_a, projection_b};
    if constexpr (written_anywhere_v<Output>) {
      host::merge(a, a_count, b, b_count, output, less);
      return detail::advanced(output, count);
    } else if constexpr (std::is_same_v<T, std::iter_value_t<B>> && filled_from_copy_of<Output, A> &&
                         filled_from_copy_of<Output, B>) {
      return detail::merge_by_copy<A>(count, std::move(output),
                                      [&](auto* merged) { host::merge(a, a_count, b, b_count, merged, less); });
    } else {
      return detail::merge_one_by_one(a, a_count, b, b_count, std::move(output), less);
    }
  } else {
    refuse_device_callable();
  }
}

/// The places in the concatenation of two sequences of what their merge consists of.
template <class Index, class A, class B, class Less>
host::buffer<Index> merged_places(const A& a, std::size_t a_count, const B& b, std::size_t b_count, const Less& less) {
  const std::size_t count = a_count + b_count;
  const auto inputs = detail::identity_permutation<Index>(count);
  host::buffer<Index> merged{count};
  host::merge(inputs.data(), a_count, inputs.data() + a_count, b_count, merged.data(),
              [&](Index i, Index j) { return less(*detail::advanced(b, i - a_count), *detail::advanced(a, j)); });
  return merged;
}

template <residence Memory, placement Where, class KeysA, class KeysB, class ValuesA, class ValuesB, class KeysOut,
          class ValuesOut, class Compare, class Projection>
std::pair<KeysOut, ValuesOut> merge_columns(const execution_options& options, const KeysA& a, std::size_t a_count,
                                            const KeysB& b, std::size_t b_count, const ValuesA& a_values,
                                            const ValuesB& b_values, KeysOut keys_out, ValuesOut values_out,
                                            const Compare& compare, const Projection& projection) {
  using T = std::iter_value_t<KeysA>;
  const std::size_t count = a_count + b_count;
  detail::require_apart(a, a_count, keys_out, count);
  detail::require_apart(b, b_count, keys_out, count);
  detail::require_apart(a_values, a_count, values_out, count);
  detail::require_apart(b_values, b_count, values_out, count);
  if (count == 0) return {std::move(keys_out), std::move(values_out)};

  constexpr device_way way =
      detail::way_of_merge_of_columns<Compare, Projection, Where, KeysA, KeysB, KeysOut, ValuesA, ValuesB, ValuesOut>();
  detail::require_way<way, Where, Memory>();
  const std::array places{detail::locate_iterator(a),        detail::locate_iterator(a_values),
                          detail::locate_iterator(b),        detail::locate_iterator(b_values),
                          detail::locate_iterator(keys_out), detail::locate_iterator(values_out)};
  if constexpr (way == device_way::none) {
    detail::keep_on_host<Memory, T, Compare, Projection>(
        options, operation::merge_by_key, detail::ruling_location(places), count, sizeof(std::iter_value_t<ValuesA>));
  } else {
    const std::array<merge_input, 2> inputs{{{detail::address_of(a), a_count}, {detail::address_of(b), b_count}}};
    const std::array<const void*, 2> input_values{detail::address_of(a_values), detail::address_of(b_values)};
    const column output_values = detail::as_column(values_out);
    const merge_data rows{inputs.data(), inputs.size(), places.data(), input_values.data(), &output_values, 1};
    if (detail::merge_on_device<way, Memory>(options, operation::merge_by_key, detail::ruling_location(places), rows,
                                             detail::address_of(keys_out), compare, projection))
      return {detail::advanced(keys_out, count), detail::advanced(values_out, count)};
  }
  if constexpr (host_may_serve<Where, Memory, Compare, Projection>) {
    const between_less<compared_element<KeysA>, compared_element<KeysB>, Compare, Projection, Projection> less{
        compare, projection, projection};
    return detail::with_index(count, [&]<class Index>(Index) {
      const auto order = detail::merged_places<Index>(a, a_count, b, b_count, less);
      const auto write = [&](std::size_t i, auto&& key, auto&& value) {
        const Index from = order[i];
        if (from < a_count) {
          *key = *detail::advanced(a, from);
          *value = *detail::advanced(a_values, from);
        } else {
          *key = *detail::advanced(b, from - a_count);
          *value = *detail::advanced(b_values, from - a_count);
        }
      };
      if constexpr (written_anywhere_v<KeysOut> && written_anywhere_v<ValuesOut>) {
        host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            write(i, detail::advanced(keys_out, i), detail::advanced(values_out, i));
        });
        return std::pair<KeysOut, ValuesOut>{detail::advanced(keys_out, count), detail::advanced(values_out, count)};
      } else {
        for (std::size_t i = 0; i < count; ++i, static_cast<void>(++keys_out), static_cast<void>(++values_out))
          write(i, keys_out, values_out);
        return std::pair<KeysOut, ValuesOut>{std::move(keys_out), std::move(values_out)};
      }
    });
  } else {
    refuse_device_callable();
  }
}

/// Merges sequences[0, k) to the output.
template <residence Memory, placement Where, class Iterator, class Output, class Compare, class Projection>
Output merge_many(const execution_options& options, const std::vector<host::sequence<Iterator>>& sequences,
                  Output output, const Compare& compare, const Projection& projection) {
  using T = std::iter_value_t<Iterator>;
  std::size_t count = 0;
  for (const auto& sequence : sequences) count += sequence.count;
  for (const auto& sequence : sequences) detail::require_apart(sequence.first, sequence.count, output, count);
  if (count == 0) return output;

  constexpr device_way way =
      detail::way_of_merge_between<Compare, Projection, Projection, Where, Iterator, Iterator, Output>();
  detail::require_way<way, Where, Memory>();
  const location output_at = detail::locate_iterator(output);
  std::vector<location> places;
  places.reserve(sequences.size() + 1);
  for (const auto& sequence : sequences)
    places.push_back(sequence.count > 0 ? detail::locate_iterator(sequence.first) : output_at);
  places.push_back(output_at);
  const location at = ruling_location(places);
  if constexpr (way == device_way::none) {
    detail::keep_on_host<Memory, T, Compare, Projection>(options, operation::multiway_merge, at, count);
  } else {
    std::vector<merge_input> inputs;
    inputs.reserve(sequences.size());
    for (const auto& sequence : sequences) inputs.push_back({detail::address_of(sequence.first), sequence.count});
    const merge_data rows{inputs.data(), inputs.size(), places.data()};
    if (detail::merge_on_device<way, Memory>(options, operation::multiway_merge, at, rows, detail::address_of(output),
                                             compare, projection))
      return detail::advanced(output, count);
  }
  if constexpr (host_may_serve<Where, Memory, Compare, Projection>) {
    const element_less<compared_element<Iterator>, Compare, Projection> less{compare, projection};
    if constexpr (written_anywhere_v<Output>) {
      host::multiway_merge(sequences.data(), sequences.size(), output, less);
      return detail::advanced(output, count);
    } else {
      return detail::merge_by_copy<Iterator>(count, std::move(output), [&](auto* merged) {
        host::multiway_merge(sequences.data(), sequences.size(), merged, less);
      });
    }
  } else {
    refuse_device_callable();
  }
}

template <residence Memory, placement Where, class T, class Compare, class Projection>
void merge_in_place(const execution_options& options, T* data, std::size_t middle, std::size_t count,
                    const Compare& compare, const Projection& projection) {
  constexpr device_way full_way = detail::way_of<T, Compare, Projection, Where>();
  constexpr device_way way = full_way == device_way::keys_by_index ? device_way::none : full_way;
  detail::require_way<way, Where, Memory>();
  if (middle == 0 || middle == count) return;
  const auto work =
      detail::describe<way, Memory, T, Compare, Projection>(operation::inplace_merge, detail::locate(data), count);
  const plan decided = detail::decide(work, options);
  detail::announce(work, decided);
  if (decided.where == backend::device) {
    if constexpr (way == device_way::precompiled)
      return detail::device_inplace_merge(detail::keyed(data, compare, projection), middle, count, options);
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      return device::inplace_merge_elements(options, data, middle, count,
                                            device::compare_elements<T, Compare, Projection>{compare, projection});
#endif
  }
  if constexpr (host_may_serve<Where, Memory, Compare, Projection>)
    host::inplace_merge(data, middle, count, element_less<T, Compare, Projection>{compare, projection});
  else
    refuse_device_callable();
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
