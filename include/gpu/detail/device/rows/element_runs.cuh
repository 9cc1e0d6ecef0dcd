// Sorts and merges of a caller's own element type and order on device memory, and the steps that sort host data by them
// in runs. If there are many elements whose keys have codes, the codes are sorted, and the rows follow
// (code_order.cuh). Other small elements are moved by the kernels themselves; for large ones, and for elements with
// value columns, the indices are sorted, and the rows follow.
#pragma once

#include <vector>

#include "../../boundary/request.hpp"
#include "../compare.cuh"
#include "../merging/cuts.cuh"
#include "../merging/merge.cuh"
#include "../merging/multiway_merge.cuh"
#include "../sort.cuh"
#include "../stored.cuh"
#include "../tuning/callers_orders.hpp"
#include "code_order.cuh"
#include "rows.cuh"
#include "runs.hpp"

namespace gpu::inline v1::detail::device {

template <class T>
inline constexpr bool moves_directly_v = sizeof(T) <= most_bytes_moved;

/// Writes to `order` the sorted indices of elements, which stay where they are.
template <bool Stable, class T, class Index, class Less>
void sort_indices_of(const context& context, const T* elements, Index* order, std::size_t n, Less less, algorithm how) {
  device::fill_sequence(context, order, n);
  const columns<Index, no_value> indices{order, nullptr};
  const compare_by_index<T, Index, Less> by_index{elements, less};
  device::sort<Stable>(context, indices, n, by_index, identity_codec{}, how);
}

/// Bytes of scratch that sort_indices_of takes.
template <class Index, class T, class Less>
std::size_t index_sort_bytes(std::size_t n, algorithm how) {
  return device::sort_scratch_bytes<Index, no_value, compare_by_index<T, Index, Less>>(n, how);
}

/// Sorts n rows, of elements T and the value columns behind them, by an order of indices that is applied at the end.
template <bool Stable, class Index, class T, class Less>
void sort_by_order(const context& context, const std::vector<column>& all, std::size_t n, Less less, algorithm how) {
  const auto* const elements = static_cast<const T*>(all[0].data);
  try {
    const std::size_t making_bytes = device::index_sort_bytes<Index, T, Less>(n, how);
    const scratch<row_order<Index>> memory{context, n, most_packed_bytes(all), making_bytes};
    const std::vector<packed_columns> groups = device::pack_columns(all);
    lent_memory lent{memory->rows, making_bytes};
    device::sort_indices_of<Stable>(lent.instead_of(context), elements, memory->order, n, less, how);
    device::reorder_columns(context, groups, memory->order, memory->rows, n);
  } catch (const no_device_memory&) {
    if (Stable) throw;
    device::sort_rows_in_place(context, all.data(), all.size(), n,
                               compare_by_index<T, std::size_t, Less>{elements, less});
  }
}

/// Elements alone (Direct) or rows of any kind, in device memory: their sort, merge and cut, and the scratch of these.
template <bool Direct, class T, class Less>
struct element_work {
  using order = passed<Less>;
  using as = movable<T, order>;
  using key = typename as::key;
  Less less;
  algorithm how;

  template <bool Stable>
  void sort_rows(const context& context, const std::vector<column>& all, std::size_t n) const {
    if constexpr (coded) {
      if (by_codes<Stable>(n)) {
        try {
          return device::sort_rows_by_codes<T>(context, all, n, less);
        } catch (const no_device_memory&) {  // what follows takes less, or none
        }
      }
    }
    device::with_passed(context, less, [&](order by) {
      if constexpr (Direct) {
        const columns<key, no_value> keys{static_cast<key*>(all[0].data), nullptr};
        device::sort<Stable>(context, keys, n, as::compare(by), identity_codec{}, how);
      } else {
        detail::with_index(
            n, [&]<class Index>(Index) { device::sort_by_order<Stable, Index, T>(context, all, n, by, how); });
      }
    });
  }

