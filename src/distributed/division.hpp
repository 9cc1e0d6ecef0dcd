// Assigns buckets, which are the same on all ranks, to ranks, once each rank has counted its elements in every bucket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpu::inline v1::detail {

/// For each bucket the rank that receives it, or no_rank.
using receivers = std::vector<std::size_t>;
inline constexpr std::size_t no_rank = ~std::size_t{0};

/// Buckets in ascending order, divided among the ranks in rank order. A bucket goes to one rank, as part of one of its
/// pieces. A boundary, in which the elements of one rank end and those of the next begin, goes to both ranks, and each
/// keeps its own elements.
struct rank_division {
  /// Where the pieces of a rank begin, in eighths of its elements. Nothing is sorted while the first piece travels;
  /// each of the others travels in about the time in which the piece before it is sorted; and few pieces are sorted in
  /// less time than many.
  static constexpr std::array<std::size_t, 3> piece_begins{0, 1, 4};

  std::vector<std::size_t> buckets;  ///< where each begins in the sequence of all elements; and the end
  std::vector<std::size_t> ranks;    ///< the same for the ranks
  receivers lower, upper;            ///< for boundaries: the rank that ends there, and the one that begins
  std::array<receivers, piece_begins.size()> pieces;
  bool worth_it = true;  ///< whether boundaries are short, and of two ranks each

  /// after: the number of elements that each rank gets; counts: for one rank after the other, the number of its
  /// elements in each of bucket_count buckets.
  rank_division(const std::vector<std::size_t>& after, const std::vector<std::uint64_t>& counts,
                std::size_t bucket_count);

  /// The order of the buckets in memory: boundaries, the first pieces of all ranks, the second ones, …, empty
  /// buckets.
  [[nodiscard]] std::vector<std::uint16_t> order() const;
  [[nodiscard]] std::size_t size(std::size_t bucket) const { return buckets[bucket + 1] - buckets[bucket]; }

 private:
  void assign(std::size_t bucket);
};

}  // namespace gpu::inline v1::detail
