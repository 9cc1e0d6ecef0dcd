// A first round of quicksort by a comparator that does not count: buckets grow page by page, so that every element is
// searched and moved as soon as it has been read. Tiles are grouped in shared memory; a bucket's elements there get the
// bucket's next positions by one atomic addition, and whoever gets the first position of a page takes one of the
// buffer's. A page is a tile of the next round, which does not mind where its tiles lie. Each bucket wastes part of one
// page; as each element is asked about once, a comparator that contradicts itself changes nothing. Wassenberg and
// Sanders, "Engineering a multi-core radix sort", 2011 (buckets that grow instead of a first pass that counts);
// Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort", 2017 (buckets of blocks that lie
// anywhere).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/distribution.hpp"
#include "../warp/shuffle.cuh"
#include "distribution.cuh"
#include "grouping.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Which pages each bucket has, in memory that the gathered round needs later. Positions are within a bucket.
struct page_table {
  std::uint16_t* numbers;  ///< per bucket and page of it: its number and one, or zero while it has not been taken
  std::size_t stride;      ///< of buckets
  unsigned piece;          ///< elements of a page

  /// Takes a page for those positions of a bucket.
  __device__ void take(unsigned b, unsigned page, unsigned* taken) const {
    *entry(b, page) = static_cast<std::uint16_t>(atomicAdd(taken, 1u) + 1);
  }

  /// The number of a page that has been taken by a launch before.
  __device__ unsigned number_of(unsigned b, unsigned page) const { return numbers[b * stride + page] - 1u; }

  /// The number of a page that has been taken, or is just being: waits for that, as it takes no more than an addition.
  __device__ unsigned await(unsigned b, unsigned page) const {
    const volatile std::uint16_t* const number = entry(b, page);
    unsigned found = 0;
    do found = *number;
    while (found == 0);
    return found - 1;
  }

 private:
  __device__ volatile std::uint16_t* entry(unsigned b, unsigned page) const { return numbers + b * stride + page; }
};

/// Shared memory of a tile that goes to pages. A run are its elements of one bucket, if there are any.
template <class Key, class Less>
struct paged_tile : grouped_tile<Key, Less, page_tile(sizeof(Key))> {
  using grouped = grouped_tile<Key, Less, page_tile(sizeof(Key))>;
  static constexpr unsigned words = grouped::size / warp::threads;
  static constexpr unsigned warps = grouped::threads / warp::threads;

  struct storage {
    typename grouped::storage tile;
    unsigned begins[words];                ///< a bit per slot: whether a run begins there
    uint2 offsets[block::max_buckets<Key>];  ///< of each run, less its slot, modulo 2^32; the same of its second page
    std::uint16_t second[block::max_buckets<Key>];  ///< the first slot that goes to the second page
    std::uint16_t first_run[warps];                 ///< to which each warp's first slot belongs
  };
  static_assert(sizeof(storage) <= std::size_t{64} << 10, "what the smallest multiprocessors have");
};

/// Finds positions for the runs of one tile after the other, and writes them there.
template <class Tile, class Key>
class page_writer {
  static constexpr unsigned per_warp = Tile::size / Tile::warps, words = per_warp / warp::threads;
  static_assert(words <= warp::threads);

 public:
  __device__ page_writer(typename Tile::storage& shared, page_table table, unsigned long long* totals, unsigned* taken)
      : shared_{shared}, table_{table}, totals_{totals}, taken_{taken} {
    for (unsigned w = threadIdx.x; w < Tile::words; w += Tile::threads) shared_.begins[w] = 0;
  }

  /// Claims positions for the thread's j-th bucket, see tile_grouper::group().
  __device__ __forceinline__ void claim(unsigned j, unsigned b, unsigned first, unsigned count, unsigned run) {
    own_[j] = {0, first, count, run};
    if (count == 0) return;
    own_[j].begin = static_cast<unsigned>(atomicAdd(&totals_[b], static_cast<unsigned long long>(count)));
    atomicOr(&shared_.begins[first / warp::threads], 1u << first % warp::threads);
    for (unsigned w = (first + per_warp - 1) / per_warp; w * per_warp < first + count; ++w)
      shared_.first_run[w] = static_cast<std::uint16_t>(run);
  }

