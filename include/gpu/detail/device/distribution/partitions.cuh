// A round of two-phase quicksort: all blocks together partition every subsequence that is too long for one block. They
// first count, tile by tile, then claim ranges of output positions by atomic additions, one per bucket and tile, and
// move. Cederman and Tsigas, "A practical quicksort algorithm for graphics processors", 2009 (two passes over the data,
// the first counts). As each tile's counts are kept, its elements find their slots without being counted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "../block/counted_distribute.cuh"
#include "../columns.cuh"
#include "../launching/context.hpp"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/distribution.hpp"
#include "bucket_counts.cuh"
#include "distribution.cuh"
#include "gathering.cuh"
#include "grouping.cuh"
#include "subproblems.cuh"

namespace gpu::inline v1::detail::device {

/// Elements that are distributed as they are.
template <class Key>
struct by_itself {
  using element = Key;
  using code = Key;
  __device__ static const Key& code_of(const Key& key) { return key; }
};

/// Block primitives and shared memory for moving elements, in the order of their codes, along with their values.
template <class Order, class Value, class Less>
struct tile_move {
  using order = Order;
  using element = typename Order::element;
  using code = typename Order::code;
  using value = Value;
  static constexpr move_shape shape =
      device::move_shape_for(sizeof(element), value_bytes_v<Value>, !are_codes_v<code, Less>);
  static constexpr int threads = move_shape::threads;
  static constexpr int items = shape.items;
  static constexpr unsigned batch = shape.batch();
  static constexpr bool ahead = shape.ahead;
  using classifier = block::classifier<code, even_of<code, Less>, threads>;
  using distribute =
      block::counted_distribute<threads, block::max_buckets<code>, shape.at_once, !strict_weak_order_v<Less>>;

  /// Followed by a tile of staged elements and one of staged values.
  struct alignas(16) storage {
    typename classifier::storage splitters;
    typename distribute::storage tile;

    __device__ auto* elements() { return reinterpret_cast<block::staged<element>*>(this + 1); }
    __device__ auto* values(std::size_t tile) { return reinterpret_cast<block::staged<Value>*>(elements() + tile); }
  };

  static std::size_t tile() { return shape.tile(least_shared_bytes()); }
  static constexpr std::size_t shared_bytes(std::size_t tile) {
    return sizeof(storage) +
           tile * (sizeof(block::staged<element>) + (has_value_v<Value> ? sizeof(block::staged<Value>) : 0));
  }
};

/// Scratch for distributing n elements in rounds that claim positions.
template <class Order, class Value, class Less>
struct partitions {
  using code = typename Order::code;
  worklist_of<code, Less> parts;
  tile_counters counts;

  /// least_given: elements of the shortest given base case, if subproblems are given; else 0.
  partitions(carver& carve, std::size_t n, std::size_t longest_base_case, std::size_t least_given = 0)
      : partitions{carve, plan(n, longest_base_case, least_given)} {}
  partitions(carver& carve, const distribution_plan& plan)
      : parts{carve, plan},
        counts{{carve.take<unsigned long long>(parts.plan.bucket_limit())},
               carve.take<std::uint16_t>(parts.plan.entry_limit())} {}

  static distribution_plan plan(std::size_t n, std::size_t longest_base_case, std::size_t least_given) {
    distribution_plan plan{n, longest_base_case, tile_move<Order, Value, Less>::tile(), 1, block::max_buckets<code>};
    plan.least_given = least_given;
    if constexpr (std::is_same_v<Order, by_itself<code>>) {
      plan.repeat_from = keys_repeat_from;
      plan.longest_with_heavy = device::longest_with_heavy(sizeof(code), n);
    }
    if constexpr (may_gather_v<typename Order::element, Value, Less>) plan.gather_last(group_tile(sizeof(code)).size());
    return plan;
  }

