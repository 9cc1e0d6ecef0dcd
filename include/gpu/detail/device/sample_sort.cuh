// Stable sample sort. In each round, splitters chosen from a random sample distribute every subproblem that is too long
// for a base case to up to 512 buckets, in four steps: choose splitters, count per tile range, scan the counts in
// column-major order, scatter. Base cases are sorted by a stable merge sort. Leischner, "GPU algorithms for
// comparison-based sorting and for merging based on multiway selection", 2010, section 6; Leischner, Osipov and
// Sanders, "GPU sample sort", 2010.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "columns.cuh"
#include "distribution/base_case_sorts.cuh"
#include "distribution/bucket_counts.cuh"
#include "distribution/distribution.cuh"
#include "distribution/subproblems.cuh"
#include "launching/launch.cuh"
#include "launching/scratch.cuh"
#include "scan.cuh"

namespace gpu::inline v1::detail::device {

/// Block size and block primitives for scattering elements of a Source by their keys of type Key. Widest: size in bytes
/// of the widest column that is scattered.
template <int Threads, int Items, class Key, class Less, class Element, std::size_t Widest, class Source>
struct scattered_tiles {
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  using classifier = block::classifier<Key, even_of<Key, Less>, threads>;
  using distribute = block::distribute<threads, items, block::max_buckets<Key>, Widest>;
  using cursor = tile_cursor<Element, Source, threads, items>;

  /// Shared memory for distributing a tile.
  struct storage {
    typename classifier::storage splitters;
    typename distribute::storage tile;
  };
};
template <class Key, class Value>
inline constexpr tile_shape distribution_tile_v = device::distribution_tile(sizeof(Key), value_bytes_v<Value>);
template <class Key, class Value, class Less, std::size_t Widest = std::max(sizeof(Key), value_bytes_v<Value>)>
using distribution_shape =
    scattered_tiles<distribution_tile_v<Key, Value>.threads, distribution_tile_v<Key, Value>.items, Key, Less, Key,
                    Widest, typename columns<Key, Value>::pointer>;

/// `entries`: for each subproblem a matrix of counters with a row per bucket and a column per tile range, stored row by
/// row. Their exclusive sums, less the first sum of the subproblem, are offsets within the subproblem, ordered by
/// bucket and then by tile range, which makes the sort stable.
template <class Key, class Value, class Less>
struct sample_sort_scratch {
  columns<Key, Value> buffer;
  worklist_of<Key, Less> parts;
  unsigned long long* entries;
  scan_scratch sums;

  sample_sort_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Key, Value>::from(carve, n)},
        parts{carve, distribution_plan{n, device::longest_base_case<Key, Value, Less>(),
                                       distribution_tile_v<Key, Value>.size(), most_tiles, block::max_buckets<Key>}},
        entries{carve.take<unsigned long long>(parts.plan.entry_limit())},
        sums{carve, parts.plan.entry_limit()} {}
};

/// One block per subproblem: its buckets become subproblems of the next round or base cases. `entries` hold the
/// exclusive sums by now.
template <class Count>
__global__ void __launch_bounds__(offset_threads)
    divide_samples_kernel(worklist parts, unsigned round, const Count* entries) {
  await_predecessors();
  __shared__ bucket_starts starts;
  for (unsigned s = blockIdx.x; s < parts.totals[round].subproblems; s += gridDim.x) {
    const subproblem divided = parts.subproblems_of(round)[s];
    const Count* first = entries + divided.first_entry;
    for (unsigned b = threadIdx.x; b < divided.buckets; b += offset_threads)
      starts.start[b] = first[std::size_t{b} * divided.tile_ranges] - first[0];
    if (threadIdx.x == 0) starts.start[divided.buckets] = divided.count;
    device::divide(parts, divided, starts, [&](std::size_t begin, std::size_t count, unsigned b, unsigned) {
      device::add_part(parts, round, divided, begin, count, b);
    });
    __syncthreads();
  }
}