  /// Finds the pages of what has been claimed. To be called by every thread after claim(), before a barrier.
  __device__ __forceinline__ void find_pages(const subproblem& divided) {
    const auto each = [&](auto visit) {
#pragma unroll
      for (unsigned j = 0; j < Tile::per_thread; ++j) {
        const unsigned b = threadIdx.x * Tile::per_thread + j;
        if (b < divided.buckets && own_[j].count > 0) visit(own_[j], b, own_[j].begin / table_.piece);
      }
    };
    each([&](const claimed& own, unsigned b, unsigned page) {
      const unsigned offset = own.begin - page * table_.piece;
      if (offset == 0)
        table_.take(b, page, taken_);
      else if (offset + own.count > table_.piece)
        table_.take(b, page + 1, taken_);
    });
    each([&](const claimed& own, unsigned b, unsigned page) {
      const unsigned left = (page + 1) * table_.piece - own.begin;  // in its first page
      const unsigned second = own.first + left;
      uint2 offsets{table_.await(b, page) * table_.piece + table_.piece - second, 0};
      if (left < own.count) offsets.y = table_.await(b, page + 1) * table_.piece - second;
      shared_.offsets[own.run] = offsets;
      shared_.second[own.run] = static_cast<std::uint16_t>(second);
    });
  }

  /// Writes keys[0, count), grouped. To be called after that barrier.
  __device__ __forceinline__ void write(const Key* keys, unsigned count, Key* to) {
    const unsigned lane = threadIdx.x % warp::threads, number = threadIdx.x / warp::threads;
    const unsigned up_to_mine = ~0u >> (warp::threads - 1 - lane);
    unsigned before = shared_.first_run[number], own_word = 0;
    if (lane < words) {
      own_word = shared_.begins[number * words + lane];
      shared_.begins[number * words + lane] = 0;
      if (lane == 0) own_word &= ~1u;  // that run is the first one
    }
#pragma unroll
    for (unsigned word = 0; word < words; ++word) {
      const unsigned slot = number * per_warp + word * warp::threads + lane;
      const unsigned begins = __shfl_sync(warp::all_lanes, own_word, static_cast<int>(word));
      if (slot < count) {
        const unsigned run = before + static_cast<unsigned>(__popc(begins & up_to_mine));
        const uint2 offsets = shared_.offsets[run];
        to[slot + (slot < shared_.second[run] ? offsets.x : offsets.y)] = keys[slot];
      }
      before += static_cast<unsigned>(__popc(begins));
    }
  }

 private:
  struct claimed {
    unsigned begin;  ///< offset in the bucket
    unsigned first;  ///< slot
    unsigned count;
    unsigned run;
  };

  typename Tile::storage& shared_;
  page_table table_;
  unsigned long long* totals_;
  unsigned* taken_;
  claimed own_[Tile::per_thread] = {};
};

