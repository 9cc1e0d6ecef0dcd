// Sorting over the ranks of a communicator: par.over(ranks) makes a policy, which each rank passes to the same call
// with its own part of the elements.
//
//   gpu::sort(gpu::par.over(ranks), local);
//
// Afterwards the parts in the order of ranks are the sorted sequence; each has as many elements as before. If the sort
// is stable, equivalent elements stay in the order of ranks and, within a part, in the order of positions. Elements are
// contiguous in host or device memory, and trivially copyable. Even with par_nosync, calls return when the result is
// complete. Merges take two sequences that are sorted in the order of ranks, and give each rank as much of the result
// as its output has room for.
// Errors: if one rank throws, all throw the same rank_error; up to the exchange every rank still has its own elements,
// perhaps in another order, and from then on the elements of all ranks together are a permutation of the original ones.
#pragma once

#include <utility>
#include <vector>

#include "algorithm.hpp"
#include "communicator.hpp"
#include "detail/distributed/device_queries.hpp"
#include "detail/distributed/rows.hpp"
#include "detail/distributed/splitting.hpp"

namespace gpu::inline v1 {

/// Returned by basic_policy::over(). Holds references to the communicator and to a named listener.
template <class Policy>
class policy_over_ranks {
 public:
  using carries_out_calls = void;

  constexpr policy_over_ranks(const Policy& local, communicator& ranks) : local_{local}, ranks_{&ranks} {}

  /// The policy with which each rank does its local work.
  [[nodiscard]] constexpr const Policy& local() const noexcept { return local_; }
  [[nodiscard]] constexpr communicator& ranks() const noexcept { return *ranks_; }

  template <class Call, class... Arguments>
  auto carry_out(std::type_identity<Call> call, Arguments&&... arguments) const
      -> decltype(detail::over_ranks(call, local(), ranks(), std::forward<Arguments>(arguments)...)) {
    return detail::over_ranks(call, local(), ranks(), std::forward<Arguments>(arguments)...);
  }

 private:
  Policy local_;
  communicator* ranks_;
};

/// Returned by basic_policy::on_devices() and on_all_devices(): sort, stable_sort, merge, is_sorted and, for ranges,
/// the sorts by key and argsort run on these devices at once. Elements are trivially copyable and lie either in host
/// memory, of which each device takes a part, or on the devices, given as gpu::partitioned; the latter also supports
/// merge_by_key and sort_balanced. Each device works on a stream of its own, after the work on its default stream;
/// calls return when the result is complete, even with par_nosync.
template <class Policy>
class policy_on_devices {
 public:
  using carries_out_calls = void;

  policy_on_devices(const Policy& local, std::vector<int> ids) : local_{local}, ids_{std::move(ids)} {}
  [[nodiscard]] static policy_on_devices on_all(const Policy& local) {
    policy_on_devices all{local, detail::all_devices()};
    all.may_be_none_ = true;
    return all;
  }

  [[nodiscard]] const Policy& local() const noexcept { return local_; }
  [[nodiscard]] const std::vector<int>& ids() const noexcept { return ids_; }

  template <class Call, class... Arguments>
  auto carry_out(std::type_identity<Call> call, Arguments&&... arguments) const
      -> decltype(detail::on_devices(call, local(), ids(), std::forward<Arguments>(arguments)...)) {
    if constexpr (requires { Call{}(local(), std::forward<Arguments>(arguments)...); })
      if (may_be_none_ && ids_.empty()) return Call{}(local(), std::forward<Arguments>(arguments)...);
    return detail::on_devices(call, local(), ids(), std::forward<Arguments>(arguments)...);
  }

 private:
  Policy local_;
  std::vector<int> ids_;
  bool may_be_none_ = false;
};

inline namespace GPUPAR_UNIT {

/// sort_balanced(policy, container, compare, projection), (policy, parts, output, …)
/// Sorts over ranks, after which each rank has as many elements as any other, or one more if its rank is low enough.
/// The container is any with contiguous elements that can be constructed with a given size and be swapped. Otherwise as
/// sort; scratch for as many elements as there were before and twice as many as there will be afterwards. On devices,
/// `parts` and `output` are gpu::partitioned and the elements go to the output spans, each with room for its share; the
/// contents of `parts` are then unspecified.
inline constexpr detail::sort_balanced_function sort_balanced{};

/// select_splitters(policy, runs, ranks, output, compare, projection) -> end of the output
/// Multiway selection: for each number r of `ranks`, how many elements of each sorted run are among the first r of the
/// stable merge of all runs; the counts of all runs for the first r, then those for the second, and so on. With a
/// policy over ranks, `runs` is one sorted range, this rank's own, `ranks` are the same on all ranks and ascending, and
/// the output gets one number for each r: the position at which this range is cut in the merge of all ranks' ranges.
/// Elements are contiguous and trivially copyable, and are only read: O(k log n) comparisons for each r and k runs.
inline constexpr detail::select_splitters_function select_splitters{};

/// partition_by(policy, input, splitters, output, offsets, compare, projection) -> end of the offsets
/// Copies the elements to the output in buckets between the splitters, which are sorted: bucket i holds the elements
/// that do not go before splitter i - 1 but go before splitter i, and begins at offset i. There is one bucket more than
/// splitters, and one offset more than buckets; the last offset is the number of elements. The elements of a bucket are
/// sorted stably. Ranges are contiguous and of one trivially copyable type, and the output does not overlap the input
/// (errc::overlapping_ranges). Takes as long as stable_sort.
inline constexpr detail::partition_by_function partition_by{};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1
