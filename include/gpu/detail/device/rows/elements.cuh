// Sorts and merges of a caller's own element type and order: kernels instantiated in the caller's translation unit.
#pragma once

#include <array>
#include <vector>

#include "../../boundary/request.hpp"
#include "../compare.cuh"
#include "../launching/call.hpp"
#include "../launching/scratch.cuh"
#include "../merging/merge.cuh"
#include "../merging/multiway_merge.cuh"
#include "../sort.cuh"
#include "element_runs.cuh"
#include "row_columns.hpp"
#include "rows.cuh"
#include "sorted.cuh"

namespace gpu::inline v1::detail::device {

/// Sorts n rows of elements T and the value columns behind them, wherever they are. `HostData`: they may be in host
/// memory.
template <bool Stable, bool HostData, class T, bool Direct, class Less>
void sort_anywhere(const execution_options& options, std::vector<column> all, std::size_t n,
                   const element_work<Direct, T, Less>& work) {
  std::vector<location> locations;
  for (const column& each : all) locations.push_back(locate(each.data));
  const location at = ruling_location(locations);
  if constexpr (HostData)
    if (!kernels_reach(at) && device::with_run_steps<Stable>(work, all, [&](const run_steps& steps) {
          return sort_by_runs(options, all, n, steps);
        }))
      return;
  call here{options, at};
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c].data = here.reach(locations[c], all[c].data, n * all[c].element_bytes, access::read_write);
  here.listen();
  here.carry_out([&](const context& context) { work.template sort_rows<Stable>(context, all, n); });
}

/// Bytes of device memory that sort_elements takes, without the elements if these are in device memory.
template <bool Stable, bool HostData, class T, class Less>
std::size_t element_bytes(const execution_options& options, T* data, std::size_t n, Less less, algorithm how) {
  const std::vector<column> all{{data, sizeof(T)}};
  const element_work<moves_directly_v<T>, T, Less> work{less, how};
  if constexpr (HostData)
    if (!detail::kernels_reach(detail::locate(data)))
      return device::with_run_steps<Stable>(
          work, all, [&](const run_steps& steps) { return host_data_bytes(options, all, n, steps); });
  return work.template sort_bytes<Stable>(all, n);
}

/// Sorts data[0, n), wherever it is.
template <bool Stable, bool HostData, class T, class Less>
void sort_elements(const execution_options& options, T* data, std::size_t n, Less less, algorithm how) {
  device::sort_anywhere<Stable, HostData>(options, {{data, sizeof(T)}}, n,
                                          element_work<moves_directly_v<T>, T, Less>{less, how});
}

/// Sorts keys[0, n) and the value columns, wherever they are.
template <bool Stable, bool HostData, class T, class Less>
void sort_columns(const execution_options& options, T* keys, std::size_t n, Less less, const column* values,
                  std::size_t value_columns, algorithm how) {
  const column elements{keys, sizeof(T)};
  device::sort_anywhere<Stable, HostData>(options, device::row_columns(elements, values, value_columns), n,
                                          element_work<false, T, Less>{less, how});
}

/// Bytes of device memory that argsort_elements takes for host data, including copies of keys and indices.
template <class T, class Less, class Index>
std::size_t argsort_bytes(std::size_t n, algorithm how) {
  std::size_t ordering = stored_bytes<Less>() + device::index_sort_bytes<Index, T, passed<Less>>(n, how);
  if constexpr (codes_are_whole_v<Less> && !is_stored_v<Less>)
    if (device::worth_coding<true, T>(n)) ordering = device::scratch_bytes<coded_row_memory<Less>>(n, 0);
  return n * (sizeof(T) + sizeof(Index)) + ordering;
}

