// Whose the elements of buckets are that all ranks have in common, when these have counted what they have in each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpu::inline v1::detail {

/// Ranks that get buckets, or no_rank.
using receivers = std::vector<std::size_t>;
inline constexpr std::size_t no_rank = ~std::size_t{0};

/// Buckets, rising, divided among ranks in the order of these. A bucket goes to one rank, as a part of one of its
/// pieces; but one in which a rank ends and the next one begins, a boundary, goes to both, each of which keeps its own.
struct rank_division {
  /// Where the pieces of a rank begin, in eighths of its elements: nothing is sorted while the first one travels, each
  /// of the others travels in about the time in which the one before is sorted, and few of them are sorted in less
  /// time.
  static constexpr std::array<std::size_t, 3> piece_begins{0, 1, 4};

  std::vector<std::size_t> buckets;  ///< where each begins in the sequence of all elements; and the end
  std::vector<std::size_t> ranks;    ///< the same of each rank
  receivers lower, upper;            ///< of boundaries: the rank that ends there, and the one that begins
  std::array<receivers, piece_begins.size()> pieces;
  bool worth_it = true;  ///< whether boundaries are short, and of two ranks each

  /// after: elements that each rank gets; counts: those in each of so many buckets of the first rank, then of the next.
  rank_division(const std::vector<std::size_t>& after, const std::vector<std::uint64_t>& counts,
                std::size_t bucket_count);

  /// The buckets as they are to lie in memory: boundaries, first pieces of all ranks, second ones, …
  [[nodiscard]] std::vector<std::uint16_t> order() const;
  [[nodiscard]] std::size_t size(std::size_t bucket) const { return buckets[bucket + 1] - buckets[bucket]; }

 private:
  void assign(std::size_t bucket);
};

}  // namespace gpu::inline v1::detail
