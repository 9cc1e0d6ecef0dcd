// Which elements go to which rank, and the elements of a column that a rank receives.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "../../communicator.hpp"
#include "../boundary/array_view.hpp"
#include "memory.hpp"
#include "merge.hpp"

namespace gpu::inline v1::detail {

/// How many elements this rank sends to each rank, and how many it receives from each.
struct flows {
  std::vector<std::size_t> to;
  std::vector<std::size_t> from;
};

/// The flows of each of this rank's sorted runs, of mine[i] elements, that follow from its cuts: for each j, how many
/// of the run's elements are among those of ranks 0 to j, followed by the cuts of the next run. Rank r will have
/// after[r] elements. With an inconsistent order, the cuts may not add up: elements then go to the ranks given by their
/// position in the sequence of all parts.
[[nodiscard]] GPUPAR_EXPORT std::vector<flows> flows_of(communicator& ranks, array_view<std::size_t> after,
                                                        array_view<std::size_t> mine, array_view<std::size_t> cuts);

/// Sends elements to the ranks to which they belong, and receives those that belong to this rank.
template <class T>
void exchange_elements(communicator& ranks, const flows& found, const T* data, std::byte* received, bool on_device,
                       const execution_options& options) {
  const auto in_bytes = [](std::vector<std::size_t> counts) {
    for (std::size_t& count : counts) count *= sizeof(T);
    return counts;
  };
  const auto to = in_bytes(found.to), from = in_bytes(found.from);
  exchanged_bytes what{data, to.data(), received, from.data()};
  what.on_device = on_device;
  detail::exchange_bytes(ranks, what, options);
}

/// The elements of a column that a rank receives: first in a buffer, at last in the column.
template <class T>
class received_column {
 public:
  explicit received_column(const part_column<T>& column) : column_{column} {}

  /// Allocates the buffer for `count` elements; throws std::bad_alloc.
  void make_room(std::size_t count, const execution_options& options) {
    bytes_ = count * sizeof(T);
    memory_.emplace(detail::locate(column_.after), bytes_, alignof(T), options);
  }

  void exchange(communicator& ranks, const flows& found, bool on_device, const execution_options& options) {
    detail::exchange_elements(ranks, found, column_.before, memory_->data(), on_device, options);
  }

  [[nodiscard]] part_column<T> merged() const { return {reinterpret_cast<T*>(memory_->data()), column_.after}; }
  /// Copies the received elements, in any order, to the column, so that nothing is lost if the merge fails.
  void keep(const execution_options& options) const {
    detail::copy_rank_bytes(column_.after, memory_->data(), bytes_, options);
  }

 private:
  part_column<T> column_;
  std::size_t bytes_ = 0;
  std::optional<rank_memory> memory_;
};

}  // namespace gpu::inline v1::detail
