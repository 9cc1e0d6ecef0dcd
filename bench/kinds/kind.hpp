// The kinds of real data, of skewed data, and of random mixtures, by name. key.hpp makes their keys.
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
  zipf_0_4,
  zipf_0_6,
  zipf_0_8,
  zipf_1,
  zipf_1_2,
  zipf_1_5,
  copies_2,
  copies_8,
  copies_60,
  copies_1000,
  crowds_16,
  crowds_1000,
  crowds_100000,
  half_one,
  nine_tenths_one,
  bits_8,
  bits_12,
  bits_16,
  bits_20,
  bits_24,
  mixture_1,
  mixture_2,
  mixture_3,
  mixture_4,
  mixture_5,
  mixture_6,
  mixture_7,
  mixture_8,
  mixture_9,
  mixture_10,
  mixture_11,
  mixture_12,
};

struct description {
  kind which;
  std::string_view name;
  int told_bits = 0;  ///< how many low bits may vary, if a user knows that not all do
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
    {kind::zipf_0_4, "zipf_0_4"},
    {kind::zipf_0_6, "zipf_0_6"},
    {kind::zipf_0_8, "zipf_0_8"},
    {kind::zipf_1, "zipf_1"},
    {kind::zipf_1_2, "zipf_1_2"},
    {kind::zipf_1_5, "zipf_1_5"},
    {kind::copies_2, "copies_2"},
    {kind::copies_8, "copies_8"},
    {kind::copies_60, "copies_60"},
    {kind::copies_1000, "copies_1000"},
    {kind::crowds_16, "crowds_16"},
    {kind::crowds_1000, "crowds_1000"},
    {kind::crowds_100000, "crowds_100000"},
    {kind::half_one, "half_one"},
    {kind::nine_tenths_one, "nine_tenths_one"},
    {kind::bits_8, "bits_8", 8},
    {kind::bits_12, "bits_12", 12},
    {kind::bits_16, "bits_16", 16},
    {kind::bits_20, "bits_20", 20},
    {kind::bits_24, "bits_24", 24},
    {kind::mixture_1, "mixture_1"},
    {kind::mixture_2, "mixture_2"},
    {kind::mixture_3, "mixture_3"},
    {kind::mixture_4, "mixture_4"},
    {kind::mixture_5, "mixture_5"},
    {kind::mixture_6, "mixture_6"},
    {kind::mixture_7, "mixture_7"},
    {kind::mixture_8, "mixture_8"},
    {kind::mixture_9, "mixture_9"},
    {kind::mixture_10, "mixture_10"},
    {kind::mixture_11, "mixture_11"},
    {kind::mixture_12, "mixture_12"},
};
static_assert([] {
  for (unsigned i = 0; i < std::size(all); ++i)
    if (all[i].which != static_cast<kind>(i)) return false;
  return std::size(all) == static_cast<unsigned>(kind::mixture_12) + 1;
}());

/// The kinds that are defined by positions among all keys of a type, behind those of real data.
inline constexpr kind first_position = kind::zipf_0_4, last_position = kind::nine_tenths_one;

constexpr const description& describe(kind which) { return all[static_cast<unsigned>(which)]; }

/// The kind of that name, or none.
constexpr kind kind_named(std::string_view name) {
  for (const description& one : all)
    if (one.name == name) return one.which;
  return kind::none;
}

}  // namespace bench::kinds
