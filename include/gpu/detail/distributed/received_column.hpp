// What goes to which rank, and the elements of a column that a rank receives.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "../../communicator.hpp"
#include "../boundary/array_view.hpp"
#include "memory.hpp"
#include "merge.hpp"

namespace gpu::inline v1::detail {

/// How many elements of this rank go to each, and how many of each come.
struct flows {
  std::vector<std::size_t> to;
  std::vector<std::size_t> from;
};

/// The flows of each of this rank's sorted runs, which have mine[i] elements, for its cuts: how many of its elements
/// are among those of the ranks before j + 1, for each j, then the cuts of the next run. Rank r will have after[r]
/// elements. An order that contradicts itself may have found cuts that do not fit: then elements go where their
/// position in the sequence of all parts says.
[[nodiscard]] GPUPAR_EXPORT std::vector<flows> flows_of(communicator& ranks, array_view<std::size_t> after,
                                                        array_view<std::size_t> mine, array_view<std::size_t> cuts);

/// Sends elements to where they belong, and gets those that belong here.
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

/// The elements of a column that a rank gets: where they come, and how they end in the column.
template <class T>
class received_column {
 public:
  explicit received_column(const part_column<T>& column) : column_{column} {}

  /// For so many; throws std::bad_alloc.
  void make_room(std::size_t count, const execution_options& options) {
    bytes_ = count * sizeof(T);
    memory_.emplace(detail::locate(column_.after), bytes_, alignof(T), options);
  }

  void exchange(communicator& ranks, const flows& found, bool on_device, const execution_options& options) {
    detail::exchange_elements(ranks, found, column_.before, memory_->data(), on_device, options);
  }

  [[nodiscard]] part_column<T> merged() const { return {reinterpret_cast<T*>(memory_->data()), column_.after}; }
  /// What came, in any order: nothing is lost if the merge fails.
  void keep(const execution_options& options) const {
    detail::copy_rank_bytes(column_.after, memory_->data(), bytes_, options);
  }

 private:
  part_column<T> column_;
  std::size_t bytes_ = 0;
  std::optional<rank_memory> memory_;
};

}  // namespace gpu::inline v1::detail