/// Writes the stable order of elements in device memory.
template <class T, class Less, class Index>
void order_elements(const context& context, const T* elements, std::size_t n, Less less, Index* order, algorithm how) {
  if constexpr (codes_are_whole_v<Less> && !is_stored_v<Less>) {
    if (device::worth_coding<true, T>(n)) {
      try {
        return device::order_by_codes(context, elements, order, n, less);
      } catch (const no_device_memory&) {  // what follows takes less
      }
    }
  }
  device::with_passed(context, less,
                      [&](auto by) { device::sort_indices_of<true>(context, elements, order, n, by, how); });
}

/// Writes the stable sorting permutation of keys[0, n) to indices.
template <class T, class Less, class Index>
void argsort_elements(const execution_options& options, const T* keys, std::size_t n, Less less, Index* indices,
                      algorithm how) {
  const std::array locations{detail::locate(keys), detail::locate(indices)};
  call here{options, detail::ruling_location(locations)};
  const T* const elements = here.reach(keys, n, access::read);
  Index* const order = here.reach(indices, n, access::write);
  here.carry_out(order_elements<T, Less, Index>, elements, n, less, order, how);
}

/// Merges sorted inputs of T, wherever they are, and their values.
template <class T, class Less>
void merge_elements(const execution_options& options, const merge_data& rows, T* output, Less less) {
  call here{options, rows.ruling()};
  const sorted_pieces pieces = device::reach_merge(here, rows, {output, sizeof(T)});
  if (rows.value_columns == 0)
    element_work<moves_directly_v<T>, T, Less>{less, algorithm::merge_sort}.merge(here.work(), pieces);
  else
    element_work<false, T, Less>{less, algorithm::merge_sort}.merge(here.work(), pieces);
  here.finish();
}

/// Merges data[0, middle) and data[middle, n) in place.
template <class T, class Less>
void inplace_merge_elements(const execution_options& options, T* data, std::size_t middle, std::size_t n, Less less) {
  call here{options, detail::locate(data)};
  T* const elements = here.reach(data, n, access::read_write);
  using order = passed<Less>;
  device::with_passed(here.work(), less, [&](order by) {
    if constexpr (moves_directly_v<T>) {
      using as = movable<T, order>;
      const columns<typename as::key, no_value> keys{reinterpret_cast<typename as::key*>(elements), nullptr};
      device::inplace_merge(here.work(), keys, middle, n, as::compare(by), identity_codec{});
    } else {
      detail::with_index(n, [&]<class Index>(Index) {
        const scratch<row_order<Index>> memory{here.work(), n, sizeof(T)};
        device::fill_sequence(here.work(), memory->order, n);
        device::inplace_merge(here.work(), columns<Index, no_value>{memory->order, nullptr}, middle, n,
                              compare_by_index<T, Index, order>{elements, by}, identity_codec{});
        device::reorder(here.work(), {elements, sizeof(T)}, memory->order, memory->rows, n);
      });
    }
  });
  here.finish();
}

/// Sorts the elements that compare(i, j) and swap(i, j) refer to, i and j in [first, first + count); kernels call both.
template <class Index, class Compare, class Swap>
void sort_indices(const execution_options& options, Index first, std::size_t count, Compare compare, Swap swap) {
  call here{options, location{}};
  device::with_passed(here.work(), from_first_index<Index, Compare>{first, compare}, [&](auto less) {
    device::with_passed(here.work(), from_first_index<Index, Swap>{first, swap},
                        [&](auto exchange) { device::bitonic_sort_indexed(here.work(), count, less, exchange); });
  });
  here.finish();
}

/// The length of the sorted prefix; waits for the stream.
template <class T, class Less>
std::size_t sorted_prefix(const execution_options& options, const T* data, std::size_t n, Less less) {
  call here{options, detail::locate(data)};
  const T* const elements = here.reach(data, n, access::read);
  const scratch<scratch_array<std::size_t>> result{here.work(), std::size_t{1}};
  device::with_passed(here.work(), less, [&](auto by) {
    device::sorted_until(here.work(), elements, n, by, identity_codec{}, result->data);
  });
  return fetch(here.work(), result->data);
}

}  // namespace gpu::inline v1::detail::device
