// One block's part in a quicksort in one launch: how blocks agree on pivots and on offsets, and what each of them sorts
// alone. See resident_quicksort.cuh.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../block/classifier.cuh"
#include "../block/network.cuh"
#include "../block/splitters.cuh"
#include "../columns.cuh"
#include "../distribution/even_choice.cuh"
#include "../warp/shuffle.cuh"
#include "sample_ranking.cuh"
#include "shape.cuh"

namespace gpu::inline v1::detail::device {

/// One block's part in the sort; its members are the steps, each called by every thread of every block.
template <class Key, class Value, class Less, class Codec, residents Count>
class resident_block {
 protected:
  using shape = resident_shape<Key, Less, Count>;
  using storage = typename shape::storage;
  using pointer = typename columns<Key, Value>::pointer;
  static constexpr int threads = shape::threads;
  static constexpr int items = shape::items;
  static constexpr unsigned divisions = resident_scratch<Key>::divisions;
  static constexpr unsigned oversampling = resident_sample / block::max_buckets<Key>;
  static constexpr bool out_of_place = shape::streamed || std::is_same_v<Value, erased>;
  /// Keys of the sample by which even buckets are chosen: fewer for wide keys, which get as many buckets however dense
  /// they are.
  static constexpr unsigned analyzed = sizeof(Key) <= 8 ? resident_sample : resident_sample / 2;

 public:
  __device__ resident_block(storage& shared, columns<Key, Value> data, unsigned n,
                            const resident_scratch<Key>& together, Less less, Codec codec)
      : shared_{shared}, data_{data}, n_{n}, together_{together}, less_{less}, codec_{codec} {}

  /// Loads the block's keys into registers, and writes its share of the sample and of cleared counters to global
  /// memory.
  __device__ void begin() {
    const unsigned first = first_of(blockIdx.x);
    count_ = first_of(blockIdx.x + 1) - first;
    device::load_items(data_.keys + first, count_, keys_);
    device::encode_items(keys_, codec_);
    draw_sample(together_.samples, 0);
    const unsigned thread = blockIdx.x * threads + threadIdx.x, all = gridDim.x * threads;
    for (unsigned c = thread; c < divisions * shape::most_buckets; c += all) together_.counts[c] = 0;
  }

  /// Phase one: writes partitions over the input, or to memory of their own. `barrier` waits for all blocks.
  template <class Barrier>
  __device__ void partition(const Barrier& barrier) {
    // No curves are tried: for so few keys splitters take hardly longer, and nothing is lost where both curves would be
    // refused.
    const auto turned = [](unsigned i) { return (i + blockIdx.x * warp::threads) % analyzed; };  // blocks differ
    if constexpr (are_codes_v<Key, Less>)
      choose_buckets([&] { return wanted_buckets(); }, turned, nullptr, shared_.evenness);
    if (even_.buckets == 0) choose_splitters(barrier);
    typename shape::distribute tile{shared_.distribute, count_};
    unsigned offset = count(tile, together_.counts, barrier);
    too_long_ = any_too_long(barrier);
    for (unsigned division = 1; too_long_ && division < divisions; ++division) {
      // There are heavy keys, or peaks that the bars did not show, or the sample has misled: another one, about which
      // the first tells nothing, is drawn by the second word of the key alone.
      if (even_.buckets == 0 || division > 1) {
        draw_sample({together_.samples.second, together_.samples.second}, division);
        barrier();
      }
      even_ = {};
      choose_splitters(barrier);
      offset = count(tile, together_.counts + division * shape::most_buckets, barrier);
      too_long_ = any_too_long(barrier);
    }
    tile.set_offsets([&](unsigned, unsigned) -> std::size_t { return offset; });
    tile.template stage<Key>([&](int i) { return codec_.decode(keys_[i]); });
    tile.template write<Key>(destination(), [](unsigned) { return Key{}; });
  }

  /// Sorts partitions that are too long for any block after all divisions, by all blocks together.
  template <class Barrier>
  __device__ void sort_long_partitions(const Barrier& barrier) {
    if (!too_long_) return;
    for (unsigned b = 0; b < partitions(); ++b)
      if (is_too_long(b))
        block::sort_by_network<Key>(
            destination() + shared_.start[b], length(b),
            [this](const Key& x, const Key& y) { return less_(codec_.encode(x), codec_.encode(y)); },
            blockIdx.x * threads + threadIdx.x, gridDim.x * threads, barrier);
  }

