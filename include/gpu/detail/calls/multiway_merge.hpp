// multiway_merge, between the public function and the backends.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "../host/multiway_merge.hpp"
#include "merge.hpp"

namespace gpu::inline v1::detail {
inline namespace GPUPAR_UNIT {

/// The total number of elements of all sequences.
template <class Iterator>
std::size_t total_of(const std::vector<host::sequence<Iterator>>& sequences) {
  std::size_t count = 0;
  for (const auto& sequence : sequences) count += sequence.count;
  return count;
}

/// Merges sequences[0, k) to `output`, which becomes the end of what is written.
template <class Terms, class Iterator, class Output, class Compare, class Projection>
struct multiway_merge_call
    : call_of_merge<
          Terms,
          detail::way_of_merge_between<Compare, Projection, Projection, Terms::where, Iterator, Iterator, Output>(),
          std::iter_value_t<Iterator>, Compare, Projection> {
  using base = typename multiway_merge_call::call_of_merge;
  using base::count, base::compare, base::projection, base::way;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  const std::vector<host::sequence<Iterator>>& sequences;
  Output output;

  multiway_merge_call(Terms, const std::vector<host::sequence<Iterator>>& given_sequences, Output given_output,
                      const Compare& given_compare, const Projection& given_projection)
      : base{{}, detail::total_of(given_sequences), given_compare, given_projection},
        sequences{given_sequences},
        output{std::move(given_output)} {}

  [[nodiscard]] bool done_at_once(const execution_options&) const {
    for (const auto& sequence : sequences) detail::require_disjoint(sequence.first, sequence.count, output, count);
    return count == 0;
  }
  [[nodiscard]] std::vector<location> locations() const {
    const location output_at = detail::locate_iterator(output);
    std::vector<location> all;
    all.reserve(sequences.size() + 1);
    for (const auto& sequence : sequences)
      all.push_back(sequence.count > 0 ? detail::locate_iterator(sequence.first) : output_at);
    all.push_back(output_at);
    return all;
  }
  [[nodiscard]] workload describe(const location& at) const {
    return this->describe_merge(operation::multiway_merge, at);
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
    const element_less<compared_element<Iterator>, Compare, Projection> less{compare, projection};
    if constexpr (written_anywhere_v<Output>) {
      host::multiway_merge(sequences.data(), sequences.size(), output, less);
      output = detail::advanced(output, count);
    } else {
      detail::merge_by_copy<Iterator>(
          count, output, [&](auto* merged) { host::multiway_merge(sequences.data(), sequences.size(), merged, less); });
    }
  }

 private:
  [[nodiscard]] std::vector<merge_input> inputs() const {
    std::vector<merge_input> all;
    all.reserve(sequences.size());
    for (const auto& sequence : sequences) all.push_back({detail::address_of(sequence.first), sequence.count});
    return all;
  }
};

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
