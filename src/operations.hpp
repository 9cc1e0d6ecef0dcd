// The properties of the library's operations: the only list of them apart from their names in request.hpp.
#pragma once

#include <gpu/detail/boundary/request.hpp>

#include <array>
#include <string_view>

namespace gpu::inline v1::detail {

enum class family : std::uint8_t {
  sort,       ///< of all elements together
  segmented,  ///< of each segment by itself
  merge,
  check,
  selection,
  movement,
  indexed
};

struct operation_facts {
  operation what;
  std::string_view name;
  family of;
  bool stable = false;    ///< equivalent elements keep their order
  bool permutes = false;  ///< rows follow their keys, or their indices are written
};

inline constexpr std::array operations{
    operation_facts{operation::sort, "sort", family::sort},
    operation_facts{operation::stable_sort, "stable_sort", family::sort, true},
    operation_facts{operation::sort_by_key, "sort_by_key", family::sort, false, true},
    operation_facts{operation::stable_sort_by_key, "stable_sort_by_key", family::sort, true, true},
    operation_facts{operation::argsort, "argsort", family::sort, true, true},
    operation_facts{operation::merge, "merge", family::merge, true},
    operation_facts{operation::inplace_merge, "inplace_merge", family::merge, true},
    operation_facts{operation::merge_by_key, "merge_by_key", family::merge, true},
    operation_facts{operation::multiway_merge, "multiway_merge", family::merge, true},
    operation_facts{operation::sorted_prefix, "is_sorted_until", family::check},
    operation_facts{operation::sort_indexed, "sort_indexed", family::indexed},
    operation_facts{operation::segmented_sort, "segmented_sort", family::segmented},
    operation_facts{operation::segmented_stable_sort, "segmented_stable_sort", family::segmented, true},
    operation_facts{operation::segmented_sort_by_key, "segmented_sort_by_key", family::segmented, false, true},
    operation_facts{operation::segmented_stable_sort_by_key, "segmented_stable_sort_by_key", family::segmented, true,
                    true},
    operation_facts{operation::segmented_argsort, "segmented_argsort", family::segmented, true, true},
    operation_facts{operation::segmented_top_k, "segmented_top_k", family::segmented, true, true},
    operation_facts{operation::nth_element, "nth_element", family::selection},
    operation_facts{operation::partial_sort, "partial_sort", family::selection},
    operation_facts{operation::partial_sort_copy, "partial_sort_copy", family::selection, true},
    operation_facts{operation::top_k, "top_k", family::selection, true},
    operation_facts{operation::arg_top_k, "arg_top_k", family::selection, true},
    operation_facts{operation::top_k_by_key, "top_k_by_key", family::selection, true},
    operation_facts{operation::gather, "gather", family::movement},
    operation_facts{operation::permute, "permute", family::movement}};

static_assert(
    [] {
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (static_cast<std::size_t>(operations[i].what) != i) return false;
      return operations.size() == static_cast<std::size_t>(operation::permute) + 1;
    }(),
    "one line for each operation, in their order");

constexpr const operation_facts& facts_of(operation what) { return operations[static_cast<std::size_t>(what)]; }

}  // namespace gpu::inline v1::detail