  /// Phase two: sorts the block's partitions, by this block alone; neighbours at once where they are short.
  __device__ void sort_partitions() {
    const unsigned end = partitions_before(blockIdx.x + 1);
    for (unsigned b = partitions_before(blockIdx.x), last; b < end; b = last) {
      last = b + 1;
      while (last < end && are_short_together(b, last + 1)) ++last;
      const unsigned first = shared_.start[b], count = shared_.start[last] - first;
      if (count > 1 && count <= shape::longest && !all_equal(b))  // the only call, so that it is inlined
        sort_partition(destination() + first, data_.keys + first, count);
      else
        finish(destination() + first, data_.keys + first, count);
    }
  }

 protected:
  /// Where partitions lie.
  __device__ auto destination() const {
    if constexpr (out_of_place)
      return together_.destination;
    else
      return data_.keys;
  }

  /// Where a block's share of the elements begins.
  __device__ unsigned first_of(unsigned block) const {
    return static_cast<unsigned>(std::uint64_t{n_} * block / gridDim.x);
  }
  __device__ block::splitters<Key> splitters() const {
    return {reinterpret_cast<const Key*>(shared_.choice.tree), shared_.choice.repeated, buckets_};
  }
  /// The number of partitions of all blocks, which may not agree on their buckets if `less` contradicts itself.
  __device__ unsigned partitions() const { return strict_weak_order_v<Less> ? buckets_ : shape::most_buckets; }
  __device__ bool all_equal(unsigned b) const {
    if (b >= buckets_) return false;
    return even_.buckets > 0 ? even_.all_equal(b) : splitters().all_equal(b);
  }

  /// One partition per block, or as many more as make them half as long as a block can sort.
  __device__ unsigned wanted_buckets() const {
    const unsigned sorted = threads * shape::tiles.sorted;
    return min(max(gridDim.x, 2 * n_ / sorted), shape::most_buckets);
  }

  /// About as many, as a power of two, but so that partitions are a quarter as long as a block can sort. Not more,
  /// since ranking a sample takes the square of its length.
  __device__ unsigned wanted_splitters() const {
    const unsigned enough = max(gridDim.x - gridDim.x / 4, 4 * n_ / (threads * shape::tiles.sorted));
    unsigned buckets = 4;
    while (buckets < enough && buckets < shape::most_buckets) buckets *= 2;
    return buckets;
  }

  /// The number of partitions that the blocks before sort.
  __device__ unsigned partitions_before(unsigned block) const { return partitions() * block / gridDim.x; }

  /// Whether partitions [from, end) can be sorted at once, and need to be sorted.
  __device__ bool are_short_together(unsigned from, unsigned end) const {
    return !all_equal(from) && !all_equal(end - 1) && shared_.start[end] - shared_.start[from] <= shape::longest;
  }

  /// Ranks the block's elements in their buckets, and finds where partitions start. Returns the offset of the block's
  /// first element of bucket threadIdx.x. `counts`: a clean counter for each bucket.
  template <class Barrier>
  __device__ unsigned count(typename shape::distribute& tile, unsigned* counts, const Barrier& barrier) {
    const typename shape::classifier classes{shared_.classes, even_, splitters()};
    unsigned bucket[items];
    if (block::item_index<items>(0) < count_) classes.find(keys_, bucket, less_, codec_);
    tile.rank(classes.is_skewed(), [&](int i) { return bucket[i]; });
    const unsigned b = threadIdx.x;
    const unsigned own = b < buckets_ ? tile.ranked(b) : 0;
    const unsigned before = own > 0 ? atomicAdd(&counts[b], own) : 0;
    barrier();
    unsigned start = b < partitions() ? __ldcg(&counts[b]) : 0;
    typename shape::scan{shared_.scan}.ExclusiveSum(start, start);
    if (b < partitions()) shared_.start[b] = start;
    if (b == 0) shared_.start[partitions()] = n_;
    return start + before;
  }

  __device__ unsigned length(unsigned b) const { return shared_.start[b + 1] - shared_.start[b]; }

  /// Whether a partition is too long for a block and may hold different elements. All blocks agree: where `less` may
  /// contradict itself, so that they might not, the block that will sort the partition has decided for all.
  __device__ bool is_too_long(unsigned b) const {
    if (length(b) <= shape::longest) return false;
    return strict_weak_order_v<Less> ? !all_equal(b) : __ldcg(&together_.long_ones[b]) != 0;
  }

