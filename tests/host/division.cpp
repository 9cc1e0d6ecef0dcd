// Which ranks receive the buckets that all ranks have in common, once each rank has counted its elements in them.
#include "distributed/division.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "random.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using gpu::detail::no_rank;
using gpu::detail::rank_division;
using gpu::detail::receivers;

/// How many elements a rank has in each bucket.
struct law {
  const char* name;
  std::uint64_t (*count)(std::uint64_t rank, std::uint64_t bucket);
};
const law laws[] = {
    {"as many in each", [](std::uint64_t, std::uint64_t) { return std::uint64_t{1000}; }},
    {"random", [](std::uint64_t r, std::uint64_t b) { return random_at(r, b) % 2000; }},
    {"many empty", [](std::uint64_t r, std::uint64_t b) { return b % 5 == 0 ? random_at(r, b) % 9000 : 0; }},
    {"each rank others", [](std::uint64_t r, std::uint64_t b) { return b % 4 == r % 4 ? std::uint64_t{4000} : 0; }},
};
constexpr std::size_t buckets = 200;

std::vector<std::uint64_t> counts_of(const law& counts, std::size_t ranks) {
  std::vector<std::uint64_t> all;
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t b = 0; b < buckets; ++b) all.push_back(counts.count(r, b));
  return all;
}

/// Divides n elements in these shares.
std::vector<std::size_t> sizes_of(const std::vector<std::size_t>& shares, std::size_t n) {
  const std::size_t units = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
  std::vector<std::size_t> sizes;
  for (const std::size_t share : shares) sizes.push_back(n / units * share);
  for (std::size_t r = 0; r < sizes.size(); ++r)
    if (shares[r] > 0) {
      sizes[r] += n - std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
      break;
    }
  return sizes;
}

/// Checks who receives a bucket: one rank as a piece, or two ranks if it is the boundary between them.
void expect_receivers(const rank_division& division, std::size_t bucket, const std::string& what) {
  std::size_t pieces = 0;
  for (const receivers& piece : division.pieces) {
    if (piece[bucket] == no_rank) continue;
    ++pieces;
    expect(division.ranks[piece[bucket]] <= division.buckets[bucket] &&
               division.buckets[bucket + 1] <= division.ranks[piece[bucket] + 1],
           what + ": a piece is of its rank");
  }
  const std::size_t lower = division.lower[bucket], upper = division.upper[bucket];
  expect(pieces + (lower != no_rank ? 1 : 0) == (division.size(bucket) > 0 ? 1 : 0), what + ": once, or a boundary");
  expect((lower == no_rank) == (upper == no_rank), what + ": boundaries have two ranks");
  if (lower == no_rank) return;
  expect(division.buckets[bucket] < division.ranks[lower + 1] && division.ranks[lower + 1] == division.ranks[upper] &&
             division.ranks[upper] < division.buckets[bucket + 1],
         what + ": one rank ends where the other begins");
}

/// Checks that buckets are in the order of ranks without gaps, as exchanges of bytes need them.
void expect_order(const rank_division& division, const std::string& what) {
  const auto order = division.order();
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) expect(sorted[i] == i, what + ": every bucket has a place");
  expect(order.size() == buckets, what + ": one place");
  auto next = order.begin();
  std::vector<receivers> groups{division.lower};
  groups.insert(groups.end(), division.pieces.begin(), division.pieces.end());
  for (const receivers& group : groups) {
    std::size_t last = 0;
    for (std::size_t some = group.size() - static_cast<std::size_t>(std::count(group.begin(), group.end(), no_rank));
         some > 0; --some, ++next) {
      expect(group[*next] != no_rank && group[*next] >= last, what + ": groups lie together, rank after rank");
      last = group[*next];
    }
  }
}

}  // namespace

TEST_CASE("division: every bucket goes where its elements belong") {
  const std::vector<std::vector<std::size_t>> shares{
      {1, 1}, {1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {3, 0, 5, 1}, {0, 1, 0, 0, 1, 0}, {1, 7, 2, 0, 0, 2}, {0, 0, 1}};
  for (const auto& share : shares)
    for (const law& counts : laws) {
      const std::string what = std::string{counts.name} + ", " + std::to_string(share.size()) + " ranks";
      const auto all = counts_of(counts, share.size());
      const auto sizes = sizes_of(share, std::accumulate(all.begin(), all.end(), std::size_t{0}));
      const rank_division division{sizes, all, buckets};
      expect(division.worth_it, what + ": worth it");
      for (std::size_t b = 0; b < buckets; ++b) expect_receivers(division, b, what);
      expect_order(division, what);
    }
}

TEST_CASE("division: pieces of a rank are as long as buckets allow, the first one short") {
  const auto all = counts_of(laws[0], 4);
  const rank_division division{{200000, 200000, 200000, 200000}, all, buckets};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t piece = 0; piece < division.pieces.size(); ++piece) {
      constexpr std::size_t expected[] = {7, 18, 25};  // of 50 buckets, in eighths 1, 3, 4
      const auto count = std::count(division.pieces[piece].begin(), division.pieces[piece].end(), r);
      expect(static_cast<std::size_t>(count) == expected[piece],
             "piece " + std::to_string(piece) + " of rank " + std::to_string(r) + ": " + std::to_string(count));
    }
}

TEST_CASE("division: where a bucket has most elements, or more than two ranks, it is not worth it") {
  std::vector<std::uint64_t> counts(2 * buckets, 10);
  counts[77] = 1000000;
  const std::size_t n = 1000000 + 10 * (2 * buckets - 1);
  expect(!rank_division{{n / 2, n - n / 2}, counts, buckets}.worth_it, "most in one");
  expect(rank_division{{n - 100, 100}, counts, buckets}.worth_it, "most in one, where no rank ends");
  counts.assign(3 * buckets, 10);
  expect(!rank_division{{3003, 7, 30 * buckets - 3010}, counts, buckets}.worth_it, "a rank within a bucket");
}
