// Sorts and merges of a caller's own element type and order: kernels instantiated in the caller's translation unit.
// Small elements are moved by the kernels themselves; of large ones the indices are sorted, and the elements follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../request.hpp"
#include "call.hpp"
#include "compare.cuh"
#include "merge.cuh"
#include "multiway_merge.cuh"
#include "rows.cuh"
#include "sort.cuh"
#include "sorted.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Elements up to this size are moved in every pass; beyond it one gather at the end is cheaper.
inline constexpr std::size_t most_bytes_moved = 64;

template <class T>
inline constexpr bool moves_directly_v = sizeof(T) <= most_bytes_moved;

/// Sorts the indices of elements that stay where they are, in `order`.
template <bool Stable, class T, class Index, class Less>
void sort_indices_of(const context& context, const T* elements, Index* order, std::size_t n, Less less, algorithm how) {
  fill_sequence(context, order, n);
  const columns<Index, no_value> indices{order, nullptr};
  const compare_by_index<T, Index, Less> by_index{elements, less};
  if constexpr (Stable)
    stable_sort(context, indices, n, by_index, identity_codec{}, how);
  else
    sort(context, indices, n, by_index, identity_codec{}, how);
}

/// Sorts elements[0, n) and the value columns by an order of indices that is applied at the end.
template <bool Stable, class Index, class T, class Less>
void sort_by_order(const context& context, T* elements, std::size_t n, Less less, const column* values,
                   std::size_t value_columns, algorithm how) {
  std::vector<column> all{{elements, sizeof(T)}};
  all.insert(all.end(), values, values + value_columns);
  try {
    std::size_t most_row_bytes = 0;
    for (const column& each : all) most_row_bytes = std::max(most_row_bytes, each.element_bytes);
    const scratch<row_order<Index>> memory{context, n, most_row_bytes};
    sort_indices_of<Stable>(context, elements, memory->order, n, less, how);
    for (const column& each : all) reorder(context, each.data, each.element_bytes, *memory, n);
  } catch (const no_scratch&) {
    if (Stable) throw;
    sort_rows_in_place(context, all.data(), all.size(), n, compare_by_index<T, std::size_t, Less>{elements, less});
  }
}

/// Bytes of scratch that sort_elements takes beside staging.
template <class T, class Less>
std::size_t element_scratch_bytes(std::size_t n, algorithm how) {
  if constexpr (moves_directly_v<T>)
    return sort_scratch_bytes<typename movable<T, Less>::key, no_value, Less>(n, how);
  else
    return with_index(n, [&]<class Index>(Index) {
      return scratch_bytes<row_order<Index>>(n, sizeof(T)) +
             sort_scratch_bytes<Index, no_value, compare_by_index<T, Index, Less>>(n, how);
    });
}

/// Sorts data[0, n), wherever it is.
template <bool Stable, class T, class Less>
void sort_elements(const execution_options& options, T* data, std::size_t n, Less less, algorithm how) {
  call here{options, locate(data)};
  T* const elements = here.reach(data, n, access::read_write);
  if constexpr (moves_directly_v<T>) {
    using as = movable<T, Less>;
    const columns<typename as::key, no_value> keys{reinterpret_cast<typename as::key*>(elements), nullptr};
    if constexpr (Stable)
      stable_sort(here.work(), keys, n, as::compare(less), identity_codec{}, how);
    else
      sort(here.work(), keys, n, as::compare(less), identity_codec{}, how);
  } else {
    with_index(
        n, [&]<class Index>(Index) { sort_by_order<Stable, Index>(here.work(), elements, n, less, nullptr, 0, how); });
  }
  here.finish();
}

/// Sorts keys[0, n) and the value columns, wherever they are.
template <bool Stable, class T, class Less>
void sort_columns(const execution_options& options, T* keys, std::size_t n, Less less, const column* values,
                  std::size_t value_columns, algorithm how) {
  call here{options, locate(keys)};
  T* const elements = here.reach(keys, n, access::read_write);
  std::vector<column> reached;
  for (std::size_t c = 0; c < value_columns; ++c)
    reached.push_back(
        {here.reach(values[c].data, n * values[c].element_bytes, access::read_write), values[c].element_bytes});
  with_index(n, [&]<class Index>(Index) {
    sort_by_order<Stable, Index>(here.work(), elements, n, less, reached.data(), reached.size(), how);
  });
  here.finish();
}

