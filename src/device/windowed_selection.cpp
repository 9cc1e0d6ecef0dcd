// Selections from more host data than the device may hold: the best rows so far, followed by the best of the next
// window, are selected from again. Both are in order, and those in front have the lower indices, so that ties are
// resolved as in one selection from all.
#include "windowed_selection.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "../host/columns.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail {
namespace {

/// Scratch bytes that any selection takes, however few its elements.
constexpr std::size_t fixed_bytes = std::size_t{1} << 19;
/// Scratch bytes for each selected element, at most: ranks, an order, and memory to sort them.
constexpr std::size_t selected_bytes = 64;

std::size_t bytes_per_row(const selection_request& request) {
  std::size_t bytes = request.elements.element_bytes;
  for (std::size_t c = 0; c < request.columns; ++c)
    if (request.inputs[c].data != request.elements.data) bytes += request.inputs[c].element_bytes;
  return bytes;
}

std::size_t bytes_for(std::size_t rows, std::size_t row_bytes, std::size_t selected) {
  return rows * (row_bytes + 1) + selected * (selected_bytes + row_bytes) + fixed_bytes;
}

/// Rows of the elements and of the other columns that a selection writes, and their indices among all rows.
class candidates {
 public:
  candidates(const selection_request& request, std::size_t room) : indices_(room) {
    rows_.push_back({request.elements.element_bytes, std::vector<std::byte>(room * request.elements.element_bytes)});
    for (std::size_t c = 0; c < request.columns; ++c)
      if (request.inputs[c].data != request.elements.data)
        rows_.push_back(
            {request.inputs[c].element_bytes, std::vector<std::byte>(room * request.inputs[c].element_bytes)});
  }

  [[nodiscard]] std::size_t columns() const { return rows_.size(); }
  column from(std::size_t c, std::size_t row) {
    return {rows_[c].bytes.data() + row * rows_[c].row_bytes, rows_[c].row_bytes};
  }
  std::uint64_t* indices() { return indices_.data(); }

 private:
  struct table {
    std::size_t row_bytes;
    std::vector<std::byte> bytes;
  };
  std::vector<table> rows_;
  std::vector<std::uint64_t> indices_;
};

/// The selection, window by window.
class windows {
 public:
  windows(const selection_request& request, const execution_options& options)
      : request_{request},
        options_{options},
        best_{request, 2 * request.selected},
        other_{request, request.selected},
        order_(request.selected) {
    options_.synchronous = true;
    options_.progress = {};
    for (std::size_t c = 0; c < request.columns; ++c) {
      const bool own = request.inputs[c].data == request.elements.data;
      column_of_.push_back(own ? 0 : best_.columns() - 1);
    }
  }

  /// Updates the selection with rows [begin, begin + count) of the request.
  void take(std::size_t begin, std::size_t count) {
    std::array<column, 2> from{moved(request_.elements.data, request_.elements.element_bytes, begin)};
    for (std::size_t c = 0; c < request_.columns; ++c)
      if (column_of_[c] > 0) from[1] = moved(request_.inputs[c].data, request_.inputs[c].element_bytes, begin);
    const std::size_t found = (std::min)(count, request_.selected);
    select(from, request_.at[0], count, found, best_, held_, best_.indices() + held_);
    for (std::size_t i = 0; i < found; ++i) best_.indices()[held_ + i] += begin;
    const std::size_t all = held_ + found;
    held_ = (std::min)(all, request_.selected);
    if (begin == 0) return;
    std::array<column, 2> both{best_.from(0, 0)};
    if (best_.columns() > 1) both[1] = best_.from(1, 0);
    select(both, {}, all, held_, other_, 0, order_.data());
    for (std::size_t i = 0; i < held_; ++i) other_.indices()[i] = best_.indices()[order_[i]];
    std::copy_n(other_.indices(), held_, best_.indices());
    for (std::size_t c = 0; c < best_.columns(); ++c)
      std::memcpy(best_.from(c, 0).data, other_.from(c, 0).data, held_ * best_.from(c, 0).element_bytes);
  }

  void write() {
    for (std::size_t c = 0; c < request_.columns; ++c)
      std::memcpy(request_.outputs[c].data, best_.from(column_of_[c], 0).data,
                  request_.selected * request_.outputs[c].element_bytes);
    if (request_.indices.data == nullptr) return;
    host::write_indices(request_.indices, request_.selected, [&](std::size_t i) { return best_.indices()[i]; });
  }

 private:
  static column moved(void* data, std::size_t row_bytes, std::size_t rows) {
    return {static_cast<std::byte*>(data) + rows * row_bytes, row_bytes};
  }

  /// Selects rows of `from`, whose elements are at `elements`, writes them to those of `to` from `row` on, and their
  /// indices to `order`.
  void select(const std::array<column, 2>& from, const location& elements, std::size_t count, std::size_t selected,
              candidates& to, std::size_t row, std::uint64_t* order) {
    std::array<column, 2> outputs{to.from(0, row)};
    if (to.columns() > 1) outputs[1] = to.from(1, row);
    const std::array<location, 6> at{elements, elements};
    selection_request part = request_;
    part.elements.data = from[0].data;
    part.count = count;
    part.selected = selected;
    part.inputs = from.data();
    part.outputs = outputs.data();
    part.columns = to.columns();
    part.indices = {order, sizeof(std::uint64_t)};
    part.at = at.data();
    detail::select_whole(part, options_);
  }

  const selection_request& request_;
  execution_options options_;
  candidates best_, other_;
  std::vector<std::uint64_t> order_;
  std::vector<std::size_t> column_of_;  ///< the candidates' column for each of the request's
  std::size_t held_ = 0;
};

}  // namespace

bool select_by_windows(const selection_request& request, const execution_options& options) {
  const std::size_t row_bytes = bytes_per_row(request);
  const std::size_t whole = bytes_for(request.count, row_bytes, request.selected);
  const std::size_t memory = device::memory_for(options, whole);
  if (whole <= memory) return false;
  if (std::any_of(request.at, request.at + 2 * request.columns + 2, kernels_reach)) return false;
  const std::size_t beside = bytes_for(0, row_bytes, request.selected);
  const std::size_t window = memory > beside ? (memory - beside) / (row_bytes + 1) : 0;
  if (window < 2 * request.selected) throw std::bad_alloc{};
  windows passed{request, options};
  for (std::size_t begin = 0; begin < request.count; begin += window) {
    if (begin > 0) options.progress(static_cast<double>(begin) / static_cast<double>(request.count));
    passed.take(begin, (std::min)(window, request.count - begin));
  }
  passed.write();
  return true;
}

}  // namespace gpu::inline v1::detail
