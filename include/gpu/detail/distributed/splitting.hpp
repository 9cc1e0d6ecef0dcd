// Building blocks for distributed sorts: cuts of sorted runs, and the division of elements by splitters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

#include "../../threads.hpp"
#include "../arguments/arguments.hpp"
#include "calls.hpp"

namespace gpu::inline v1::detail {

/// A range of integers to be read, and an output to which counts are written one after the other.
template <class Ranks>
concept rank_range = std::ranges::input_range<Ranks> && std::integral<std::ranges::range_value_t<Ranks>>;
template <class Output>
concept count_output = requires(Output& output, std::size_t count) {
  *output = static_cast<std::iter_value_t<Output>>(count);
  ++output;
};

template <class Ranks>
std::vector<std::size_t> as_targets(Ranks&& ranks) {
  std::vector<std::size_t> targets;
  for (const auto rank : ranks) targets.push_back(static_cast<std::size_t>(rank));
  return targets;
}

inline namespace GPUPAR_UNIT {

/// The cuts of k runs, k for each target: for runs in host memory directly by multiway selection, for others with one
/// thread per run.
template <class T, class Less>
std::vector<std::size_t> cuts_of_runs(const execution_options& options, const std::vector<std::span<const T>>& runs,
                                      const std::vector<std::size_t>& targets, const Less& less) {
  const std::size_t k = runs.size();
  std::vector<std::size_t> cuts(targets.size() * k), counts;
  bool on_device = false;
  std::size_t total = 0;
  for (const auto& run : runs) {
    counts.push_back(run.size());
    total += run.size();
    on_device = on_device || !detail::host_reaches(detail::locate(run.data()));
  }
  for (const std::size_t target : targets)
    if (target > total) refuse(errc::invalid_range, "a rank lies behind the end of all runs");
  if (k == 0) return cuts;

  if (on_device) {
    std::vector<std::size_t> rising = targets;
    std::sort(rising.begin(), rising.end());
    on_threads(k, [&](communicator& ranks) {
      const auto& run = runs[ranks.rank()];
      const auto found = detail::cut_among_ranks(ranks, options, run.data(), run.size(), counts, rising, less);
      for (std::size_t j = 0; j < targets.size(); ++j) {
        const auto at = std::lower_bound(rising.begin(), rising.end(), targets[j]) - rising.begin();
        cuts[j * k + ranks.rank()] = found[static_cast<std::size_t>(at)];
      }
    });
    return cuts;
  }
  std::vector<host::sequence<const T*>> sequences;
  for (const auto& run : runs) sequences.push_back({run.data(), run.size()});
  std::vector<std::size_t> scratch(2 * k);
  for (std::size_t j = 0; j < targets.size(); ++j)
    host::select_multiway(sequences.data(), k, targets[j], cuts.data() + j * k, scratch.data(), scratch.data() + k,
                          less);
  return cuts;
}

struct select_splitters_function : delegates<select_splitters_function> {
  using delegates<select_splitters_function>::operator();

  template <execution_policy Policy, range_of_lasting_ranges Runs, rank_range Ranks, count_output Output,
            class Compare = default_less<std::ranges::range_reference_t<Runs>>,
            class Iterator = std::ranges::iterator_t<std::remove_reference_t<std::ranges::range_reference_t<Runs>>>,
            callable_projection<Iterator> Projection = std::identity>
    requires part_iterator<Iterator> && callable_comparator<Compare, Projection, Iterator>
  Output operator()(const Policy& policy, Runs&& runs, Ranks&& ranks, Output output, Compare compare = {},
                    Projection projection = {}) const {
    using T = std::iter_value_t<Iterator>;
    static_assert(std::is_trivially_copyable_v<T>, "gpu: elements of runs must be trivially copyable");
    std::vector<std::span<const T>> spans;
    for (auto&& run : runs) spans.emplace_back(detail::address_of(std::ranges::begin(run)), detail::size_of(run));
    const auto cuts = detail::cuts_of_runs(policy.options(), spans, detail::as_targets(ranks),
                                           element_less<T, Compare, Projection>{compare, projection});
    for (const std::size_t cut : cuts) *output++ = static_cast<std::iter_value_t<Output>>(cut);
    return output;
  }
};

template <class Policy, part_range Run, rank_range Ranks, count_output Output, class Compare = left_out,
          class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Run>, Run>
Output over_ranks(std::type_identity<select_splitters_function>, const Policy& policy, communicator& ranks, Run&& run,
                  Ranks&& wanted, Output output, const Compare& compare = {}, const Projection& projection = {}) {
  using T = std::ranges::range_value_t<Run>;
  using order = argument_or_default<Compare, default_less<Run>>;
  using projected = argument_or_default<Projection, std::identity>;
  const auto* const data = detail::address_of(std::ranges::begin(run));
  const auto call = detail::enter("select_splitters", [&] { return detail::with_memory(detail::size_of(run), data); });
  const part_sizes sizes =
      detail::introduce_columns<order, projected>(ranks, policy.options(), call, part_column<const T>{data, data});
  const auto targets = detail::as_targets(wanted);
  const auto cuts = detail::cut_among_ranks(
      ranks, policy.options(), data, call.before, sizes.before, targets,
      element_less<T, order, projected>{detail::given<order>(compare), detail::given<projected>(projection)});
  for (const std::size_t cut : cuts) *output++ = static_cast<std::iter_value_t<Output>>(cut);
  return output;
}

/// The positions at which splitters divide sorted elements: for each splitter, the number of elements that go before
/// it.
template <class T, class Less>
std::vector<std::size_t> offsets_of_splitters(const execution_options& options, const T* data, std::size_t count,
                                              const T* splitters, std::size_t splitter_count, const Less& less) {
  std::vector<std::byte> copies(splitter_count * sizeof(T));
  detail::copy_rank_bytes(copies.data(), splitters, copies.size(), options);
  std::vector<std::size_t> offsets(splitter_count);
  detail::with_sorted_part(options, data, count, less, [&](const sorted_part& part) {
    detail::find_in_sorted(part, copies.data(), splitter_count, offsets.data());
  });
  return offsets;
}

struct partition_by_function {
  template <execution_policy Policy, part_range Input, part_range Splitters, part_range Output, count_output Offsets,
            class Compare = default_less<Output>,
            callable_projection<std::ranges::iterator_t<Output>> Projection = std::identity>
    requires callable_comparator<Compare, Projection, std::ranges::iterator_t<Output>> &&
             std::same_as<std::ranges::range_value_t<Input>, std::ranges::range_value_t<Output>> &&
             std::same_as<std::ranges::range_value_t<Splitters>, std::ranges::range_value_t<Output>>
  Offsets operator()(const Policy& policy, Input&& input, Splitters&& splitters, Output&& output, Offsets offsets,
                     Compare compare = {}, Projection projection = {}) const {
    using T = std::ranges::range_value_t<Output>;
    static_assert(std::is_trivially_copyable_v<T>, "gpu: elements to be partitioned must be trivially copyable");
    const std::size_t count = detail::size_of(input);
    detail::require_room(detail::size_of(output), count);
    const T* const from = detail::address_of(std::ranges::begin(input));
    T* const to = detail::address_of(std::ranges::begin(output));
    detail::require_disjoint(from, count, to, count);
    execution_options options = policy.options();
    options.synchronous = true;
    detail::copy_rank_bytes(to, from, count * sizeof(T), options);
    detail::run_call(
        options, sort_call{call_terms<residence_of<Output>, Policy::where, true>{}, to, count, compare, projection});
    const auto found = detail::offsets_of_splitters(
        options, to, count, static_cast<const T*>(detail::address_of(std::ranges::begin(splitters))),
        detail::size_of(splitters), element_less<T, Compare, Projection>{compare, projection});
    *offsets++ = 0;
    for (const std::size_t offset : found) *offsets++ = static_cast<std::iter_value_t<Offsets>>(offset);
    *offsets++ = static_cast<std::iter_value_t<Offsets>>(count);
    return offsets;
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
