// How many rounds a distribution sort takes, how it cuts subproblems, and how long its lists can get: from n alone.
//
// Let T be the longest base case, e <= T the length of base cases that evenly lying codes are cut to, and j in [e, T]
// the most elements to which neighbouring buckets are joined in one base case. A round's subproblems are disjoint and
// longer than T, hence
//   subproblems <= n / T;   tile ranges (pieces of subproblems) <= n / piece + n / T;
//   buckets  <= 6 n / e, as a subproblem of m elements gets at most 3 m / e + 1 or 4 m / T + 2;
//   entries  (counters) <= the sum over all subproblems of their buckets times their tile ranges;
//   base cases   <= 4 n / j + 2 rounds n / T + n / 8 T + 8: any two neighbouring base cases together hold more than j
//   elements, unless a longer bucket, a subproblem's end, or 8 T equivalent elements lie between them; an element is
//   in one base case; gathered base cases, for the same reason, <= 2 n / j + 2 n / T + 2; parts of subproblems that
//   their round moves <= 2 n / j + n / T + 2.
// The same holds where the first round's subproblems are given, as these are disjoint and longer than T. There are at
// most n / g given base cases, if each has at least g elements.
#pragma once

#include <cstddef>

#include "../../sample_key.hpp"
#include "../columns.cuh"
#include "../tuning/distribution.hpp"

namespace gpu::inline v1::detail::device {

/// Stands for a round that never comes.
inline constexpr unsigned no_round = ~0u;

/// How n elements are going to be divided: a function of n and of the tuning.
struct distribution_plan {
  std::size_t n;
  std::size_t longest_base_case;
  std::size_t even_base_case;  ///< what evenly lying codes are cut to: chance rarely makes it exceed the longest
  std::size_t joined_base_case;        ///< most elements to which neighbouring buckets are joined
  std::size_t piece;                   ///< elements of a tile range
  std::size_t longest_with_heavy = 0;  ///< base case, if heavy keys are counted instead of sorted; 0 if never
  unsigned most_buckets;               ///< of a subproblem
  unsigned rounds;
  unsigned gathered_round = no_round;  ///< the round whose base cases are gathered, not moved, if any
  std::size_t gathered_piece = 0;      ///< elements of its tile ranges
  std::size_t least_given = 0;         ///< elements of the shortest given base case, if subproblems are given; else 0
  sample_key samples = detail::process_sample_key();
  float repeat_from = pairs_repeat_from;  ///< keys count as repeated if they have more equal others

  /// Plans the rounds that evenly cut subproblems need, and a last one that mends what chance and heavy keys made
  /// uneven. most_tiles: the most tiles of a tile range, where there are plenty of tiles.
  distribution_plan(std::size_t n, std::size_t longest_base_case, std::size_t tile, std::size_t most_tiles,
                    unsigned most_buckets)
      : n{n},
        longest_base_case{longest_base_case},
        even_base_case{longest_base_case - longest_base_case / 12},
        joined_base_case{longest_base_case},
        piece{tile},
        most_buckets{most_buckets},
        rounds{0} {
    if (n <= longest_base_case) return;
    for (std::size_t base_cases = divide_up(2 * n, longest_base_case); base_cases > 1;
         base_cases = divide_up(base_cases, most_buckets))
      ++rounds;
    while (this->most_buckets > 8 && enough_buckets(n, this->most_buckets / 4)) this->most_buckets /= 2;
    ++rounds;
    occupy_all(most_tiles);
  }

  /// Has the base cases of the last round before the mending one gathered, from tiles of at most `tile` elements, if
  /// another round precedes it: tiles of the first round would hold only a few elements of each base case.
  void gather_last(std::size_t tile) {
    if (rounds < 3) return;
    gathered_round = rounds - 2;
    gathered_piece = piece < tile ? piece : tile;
  }

  /// Whether `rounds` rounds with `buckets` buckets each cut `count` elements evenly to at most half the longest base
  /// case.
  bool enough_buckets(std::size_t count, unsigned buckets) const {
    for (unsigned round = 0; round < rounds; ++round) count = divide_up(count, buckets);
    return 2 * count <= longest_base_case;
  }

  /// Chooses the lengths of tile ranges and base cases so that all multiprocessors have work. Where there would be too
  /// few of them, they get fewer elements; otherwise the number of tile ranges is what all multiprocessors take at
  /// once, or a multiple of that; where there are plenty of tiles, a tile range has several. Where each tile keeps
  /// counts, no tile gets so few elements that its counts would take a notable part of the scratch.
  void occupy_all(std::size_t most_tiles) {
    constexpr std::size_t enough_tile_ranges = 256, many_tile_ranges = 1024;
    constexpr std::size_t enough_base_cases = 512, least_base_case = 1024;
    const std::size_t tile = piece;
    const std::size_t tiles = n / (many_tile_ranges * tile);
    if (tiles > 1) {
      piece *= tiles > most_tiles ? most_tiles : tiles;
    } else {
      const std::size_t shares = enough_tile_ranges * divide_up(n, enough_tile_ranges * tile);
      piece = divide_up(n, shares * 32) * 32;
      const std::size_t least = most_tiles > 1 ? divide_up(tile, 8) : divide_up(tile * most_buckets, 512);
      if (piece < least) piece = least;
    }
    const std::size_t base_case = divide_up(n, enough_base_cases);
    if (base_case < even_base_case && least_base_case < even_base_case)
      joined_base_case = even_base_case = base_case < least_base_case ? least_base_case : base_case;
  }