  /// Whether any partition is too long. The same in all blocks. Synchronises before and after.
  template <class Barrier>
  __device__ bool any_too_long(const Barrier& barrier) {
    __syncthreads();
    const unsigned b = threadIdx.x;
    if constexpr (!strict_weak_order_v<Less>) {
      if (!__syncthreads_or(b < partitions() && length(b) > shape::longest)) return false;
      const unsigned first = partitions_before(blockIdx.x), end = partitions_before(blockIdx.x + 1);
      if (first <= b && b < end) together_.long_ones[b] = !all_equal(b);
      barrier();
    }
    return __syncthreads_or(b < partitions() && is_too_long(b));
  }

  /// Draws the block's share of a sample of the input.
  __device__ void draw_sample(const sample_key& key, unsigned stream) {
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < resident_sample; i += gridDim.x * threads)
      together_.sample[i] = together_.ranked[i] =
          codec_.encode(data_.keys[detail::random_position(key.word(i), stream, i, n_)]);
  }

  /// Chooses even buckets if possible, the same in every block. wanted(): how many, where codes lie evenly. index(i):
  /// which key of the sample is read i-th. `curves`: those to try, or null.
  template <class Wanted, class Index>
  __device__ void choose_buckets(Wanted wanted, Index index, block::breakpoint* curves,
                                 typename shape::evenness& evenness) {
    Key sample[analyzed / threads];
#pragma unroll
    for (unsigned i = 0; i < analyzed / threads; ++i) sample[i] = together_.sample[index(i * threads + threadIdx.x)];
    const auto buckets = [&](float density) {
      return min(static_cast<unsigned>(density * static_cast<float>(wanted())), shape::most_buckets);
    };
    even_ = device::choose_even(
        sample, buckets, 0.0f, block::maker_of<Key>(codec_), curves, evenness, [] { return false; }, [] {});
    buckets_ = even_.buckets;
  }

  template <class Barrier>
  __device__ void choose_splitters(const Barrier& barrier) {
    buckets_ = wanted_splitters();
    using ranking = sample_ranking<Key, threads>;
    const unsigned per_bucket = max(oversampling, ranking::row / buckets_);
    Key* const chosen = reinterpret_cast<Key*>(shared_.sample);
    ranking{chosen}.rank(together_.sample, together_.ranked, buckets_ * per_bucket, less_);
    barrier();
    if (threadIdx.x < buckets_) chosen[threadIdx.x] = together_.ranked[threadIdx.x * per_bucket];
    __syncthreads();
    block::sorted_sample<Key> sample{chosen, 1, buckets_, false};
    block::thin_out<threads>(sample, shared_.scan, less_);
    block::build_splitters<threads>(sample, reinterpret_cast<Key*>(shared_.choice.tree), shared_.choice.repeated,
                                    less_);
    buckets_ = sample.buckets;
    __syncthreads();
  }

  /// Sorts by bins if keys are codes, else by merging.
  template <class From>
  __device__ void sort_partition(From from, pointer to, unsigned count) {
    if constexpr (are_codes_v<Key, Less>) {
      typename shape::bin_sort bins{shared_.bins};
      if (!bins.sort(from, count, codec_)) bins.merge(count);
      bins.store(to, count, codec_);
    } else {
      const int n = static_cast<int>(count);
      Key* const tile = shared_.merge.keys;
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) tile[i] = codec_.encode(from[i]);
      typename shape::merge_sort{shared_.merge}.sort(n, less_);
      for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) to[i] = codec_.decode(tile[i]);
      __syncthreads();
    }
  }

  /// Copies elements that are in order to their destination, unless they are there.
  template <class From>
  __device__ void finish(From from, pointer to, unsigned count) {
    if constexpr (out_of_place)
      for (unsigned i = threadIdx.x; i < count; i += threads) to[i] = from[i];
  }

  storage& shared_;
  columns<Key, Value> data_;
  unsigned n_;
  resident_scratch<Key> together_;
  Less less_;
  Codec codec_;
  unsigned count_ = 0;  ///< elements that the block holds
  unsigned buckets_ = 0;
  bool too_long_ = false;  ///< whether any partition is, after all divisions
  typename shape::even even_{};
  Key keys_[items];
};

}  // namespace gpu::inline v1::detail::device
