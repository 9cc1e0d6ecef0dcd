// What is measured: an operation on n elements of a type, drawn from a distribution.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../tests/support/distributions.hpp"
#include "kinds/kind.hpp"

namespace bench {

enum class operation {
  sort,
  sort_comparator,  ///< by a comparator that no library recognises
  stable_sort,
  sort_by_key,
  stable_sort_by_key,
  argsort,
  merge,
  multiway_merge,
  merge_by_key,   ///< keys and values
  inplace_merge,  ///< within the memory of the sequences
  is_sorted,      ///< on sorted keys
  gather,         ///< keys by an order unrelated to theirs, to other memory
  segmented_sort,
  segmented_sort_by_key,
  segmented_argsort,   ///< indices within the segments
  block_sort,          ///< a kernel whose blocks sort a tile each
  sort_indexed,        ///< keys and values through two callables
  host_sort_pageable,  ///< the elements are in host memory, wherever they are sorted
  host_sort_pinned,
  top_k,         ///< the `ways` greatest, to other memory
  arg_top_k,     ///< their indices
  nth_element,   ///< the one in the middle
  partial_sort,  ///< the `ways` least, in front
  call_latency,  ///< wall time of one sort of device data
};

[[nodiscard]] std::string_view to_string(operation what);

/// The lengths of segments: all equal, or random but the same at every call.
enum class segment_lengths {
  alike,       ///< `ways` elements each, the last one perhaps fewer
  geometric,   ///< `ways` on average
  even,        ///< uniform from 0 to `ways`
  log_normal,  ///< a median of `ways`, and a deviation of 1 in the logarithm, as texts and adjacency lists have
  power_law,   ///< more than x with a probability of x^-0.9, up to `ways`
};

[[nodiscard]] std::string_view to_string(segment_lengths lengths);

/// Whether the operation promises the order of equal elements.
[[nodiscard]] bool is_stable(operation what);
/// Whether it merges sorted sequences.
[[nodiscard]] bool is_merge(operation what);
/// Whether it sorts segments.
[[nodiscard]] bool is_segmented(operation what);

/// Whether it selects some of the elements.
[[nodiscard]] bool is_selection(operation what);

/// Where keys come from: a distribution of the tests' catalogue, or a kind of real data.
struct distribution : testing::distribution {
  kinds::kind real = kinds::kind::none;

  using testing::distribution::distribution;
  distribution(const testing::distribution& one) : testing::distribution{one} {}
  distribution(kinds::kind one)
      : testing::distribution{std::string{kinds::describe(one).name}, testing::form::uniform}, real{one} {}
};

struct problem {
  operation what = operation::sort;
  std::size_t ways = 1;  ///< number of sorted sequences to merge, of elements of segments, or of elements to select
  std::string type;      ///< of the elements, by name: elements.hpp
  distribution input{"uniform", testing::form::uniform};
  std::size_t n = 0;
  segment_lengths lengths = segment_lengths::alike;

  /// operation/type/distribution/n
  [[nodiscard]] std::string name() const;
  /// The name of key and value type. For argsort the values are the indices, as wide as the keys unless `type` names a
  /// value type.
  [[nodiscard]] std::string element() const;
};

/// Where data are.
enum class place { pageable, pinned, device };

}  // namespace bench