/// Moves from[0, n) to pages.
template <class Key, class Less>
__global__ void __launch_bounds__(page_tile(sizeof(Key)).threads, group_blocks)
    move_to_pages_kernel(worklist_of<Key, Less> parts, const Key* from, Key* to, page_table table,
                         unsigned long long* totals, Less less) {
  await_predecessors();
  using tile = paged_tile<Key, Less>;
  if (parts.totals[0].subproblems == 0) return;
  auto& shared = device::dynamic_shared<typename tile::storage>();
  const subproblem& all = parts.subproblems_of(0)[0];
  const typename tile::classifier classes{shared.tile.splitters, parts.even[0], device::splitters_of(parts, all)};
  tile_grouper<typename tile::grouped, Key, Less> grouper{shared.tile, classes, all.buckets, less};
  page_writer<tile, Key> pages{shared, table, totals + all.first_bucket, &parts.totals[0].pages};
  const std::size_t step = std::size_t{gridDim.x} * tile::size;
  const auto count_from = [&](std::size_t begin) {
    return static_cast<unsigned>(min(parts.plan.n - begin, std::size_t{tile::size}));
  };
  std::size_t begin = std::size_t{blockIdx.x} * tile::size;
  if (begin < parts.plan.n) grouper.load(from + begin, count_from(begin));
  for (; begin < parts.plan.n; begin += step) {
    const unsigned count = count_from(begin);
    grouper.group(
        count,
        [&](unsigned j, unsigned b, unsigned first, unsigned elements, unsigned run) {
          pages.claim(j, b, first, elements, run);
        },
        [&] {
          if (begin + step < parts.plan.n) grouper.load(from + begin + step, count_from(begin + step));
          pages.find_pages(all);
        });
    pages.write(grouper.keys(), count, to);
  }
}

/// Buckets become subproblems of the gathered round, and lists of their pages, or base cases. A block per bucket.
template <class Key, class Less>
__global__ void __launch_bounds__(offset_threads)
    list_pages_kernel(worklist_of<Key, Less> parts, page_table table, const unsigned long long* totals) {
  await_predecessors();
  if (parts.totals[0].subproblems == 0) return;
  using scan = cub::BlockScan<unsigned long long, offset_threads>;
  __shared__ typename scan::TempStorage shared;
  __shared__ unsigned long long before_own;
  const subproblem& all = parts.subproblems_of(0)[0];
  const auto elements = [&](unsigned b) { return b < all.buckets ? totals[all.first_bucket + b] : 0; };
  const auto pages_of = [&](unsigned b) { return device::divide_up(elements(b), table.piece); };
  unsigned long long before = elements(threadIdx.x) << 32 | pages_of(threadIdx.x);  // both below 2^32
  scan{shared}.ExclusiveSum(before, before);
  if (threadIdx.x == blockIdx.x) before_own = before;
  __syncthreads();
  const std::size_t begin = before_own >> 32, count = elements(blockIdx.x);
  const auto first_page = static_cast<unsigned>(before_own);
  const bool ordered = device::all_equal(parts, all, blockIdx.x);
  for (unsigned p = threadIdx.x; p < pages_of(blockIdx.x); p += offset_threads) {
    const unsigned number = table.number_of(blockIdx.x, p);
    parts.pages[first_page + p] = static_cast<std::uint16_t>(number);
    const std::size_t done = std::size_t{p} * table.piece;
    if (ordered) parts.add_all_equal_page(begin + done, min(count - done, std::size_t{table.piece}), number);
  }
  if (threadIdx.x == 0 && count > 0 && !ordered) parts.add_subproblem(1, begin, count, first_page);
}

/// The first round: from keys[0, n) to pages of the buffer.
template <class Key, class Less>
void paged_round(const context& context, const worklist_of<Key, Less>& parts, const Key* keys, Key* buffer,
                 tile_counters counters, Less less) {
  using tile = paged_tile<Key, Less>;
  const distribution_plan& plan = parts.plan;
  const page_table table{counters.of_tile, plan.most_pages(), static_cast<unsigned>(plan.gathered_piece)};
  set_zero(context, table.numbers, plan.page_buckets * table.stride * sizeof(*table.numbers));
  device::choose_round<Key>(context, parts, 0, keys, counters.of_all, less, identity_codec{});
  device::launch_persistent(context,
                            {device::divide_up(plan.n, tile::size), tile::threads, sizeof(typename tile::storage)},
                            move_to_pages_kernel<Key, Less>, parts, keys, buffer, table, counters.of_all, less);
  device::launch_early(context, shape{plan.page_buckets, offset_threads}, list_pages_kernel<Key, Less>, parts, table,
                       counters.of_all);
}

}  // namespace gpu::inline v1::detail::device