/// Writes the stable sorting permutation of keys[0, n) to indices.
template <class T, class Less, class Index>
void argsort_elements(const execution_options& options, const T* keys, std::size_t n, Less less, Index* indices,
                      algorithm how) {
  call here{options, locate(keys)};
  const T* const elements = here.reach(keys, n, access::read);
  Index* const order = here.reach(indices, n, access::write);
  sort_indices_of<true>(here.work(), elements, order, n, less, how);
  here.finish();
}

/// Merges k sorted inputs, wherever they are, and their values; see merge_request.
template <class T, class Less>
void merge_elements(const execution_options& options, const merge_input* inputs, std::size_t k, T* output, Less less,
                    const void* const* input_values, const column* output_values, std::size_t value_columns) {
  merge_rows_request rows =
      reach_merge(options, inputs, k, {output, sizeof(T)}, input_values, output_values, value_columns);
  const context& context = rows.here->work();
  if (moves_directly_v<T> && value_columns == 0) {
    using as = movable<T, Less>;
    using key = typename as::key;
    std::vector<sequence<key, no_value>> sequences;
    for (std::size_t i = 0; i < k; ++i)
      sequences.push_back({{static_cast<const key*>(rows.inputs[i]), nullptr}, rows.counts[i]});
    const columns<key, no_value> merged{static_cast<key*>(rows.outputs[0].data), nullptr};
    merge_sequences(context, sequences.data(), k, merged, as::compare(less), identity_codec{});
  } else {
    with_index(rows.total(), [&]<class Index>(Index) {
      merge_rows<Index>(context, rows, [&](const void* elements) {
        return compare_by_index<T, Index, Less>{static_cast<const T*>(elements), less};
      });
    });
  }
  rows.here->finish();
}

/// Merges data[0, middle) and data[middle, n) in place.
template <class T, class Less>
void inplace_merge_elements(const execution_options& options, T* data, std::size_t middle, std::size_t n, Less less) {
  call here{options, locate(data)};
  T* const elements = here.reach(data, n, access::read_write);
  if constexpr (moves_directly_v<T>) {
    using as = movable<T, Less>;
    const columns<typename as::key, no_value> keys{reinterpret_cast<typename as::key*>(elements), nullptr};
    inplace_merge(here.work(), keys, middle, n, as::compare(less), identity_codec{});
  } else {
    with_index(n, [&]<class Index>(Index) {
      const scratch<row_order<Index>> memory{here.work(), n, sizeof(T)};
      fill_sequence(here.work(), memory->order, n);
      inplace_merge(here.work(), columns<Index, no_value>{memory->order, nullptr}, middle, n,
                    compare_by_index<T, Index, Less>{elements, less}, identity_codec{});
      reorder(here.work(), elements, sizeof(T), *memory, n);
    });
  }
  here.finish();
}

/// Sorts what compare(i, j) and swap(i, j) stand for, i and j in [first, first + count), in kernels.
template <class Index, class Compare, class Swap>
void sort_indices(const execution_options& options, Index first, std::size_t count, Compare compare, Swap swap) {
  call here{options, location{}};
  bitonic_sort_indexed(here.work(), count, compare_offset<Index, Compare>{first, compare},
                       swap_offset<Index, Swap>{first, swap});
  here.finish();
}

/// The length of the sorted prefix; waits for the stream.
template <class T, class Less>
std::size_t sorted_prefix(const execution_options& options, const T* data, std::size_t n, Less less) {
  call here{options, locate(data)};
  const T* const elements = here.reach(data, n, access::read);
  const scratch<single_result> result{here.work()};
  sorted_until(here.work(), elements, n, less, identity_codec{}, result->value);
  return fetch(here.work(), result->value);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
