// The cases of the extents, as data.
#include <algorithm>
#include <string>
#include <vector>

#include "cases.hpp"

namespace bench {
namespace {

using enum operation;
using names = std::vector<std::string>;
using sizes = std::vector<std::size_t>;
using distributions = std::vector<distribution>;

/// 2^first, 2^(first + step) … 2^last.
sizes powers(int first, int last, int step = 1) {
  sizes all;
  for (int k = first; k <= last; k += step) all.push_back(std::size_t{1} << k);
  return all;
}

const distribution uniform{"uniform", testing::form::uniform};
const distributions only_uniform{uniform};
const distributions sequences{uniform,
                              {"zero", testing::form::zero},
                              {"few_distinct_16", testing::form::few_distinct, 16},
                              {"sorted", testing::form::sorted},
                              {"reverse", testing::form::reverse}};

distributions catalogue() {
  const auto all = testing::all_distributions();
  return {all.begin(), all.end()};
}

/// The distributions of the catalogue with one of these names.
distributions named(const names& wanted) {
  distributions all = catalogue();
  std::erase_if(all, [&](const auto& one) { return std::ranges::find(wanted, one.name) == wanted.end(); });
  return all;
}

/// The distributions of the catalogue that proved hardest for some sort.
distributions hardest() {
  return named({"uniform", "zipf", "few_distinct_2", "few_distinct_16", "few_distinct_256", "sawtooth_1000", "needle",
                "splitter_killer_128", "randomized_duplicates_240", "sorted", "staggered_240", "only_byte_0"});
}

const names forced{"gpupar_bitonic", "gpupar_quicksort", "gpupar_sample_sort", "gpupar_merge_sort", "gpupar_radix"};
const names wide{"u32", "u64"};
const names pairs{"u32+u32", "u64+u64"};
/// Types sorted by comparators: two whose order can be recognised as the natural one, two where it cannot, and records.
const names compared{"u32", "u64", "reversed32", "reversed64", "record16"};
const names signed_numbers{"i32", "f32", "i64", "f64"};
const names narrow_and_signed{"u8", "u16", "half", "i32", "f32", "i64", "f64"};
const names device_peers{"gpupar", "cub_radix", "cub_merge_sort", "thrust"};

names operator+(names left, const names& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void append(std::vector<group>& to, const std::vector<group>& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Tables 5.2 and 5.3 of Nguyen's thesis: every algorithm compared with std::sort.
std::vector<group> speed_up() {
  return {{{sort},
           {"i32"},
           named({"uniform", "staggered_128"}),
           powers(10, 25),
           names{"std", "gpupar"} + forced + names{"thrust"}}};
}

/// Figures 19 to 21 of Leischner's thesis: sample sort and its competitors on the distributions of the thesis, with
/// p = 240.
std::vector<group> by_distribution() {
  const distributions chosen = named({"uniform", "gaussian", "bucket_sorted_240", "staggered_240", "g_group_4_240",
                                      "deterministic_duplicates", "randomized_duplicates_240", "sorted"});
  const names beside{"gpupar", "gpupar_sample_sort", "gpupar_merge_sort", "cub_radix"};
  return {{{sort}, wide, chosen, powers(26, 26), beside}, {{sort_by_key}, {"u32+u32"}, chosen, powers(26, 26), beside}};
}

/// gpupar on non-uniform keys.
std::vector<group> hard_inputs() {
  const distributions all = catalogue();
  const sizes n = powers(26, 26);
  return {{{sort, stable_sort, sort_comparator}, {"u32"}, all, n, {"gpupar"}},
          {{sort}, {"u64"}, all, n, {"gpupar"}},
          {{sort}, {"f32"}, named({"uniform", "gaussian", "zipf", "sorted", "few_distinct_16"}), n, {"gpupar"}},
          {{sort_by_key, stable_sort_by_key}, {"u32+u32"}, all, n, {"gpupar"}},
          {{sort_by_key}, {"u64+u64"}, all, n, {"gpupar"}},
          {{sort_comparator}, {"u64", "record16"}, hardest(), n, {"gpupar"}},
          {{merge}, wide, sequences, n, {"gpupar", "cub_merge"}}};
}

/// The same for few enough keys that one launch sorts them.
std::vector<group> hard_middle_inputs() {
  const sizes n = powers(18, 18);
  return {{{sort}, {"u32"}, catalogue(), n, {"gpupar"}}, {{sort}, {"u64", "f32"}, hardest(), n, {"gpupar"}}};
}

/// Selecting the k greatest, and the middle one, compared with sorting and other selections.
std::vector<group> selections() {
  const names types{"u32", "f32", "u64"};
  return {{{top_k}, types, only_uniform, powers(20, 28, 4), {"gpupar", "cub_topk", "thrust"}, {1, 10, 1000, 65'536}},
          {{top_k}, {"u32"}, only_uniform, powers(28, 28), {"gpupar", "cub_topk", "thrust"}, {1 << 27}},
          {{arg_top_k}, types, only_uniform, powers(20, 28, 4), {"gpupar", "cub_topk"}, {1000}},
          {{top_k}, {"u32"}, hardest(), powers(26, 26), {"gpupar"}, {1000}},
          {{nth_element}, types, only_uniform, powers(20, 28, 4), {"gpupar", "thrust"}},
          {{partial_sort}, {"u32", "u64"}, only_uniform, powers(20, 28, 4), {"gpupar", "thrust"}, {1000, 1 << 20}}};
}

/// Operations that check sorted data, keep data sorted, or move data by an order.
std::vector<group> beside_sorts() {
  const distributions sorted = named({"sorted"});
  const sizes some = powers(16, 28, 4);
  return {{{is_sorted}, wide, sorted, some, {"gpupar", "thrust"}},
          {{inplace_merge}, wide, only_uniform, some, {"gpupar", "thrust"}},
          {{merge_by_key}, pairs, only_uniform, some, {"gpupar", "thrust"}},
          {{gather}, wide, only_uniform, some, {"gpupar", "thrust"}}};
}

/// Tiles of blocks of 256 threads with 5, 9 or 17 elements each; the sizes are multiples of all three tiles.
std::vector<group> tiles() {
  constexpr std::size_t unit = 256 * 5 * 9 * 17;
  const sizes whole{16 * unit, 64 * unit, 256 * unit};
  return {{{block_sort},
           wide,
           only_uniform,
           whole,
           {"gpupar", "cub_block_merge", "cub_block_radix"},
           {256 * 5, 256 * 9, 256 * 17}}};
}

std::vector<group> latencies() {
  return {{{call_latency},
           {"u32"},
           only_uniform,
           {1, 10, 100, 1000, 4096, 10'000, 100'000, 1'000'000},
           {"gpupar", "thrust"}}};
}

/// Segments of mixed lengths.
std::vector<group> mixed_segments(segment_lengths lengths, const sizes& ways) {
  const names beside{"gpupar", "cub_segmented_sort"};
  return {{{segmented_sort}, {"u32", "u64"}, only_uniform, powers(26, 26), beside, ways, lengths},
          {{segmented_sort_by_key}, {"u32+u32"}, only_uniform, powers(26, 26), beside, ways, lengths},
          {{segmented_argsort}, {"u32"}, only_uniform, powers(26, 26), beside, ways, lengths}};
}

/// Segments of one length each, from one element to all.
std::vector<group> segments() {
  const sizes lengths{1, 8, 32, 100, 1000, 4096, 20'000, 65'536, 1 << 20, 1 << 24};
  const names beside{"gpupar", "cub_segmented_sort", "cub_segmented_radix"};
  return {{{segmented_sort}, {"u32", "u64"}, only_uniform, powers(26, 26), beside, lengths},
          {{segmented_sort}, {"f32"}, only_uniform, powers(26, 26), beside, {32, 1000}},
          {{segmented_sort}, {"u32"}, hardest(), powers(26, 26), {"gpupar"}, {32, 1000, 20'000}},
          {{segmented_sort_by_key}, {"u32+u32"}, only_uniform, powers(26, 26), beside, lengths},
          {{segmented_argsort},
           {"u32"},
           only_uniform,
           powers(18, 22, 4),
           {"gpupar", "cub_segmented_sort"},
           {8, 100, 1000, 20'000}},
          {{segmented_argsort}, {"u32"}, only_uniform, powers(26, 26), {"gpupar", "cub_segmented_sort"}, lengths}};
}

std::vector<group> quick() {
  const sizes some = powers(16, 28, 4), large = powers(20, 28, 4), small = powers(10, 16, 3);
  std::vector<group> all{
      {{sort}, wide, only_uniform, powers(10, 28, 2), {"gpupar", "cub_radix"}},
      {{sort}, wide, only_uniform, some, forced + names{"cub_merge_sort", "thrust"}},
      {{sort}, narrow_and_signed, only_uniform, powers(28, 28), {"gpupar", "cub_radix"}},
      {{sort}, {"u128"}, only_uniform, powers(27, 27), {"gpupar", "cub_radix"}},
      {{sort}, {"u32", "i32"}, only_uniform, powers(26, 26), {"gpupar_quicksort"}},
      {{sort, stable_sort}, {"u32x2", "u64x2"}, only_uniform, powers(26, 26), {"gpupar"}},
      {{sort_comparator}, compared, only_uniform, powers(20, 28, 4), {"gpupar", "cub_merge_sort"}},
      {{sort_comparator}, {"record32", "record100"}, only_uniform, powers(25, 25), {"gpupar", "cub_merge_sort"}},
      {{stable_sort}, wide, only_uniform, large, device_peers},
      {{stable_sort}, signed_numbers, only_uniform, powers(28, 28), {"gpupar", "cub_radix"}},
      {{sort_by_key, stable_sort_by_key}, pairs, only_uniform, large, device_peers},
      {{argsort}, wide, only_uniform, large, device_peers},
      {{stable_sort}, wide + names{"f32"}, only_uniform, small, {"gpupar", "cub_radix"}},
      {{sort_by_key, stable_sort_by_key}, pairs, only_uniform, small, {"gpupar", "cub_radix", "thrust"}},
      {{argsort}, wide, only_uniform, small, {"gpupar", "cub_radix", "thrust"}},
      {{merge}, wide, only_uniform, powers(16, 28, 4), {"gpupar", "cub_merge", "thrust"}},
      {{multiway_merge}, wide, only_uniform, large, {"gpupar", "cub_merge"}, {2, 8, 64}},
      {{host_sort_pageable}, wide, only_uniform, powers(8, 20, 4), {"gpupar", "thrust", "std"}},
      {{host_sort_pageable}, wide, only_uniform, powers(24, 28, 4), {"gpupar", "thrust"}},
      {{host_sort_pinned}, wide, only_uniform, powers(12, 28, 4), {"gpupar", "thrust", "transfers"}}};
  append(all, hard_inputs());
  append(all, hard_middle_inputs());
  append(all, by_distribution());
  append(all, latencies());
  append(all, segments());
  append(all, mixed_segments(segment_lengths::geometric, {16, 64}));
  append(all, mixed_segments(segment_lengths::even, {64}));
  append(all, mixed_segments(segment_lengths::log_normal, {20}));
  append(all, mixed_segments(segment_lengths::power_law, {1 << 22}));
  append(all, selections());
  append(all, beside_sorts());
  append(all, tiles());
  append(all, speed_up());
  append(all, real_groups());
  append(all, size_groups());
  return all;
}

std::vector<group> full() {
  const auto all_inputs = catalogue();
  const sizes some = powers(12, 28, 4);
  std::vector<group> all = quick();
  append(all,
         {{{sort}, wide, only_uniform, powers(0, 30), {"gpupar", "cub_radix"}},
          {{sort}, wide, only_uniform, powers(10, 28, 2), forced + names{"cub_merge_sort", "thrust"}},
          {{sort}, narrow_and_signed + names{"u128"}, only_uniform, powers(12, 27, 3), {"gpupar", "cub_radix"}},
          {{sort}, {"u8"}, only_uniform, {(std::size_t{1} << 32) + 1}, {"gpupar", "cub_radix"}},
          {{sort_comparator}, compared, only_uniform, powers(12, 26, 2), {"gpupar", "cub_merge_sort"}},
          {{sort_comparator}, {"record32", "record100"}, only_uniform, powers(13, 25, 4), {"gpupar", "cub_merge_sort"}},
          {{stable_sort}, wide, only_uniform, powers(10, 30, 2), device_peers},
          {{sort_by_key, stable_sort_by_key}, pairs, only_uniform, powers(10, 30, 2), {"gpupar", "cub_radix"}},
          {{argsort}, wide, only_uniform, some, device_peers},
          {{merge}, wide, only_uniform, powers(10, 30, 2), {"gpupar", "cub_merge", "thrust"}},
          {{multiway_merge}, wide, only_uniform, powers(16, 28, 2), {"gpupar", "cub_merge"}, {2, 8, 64}},
          {{multiway_merge}, wide, sequences, powers(26, 26), {"gpupar", "cub_merge"}, {8, 64}},
          {{sort}, wide, all_inputs, powers(28, 28), {"gpupar", "cub_radix"}},
          {{sort}, wide + names{"f32", "f64"}, all_inputs, powers(16, 20, 2), {"gpupar"}},
          {{sort}, narrow_and_signed + names{"u128"}, all_inputs, powers(26, 26), {"gpupar"}},
          {{stable_sort}, wide, all_inputs, powers(26, 26), {"gpupar"}},
          {{sort_by_key, stable_sort_by_key}, pairs, all_inputs, powers(26, 26), {"gpupar"}},
          {{sort_comparator}, {"u64", "record16"}, all_inputs, powers(26, 26), {"gpupar"}},
          {{host_sort_pageable}, wide, only_uniform, powers(0, 22), {"gpupar", "thrust", "std"}},
          {{host_sort_pinned}, wide, only_uniform, powers(12, 28, 2), {"gpupar", "thrust", "transfers"}}});
  return all;
}

std::vector<group> host() {
  const names beside{"gpupar", "std", "std_par", "gnu_parallel", "ips4o"};
  const sizes some = powers(4, 24, 4);
  return {{{sort}, {"u32", "u64", "f64"}, only_uniform, some, beside},
          {{sort}, {"u32"}, only_uniform, powers(6, 22, 4), beside},
          {{sort}, {"u32"}, only_uniform, powers(26, 26), beside},
          {{sort}, {"u32"}, only_uniform, powers(4, 20, 4), forced},
          {{sort_comparator}, {"u32", "record16"}, only_uniform, some, beside},
          {{stable_sort}, wide, only_uniform, some, beside},
          {{sort_by_key, stable_sort_by_key}, {"u32+u32"}, only_uniform, some, beside},
          {{argsort}, {"u32"}, only_uniform, powers(4, 20, 4), beside},
          {{merge}, wide, only_uniform, some, beside},
          {{multiway_merge}, {"u32"}, only_uniform, some, beside, {8, 64}},
          {{top_k}, {"u32", "f64"}, only_uniform, powers(8, 24, 8), {"gpupar", "std"}, {1, 100, 65'536}},
          {{nth_element}, {"u32", "f64"}, only_uniform, powers(8, 24, 8), {"gpupar", "std"}},
          {{partial_sort}, {"u32"}, only_uniform, powers(8, 24, 8), {"gpupar", "std"}, {100}},
          {{inplace_merge}, {"u32"}, only_uniform, powers(8, 24, 8), {"gpupar", "std"}},
          {{is_sorted}, {"u32"}, named({"sorted"}), powers(8, 24, 8), {"gpupar", "std"}},
          {{sort_indexed}, {"u32+u32"}, only_uniform, powers(4, 20, 8), {"gpupar", "std"}},
          {{sort}, {"u32x2"}, only_uniform, powers(4, 24, 4), beside},
          {{sort}, {"string", "view", "owner"}, only_uniform, powers(4, 20, 4), beside},
          {{sort}, {"string"}, named({"few_distinct_256", "sorted", "zipf"}), powers(20, 20), beside},
          {{segmented_sort}, {"u32"}, only_uniform, powers(16, 20, 4), beside, {1, 8, 100, 4096}},
          {{segmented_sort_by_key}, {"u32+u32"}, only_uniform, powers(20, 20), beside, {8, 4096}},
          {{sort}, {"u32"}, catalogue(), powers(20, 20), beside},
          {{sort_comparator}, {"u32", "record16"}, only_uniform, powers(12, 14, 2), beside},
          {{sort_comparator},
           {"u32", "record16"},
           named({"few_distinct_16", "few_distinct_256", "sawtooth_1000"}),
           powers(14, 24, 10),
           beside}};
}

}  // namespace

std::vector<group> groups_of(extent wanted) {
  switch (wanted) {
    case extent::quick:
      return quick();
    case extent::full:
      return full();
    case extent::host:
      return host();
    case extent::real:
      return real_groups();
    case extent::sizes:
      return size_groups();
    case extent::kinds:
      return kind_groups();
  }
  return {};
}

}  // namespace bench
