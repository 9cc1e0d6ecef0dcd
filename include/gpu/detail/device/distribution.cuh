// What two-phase quicksort and sample sort do alike: choose the splitters of every segment of a round, and sort the
// leaves at the end. What lies between, how elements find their places, is where they differ.
#pragma once

#include <cstddef>

#include "block/distribute.cuh"
#include "block/long_sort.cuh"
#include "block/merge_sort.cuh"
#include "block/splitters.cuh"
#include "columns.cuh"
#include "launch.cuh"
#include "persistent.cuh"
#include "segments.cuh"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Subsequences up to this are leaves. Where records are so large that a tile holds few, a leaf is several tiles.
constexpr std::size_t longest_leaf(std::size_t key_bytes, std::size_t value_bytes) {
  constexpr std::size_t least = 1024;
  const std::size_t tile = merge_tile(key_bytes, value_bytes).size();
  return tile < least ? least : tile;
}

template <class Key, class Value>
division_plan plan_division(std::size_t n) {
  constexpr std::size_t value_bytes = value_bytes_v<Value>;
  return {n, longest_leaf(sizeof(Key), value_bytes), distribution_tile(sizeof(Key), value_bytes).size(),
          block::max_buckets<Key>};
}

/// The splitters that a round chose for a segment.
template <class Key>
__device__ block::splitters<Key> splitters_of(const division<Key>& division, const segment& divided) {
  return {division.trees + divided.first_bucket, division.repeated + divided.first_bucket, divided.buckets};
}

/// Threads and the block primitives of the kernels that go over all elements of a round.
template <class Key, class Value>
struct distribution_shape {
  static constexpr tile_shape tile = distribution_tile(sizeof(Key), value_bytes_v<Value>);
  static constexpr int threads = tile.threads;
  static constexpr int items = tile.items;
  static constexpr unsigned buckets = block::max_buckets<Key>;
  static constexpr std::size_t widest = sizeof(Key) > value_bytes_v<Value> ? sizeof(Key) : value_bytes_v<Value>;
  using classifier = block::classifier<Key, threads>;
  using distribute = block::distribute<threads, items, buckets, widest>;
};

/// The thread's items of source[0, count), count > 0, encoded. Items beyond repeat the last element, so that a
/// comparator sees only elements.
template <int Items, class Key, class Codec>
__device__ void load_items(const Key* source, unsigned count, Key (&keys)[Items], Codec codec) {
#pragma unroll
  for (int i = 0; i < Items; ++i) keys[i] = codec.encode(source[min(block::item_index<Items>(i), count - 1)]);
}

/// sums[b] = elements of source[0, count) in bucket b < buckets. Called by every thread; synchronises before the sums
/// are complete, not before they are cleared.
template <int Threads, int Items, class Key, class Classifier, class Less, class Codec>
__device__ void count_buckets(const Key* source, std::size_t count, const Classifier& classify, unsigned* sums,
                              unsigned buckets, Less less, Codec codec) {
  constexpr std::size_t tile = std::size_t{Threads} * Items;
  for (unsigned b = threadIdx.x; b < buckets; b += Threads) sums[b] = 0;
  __syncthreads();
  for (std::size_t first = 0; first < count; first += tile) {
    const unsigned here = static_cast<unsigned>(min(tile, count - first));
    Key keys[Items];
    unsigned bucket[Items];
    load_items(source + first, here, keys, codec);
    classify.find(keys, bucket, less);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (block::item_index<Items>(i) < here) atomicAdd(&sums[bucket[i]], 1u);
  }
  __syncthreads();
}

/// Writes a placed tile, whose codes are in registers.
template <class Distribute, int Items, class Key, class Value, class Codec>
__device__ void move_tile(Distribute& distribute, const Key (&keys)[Items], columns<Key, Value> source,
                          columns<Key, Value> target, Codec codec) {
  distribute.write(
      target.keys, [&](int i) { return keys[i]; }, [&](unsigned index) { return codec.encode(source.keys[index]); });
  if constexpr (has_value_v<Value>)
    distribute.write(
        target.values, [&](int i) { return source.values[block::item_index<Items>(i)]; },
        [&](unsigned index) { return source.values[index]; });
}

