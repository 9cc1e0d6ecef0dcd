// Segments too long for a warp: subproblems of rounds that are given, not found.
#pragma once

#include <gpu/detail/device/quicksort.cuh>

#include <cstddef>

#include "keys.hpp"

namespace gpu::inline v1::detail::device {

/// The elements sorted in segments: keys alone, or joined with values of the same width.
template <class Bits, bool Paired>
struct segment_elements {
  using key = Bits;
  using value = no_value;
};
template <class Bits>
struct segment_elements<Bits, true> {
  using key = joined_bits<Bits, Bits>;
  using value = joined<Bits, Bits>;
};

/// Memory of segments that are given; begin() and sort() carve it alike.
template <class Bits, bool Paired>
auto given_subproblems(carver& carve, std::size_t n) {
  using elements = segment_elements<Bits, Paired>;
  using key = typename elements::key;
  return quicksort_scratch<key, typename elements::value, code_less>{carve, n, longest_group<key> + 1};
}

template <class Bits, bool Paired>
rounds_bytes segment_kernels<Bits, Paired>::rounds(std::size_t n) {
  using key = typename segment_elements<Bits, Paired>::key;
  using value = typename segment_elements<Bits, Paired>::value;
  constexpr std::size_t longest = longest_base_case<key, value, code_less>();
  carver measure;
  (void)given_subproblems<Bits, Paired>(measure, n);
  return {scratch_bytes<partitions<by_itself<key>, value, code_less>>(n, longest, std::size_t{longest_group<key> + 1}),
          measure.bytes()};
}

template <class Bits, bool Paired>
long_lists segment_kernels<Bits, Paired>::begin(const context& context, std::size_t n, void* memory) {
  carver carve{memory};
  const auto rounds = given_subproblems<Bits, Paired>(carve, n);
  const auto& parts = rounds.rounds.parts;
  begin_distribution(context, parts);
  return {parts.subproblems[0], parts.totals, parts.base_cases, parts.base_case_count, parts.plan.longest_base_case};
}

template <class Bits, bool Paired>
void segment_kernels<Bits, Paired>::sort(const context& context, Bits* keys, Bits* values, std::size_t n,
                                         const key_format& format, void* memory, bool coded) {
  using key = typename segment_elements<Bits, Paired>::key;
  using value = typename segment_elements<Bits, Paired>::value;
  const auto codec = make_codec<Bits>(format);
  carver carve{memory};
  const auto rounds = given_subproblems<Bits, Paired>(carve, n);
  if constexpr (Paired)
    sort_given_subproblems(context, rounds, columns<key, value>{{keys, values}},
                           joined_codec<key, Bits, Bits, key_codec<Bits>>{codec}, coded);
  else
    sort_given_subproblems(context, rounds, columns<key, value>{keys, nullptr}, codec, coded);
}

}  // namespace gpu::inline v1::detail::device
