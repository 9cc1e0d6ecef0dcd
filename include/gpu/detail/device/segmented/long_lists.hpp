// Interface between the kernels that sort short segments and list the others, and those that sort the listed ones:
// which segments count as short.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

struct base_case;
struct round_totals;
struct subproblem;

/// The type of a key in registers, where narrow keys take a word.
template <class Key>
using register_code = std::conditional_t<(sizeof(Key) < sizeof(unsigned)), unsigned, Key>;

/// Elements that a thread sorts, in registers.
template <class Key>
inline constexpr unsigned thread_items = sizeof(Key) <= 8 ? 32 : 8;

/// Whether keys can be joined with values of the same width to form integers.
template <class Bits>
inline constexpr bool is_segment_pair_v = sizeof(Bits) == 4 || sizeof(Bits) == 8;

/// Threads of a warp, which sort one segment together.
inline constexpr unsigned widest_group = 32;
/// The longest segment that a warp sorts.
template <class Key>
inline constexpr unsigned longest_group = thread_items<Key> * widest_group;

/// Bytes that sorting long segments takes: for the lists, and for these and the memory behind them, which is not used
/// before all segments are listed.
struct rounds_bytes {
  std::size_t lists;
  std::size_t all;
};

/// Where segments that are too long for a warp are listed: base cases for single blocks, subproblems for all blocks
/// together.
struct long_lists {
  subproblem* segments;  ///< of the first round
  round_totals* totals;
  base_case* base_cases;
  unsigned* base_case_count;
  std::size_t longest_base_case;
  bool coded = false;  ///< whether base cases hold codes already, as those that rounds make do
};

}  // namespace gpu::inline v1::detail::device