  /// The tiles of the gathered round, if base cases may be gathered.
  template <class Buffer>
  auto tiles(Buffer buffer) const {
    if constexpr (!may_gather_v<typename Order::element, Value, Less>)
      return no_grouped_tiles{};
    else
      return grouped_tiles<code>{buffer.keys,
                                 counts.of_tile,
                                 parts.subproblems[parts.plan.gathered_round % 2],
                                 parts.sources,
                                 parts.plan.gathered_piece,
                                 nullptr};
  }
};

/// One block per subproblem: turns counts per bucket into offsets, and buckets into subproblems of the next round or
/// base cases.
template <class Count>
__global__ void __launch_bounds__(offset_threads, blocks_allowed(offset_blocks, offset_threads))
    offset_partitions_kernel(worklist parts, unsigned round, Count* counts) {
  await_predecessors();
  using scan = cub::BlockScan<std::size_t, offset_threads>;
  __shared__ typename scan::TempStorage shared;
  __shared__ bucket_starts starts;
  const unsigned b = threadIdx.x;
  for (unsigned s = blockIdx.x; s < parts.totals[round].subproblems; s += gridDim.x) {
    const subproblem divided = parts.subproblems_of(round)[s];
    Count& offset = counts[divided.first_bucket + b];
    std::size_t start = b < divided.buckets ? offset : 0;
    scan{shared}.ExclusiveSum(start, start);
    if (b < divided.buckets) {
      starts.start[b] = start;
      offset = divided.begin + start;
    }
    if (b == 0) starts.start[divided.buckets] = divided.count;
    device::divide(parts, divided, starts, [&](std::size_t begin, std::size_t count, unsigned first, unsigned end) {
      if (round != parts.plan.gathered_round || !device::gather_later(parts, divided, begin, count, {s, first, end}))
        device::add_part(parts, round, divided, begin, count, first);
    });
    __syncthreads();
  }
}

template <class Count>
void offset_partitions(const context& context, const worklist& parts, unsigned round, Count* counts) {
  device::launch_persistent(context, {parts.plan.subproblems_in(round), offset_threads},
                            offset_partitions_kernel<Count>, parts, round, counts);
}

/// A tile that is being moved. From, To: columns or a `stream`; `from` is where the tile begins.
template <class Tiles, class From, class To, class Codec>
struct moving_tile {
  using element = typename Tiles::element;
  using value = typename Tiles::value;

  typename Tiles::storage& shared;
  typename Tiles::distribute& slots;
  element (&elements)[Tiles::items];  ///< of the next batch
  unsigned count;
  std::size_t room;  ///< elements of the longest tile
  From from;
  To to;
  Codec codec;

  /// Stages all elements in their slots: with pivots p_b, bucket b takes [p_b <= x < p_(b+1)), that of a repeated pivot
  /// [x == p_b]. BucketOf: computes the bucket of a code, or searched_buckets.
  template <class BucketOf, class Less>
  __device__ __forceinline__ void fill(const typename Tiles::classifier& classes, BucketOf bucket_of, Less less) {
    for (unsigned first = 0; first < count; first += Tiles::batch) {
      element next[Tiles::ahead ? Tiles::items : 1];
      if constexpr (Tiles::ahead) load(first + Tiles::batch, next);
      device::encode_items(elements, codec);
      const unsigned here = min(count - first, Tiles::batch);
      const auto put = [&](int i, unsigned slot) { stage(i, first + block::item_index<Tiles::items>(i), slot); };
      const auto code = [&](int i) -> decltype(auto) { return Tiles::order::code_of(elements[i]); };
      if constexpr (std::is_same_v<BucketOf, searched_buckets>) {
        typename Tiles::code codes[Tiles::items];
        unsigned bucket[Tiles::items];
#pragma unroll
        for (int i = 0; i < Tiles::items; ++i) codes[i] = code(i);
        classes.search(codes, bucket, less);
        slots.template take<Tiles::items>(here, classes.is_skewed(), [&](int i) { return bucket[i]; }, put);
      } else {
        slots.template take<Tiles::items>(here, false, [&](int i) { return bucket_of(code(i)); }, put);
      }
      if constexpr (!Tiles::ahead) {
        load(first + Tiles::batch, elements);
      } else {
#pragma unroll
        for (int i = 0; i < Tiles::items; ++i) elements[i] = next[i];
      }
    }
    slots.finalize();
  }

  /// Writes the elements of all slots to the positions of their buckets.
  __device__ __forceinline__ void write() const {
    const auto* const staged = shared.elements();
    const auto* const staged_values = shared.values(room);
    slots.write(count, [&](unsigned slot, std::size_t position) {
      if constexpr (block::is_staged_v<element>)
        to.keys[position] = staged[slot];
      else
        to.keys[position] = codec.encode(from.keys[staged[slot]]);
      if constexpr (has_value_v<value>) {
        if constexpr (block::is_staged_v<value>)
          to.values[position] = staged_values[slot];
        else
          to.values[position] = from.values[staged_values[slot]];
      }
    });
  }

 private:
  /// The batch that begins at `first`, if there is one.
  template <int Items>
  __device__ __forceinline__ void load(unsigned first, element (&batch)[Items]) const {
    if (first < count) device::load_items(from.keys + first, min(count - first, Tiles::batch), batch);
  }

