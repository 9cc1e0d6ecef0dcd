// The kinds of real data, by name. key.hpp makes keys of them.
#pragma once

#include <iterator>
#include <string_view>

namespace bench::kinds {

enum class kind : unsigned char {
  none,
  dictionary_codes,
  prices,
  amounts,
  half_zeros,
  scores,
  depths,
  sensor_readings,
  differences,
  counts,
  sizes,
  timestamps,
  dates,
  sorted_runs,
  addresses,
  hashes,
  foreign_keys,
  order_lines,
  row_numbers,
  uuid7,
  uuid7_in_order,
  morton30,
  morton63,
  edges,
  vertices,
  matrix_entries,
  colours,
  text_prefixes,
  url_prefixes,
  kmers,
  suffix_ranks,
};

struct description {
  kind which;
  std::string_view name;
  int told_bits = 0;  ///< how many low bits may vary, where a user knows that it is not all
};

inline constexpr description all[] = {
    {kind::none, ""},
    {kind::dictionary_codes, "dictionary_codes", 10},
    {kind::prices, "prices", 15},
    {kind::amounts, "amounts"},
    {kind::half_zeros, "half_zeros"},
    {kind::scores, "scores"},
    {kind::depths, "depths"},
    {kind::sensor_readings, "sensor_readings"},
    {kind::differences, "differences"},
    {kind::counts, "counts"},
    {kind::sizes, "sizes"},
    {kind::timestamps, "timestamps"},
    {kind::dates, "dates", 15},
    {kind::sorted_runs, "sorted_runs"},
    {kind::addresses, "addresses"},
    {kind::hashes, "hashes"},
    {kind::foreign_keys, "foreign_keys", 22},
    {kind::order_lines, "order_lines"},
    {kind::row_numbers, "row_numbers", 26},
    {kind::uuid7, "uuid7"},
    {kind::uuid7_in_order, "uuid7_in_order"},
    {kind::morton30, "morton30", 30},
    {kind::morton63, "morton63", 63},
    {kind::edges, "edges", 54},
    {kind::vertices, "vertices", 22},
    {kind::matrix_entries, "matrix_entries", 54},
    {kind::colours, "colours"},
    {kind::text_prefixes, "text_prefixes"},
    {kind::url_prefixes, "url_prefixes"},
    {kind::kmers, "kmers", 62},
    {kind::suffix_ranks, "suffix_ranks", 52},
};
static_assert([] {
  for (unsigned i = 0; i < std::size(all); ++i)
    if (all[i].which != static_cast<kind>(i)) return false;
  return std::size(all) == static_cast<unsigned>(kind::suffix_ranks) + 1;
}());

constexpr const description& describe(kind which) { return all[static_cast<unsigned>(which)]; }

/// The kind of that name, or none.
constexpr kind kind_named(std::string_view name) {
  for (const description& one : all)
    if (one.name == name) return one.which;
  return kind::none;
}

}  // namespace bench::kinds
