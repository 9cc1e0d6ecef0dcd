// Selection of few elements from an input that takes hardly longer to read than a kernel takes to start: one launch, in
// which the blocks wait for each other three times. Groups of threads draw a sample, and splitters are chosen from the
// least rank of each group; the last splitter bounds the wanted ranks. Every block lists the ranks it reads up to that
// one, the ranks between splitters are counted, and those in the buckets that are needed, hardly more than the wanted
// ones, are moved to their buckets, in which each rank finds its position by counting. Splitters from a sample: Frazer
// and McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", 1970.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../launching/scratch.cuh"
#include "../warp/shuffle.cuh"
#include "keeping.cuh"
#include "ordering.cuh"
#include "rank.cuh"
#include "rescue.cuh"
#include "sampling.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int one_launch_threads = 1024;
/// Upper bound on the groups that draw together; splitters are chosen from the least rank of each.
inline constexpr unsigned most_groups = 2 * enough_groups;
/// Number of buckets, each bounded by a splitter; a lane handles each.
inline constexpr unsigned buckets = warp::threads;

/// Parameters of a selection of few by a number of blocks. Teams of a block's threads draw; where there are more teams
/// than are enough, several teams of different blocks form a group.
struct one_launch_plan {
  unsigned by_block;  ///< teams in a block
  unsigned teams;     ///< in all; some may belong to no group
  unsigned in_group;
  unsigned groups;
  unsigned drawn;     ///< by each team
  unsigned passing;   ///< how many of the groups' least draws are used, in order; the last bounds the wanted ranks
  unsigned capacity;  ///< ranks that can be kept

  one_launch_plan(std::size_t n, std::size_t wanted, std::size_t blocks) : by_block{1}, drawn{1}, passing{0} {
    while (by_block < one_launch_threads / warp::threads && by_block * blocks < enough_groups) by_block *= 2;
    teams = by_block * static_cast<unsigned>(blocks);
    in_group = std::max(teams / enough_groups, 1u);
    groups = teams / in_group;
    while (drawn < one_launch_threads / by_block && 4 * drawn * in_group * wanted <= n) drawn *= 2;
    // As many of the groups' least draws as can be among the wanted ranks, but for one in a thousand million
    // selections.
    const double among =
        -std::expm1(drawn * in_group * std::log1p(-static_cast<double>(wanted) / static_cast<double>(n)));
    double likely = std::pow(1 - among, groups), up_to = likely;  // probability of exactly, and of at most, `passing`
    for (; passing + 1 < groups && 1 - up_to > likely_to_mislead; up_to += likely) {
      likely *= among / (1 - among) * (groups - passing) / (passing + 1);
      ++passing;
    }
    ++passing;
    capacity = static_cast<unsigned>(std::min(n, wanted + n / (drawn * in_group)));
  }
};

/// What the blocks share.
template <class Rank>
struct one_launch_state {
  Rank* least;       ///< rank that each team has drawn
  unsigned* counts;  ///< ranks that each block has listed, by bucket
  selected_ranks<Rank>* rescued;
  Rank* kept;

  one_launch_state(carver& carve, const one_launch_plan& plan, std::size_t blocks)
      : least{carve.take<Rank>(plan.teams)},
        counts{carve.take<unsigned>(blocks * buckets)},
        rescued{carve.take<selected_ranks<Rank>>(1)},
        kept{carve.take<Rank>(plan.capacity)} {}
};

template <class Rank>
struct one_launch_storage {
  static constexpr unsigned most_listed = most_listed_by_block<Rank>;
  alignas(16) unsigned char list[most_listed * sizeof(Rank)];
  alignas(16) unsigned char splitters[buckets * sizeof(Rank)];  ///< the upper bound of each bucket
  unsigned listed;                                              ///< ranks found, maybe more than there is room for
  unsigned counts[buckets];      ///< ranks listed by this block, then by all blocks, by bucket
  unsigned before[buckets];      ///< ranks of earlier blocks in each bucket, then where the next rank goes
  unsigned begins[buckets + 1];  ///< where the buckets begin
  unsigned total;                ///< ranks in the buckets that are needed, or 0
};

/// A collector that lists ranks in shared memory.
template <class Rank>
class lister {
 public:
  static constexpr int threads = one_launch_threads;

  __device__ explicit lister(one_launch_storage<Rank>& shared) : shared_{shared} {}
  __device__ void make_room(unsigned) {}
  /// Takes a rank of each lane for which `takes` holds.
  __device__ void take(bool takes, const Rank& rank) {
    const unsigned lanes = __ballot_sync(warp::all_lanes, takes);
    if (lanes == 0) return;
    unsigned at = 0;
    if (threadIdx.x % warp::threads == 0) at = atomicAdd(&shared_.listed, static_cast<unsigned>(__popc(lanes)));
    at = __shfl_sync(warp::all_lanes, at, 0) + static_cast<unsigned>(__popc(lanes & warp::lanes_before()));
    if (takes && at < one_launch_storage<Rank>::most_listed) reinterpret_cast<Rank*>(shared_.list)[at] = rank;
  }

 private:
  one_launch_storage<Rank>& shared_;
};

