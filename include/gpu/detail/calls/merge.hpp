// merge and inplace_merge, between the public functions and the backends, and the common base of merges.
#pragma once

#include <array>
#include <utility>

#include "../host/merge.hpp"
#include "../keys/keys.hpp"
#include "outputs.hpp"

namespace gpu::inline v1::detail {

/// The type in which keys of two sequences are compared by our own rule for natural orders: their common type if they
/// have the same one, or the type to which two numbers are converted if at least one is floating-point; void if the
/// comparator decides.
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

/// The order between an element of the second sequence (first argument) and one of the first, which is all that merging
/// needs.
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

/// The device way of a merge of two sequences whose types may differ: for kernels, inputs and output must be of one
/// type.
template <class Compare, class ProjectionA, class ProjectionB, placement Where, class A, class B, class Output>
constexpr device_way way_of_merge_between() {
  if constexpr (is_column_v<Output> && std::is_same_v<ProjectionA, ProjectionB> &&
                std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>) {
    if constexpr (std::is_same_v<std::iter_value_t<A>, std::iter_value_t<Output>>)
      return detail::way_of_merge<Compare, ProjectionA, Where, A, B, Output>();
  }
  return device_way::none;
}

/// Base of merges of whole sequences. Inputs are of type const T.
template <class Terms, device_way Way, class T, class Compare, class Projection>
struct call_of_merge : Terms {
  static constexpr device_way way = Way;

  std::size_t count;
  const Compare& compare;
  const Projection& projection;

  [[nodiscard]] workload describe_merge(operation what, const location& at, std::size_t value_columns = 0,
                                        std::size_t value_bytes = 0) const {
    auto work = detail::describe<call_of_merge, T, Compare, Projection>(what, at, count);
    work.value_columns = value_columns;
    work.value_bytes = value_bytes;
    return work;
  }
  void complete_merge(plan& decided, const location& at, const merge_data& rows, T* output) const {
    if constexpr (way == device_way::precompiled) {
      std::size_t row_bytes = sizeof(T);
      for (std::size_t c = 0; c < rows.value_columns; ++c) row_bytes += rows.output_values[c].element_bytes;
      decided.scratch_bytes = detail::staging_bytes(at, 2 * count * row_bytes) +
                              detail::device_merge_scratch_bytes({detail::keyed(output, compare, projection), rows});
    }
    (void)decided, (void)at, (void)rows, (void)output;
  }
  void merge_on_device(const merge_data& rows, T* output, const execution_options& options) const {
    if constexpr (way == device_way::precompiled)
      detail::device_merge({detail::keyed(output, compare, projection), rows}, options);
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      device::merge_elements(options, rows, output,
                             device::compare_elements<T, Compare, Projection>{compare, projection});
#endif
    (void)rows, (void)output, (void)options;
  }
};

/// Whether two projections are the same. Member pointers of one type may still differ.
template <class ProjectionA, class ProjectionB>
bool same_projection(const ProjectionA& a, const ProjectionB& b) {
  if constexpr (!std::is_same_v<ProjectionA, ProjectionB>)
    return false;
  else if constexpr (std::is_member_object_pointer_v<ProjectionA>)
    return a == b;
  else
    return true;
}

/// Merges two sequences to `output`, which is then advanced to the end of the written elements.
template <class Terms, class A, class B, class Output, class Compare, class ProjectionA, class ProjectionB>
struct merge_call
    : call_of_merge<Terms,
                    detail::way_of_merge_between<Compare, ProjectionA, ProjectionB, Terms::where, A, B, Output>(),
                    std::iter_value_t<A>, Compare, ProjectionA> {
  using T = std::iter_value_t<A>;
  using base = typename merge_call::call_of_merge;
  using base::count, base::compare, base::way;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, ProjectionA, ProjectionB>;

  const A& a;
  std::size_t a_count;
  const B& b;
  std::size_t b_count;
  Output output;
  const ProjectionB& projection_b;

  merge_call(Terms, const A& given_a, std::size_t given_a_count, const B& given_b, std::size_t given_b_count,
             Output given_output, const Compare& given_compare, const ProjectionA& given_projection_a,
             const ProjectionB& given_projection_b)
      : base{{}, given_a_count + given_b_count, given_compare, given_projection_a},
        a{given_a},
        a_count{given_a_count},
        b{given_b},
        b_count{given_b_count},
        output{std::move(given_output)},
        projection_b{given_projection_b} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_disjoint(a, a_count, output, count);
    detail::require_disjoint(b, b_count, output, count);
    return count == 0;
  }
  [[nodiscard]] auto locations() const {
    return std::array{detail::locate_iterator(a), detail::locate_iterator(b), detail::locate_iterator(output)};
  }
  [[nodiscard]] workload describe(const location& at) const {
    auto work = this->describe_merge(operation::merge, at);
    if (!detail::same_projection(this->projection, projection_b)) work.way = device_way::none;
    return work;
  }
  void complete(plan& decided, const location& at, const execution_options&) const {
    if constexpr (way != device_way::none) {
      const auto merged = inputs();
      this->complete_merge(decided, at, {merged.data(), merged.size()}, detail::address_of(output));
    }
  }
  void on_device(algorithm, const location* at, const execution_options& options) {
    if constexpr (way != device_way::none) {
      const auto merged = inputs();
      this->merge_on_device({merged.data(), merged.size(), at}, detail::address_of(output), options);
      output = detail::advanced(output, count);
    }
  }
  void on_host(algorithm, const execution_options&) {
    const between_less<compared_element<A>, compared_element<B>, Compare, ProjectionA, ProjectionB> less{
        compare, this->projection, projection_b};
    if constexpr (written_anywhere_v<Output>) {
      host::merge(a, a_count, b, b_count, output, less);
      output = detail::advanced(output, count);
    } else if constexpr (std::is_same_v<T, std::iter_value_t<B>> && filled_from_copy_of<Output, A> &&
                         filled_from_copy_of<Output, B>) {
      detail::merge_by_copy<A>(count, output, [&](auto* merged) { host::merge(a, a_count, b, b_count, merged, less); });
    } else {
      detail::merge_one_by_one(a, a_count, b, b_count, output, less);
    }
  }