template <class Count>
void divide_samples(const context& context, const worklist& parts, unsigned round, const Count* entries) {
  device::launch_persistent(context, {parts.plan.subproblems_in(round), offset_threads}, divide_samples_kernel<Count>,
                            parts, round, entries);
}

/// The end of the output range that a tile range has counted for bucket b. `entries` hold the exclusive sums.
__device__ inline std::size_t offsets_end(const tile_range& part, unsigned b, const unsigned long long* entries) {
  const std::size_t next = part.entry(b) + 1;
  const bool last = next == part.of.first_entry + std::size_t{part.of.buckets} * part.of.tile_ranges;
  return part.of.begin + (last ? part.of.count : entries[next] - entries[part.of.first_entry]);
}

/// The output position of the next element of each bucket of a tile range; each thread tracks per_thread buckets.
/// `entries` hold the exclusive sums.
template <class Distribute>
class tile_range_offsets {
  static constexpr unsigned per_thread = Distribute::per_thread;

 public:
  __device__ tile_range_offsets(const tile_range& part, const unsigned long long* entries) {
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      next_[i] = b < part.of.buckets ? part.of.begin + entries[part.entry(b)] - entries[part.of.first_entry] : 0;
    }
  }

  /// Claims positions for the next `taken` elements of bucket b and returns the first. Called by the thread that tracks
  /// b.
  __device__ std::size_t operator()(unsigned b, unsigned taken) {
    const std::size_t offset = next_[b % per_thread];
    next_[b % per_thread] += taken;
    return offset;
  }

  /// Whether each of the calling thread's buckets has received exactly the number of elements that were counted.
  __device__ bool are_used_up(const tile_range& part, const unsigned long long* entries) const {
    bool all = true;
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      const unsigned b = threadIdx.x * per_thread + i;
      all &= b >= part.of.buckets || next_[i] == offsets_end(part, b, entries);
    }
    return all;
  }

 private:
  std::size_t next_[per_thread];
};

/// Predicate for the positions that a subproblem's elements may be written to: a comparator that is inconsistent may
/// claim other positions than were counted.
template <class Less>
__device__ auto writable_positions(const subproblem& divided) {
  if constexpr (strict_weak_order_v<Less>)
    return block::all_positions{};
  else
    return [end = divided.begin + divided.count](std::size_t position) { return position < end; };
}

/// Writes the cursor's tile, whose offsets are set. Its codes are in the cursor's registers and are staged first, so
/// that the cursor can prefetch the next tile. There: predicate that tells whether a position may be written to.
template <class Distribute, class Cursor, class Key, class Value, class Codec, class There>
__device__ void scatter_tile(Distribute& distribute, Cursor& cursor, columns<Key, Value> source,
                             columns<Key, Value> target, Codec codec, There there) {
  distribute.template stage<Key>([&](int i) { return cursor.keys[i]; });
  cursor.prefetch();
  distribute.template write<Key>(target.keys, [&](unsigned index) { return codec.encode(source.keys[index]); }, there);
  if constexpr (has_value_v<Value>) {
    const Value* const own = source.values + block::item_index<Distribute::items>(0);
    distribute.template stage<Value>([&](int i) { return own[i * warp::threads]; });
    distribute.template write<Value>(target.values, [&](unsigned index) { return source.values[index]; }, there);
  }
}