  template <bool Stable>
  [[nodiscard]] std::size_t sort_bytes(const std::vector<column>& all, std::size_t n) const {
    if constexpr (coded)
      if (by_codes<Stable>(n)) return device::coded_row_bytes<Less>(all, n);
    if constexpr (Direct)
      return stored_bytes<Less>() + device::sort_scratch_bytes<key, no_value, order>(n, how);
    else
      return stored_bytes<Less>() + detail::with_index(n, [&]<class Index>(Index) {
               return device::scratch_bytes<row_order<Index>>(n, most_packed_bytes(all),
                                                              device::index_sort_bytes<Index, T, order>(n, how));
             });
  }

  /// Whether codes of the elements' keys are sorted.
  static constexpr bool coded = codes_are_whole_v<Less> && !is_stored_v<Less>;
  template <bool Stable>
  [[nodiscard]] bool by_codes(std::size_t n) const {
    return how != algorithm::bitonic && device::worth_coding<Stable, T>(n);
  }

  void merge(const context& context, const sorted_pieces& pieces) const {
    device::with_passed(context, less, [&](order by) {
      if constexpr (Direct) {
        std::vector<sequence<key, no_value>> sequences;
        for (std::size_t i = 0; i < pieces.counts.size(); ++i)
          sequences.push_back({{static_cast<const key*>(pieces.inputs[i]), nullptr}, pieces.counts[i]});
        const columns<key, no_value> merged{static_cast<key*>(pieces.outputs[0].data), nullptr};
        device::multiway_merge(context, sequences.data(), sequences.size(), merged, as::compare(by), identity_codec{});
      } else {
        detail::with_index(pieces.total(), [&]<class Index>(Index) {
          device::merge_rows<Index>(context, pieces, [&](const void* elements) {
            return compare_by_index<T, Index, order>{static_cast<const T*>(elements), by};
          });
        });
      }
    });
  }

  [[nodiscard]] std::size_t merge_bytes(const std::vector<column>& all, std::size_t n, std::size_t inputs) const {
    if constexpr (Direct)
      return stored_bytes<Less>() + merge_sequences_bytes<key>(n, inputs);
    else
      return stored_bytes<Less>() + detail::with_index(n, [&]<class Index>(Index) {
               return device::scratch_bytes<index_memory<Index>>(n, most_row_bytes(all)) +
                      merge_sequences_bytes<Index>(n, inputs);
             });
  }

  void cut(const context& context, const std::vector<merge_input>& pieces, std::size_t step, std::size_t steps,
           std::size_t* cuts) const {
    device::with_passed(context, less, [&](order by) {
      device::cut_pieces<key>(context, pieces, step, steps, cuts, as::compare(by), identity_codec{});
    });
  }

 private:
  template <class Key>
  static std::size_t merge_sequences_bytes(std::size_t n, std::size_t inputs) {
    return inputs == 2 ? device::merge_scratch_bytes<Key, no_value, order>(n)
                       : device::multiway_merge_scratch_bytes<Key, no_value>(n, inputs);
  }
};

/// Calls use(steps) with the steps that sort columns by this work in runs.
template <bool Stable, bool Direct, class T, class Less, class Use>
auto with_run_steps(const element_work<Direct, T, Less>& work, const std::vector<column>& all, const Use& use) {
  const auto sort = [&](const context& context, const std::vector<column>& columns, std::size_t n) {
    work.template sort_rows<Stable>(context, columns, n);
  };
  const auto merge = [&](const context& context, const sorted_pieces& pieces) { work.merge(context, pieces); };
  const auto cut = [&](const context& context, const std::vector<merge_input>& pieces, std::size_t step,
                       std::size_t steps, std::size_t* cuts) { work.cut(context, pieces, step, steps, cuts); };
  const auto sort_bytes = [&](std::size_t n) { return work.template sort_bytes<Stable>(all, n); };
  const auto merge_bytes = [&](std::size_t n, std::size_t inputs) { return work.merge_bytes(all, n, inputs); };
  return use(run_steps{sort, merge, cut, sort_bytes, merge_bytes, Direct});
}

}  // namespace gpu::inline v1::detail::device
