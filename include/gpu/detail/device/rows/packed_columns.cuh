// Columns that follow one order, packed into rows: fetching an element from anywhere in memory costs as much as
// fetching its whole row, so several narrow columns are put side by side, fetched together, and written where they
// belong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../boundary/request.hpp"
#include "../launching/launch.cuh"
#include "permute.cuh"

namespace gpu::inline v1::detail::device {

/// Some columns, and where in a row their elements are: each has words of one size, the widest first.
struct packed_columns {
  static constexpr unsigned most = 8;
  static constexpr std::size_t most_bytes = 32;  ///< of a row, unless it is of one column: wider ones gain little

  struct part {
    void* data;
    unsigned bytes;
    unsigned word_bytes;
    unsigned offset;
  };
  part parts[most];
  unsigned count = 0;
  unsigned row_bytes = 0;  ///< rounded up to the first column's words

  /// Whether another column fits, whose words must not be wider than those of the columns before.
  [[nodiscard]] bool fits(const column& next) const {
    return count == 0 || (count < most && row_bytes_with(next) <= most_bytes);
  }
  void add(const column& next) {
    parts[count++] = {next.data, static_cast<unsigned>(next.element_bytes), word_of(next), used_};
    used_ += static_cast<unsigned>(next.element_bytes);
    row_bytes = rounded(used_);
  }

  /// Bytes of the widest words that all elements of a column are aligned to.
  [[nodiscard]] static unsigned word_of(const column& data) {
    const std::uintptr_t alignment = reinterpret_cast<std::uintptr_t>(data.data) | data.element_bytes | 16;
    return static_cast<unsigned>(alignment & (~alignment + 1));
  }

 private:
  [[nodiscard]] unsigned rounded(unsigned bytes) const {
    return (bytes + parts[0].word_bytes - 1) / parts[0].word_bytes * parts[0].word_bytes;
  }
  [[nodiscard]] std::size_t row_bytes_with(const column& next) const {
    return rounded(used_ + static_cast<unsigned>(next.element_bytes));
  }
  unsigned used_ = 0;
};

/// Divides columns into groups: each goes to the first group that it fits.
inline std::vector<packed_columns> pack_columns(std::vector<column> all) {
  std::stable_sort(all.begin(), all.end(), [](const column& a, const column& b) {
    return packed_columns::word_of(a) > packed_columns::word_of(b);
  });
  std::vector<packed_columns> groups;
  for (const column& each : all) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const packed_columns& one) { return one.fits(each); });
    if (group == groups.end()) group = groups.insert(groups.end(), packed_columns{});
    group->add(each);
  }
  return groups;
}

/// The most bytes of memory per row that reordering columns takes, wherever they lie.
inline std::size_t most_packed_bytes(const std::vector<column>& all) {
  constexpr std::size_t widest_word = 16;
  std::size_t widest = 0, together = 0;
  for (const column& each : all) {
    widest = std::max(widest, each.element_bytes);
    together += each.element_bytes;
  }
  if (all.size() == 1) return widest;
  return std::max(widest, std::min(packed_columns::most_bytes, divide_up(together, widest_word) * widest_word));
}

/// Copies an element of so many bytes in words.
__device__ inline void copy_element(std::byte* to, const std::byte* from, unsigned bytes, unsigned word_bytes) {
  const auto copy = [&]<class Word>(Word) {
    for (unsigned at = 0; at < bytes; at += sizeof(Word))
      *reinterpret_cast<Word*>(to + at) = *reinterpret_cast<const Word*>(from + at);
  };
  switch (word_bytes) {
    case 16:
      return copy(uint4{});
    case 8:
      return copy(std::uint64_t{});
    case 4:
      return copy(std::uint32_t{});
    case 2:
      return copy(std::uint16_t{});
    default:
      return copy(std::uint8_t{});
  }
}

/// Copies a row in the widest words that all rows are aligned to, its padding with it.
__device__ inline void copy_row(std::byte* to, const std::byte* from, unsigned bytes) {
  device::copy_element(to, from, bytes, min(bytes & (~bytes + 1), 16u));
}

template <class Columns>
__global__ void __launch_bounds__(permute_threads) pack_rows_kernel(Columns columns, std::byte* rows, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  __shared__ __align__(16) std::byte staged[permute_threads * packed_columns::most_bytes];  // each thread's row
  std::byte* const row = staged + threadIdx.x * columns.row_bytes;
#pragma unroll
  for (unsigned c = 0; c < packed_columns::most; ++c) {
    if (c >= columns.count) break;
    const packed_columns::part& part = columns.parts[c];
    device::copy_element(row + part.offset, static_cast<const std::byte*>(part.data) + i * part.bytes, part.bytes,
                         part.word_bytes);
  }
  device::copy_row(rows + i * columns.row_bytes, row, columns.row_bytes);
}

template <class Order>
__global__ void __launch_bounds__(permute_threads)
    unpack_rows_kernel(packed_columns columns, const std::byte* rows, Order order, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  __shared__ __align__(16) std::byte staged[permute_threads * packed_columns::most_bytes];  // each thread's row
  std::byte* const row = staged + threadIdx.x * columns.row_bytes;
  device::copy_row(row, rows + static_cast<std::size_t>(order[i]) * columns.row_bytes, columns.row_bytes);
#pragma unroll
  for (unsigned c = 0; c < packed_columns::most; ++c) {
    if (c >= columns.count) return;
    const packed_columns::part& part = columns.parts[c];
    device::copy_element(static_cast<std::byte*>(part.data) + i * part.bytes, row + part.offset, part.bytes,
                         part.word_bytes);
  }
}

/// Puts n rows of all columns into an order: row i becomes the old row order[i]. `spare`: memory for n times
/// most_packed_bytes of all columns. Allocates no host memory, since keys may have moved by then.
template <class Order>
  requires(!std::is_pointer_v<Order>)
void reorder_columns(const context& context, const std::vector<packed_columns>& groups, Order order, std::byte* spare,
                     std::size_t n) {
  for (const packed_columns& group : groups) {
    const column first{group.parts[0].data, group.parts[0].bytes};
    if (group.count == 1) {
      copy_bytes(context.stream, spare, first.data, n * first.element_bytes, cudaMemcpyDeviceToDevice);
      device::gather_rows(context, spare, first.data, first.element_bytes, order, n);
      continue;
    }
    const shape all_rows{divide_up(n, permute_threads), permute_threads};
    device::launch(context, all_rows, pack_rows_kernel<packed_columns>, group, spare, n);
    device::launch(context, all_rows, unpack_rows_kernel<Order>, group, spare, order, n);
  }
}
inline void reorder_columns(const context& context, const std::vector<packed_columns>& groups, index_reader order,
                            std::byte* spare, std::size_t n) {
  device::reorder_columns(context, groups, listed_order{order}, spare, n);
}

}  // namespace gpu::inline v1::detail::device