  /// Number of buckets for splitters: a power of two such that, if the rounds to come do likewise, base cases of half
  /// the longest come out.
  __device__ unsigned buckets(std::size_t count, unsigned round) const {
    const unsigned wanted = root(2.0f * static_cast<float>(count) / static_cast<float>(longest_base_case), round);
    unsigned buckets = 4;
    while (buckets < wanted && buckets < most_buckets) buckets *= 2;
    return buckets;
  }

  /// Number of buckets for evenly lying codes that are nowhere more than `density` times as dense as on average.
  __device__ unsigned even_buckets(std::size_t count, unsigned round, float density) const {
    const unsigned wanted = root(density * static_cast<float>(count) / static_cast<float>(even_base_case), round);
    return min(max(wanted, 2u), most_buckets);
  }

  /// Whether a subproblem is far longer than rounds of evenly cut ones would have left it: earlier rounds have been
  /// misled by their samples or by peaks that no histogram shows. The fewer rounds are left to mend it, the lower the
  /// threshold.
  __device__ bool is_misestimated(std::size_t count, unsigned round) const {
    if (round == 0) return false;
    const float far = round + 1 < rounds ? 4 : 2;
    const float share = static_cast<float>(longest_base_case) / static_cast<float>(n);
    const float meant = powf(share, static_cast<float>(round) / static_cast<float>(rounds - 1));
    return static_cast<float>(count) > far * meant * static_cast<float>(n);
  }

  GPUPAR_HOST_DEVICE std::size_t piece_of(unsigned round) const {
    return round == gathered_round ? gathered_piece : piece;
  }
  /// The round number that base cases record: odd if the round's moves end at the destination. Those of the gathered
  /// round do, wherever it reads from.
  GPUPAR_HOST_DEVICE unsigned label(unsigned round) const {
    return round + (round >= gathered_round && gathered_round % 2 == 0 ? 1 : 0);
  }
  GPUPAR_HOST_DEVICE bool gathers() const { return gathered_round != no_round; }
  /// Whether the first round's subproblems, and base cases, are given by a caller, instead of one that has all
  /// elements.
  GPUPAR_HOST_DEVICE bool subproblems_are_given() const { return least_given > 0; }

  std::size_t subproblem_limit() const { return n / longest_base_case + 1; }
  std::size_t subproblems_in(unsigned round) const {
    return round == 0 && !subproblems_are_given() ? 1 : subproblem_limit();
  }
  std::size_t tile_range_limit() const { return divide_up(n, least_piece()) + n / longest_base_case; }
  std::size_t bucket_limit() const { return 6 * (n / even_base_case + 1); }
  std::size_t entry_limit() const {
    const std::size_t buckets = bucket_limit() < most_buckets ? bucket_limit() : most_buckets;
    return bucket_limit() + buckets * (n / least_piece() + 1);
  }
  std::size_t gathered_limit() const { return 2 * (n / joined_base_case + n / longest_base_case + 1); }
  std::size_t moved_limit() const { return 2 * (n / joined_base_case + 1) + n / longest_base_case; }
  std::size_t base_case_limit() const {
    const std::size_t made = 4 * (n / joined_base_case + 1) + (2 * rounds + 1) * (n / longest_base_case + 1) + 8;
    const std::size_t given = subproblems_are_given() ? n / least_given + 1 : 1;
    return made < given ? given : made;
  }
  /// Number of blocks that sort at most `limit` base cases: one per base case where codes lie evenly, so that the
  /// device balances the load.
  std::size_t base_case_blocks(std::size_t limit) const {
    const std::size_t even_base_cases = divide_up(n, even_base_case);
    return even_base_cases < limit ? even_base_cases : limit;
  }

 private:
  std::size_t least_piece() const { return gathers() ? gathered_piece : piece; }

  /// Buckets per round such that this round and those to come, without the mending one, make `parts` parts together;
  /// where subproblems are given, which have any length, in as few rounds as they need.
  __device__ unsigned root(float parts, unsigned round) const {
    unsigned rounds_left = round + 2 < rounds ? rounds - 1 - round : 1;
    if (subproblems_are_given()) {
      const auto most = static_cast<float>(most_buckets);
      unsigned needed = 1;
      for (float reached = most; reached < parts && needed < rounds_left; reached *= most) ++needed;
      rounds_left = needed;
    }
    return static_cast<unsigned>(ceilf(powf(parts, 1.0f / static_cast<float>(rounds_left))));
  }
};

}  // namespace gpu::inline v1::detail::device