/// Scatters every tile range, one tile after another.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(distribution_shape<Key, Value, Less>::threads, distribution_blocks)
    scatter_samples_kernel(worklist_of<Key, Less> parts, unsigned round, columns<Key, Value> from,
                           columns<Key, Value> to, const unsigned long long* entries, Less less, Codec codec) {
  await_predecessors();
  using tiles = distribution_shape<Key, Value, Less>;
  auto& shared = device::dynamic_shared<typename tiles::storage>();
  const unsigned tile_ranges = parts.totals[round].tile_ranges;
  for (unsigned j = blockIdx.x; j < tile_ranges; j += gridDim.x) {
    const tile_range part{parts, round, j};
    const auto buckets = device::classify<typename tiles::classifier>(shared.splitters, parts, part);
    tile_range_offsets<typename tiles::distribute> offsets{part, entries};
    for (typename tiles::cursor cursor{from.keys, part.begin, part.end}; !cursor.done(); cursor.advance()) {
      device::encode_items(cursor.keys, codec);
      unsigned bucket[tiles::items];
      buckets.find(cursor.keys, bucket, less, codec);
      typename tiles::distribute tile{shared.tile, cursor.count()};
      tile.stable_rank(bucket);
      tile.set_offsets([&](unsigned b, unsigned taken) { return offsets(b, taken); });
      device::scatter_tile(tile, cursor, from + cursor.first(), to, codec, device::writable_positions<Less>(part.of));
    }
    if constexpr (!strict_weak_order_v<Less>)
      if (!offsets.are_used_up(part, entries)) parts.break_off(round);
  }
}

/// Bytes of device memory that sample_sort takes for n elements: room for n elements, plus 5 % for the largest n up to
/// 21 % for n = 2^20.
template <class Key, class Value, class Less>
[[nodiscard]] std::size_t sample_sort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : device::scratch_bytes<sample_sort_scratch<Key, Value, Less>>(n);
}

/// One round: distributes every subproblem from `from` to `to`, to the buckets of its own splitters.
template <class Key, class Value, class Less, class Codec>
void scatter_round(const context& context, const sample_sort_scratch<Key, Value, Less>& memory, unsigned round,
                   columns<Key, Value> from, columns<Key, Value> to, Less less, Codec codec) {
  const worklist_of<Key, Less>& parts = memory.parts;
  const distribution_plan& plan = parts.plan;
  using tiles = distribution_shape<Key, Value, Less>;

  memory.sums.clear(context);
  device::count_round<Key>(context, parts, round, from.keys, tile_range_counters{memory.entries}, nullptr, less, codec);
  device::exclusive_scan(context, memory.entries, &parts.totals[round].entries, memory.sums);
  device::divide_samples(context, parts, round, memory.entries);
  device::launch_persistent(context, {plan.tile_range_limit(), tiles::threads, sizeof(typename tiles::storage)},
                            scatter_samples_kernel<Key, Value, Less, Codec>, parts, round, from, to, memory.entries,
                            less, codec);
}

/// Sorts data[0, n) in place by `less` on encoded keys, stably. Enqueues on the context's stream; the launches depend
/// only on n. Expects O(n log n) comparisons on any input; a subproblem of m elements that is still too long after all
/// rounds is sorted by one block in O(m log m). Throws std::bad_alloc before anything is written, gpu::error if a
/// launch is refused.
template <class Key, class Value, class Less, class Codec>
void sample_sort(const context& context, columns<Key, Value> data, std::size_t n, Less less, Codec codec) {
  if (n < 2) return;
  const scratch<sample_sort_scratch<Key, Value, Less>> memory{context, n};
  const worklist_of<Key, Less>& parts = memory->parts;
  columns<Key, Value> from = data;
  columns<Key, Value> to = memory->buffer;
  device::begin_distribution(context, parts);
  if (parts.plan.rounds == 0) return device::sort_base_cases<true>(context, parts, data, to, less, codec, codec);
  device::scatter_round(context, *memory, 0, from, to, less, codec);
  for (unsigned round = 1; round < parts.plan.rounds; ++round) {
    std::swap(from, to);
    device::scatter_round(context, *memory, round, from, to, less, detail::leaving_codes(codec));
  }
  device::sort_base_cases<true>(context, parts, data, memory->buffer, less, detail::leaving_codes(codec), codec);
}

}  // namespace gpu::inline v1::detail::device