/// Makes lists of all n elements: a segment for the first round, or a leaf if there is none. One block.
template <class Key>
__global__ void begin_division_kernel(division<Key> division) {
  for (unsigned round = threadIdx.x; round <= division.plan.rounds; round += blockDim.x) division.totals[round] = {};
  if (threadIdx.x == 0) *division.leaf_count = 0;
  __syncthreads();
  if (threadIdx.x > 0) return;
  if (division.plan.rounds > 0)
    division.add_segment(0, 0, division.plan.n);
  else
    division.add_leaf(1, 0, division.plan.n);
}

/// Threads of a block that sorts a sample.
template <class Key>
inline constexpr int splitter_threads = merge_tile(sizeof(Key), 0).threads;

/// Per segment: its jobs, and splitters from a random sample, the same in every run. Zeroes its `counts`, if not null.
template <class Key, class Less, class Codec>
__global__ void __launch_bounds__(splitter_threads<Key>)
    splitters_kernel(division<Key> division, unsigned round, const Key* keys, unsigned long long* counts, Less less,
                     Codec codec) {
  constexpr tile_shape tile = merge_tile(sizeof(Key), 0);
  using tile_sort = block::merge_sort<Key, no_value, tile.threads, tile.items>;
  __shared__ typename tile_sort::storage sample;
  for (unsigned s = blockIdx.x; s < division.totals[round].segments; s += gridDim.x) {
    segment& divided = division.segments_of(round)[s];
    if (threadIdx.x == 0) division.claim(divided, round);
    __syncthreads();
    for (unsigned j = threadIdx.x; j < divided.jobs; j += tile.threads) division.segment_of[divided.first_job + j] = s;
    const unsigned buckets = divided.buckets;
    const unsigned stride = min(block::oversampling, static_cast<unsigned>(tile.size()) / buckets);
    const std::uint64_t stream = divided.begin * 64 + round;
    for (unsigned i = threadIdx.x; i < stride * buckets; i += tile.threads)
      sample.keys[i] = codec.encode(keys[divided.begin + block::random_place(stream, i, divided.count)]);
    tile_sort{sample}.sort(static_cast<int>(stride * buckets), less);
    block::build_splitters<tile.threads>(sample.keys, stride, buckets, division.trees + divided.first_bucket,
                                         division.repeated + divided.first_bucket, less);
    if (counts)
      for (unsigned b = threadIdx.x; b < buckets; b += tile.threads) counts[divided.first_bucket + b] = 0;
    __syncthreads();
  }
}

/// Each block finishes one leaf after the other, alone. Stable.
template <class Key, class Value, class Less, class Codec>
__global__ void __launch_bounds__(merge_tile(sizeof(Key), value_bytes_v<Value>).threads)
    leaves_kernel(division<Key> division, columns<Key, Value> data, columns<Key, Value> buffer, Less less,
                  Codec encoder, Codec decoder) {
  constexpr tile_shape tile = merge_tile(sizeof(Key), value_bytes_v<Value>);
  using leaf_sort = block::long_sort<Key, Value, tile.threads, tile.items>;
  __shared__ typename leaf_sort::storage shared;
  const unsigned leaves = *division.leaf_count;
  for (unsigned l = blockIdx.x; l < leaves; l += gridDim.x) {
    const leaf finished = division.leaves[l];
    const columns<Key, Value> target = data + finished.begin;
    const columns<Key, Value> other = buffer + finished.begin;
    const columns<Key, Value> source = finished.in_scratch ? other : target;
    if (finished.ordered)
      for (std::size_t i = threadIdx.x; i < finished.count; i += tile.threads)
        target.set(i, decoder.decode(encoder.encode(source.keys[i])), source.value(i));
    else
      leaf_sort{shared}.sort(source, target, other, finished.count, less, encoder, decoder);
  }
}

template <class Key>
void begin_division(const context& context, const division<Key>& parts) {
  launch(context, shape{1, 32}, begin_division_kernel<Key>, parts);
}

/// The last step of both sorts. Without rounds, nobody has encoded the keys before.
template <class Key, class Value, class Less, class Codec>
void sort_leaves(const context& context, const division<Key>& parts, columns<Key, Value> data,
                 columns<Key, Value> buffer, Less less, Codec codec) {
  const auto kernel = leaves_kernel<Key, Value, Less, Codec>;
  constexpr int threads = merge_tile(sizeof(Key), value_bytes_v<Value>).threads;
  const std::size_t limit = parts.plan.rounds == 0 ? 1 : parts.plan.leaf_limit();
  launch(context, persistent_shape(context, kernel, limit, threads), kernel, parts, data, buffer, less,
         parts.plan.rounds == 0 ? codec : Codec{}, codec);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
