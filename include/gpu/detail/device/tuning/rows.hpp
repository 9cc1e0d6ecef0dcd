// Rows in any number of columns: moving them, making codes of them, and checking whether they are sorted.
#pragma once

#include <cstddef>

namespace gpu::inline v1::detail::device {

inline constexpr int permute_threads = 256;

/// Rows are gathered word by word: one behind the other, they are a sequence of words, in which neighbouring threads
/// write neighbouring words, whatever the rows' width. A block's rows have about gather_tile words; all gather_items of
/// a thread are in flight at once.
inline constexpr int gather_items = 8;
inline constexpr unsigned gather_tile = permute_threads * gather_items;

/// How many rows a thread reads or writes parts of at once.
inline constexpr int part_items = 4;
inline constexpr std::size_t part_tile = std::size_t{permute_threads} * part_items;

inline constexpr int code_threads = 256;

inline constexpr int sorted_threads = 256;
inline constexpr int sorted_items = 8;  ///< independent loads per thread, enough to keep memory busy
inline constexpr std::size_t sorted_tile = static_cast<std::size_t>(sorted_threads) * sorted_items;

/// 256 threads that scan 8 elements each: 16 KB of 64-bit sums pass through shared memory.
inline constexpr int scan_threads = 256;
inline constexpr int scan_items = 8;
inline constexpr std::size_t scan_tile = std::size_t{scan_threads} * scan_items;

}  // namespace gpu::inline v1::detail::device