 private:
  [[nodiscard]] std::array<merge_input, 2> inputs() const {
    return {{{detail::address_of(a), a_count}, {detail::address_of(b), b_count}}};
  }
};

/// Merges [0, middle) and [middle, count) of elements in place.
template <class Terms, class Iterator, class Compare, class Projection>
struct inplace_merge_call : call_on_elements<Terms, Iterator, Compare, Projection> {
  using base = call_on_elements<Terms, Iterator, Compare, Projection>;
  using base::elements, base::count, base::compare, base::projection;
  using typename base::T;
  static constexpr device_way full_way = detail::way_of<T, Compare, Projection, Terms::where>();
  static constexpr device_way way = full_way == device_way::keys_by_index ? device_way::none : full_way;

  std::size_t middle;

  inplace_merge_call(Terms, const Iterator& given_first, std::size_t given_middle, std::size_t given_count,
                     const Compare& given_compare, const Projection& given_projection)
      : base{{}, given_first, given_count, given_compare, given_projection}, middle{given_middle} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    if (middle > count) refuse(errc::invalid_range, "the middle of inplace_merge lies behind its end");
    detail::require_memory(elements.data(), count);
    return middle == 0 || middle == count;
  }
  [[nodiscard]] workload describe(const location& at) const {
    return detail::describe<inplace_merge_call, T, Compare, Projection>(operation::inplace_merge, at, count);
  }
  void on_device(algorithm, const location*, const execution_options& options) const {
    if constexpr (way == device_way::precompiled)
      detail::device_inplace_merge(detail::keyed(elements.data(), compare, projection), middle, count, options);
#if defined(__CUDACC__)
    if constexpr (way == device_way::instantiated)
      device::inplace_merge_elements(options, elements.data(), middle, count,
                                     device::compare_elements<T, Compare, Projection>{compare, projection});
#endif
    (void)options;
  }
  void on_host(algorithm, const execution_options&) const {
    host::inplace_merge(elements.data(), middle, count, element_less<T, Compare, Projection>{compare, projection});
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