  /// Stages the thread's i-th element, which is the tile's element `index`, in a slot.
  __device__ __forceinline__ void stage(int i, unsigned index, unsigned slot) const {
    if constexpr (block::is_staged_v<element>)
      shared.elements()[slot] = elements[i];
    else
      shared.elements()[slot] = static_cast<std::uint16_t>(index);
    if constexpr (has_value_v<value>) {
      if constexpr (block::is_staged_v<value>)
        shared.values(room)[slot] = from.values[index];
      else
        shared.values(room)[slot] = static_cast<std::uint16_t>(index);
    }
  }
};

/// Moves all tile ranges, each of which is a tile. code_codec: the codec that made the codes of the elements that
/// `codec` encodes.
template <class Order, class Value, class From, class To, class Less, class Codec, class CodeCodec>
__global__ void __launch_bounds__(move_shape::threads, move_shape::blocks)
    move_partitions_kernel(worklist_of<typename Order::code, Less> parts, unsigned round, From from, To to,
                           tile_counters counts, Less less, Codec codec, CodeCodec code_codec) {
  await_predecessors();
  using tiles = tile_move<Order, Value, Less>;
  auto& shared = device::dynamic_shared<typename tiles::storage>();
  const unsigned tile_ranges = parts.totals[round].tile_ranges;
  for (unsigned j = blockIdx.x; j < tile_ranges; j += gridDim.x) {
    const tile_range part{parts, round, j};
    const From source = from + part.begin;
    typename tiles::element elements[tiles::items];
    device::load_items(source.keys, min(part.count(), tiles::batch), elements);
    const auto classes = device::classify<typename tiles::classifier>(shared.splitters, parts, part);
    unsigned long long* const offsets = counts.of_all + part.of.first_bucket;
    typename tiles::distribute slots{
        shared.tile, counts.of_tile + part.first_of_row(), part.of.buckets,
        [&](unsigned b, unsigned count) { return atomicAdd(&offsets[b], static_cast<unsigned long long>(count)); }};
    moving_tile<tiles, From, To, Codec> tile{shared,           slots,  elements, part.count(),
                                             parts.plan.piece, source, to,       codec};
    const auto fill = [&](auto bucket_of) { tile.fill(classes, bucket_of, less); };
    if constexpr (are_codes_v<typename Order::code, Less>) {
      if (classes.is_computed())
        classes.compute(code_codec, fill);
      else
        fill(searched_buckets{});
    } else {
      fill(searched_buckets{});
      if constexpr (!strict_weak_order_v<Less>)
        if (!slots.is_as_counted()) {  // the comparator contradicts itself: nothing is written
          parts.break_off(round);
          continue;
        }
    }
    tile.write();
  }
}

/// One round: partitions every subproblem by its own pivots, from `from` to `to`. `keys`: the source to count, of which
/// code_codec makes codes; `codec` makes them of the elements that move.
template <class Order, class Value, class Keys, class From, class To, class Less, class Codec, class CodeCodec>
void partition_round(const context& context, const partitions<Order, Value, Less>& memory, unsigned round, Keys keys,
                     From from, To to, Less less, Codec codec, CodeCodec code_codec) {
  using code = typename Order::code;
  using tiles = tile_move<Order, Value, Less>;
  const auto& parts = memory.parts;
  device::count_round<code>(context, parts, round, keys, memory.counts, memory.counts.of_all, less, code_codec);
  device::offset_partitions(context, parts, round, memory.counts.of_all);
  device::launch_persistent(context,
                            {parts.plan.tile_range_limit(), tiles::threads, tiles::shared_bytes(parts.plan.piece)},
                            move_partitions_kernel<Order, Value, From, To, Less, Codec, CodeCodec>, parts, round, from,
                            to, memory.counts, less, codec, code_codec);
}

/// The round whose base cases are gathered: groups from[0, n) into the scratch buffer, which may be the same array;
/// parts that blocks cannot gather are moved to their destination.
template <class Key, class Value, class Less>
void gathered_round(const context& context, const partitions<by_itself<Key>, Value, Less>& memory, const Key* from,
                    Key* buffer, Key* destination, Less less) {
  const auto& parts = memory.parts;
  const unsigned round = parts.plan.gathered_round;
  using tile = grouped_tile<Key, Less>;
  device::choose_round<Key>(context, parts, round, from, memory.counts.of_all, less, identity_codec{});
  device::launch_persistent(context, {parts.plan.tile_range_limit(), tile::threads, sizeof(typename tile::storage)},
                            group_kernel<Key, Less>, parts, round, from, buffer, memory.counts, less);
  device::offset_partitions(context, parts, round, memory.counts.of_all);
  device::launch_persistent(context, {run_slices * parts.plan.moved_limit(), run_threads}, move_runs_kernel<Key, Less>,
                            parts, round, buffer, destination, memory.counts);
}

}  // namespace gpu::inline v1::detail::device
