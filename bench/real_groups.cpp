// Groups, as data: the kinds of real data, each with the operations that programs apply to it, compared with uniform
// keys of the same types; 2^16 to 2^24 uniform keys in small steps; and every kind, skewed ones too, of every type and
// number.
#include <cmath>
#include <string>
#include <vector>

#include "cases.hpp"

namespace bench {
namespace {

using enum operation;
using names = std::vector<std::string>;
using kinds_of_data = std::vector<kinds::kind>;
using enum kinds::kind;

const distribution uniform{"uniform", testing::form::uniform};
constexpr std::size_t large = std::size_t{1} << 26;
constexpr std::size_t large_of_wide = std::size_t{1} << 25;  // of 16-byte keys
const std::vector<std::size_t> smaller{std::size_t{1} << 20, 3'000'000, std::size_t{1} << 24};

const names peers{"gpupar", "cub_radix", "cub_radix_told", "cub_radix_new", "cub_merge_sort"};

/// The cases of one type: those of the kinds, and uniform keys for comparison.
group on(const std::vector<operation>& operations, const std::string& type, const kinds_of_data& data,
         const std::vector<std::size_t>& n = {large}) {
  std::vector<distribution> inputs{uniform};
  inputs.insert(inputs.end(), data.begin(), data.end());
  return {operations, {type}, inputs, n, peers};
}

std::vector<group> numbers() {
  return {on({sort}, "u16", {dictionary_codes, counts}),
          on({sort}, "u32",
             {addresses, colours, counts, dictionary_codes, foreign_keys, hashes, order_lines, sorted_runs, row_numbers,
              vertices}),
          on({sort}, "i32", {prices, differences, dates}),
          on({sort}, "u64",
             {kmers, timestamps, hashes, counts, sizes, text_prefixes, sorted_runs, edges, morton63, suffix_ranks,
              matrix_entries, order_lines}),
          on({sort, stable_sort}, "f32", {half_zeros, sensor_readings, scores, depths}),
          on({sort}, "f64", {amounts}),
          on({sort}, "u128", {uuid7, uuid7_in_order, url_prefixes}, {large_of_wide})};
}

std::vector<group> rows() {
  const std::vector<operation> both{sort_by_key, stable_sort_by_key};
  return {on({sort_by_key}, "u8+u64", {dictionary_codes}),
          on({sort_by_key}, "u16+u32", {dictionary_codes}),
          on(both, "u16+u64", {dictionary_codes, counts}),
          on({sort_by_key}, "u32+u8", {}),
          on({sort_by_key}, "u32+u16", {}),
          on(both, "u32+u32",
             {morton30, addresses, foreign_keys, hashes, order_lines, dictionary_codes, counts, row_numbers,
              sorted_runs, vertices}),
          on(both, "u32+u64", {dictionary_codes, addresses, foreign_keys, vertices}),
          on({sort_by_key}, "u32+u128", {foreign_keys}),
          on({sort_by_key}, "u64+u16", {}),
          on(both, "u64+u32", {morton63, edges, kmers, hashes, suffix_ranks, text_prefixes}),
          on(both, "u64+u64", {matrix_entries, timestamps, hashes, edges, order_lines}),
          on({sort_by_key}, "i32+u32", {dates}),
          on(both, "i32+u64", {prices, dates}),
          on({sort_by_key}, "f32+u32", {half_zeros, depths, sensor_readings, scores}),
          on({sort_by_key}, "f64+u32", {amounts}),
          on({sort_by_key}, "u128+u32", {uuid7, url_prefixes}, {large_of_wide})};
}

std::vector<group> places() {
  return {on({argsort}, "u16+u32", {dictionary_codes}),
          on({argsort}, "u16+u64", {dictionary_codes}),
          on({argsort}, "u32+u32", {dictionary_codes, morton30, colours, counts}),
          on({argsort}, "i32+u32", {prices, dates}),
          on({argsort}, "f32+u32", {scores, half_zeros}),
          on({argsort}, "u64+u32", {morton63, kmers, text_prefixes, timestamps})};
}

std::vector<group> few_of_them() {
  return {on({sort}, "u32", {addresses}, smaller),
          on({sort}, "u64", {kmers}, smaller),
          on({sort_by_key}, "u32+u32", {morton30, foreign_keys}, smaller),
          on({stable_sort_by_key}, "u32+u32", {dictionary_codes}, smaller),
          on({sort_by_key}, "u32+u64", {dictionary_codes}, smaller),
          on({sort_by_key}, "i32+u64", {prices}, smaller),
          on({sort_by_key}, "u64+u32", {edges}, smaller)};
}

/// Steps of 2^(1/4) from 2^first to 2^last.
std::vector<std::size_t> quarter_powers(int first, int last) {
  std::vector<std::size_t> all;
  for (int quarter = 4 * first; quarter <= 4 * last; ++quarter)
    all.push_back(static_cast<std::size_t>(std::llround(std::exp2(quarter / 4.0))));
  return all;
}

/// Uniform keys and every kind, except the second kind of UUIDs: narrower keys are the last of their sixteen bytes.
std::vector<distribution> every_kind() {
  std::vector<distribution> inputs{uniform};
  for (const auto& one : kinds::all)
    if (one.which != none && one.which != uuid7_in_order) inputs.emplace_back(one.which);
  return inputs;
}

}  // namespace

std::vector<group> real_groups() {
  std::vector<group> all;
  for (const auto& some : {numbers(), rows(), places(), few_of_them()}) all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<group> size_groups() {
  const std::vector<std::size_t> n = quarter_powers(16, 24);
  const names beside{"gpupar", "cub_radix"};
  return {{{sort}, {"u32", "u64"}, {uniform}, n, beside},
          {{sort_by_key, stable_sort_by_key}, {"u32+u32", "u64+u64"}, {uniform}, n, beside}};
}

std::vector<group> kind_groups() {
  const std::vector<distribution> inputs = every_kind();
  const std::vector<std::size_t> n{1 << 18, 700'000, 1 << 20, 2'500'000, 1 << 22, 1 << 24, large};
  const names beside{"gpupar", "cub_radix"};
  return {{{sort}, {"u32", "u64", "f32"}, inputs, n, beside},
          {{stable_sort}, {"f32"}, inputs, n, beside},
          {{sort_by_key}, {"u32+u32", "u32+u64", "u64+u32", "u64+u64"}, inputs, n, beside},
          {{argsort}, {"u32", "u64", "f64+u32"}, inputs, n, beside}};
}

}  // namespace bench
