// Merging the elements that a rank has received from the others: consecutive sorted runs of keys, with value columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <vector>

#include "../calls/merge_by_key.hpp"
#include "../calls/multiway_merge.hpp"

namespace gpu::inline v1::detail {

/// A column of a rank: where its elements are before the call, and where those go that the rank has after it.
template <class T>
struct part_column {
  T* before;
  T* after;
};

/// The merged order of sorted runs of the given lengths, as indices into their concatenation.
template <class Index, class Key, class Less>
host::buffer<Index> merged_run_indices(const Key* keys, const std::vector<std::size_t>& counts, std::size_t count,
                                       const Less& less) {
  const auto identity = detail::identity_permutation<Index>(count);
  std::vector<host::sequence<const Index*>> runs;
  runs.reserve(counts.size());
  std::size_t first = 0;
  for (const std::size_t run : counts) {
    runs.push_back({identity.data() + first, run});
    first += run;
  }
  host::buffer<Index> merged{count};
  host::multiway_merge(runs.data(), runs.size(), merged.data(),
                       [&](Index i, Index j) { return less(keys[i], keys[j]); });
  return merged;
}

/// to[i] = from[order[i]], for elements that may be copied bytewise.
template <class Index, class T>
void gather_rows(const Index* order, std::size_t count, const T* from, T* to) {
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(static_cast<void*>(to + i), static_cast<const void*>(from + order[i]), sizeof(T));
  });
}

inline namespace GPUPAR_UNIT {

/// Merges runs of counts[r] keys from before to after, and moves value columns in the same way. All are trivially
/// copyable; equal keys stay in the order of the runs.
template <class Terms, class Key, class Compare, class Projection, class... Values>
struct merge_runs_call
    : call_of_merge<
          Terms,
          detail::way_of_merge_between<Compare, Projection, Projection, Terms::where, const Key*, const Key*, Key*>(),
          Key, Compare, Projection> {
  using base = typename merge_runs_call::call_of_merge;
  using base::count, base::compare, base::projection;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  const std::vector<std::size_t>& counts;
  part_column<Key> keys;
  std::tuple<part_column<Values>...> values;

  merge_runs_call(Terms, const std::vector<std::size_t>& given_counts, const Compare& given_compare,
                  const Projection& given_projection, const part_column<Key>& given_keys,
                  const part_column<Values>&... given_values)
      : base{{}, detail::sum_of(given_counts), given_compare, given_projection},
        counts{given_counts},
        keys{given_keys},
        values{given_values...} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const { return count == 0; }
  [[nodiscard]] std::vector<location> locations() const {
    std::vector<location> all;
    const auto add = [&](auto... pointers) { (all.push_back(detail::locate(pointers)), ...); };
    detail::with_all(values, [&](const auto&... columns) {
      for (const std::size_t run : counts)
        if (run > 0) add(keys.before, columns.before...);
      add(keys.after, columns.after...);
    });
    return all;
  }
  [[nodiscard]] workload describe(const location& at) const {
    return this->describe_merge(operation::multiway_merge, at, sizeof...(Values),
                                (std::size_t{0} + ... + sizeof(Values)));
  }
  void complete(plan& decided, const location& at, const execution_options&) const {
    const merged_rows rows{*this};
    this->complete_merge(decided, at, rows.data(nullptr), keys.after);
  }
  void on_device(algorithm, const location* at, const execution_options& options) const {
    const merged_rows rows{*this};
    this->merge_on_device(rows.data(at), keys.after, options);
  }
  void on_host(algorithm, const execution_options&) const {
    const element_less<Key, Compare, Projection> less{compare, projection};
    const Key* const first = keys.before;
    detail::with_index(count, [&]<class Index>(Index) {
      const auto order = detail::merged_run_indices<Index>(first, counts, count, less);
      detail::gather_rows(order.data(), count, first, keys.after);
      detail::with_all(values, [&](const auto&... columns) {
        (detail::gather_rows(order.data(), this->count, static_cast<const Values*>(columns.before), columns.after),
         ...);
      });
    });
  }

 private:
  struct merged_rows {
    std::vector<merge_input> inputs;
    std::vector<const void*> input_values;
    std::array<column, sizeof...(Values)> output_values;

    explicit merged_rows(const merge_runs_call& call) {
      detail::with_all(call.values, [&](const auto&... columns) {
        output_values = {detail::as_column(columns.after)...};
        for (std::size_t r = 0, from = 0; r < call.counts.size(); from += call.counts[r++]) {
          if (call.counts[r] == 0) continue;
          inputs.push_back({call.keys.before + from, call.counts[r]});
          (input_values.push_back(columns.before + from), ...);
        }
      });
    }
    [[nodiscard]] merge_data data(const location* at) const {
      return {inputs.data(), inputs.size(), at, input_values.data(), output_values.data(), output_values.size()};
    }
  };
};

template <residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void merge_runs(const execution_options& options, const std::vector<std::size_t>& counts, const Compare& compare,
                const Projection& projection, const part_column<Key>& keys, const part_column<Values>&... values) {
  using terms = call_terms<Memory, Where>;
  if constexpr (sizeof...(Values) == 0) {
    std::vector<host::sequence<const Key*>> runs;
    for (std::size_t r = 0, from = 0; r < counts.size(); from += counts[r++])
      if (counts[r] > 0) runs.push_back({keys.before + from, counts[r]});
    detail::run_call(options, multiway_merge_call{terms{}, runs, keys.after, compare, projection});
  } else {
    detail::run_call(options, merge_runs_call{terms{}, counts, compare, projection, keys, values...});
  }
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