/// One block's part; the members are the steps.
template <class Source, class Rank>
class one_launch_block {
  static constexpr int threads = one_launch_threads;
  using storage = one_launch_storage<Rank>;

 public:
  __device__ one_launch_block(storage& shared, const Source& source, unsigned n, unsigned wanted)
      : shared_{shared}, source_{source}, n_{n}, wanted_{wanted} {}

  /// Draws the sample, and writes the least rank of each team to `least`.
  __device__ void draw(const one_launch_plan& plan, std::uint64_t word, Rank* least) {
    const unsigned team_warps = threads / warp::threads / plan.by_block, first_team = blockIdx.x * plan.by_block;
    const unsigned lane = threadIdx.x % warp::threads, own = threadIdx.x / warp::threads;
    const unsigned number = threadIdx.x % (team_warps * warp::threads), team = first_team + own / team_warps;
    Rank drawn = rank_parts<Rank>::greatest();
    if (number < plan.drawn)
      drawn = source_[detail::random_position(word, 0, std::uint64_t{number} * plan.teams + team, n_)];
    drawn = least_of_warp(drawn);
    if (lane == 0) listed()[own] = drawn;
    __syncthreads();
    if (own >= plan.by_block) return;
    drawn = least_of_warp(lane < team_warps ? listed()[own * team_warps + lane] : rank_parts<Rank>::greatest());
    if (lane == 0) least[first_team + own] = drawn;
  }

  /// Chooses the splitters, the last of which bounds the wanted ranks.
  __device__ void choose(const one_launch_plan& plan, const Rank* least) {
    constexpr unsigned lanes = threads / most_groups;  // that count for one group
    const unsigned i = threadIdx.x / lanes;
    Rank* const drawn = listed();
    Rank* const sorted = drawn + most_groups;
    if (threadIdx.x < plan.groups) {
      Rank of_group = least[threadIdx.x];
      for (unsigned team = 1; team < plan.in_group; ++team) {
        const Rank other = least[team * plan.groups + threadIdx.x];
        if (other < of_group) of_group = other;
      }
      drawn[threadIdx.x] = of_group;
    }
    __syncthreads();
    const Rank own = drawn[min(i, plan.groups - 1)];
    unsigned before = 0;
    for (unsigned j = threadIdx.x % lanes; j < plan.groups; j += lanes)
      before += j < i ? !(own < drawn[j]) : drawn[j] < own;
    for (unsigned mask = 1; mask < lanes; mask *= 2) before += __shfl_xor_sync(warp::all_lanes, before, mask);
    if (threadIdx.x % lanes == 0 && i < plan.groups) sorted[before] = own;
    __syncthreads();
    if (threadIdx.x < buckets)
      splitters()[threadIdx.x] = sorted[divide_up((threadIdx.x + 1) * plan.passing, buckets) - 1];
    __syncthreads();
  }

  /// Lists the ranks that are not greater than the last splitter, and writes the number of them in each bucket to
  /// `counts`.
  __device__ void list(unsigned capacity, unsigned* counts) {
    const Rank bound = splitters()[buckets - 1];
    if (threadIdx.x < buckets) shared_.counts[threadIdx.x] = shared_.before[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared_.listed = 0;
    __syncthreads();
    lister<Rank> collected{shared_};
    unsigned long long below = 0;
    device::look_between(source_, source_part{0, n_}, rank_bounds<Rank>{bound, bound, false, true}, collected, below);
    __syncthreads();
    const bool has_room = shared_.listed <= storage::most_listed;
    for (unsigned i = threadIdx.x; has_room && i < shared_.listed; i += threads)
      atomicAdd(&shared_.counts[bucket(listed()[i])], 1u);
    __syncthreads();
    if (threadIdx.x >= buckets) return;
    // A block whose list has overflowed reports more than the capacity, so that the selection is rescued.
    const unsigned lost = has_room || threadIdx.x > 0 ? 0 : capacity + 1;
    counts[blockIdx.x * buckets + threadIdx.x] = shared_.counts[threadIdx.x] + lost;
    shared_.counts[threadIdx.x] = 0;
  }

  /// Finds where the buckets begin; returns how many ranks there are in those that are needed, or 0 if the buckets do
  /// not contain all wanted ranks.
  __device__ unsigned add_up(const unsigned* counts) {
    constexpr unsigned together = 8, warps = threads / warp::threads;
    const unsigned lane = threadIdx.x % warp::threads;
    unsigned all = 0, before = 0;
    for (unsigned first = threadIdx.x / warp::threads; first < gridDim.x; first += together * warps) {
      unsigned own[together];
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        const unsigned block = first + i * warps;
        own[i] = block < gridDim.x ? counts[block * buckets + lane] : 0;
        all += own[i];
        if (block < blockIdx.x) before += own[i];
      }
    }
    atomicAdd(&shared_.counts[lane], all);
    atomicAdd(&shared_.before[lane], before);
    __syncthreads();
    if (threadIdx.x < warp::threads) {
      const unsigned count = shared_.counts[lane], up_to = warp::inclusive_sum(count);
      const unsigned reached = __ballot_sync(warp::all_lanes, up_to >= wanted_);
      const unsigned needed = reached == 0 ? 0 : static_cast<unsigned>(__ffs(static_cast<int>(reached)));
      shared_.begins[lane + 1] = up_to;
      shared_.before[lane] += up_to - count;
      if (lane == 0) shared_.begins[0] = shared_.total = 0;
      __syncwarp();
      if (lane + 1 == needed) shared_.total = up_to;
    }
    __syncthreads();
    return shared_.total;
  }

