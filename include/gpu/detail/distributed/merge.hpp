// Merging what belongs to a rank: sorted runs of keys, with value columns beside.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../merge.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// A column of a rank: where its elements are at first, and where those go that the rank has in the end.
template <class T>
struct part_column {
  T* before;
  T* after;
};

/// Where the runs of a column begin, and where their merge goes. Runs that the host merges lie one after the other.
template <class T>
struct column_runs {
  std::vector<const T*> runs;
  T* after;
};

/// The places of the merge in the concatenation of sorted runs, which end at `ends`.
template <class Index, class Key, class Less>
host::buffer<Index> merged_run_places(const Key* keys, const std::vector<std::size_t>& counts, std::size_t count,
                                      const Less& less) {
  const auto places = detail::identity_permutation<Index>(count);
  std::vector<host::sequence<const Index*>> runs;
  runs.reserve(counts.size());
  std::size_t first = 0;
  for (const std::size_t run : counts) {
    runs.push_back({places.data() + first, run});
    first += run;
  }
  host::buffer<Index> merged{count};
  host::multiway_merge(runs.data(), runs.size(), merged.data(),
                       [&](Index i, Index j) { return less(keys[i], keys[j]); });
  return merged;
}

/// to[i] = from[order[i]], of elements that may be copied byte by byte.
template <class Index, class T>
void gather_rows(const Index* order, std::size_t count, const T* from, T* to) {
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(static_cast<void*>(to + i), static_cast<const void*>(from + order[i]), sizeof(T));
  });
}

inline namespace GPUPAR_UNIT {

/// Merges runs of counts[r] keys, and moves value columns the same way. All are trivially copyable; equal keys stay in
/// the order of runs.
template <residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void merge_runs(const execution_options& options, const std::vector<std::size_t>& counts, const Compare& compare,
                const Projection& projection, const column_runs<Key>& keys, const column_runs<Values>&... values) {
  std::size_t count = 0;
  for (const std::size_t run : counts) count += run;
  if (count == 0) return;
  if constexpr (sizeof...(Values) == 0) {
    std::vector<host::sequence<const Key*>> runs;
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (counts[r] > 0) runs.push_back({keys.runs[r], counts[r]});
    detail::merge_many<Memory, Where>(options, runs, keys.after, compare, projection);
  } else {
    constexpr device_way way =
        detail::way_of_merge_between<Compare, Projection, Projection, Where, const Key*, const Key*, Key*>();
    detail::require_way<way, Where, Memory>();
    constexpr std::size_t columns = sizeof...(Values);
    std::vector<merge_input> inputs;
    std::vector<const void*> input_values;
    std::vector<location> places;
    const auto add_places = [&](auto... pointers) { (places.push_back(detail::locate(pointers)), ...); };
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (counts[r] == 0) continue;
      inputs.push_back({keys.runs[r], counts[r]});
      (input_values.push_back(values.runs[r]), ...);
      add_places(keys.runs[r], values.runs[r]...);
    }
    add_places(keys.after, values.after...);
    const location at = detail::ruling_location(places);
    if constexpr (way == device_way::none) {
      detail::keep_on_host<Memory, Key, Compare, Projection>(options, operation::multiway_merge, at, count,
                                                             (sizeof(Values) + ...));
    } else {
      const std::array<column, columns> outputs{detail::as_column(values.after)...};
      const merge_data rows{inputs.data(), inputs.size(), places.data(), input_values.data(), outputs.data(), columns};
      if (detail::merge_on_device<way, Memory>(options, operation::multiway_merge, at, rows, keys.after, compare,
                                               projection))
        return;
    }
    if constexpr (host_may_serve<Where, Memory, Compare, Projection>) {
      const element_less<Key, Compare, Projection> less{compare, projection};
      detail::with_index(count, [&]<class Index>(Index) {
        const auto order = detail::merged_run_places<Index>(keys.runs[0], counts, count, less);
        detail::gather_rows(order.data(), count, keys.runs[0], keys.after);
        (detail::gather_rows(order.data(), count, values.runs[0], values.after), ...);
      });
    } else {
      refuse_device_callable();
    }
  }
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace v1
}  // namespace gpu
