// merge_by_key, between the public function and the backends.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "merge.hpp"

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

/// The device way of a merge of keys with a value column: inputs and output of each must be of one type.
template <class Compare, class Projection, placement Where, class KeysA, class KeysB, class KeysOut, class ValuesA,
          class ValuesB, class ValuesOut>
constexpr device_way way_of_merge_of_columns() {
  if constexpr (is_column_v<ValuesA> && is_column_v<ValuesB> && is_column_v<ValuesOut>)
    if constexpr (std::is_same_v<std::iter_value_t<ValuesA>, std::iter_value_t<ValuesB>> &&
                  std::is_same_v<std::iter_value_t<ValuesA>, std::iter_value_t<ValuesOut>>)
      return detail::way_of_merge_between<Compare, Projection, Projection, Where, KeysA, KeysB, KeysOut>();
  return device_way::none;
}

/// The merged order of two sequences, as indices into their concatenation.
template <class Index, class A, class B, class Less>
host::buffer<Index> merged_indices(const A& a, std::size_t a_count, const B& b, std::size_t b_count, const Less& less) {
  const std::size_t count = a_count + b_count;
  const auto inputs = detail::identity_permutation<Index>(count);
  host::buffer<Index> merged{count};
  host::merge(inputs.data(), a_count, inputs.data() + a_count, b_count, merged.data(),
              [&](Index i, Index j) { return less(*detail::advanced(b, i - a_count), *detail::advanced(a, j)); });
  return merged;
}

/// Merges two sequences of keys, and a value column with them. Outputs are then advanced to the ends of the written
/// elements.
template <class Terms, class KeysA, class KeysB, class ValuesA, class ValuesB, class KeysOut, class ValuesOut,
          class Compare, class Projection>
struct merge_by_key_call : call_of_merge<Terms,
                                         detail::way_of_merge_of_columns<Compare, Projection, Terms::where, KeysA,
                                                                         KeysB, KeysOut, ValuesA, ValuesB, ValuesOut>(),
                                         std::iter_value_t<KeysA>, Compare, Projection> {
  using base = typename merge_by_key_call::call_of_merge;
  using base::count, base::compare, base::projection, base::way;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  const KeysA& a;
  std::size_t a_count;
  const KeysB& b;
  std::size_t b_count;
  const ValuesA& a_values;
  const ValuesB& b_values;
  KeysOut keys_out;
  ValuesOut values_out;

  merge_by_key_call(Terms, const KeysA& given_a, std::size_t given_a_count, const KeysB& given_b,
                    std::size_t given_b_count, const ValuesA& given_a_values, const ValuesB& given_b_values,
                    KeysOut given_keys_out, ValuesOut given_values_out, const Compare& given_compare,
                    const Projection& given_projection)
      : base{{}, given_a_count + given_b_count, given_compare, given_projection},
        a{given_a},
        a_count{given_a_count},
        b{given_b},
        b_count{given_b_count},
        a_values{given_a_values},
        b_values{given_b_values},
        keys_out{std::move(given_keys_out)},
        values_out{std::move(given_values_out)} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    detail::require_disjoint(a, a_count, keys_out, count);
    detail::require_disjoint(b, b_count, keys_out, count);
    detail::require_disjoint(a_values, a_count, values_out, count);
    detail::require_disjoint(b_values, b_count, values_out, count);
    return count == 0;
  }
  [[nodiscard]] auto locations() const {
    return std::array{detail::locate_iterator(a),        detail::locate_iterator(a_values),
                      detail::locate_iterator(b),        detail::locate_iterator(b_values),
                      detail::locate_iterator(keys_out), detail::locate_iterator(values_out)};
  }
  [[nodiscard]] workload describe(const location& at) const {
    return this->describe_merge(operation::merge_by_key, at, 1, sizeof(std::iter_value_t<ValuesA>));
  }
  void complete(plan& decided, const location& at, const execution_options&) const {
    if constexpr (way != device_way::none) {
      const merged_rows rows{*this};
      this->complete_merge(decided, at, rows.data(nullptr), detail::address_of(keys_out));
    }
  }
  void on_device(algorithm, const location* at, const execution_options& options) {
    if constexpr (way != device_way::none) {
      const merged_rows rows{*this};
      this->merge_on_device(rows.data(at), detail::address_of(keys_out), options);
      keys_out = detail::advanced(keys_out, count);
      values_out = detail::advanced(values_out, count);
    }
  }
  void on_host(algorithm, const execution_options&) {
    const between_less<compared_element<KeysA>, compared_element<KeysB>, Compare, Projection, Projection> less{
        compare, projection, projection};
    detail::with_index(count, [&]<class Index>(Index) {
      const auto order = detail::merged_indices<Index>(a, a_count, b, b_count, less);
      if constexpr (written_anywhere_v<KeysOut> && written_anywhere_v<ValuesOut>) {
        host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            write(order[i], detail::advanced(keys_out, i), detail::advanced(values_out, i));
        });
        keys_out = detail::advanced(keys_out, count);
        values_out = detail::advanced(values_out, count);
      } else {
        for (std::size_t i = 0; i < count; ++i, static_cast<void>(++keys_out), static_cast<void>(++values_out))
          write(order[i], keys_out, values_out);
      }
    });
  }

 private:
  struct merged_rows {
    std::array<merge_input, 2> inputs;
    std::array<const void*, 2> input_values;
    column output_values;

    explicit merged_rows(const merge_by_key_call& call)
        : inputs{{{detail::address_of(call.a), call.a_count}, {detail::address_of(call.b), call.b_count}}},
          input_values{detail::address_of(call.a_values), detail::address_of(call.b_values)},
          output_values{detail::as_column(call.values_out)} {}
    [[nodiscard]] merge_data data(const location* at) const {
      return {inputs.data(), inputs.size(), at, input_values.data(), &output_values, 1};
    }
  };

  /// Writes row `from` of the concatenation of the inputs.
  template <class Key, class Value>
  void write(std::size_t from, Key&& key, Value&& value) const {
    if (from < a_count) {
      *key = *detail::advanced(a, from);
      *value = *detail::advanced(a_values, from);
    } else {
      *key = *detail::advanced(b, from - a_count);
      *value = *detail::advanced(b_values, from - a_count);
    }
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