  /// Finds the wanted rank without a sample, with all blocks, and makes it the only splitter.
  template <class Barrier>
  __device__ void rescue(selected_ranks<Rank>& result, Barrier& barrier) {
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < rank_parts<Rank>::digits * 256; i += gridDim.x * threads)
      result.counts[i / 256][i % 256] = 0;
    barrier();
    const Rank found = device::find_by_digits<threads>(source_, n_, wanted_, result, barrier);
    if (threadIdx.x < buckets) splitters()[threadIdx.x] = found;
    __syncthreads();
  }

  /// Moves the listed ranks to those buckets that are needed.
  __device__ void fill_buckets(Rank* kept, unsigned total) {
    for (unsigned i = threadIdx.x; i < shared_.listed; i += threads) {
      const Rank rank = listed()[i];
      const unsigned at = bucket(rank);
      if (shared_.begins[at] < total) kept[atomicAdd(&shared_.before[at], 1u)] = rank;
    }
  }

  /// Writes the elements of the block's share of the kept ranks to their positions; a warp counts for one rank at a
  /// time, within its bucket.
  __device__ void write(const Rank* kept, unsigned total, const selected_output& output) {
    const unsigned lane = threadIdx.x % warp::threads;
    const auto share = static_cast<unsigned>(divide_up(total, gridDim.x));
    const unsigned begin = blockIdx.x * share, end = min(total, begin + share);
    if (begin >= end) return;
    const unsigned held = shared_.begins[bucket_at(begin)], behind = shared_.begins[bucket_at(end - 1) + 1];
    const bool has_room = behind - held <= storage::most_listed;
    for (unsigned i = held + threadIdx.x; has_room && i < behind; i += threads) listed()[i - held] = kept[i];
    __syncthreads();
    const Rank* const ranks = has_room ? listed() : kept + held;
    for (unsigned i = begin + threadIdx.x / warp::threads; i < end; i += threads / warp::threads) {
      const unsigned at = bucket_at(i), first = shared_.begins[at], last = shared_.begins[at + 1];
      const Rank rank = ranks[i - held];
      unsigned before = 0;
#pragma unroll 4
      for (unsigned j = first + lane; j < last; j += warp::threads) before += ranks[j - held] < rank;
      before = first + warp::sum(before);
      if (before < wanted_) output.write(rank_parts<Rank>::index(rank), before, lane, warp::threads);
    }
  }

 private:
  /// The least of a warp's ranks, for each of its lanes.
  __device__ static Rank least_of_warp(const Rank& rank) {
    return warp::reduce(rank, [](const Rank& own, const Rank& other) { return other < own ? other : own; });
  }
  __device__ Rank* listed() { return reinterpret_cast<Rank*>(shared_.list); }
  __device__ Rank* splitters() { return reinterpret_cast<Rank*>(shared_.splitters); }
  /// The bucket that contains position `i` of the kept ranks.
  __device__ unsigned bucket_at(unsigned i) const {
    const unsigned begun = __ballot_sync(warp::all_lanes, shared_.begins[threadIdx.x % warp::threads] <= i);
    return static_cast<unsigned>(__popc(begun)) - 1;
  }
  /// The rank's bucket: how many of the splitters, except the last, are less.
  __device__ unsigned bucket(const Rank& rank) {
    unsigned less = 0;
#pragma unroll
    for (unsigned step = buckets / 2; step > 0; step /= 2)
      if (splitters()[less + step - 1] < rank) less += step;
    return less;
  }

  storage& shared_;
  Source source_;
  unsigned n_, wanted_;
};

/// Writes the first `wanted` of the source's n elements. All blocks run at the same time.
template <class Source, class Rank>
__global__ void __launch_bounds__(one_launch_threads)
    one_launch_kernel(Source source, unsigned n, unsigned wanted, one_launch_plan plan, std::uint64_t word,
                      one_launch_state<Rank> together, selected_output output) {
  auto& shared = device::dynamic_shared<one_launch_storage<Rank>>();
  const auto barrier = [] { cooperative_groups::this_grid().sync(); };
  one_launch_block<Source, Rank> own{shared, source, n, wanted};
  own.draw(plan, word, together.least);
  barrier();
  own.choose(plan, together.least);
  own.list(plan.capacity, together.counts);
  barrier();
  unsigned total = own.add_up(together.counts);
  if (total == 0 || total > plan.capacity) {
    own.rescue(*together.rescued, barrier);
    own.list(plan.capacity, together.counts);
    barrier();
    total = own.add_up(together.counts);
  }
  own.fill_buckets(together.kept, total);
  barrier();
  own.write(together.kept, total, output);
}

}  // namespace gpu::inline v1::detail::device
