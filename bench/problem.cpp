#include "problem.hpp"

namespace bench {

std::string_view to_string(operation what) {
  switch (what) {
    case operation::sort:
      return "sort";
    case operation::sort_comparator:
      return "sort_comparator";
    case operation::stable_sort:
      return "stable_sort";
    case operation::sort_by_key:
      return "sort_by_key";
    case operation::stable_sort_by_key:
      return "stable_sort_by_key";
    case operation::argsort:
      return "argsort";
    case operation::merge:
      return "merge";
    case operation::multiway_merge:
      return "multiway_merge";
    case operation::merge_by_key:
      return "merge_by_key";
    case operation::inplace_merge:
      return "inplace_merge";
    case operation::is_sorted:
      return "is_sorted";
    case operation::gather:
      return "gather";
    case operation::segmented_sort:
      return "segmented_sort";
    case operation::segmented_sort_by_key:
      return "segmented_sort_by_key";
    case operation::segmented_argsort:
      return "segmented_argsort";
    case operation::block_sort:
      return "block_sort";
    case operation::sort_indexed:
      return "sort_indexed";
    case operation::host_sort_pageable:
      return "host_sort_pageable";
    case operation::host_sort_pinned:
      return "host_sort_pinned";
    case operation::top_k:
      return "top_k";
    case operation::arg_top_k:
      return "arg_top_k";
    case operation::nth_element:
      return "nth_element";
    case operation::partial_sort:
      return "partial_sort";
    case operation::call_latency:
      return "call_latency";
  }
  return "unknown";
}

std::string_view to_string(segment_lengths lengths) {
  switch (lengths) {
    case segment_lengths::alike:
      return "alike";
    case segment_lengths::geometric:
      return "geometric";
    case segment_lengths::even:
      return "even";
    case segment_lengths::log_normal:
      return "log_normal";
    case segment_lengths::power_law:
      return "power_law";
  }
  return "unknown";
}

bool is_stable(operation what) {
  return what == operation::stable_sort || what == operation::stable_sort_by_key || what == operation::argsort;
}

bool is_merge(operation what) {
  return what == operation::merge || what == operation::multiway_merge || what == operation::merge_by_key ||
         what == operation::inplace_merge;
}

bool is_segmented(operation what) {
  return what == operation::segmented_sort || what == operation::segmented_sort_by_key ||
         what == operation::segmented_argsort || what == operation::block_sort;
}

bool is_selection(operation what) {
  return what == operation::top_k || what == operation::arg_top_k || what == operation::nth_element ||
         what == operation::partial_sort;
}

std::string problem::name() const {
  std::string text{to_string(what)};
  if (lengths != segment_lengths::alike) text += '_' + std::string{to_string(lengths)};
  if (what == operation::multiway_merge || is_segmented(what) || (is_selection(what) && what != operation::nth_element))
    text += '_' + std::to_string(ways);
  return text + '/' + type + '/' + input.name + '/' + std::to_string(n);
}

std::string problem::element() const {
  const bool names_values = type.find('+') != std::string::npos;
  const bool has_indices = what == operation::argsort || what == operation::segmented_argsort;
  return has_indices && !names_values ? type + '+' + type : type;
}

}  // namespace bench
