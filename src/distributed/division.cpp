#include "division.hpp"

#include <algorithm>
#include <numeric>

namespace gpu::inline v1::detail {
namespace {

/// Prefix sums: 0, the first number, the sum of the first two …
std::vector<std::size_t> sums_of(const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> sums(numbers.size() + 1);
  std::partial_sum(numbers.begin(), numbers.end(), sums.begin() + 1);
  return sums;
}

}  // namespace

rank_division::rank_division(const std::vector<std::size_t>& after, const std::vector<std::uint64_t>& counts,
                             std::size_t bucket_count)
    : ranks{sums_of(after)}, lower(bucket_count, no_rank), upper(lower) {
  std::vector<std::size_t> sizes(bucket_count);
  for (std::size_t i = 0; i < counts.size(); ++i) sizes[i % bucket_count] += counts[i];
  buckets = sums_of(sizes);
  pieces.fill(lower);
  std::size_t at_boundaries = 0;
  for (std::size_t b = 0; b < bucket_count; ++b) {
    if (sizes[b] == 0) continue;
    assign(b);
    if (lower[b] != no_rank) at_boundaries += sizes[b];
  }
  worth_it = worth_it && at_boundaries <= ranks.back() / 4;
}

void rank_division::assign(std::size_t bucket) {
  const auto rank_of = [&](std::size_t element) {
    return static_cast<std::size_t>(std::upper_bound(ranks.begin(), ranks.end(), element) - ranks.begin()) - 1;
  };
  const std::size_t first = rank_of(buckets[bucket]), last = rank_of(buckets[bucket + 1] - 1);
  if (first != last) {
    worth_it = worth_it && ranks[first + 1] == ranks[last];
    lower[bucket] = first;
    upper[bucket] = last;
    return;
  }
  const std::size_t eighth = (ranks[first + 1] - ranks[first] + 7) / 8;
  const auto next =
      std::upper_bound(piece_begins.begin(), piece_begins.end(), (buckets[bucket] - ranks[first]) / eighth);
  pieces[static_cast<std::size_t>(next - piece_begins.begin()) - 1][bucket] = first;
}

std::vector<std::uint16_t> rank_division::order() const {
  std::vector<std::uint16_t> all;
  std::vector<bool> has(lower.size());
  const auto add = [&](const auto& wanted) {
    for (std::size_t b = 0; b < lower.size(); ++b)
      if (!has[b] && wanted(b)) {
        all.push_back(static_cast<std::uint16_t>(b));
        has[b] = true;
      }
  };
  add([&](std::size_t b) { return lower[b] != no_rank; });
  for (const receivers& piece : pieces) add([&](std::size_t b) { return piece[b] != no_rank; });
  add([](std::size_t) { return true; });  // empty ones
  return all;
}

}  // namespace gpu::inline v1::detail
