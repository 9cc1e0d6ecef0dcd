// One block's part in a sort in one launch of more elements than registers hold. See streamed_sort.cuh.
#pragma once

#include <cstddef>

#include "../block/claims.cuh"
#include "../columns.cuh"
#include "block.cuh"

namespace gpu::inline v1::detail::device {

/// One block's part in the sort; its members are the steps, each called by every thread of every block.
template <class Key, class Codec>
class streamed_block : resident_block<Key, no_value, code_less, Codec, residents::streamed> {
  using base = resident_block<Key, no_value, code_less, Codec, residents::streamed>;
  using base::buckets_, base::codec_, base::data_, base::even_, base::first_of, base::shared_, base::together_;
  using base::items, base::threads;
  using typename base::shape;
  using distribute = typename shape::distribute;
  using classifier = typename shape::classifier;
  static constexpr unsigned per_thread = distribute::per_thread;  ///< buckets that a thread looks after
  static_assert(shape::most_buckets <= base::divisions * block::max_buckets<Key>, "there are so many counters");

 public:
  using base::base, base::sort_partitions;

  /// Writes the block's share of a sample and of cleared counters to global memory.
  __device__ void begin() {
    base::draw_sample(together_.samples, 0);
    const unsigned thread = blockIdx.x * threads + threadIdx.x;
    for (unsigned c = thread; c < shape::most_buckets; c += gridDim.x * threads) together_.counts[c] = 0;
  }

  /// Phase one: writes partitions to memory of their own. Writes none and returns false if keys lie neither evenly nor
  /// along a curve, or if a partition would be too long for a block. `barrier` waits for all blocks.
  template <class Barrier>
  __device__ bool partition(const Barrier& barrier) {
    base::choose_buckets([&] { return buckets_for_all_blocks(); }, [](unsigned i) { return i; }, shared_.curved.curves,
                         shared_.curved.evenness);
    if (leave_to_passes(even_.buckets == 0)) return false;
    const classifier classes{shared_.classes, even_, base::splitters()};
    std::size_t offsets[per_thread];
    count(classes, offsets, barrier);
    if (leave_to_passes(any_too_long())) return false;
    move(classes, offsets);
    return true;
  }

 private:
  /// Returns `skewed`, that is, whether passes by digits are to follow, and tells these; if so, clears their words.
  /// `skewed` is the same in all blocks; of several calls only the last may return true.
  __device__ bool leave_to_passes(bool skewed) const {
    const fallback& out = together_.if_skewed;
    const std::size_t thread = blockIdx.x * threads + threadIdx.x;
    if (thread == 0) *out.wanted = skewed ? ~0u : 0u;
    if (skewed)
      for (std::size_t w = thread; w < out.words; w += std::size_t{gridDim.x} * threads) out.cleared[w] = 0;
    return skewed;
  }

  static __device__ unsigned own_bucket(unsigned j) { return threadIdx.x * per_thread + j; }

  /// An equal number of buckets for each block, whose expected length is at most 5/7 of what a block can sort: sorting
  /// a bucket takes the same time however few elements it has.
  __device__ unsigned buckets_for_all_blocks() const {
    return gridDim.x * static_cast<unsigned>(device::divide_up(7 * base::n_ / 5, gridDim.x * shape::longest));
  }

  /// Calls body(tile, bucket of each item) for tiles of the block's elements, whose keys are in base::keys_.
  template <class Body>
  __device__ void for_each_tile(const classifier& classes, Body body) {
    const unsigned end = first_of(blockIdx.x + 1);
    for (unsigned first = first_of(blockIdx.x); first < end; first += distribute::tile) {
      const unsigned count = min(distribute::tile, end - first);
      device::load_items(data_.keys + first, count, base::keys_);
      device::encode_items(base::keys_, codec_);
      unsigned bucket[items];
      classes.find(base::keys_, bucket, code_less{}, codec_);
      body(count, bucket);
    }
  }

  /// Counts the block's elements in buckets, and finds where partitions start and where in them the block's first
  /// elements go.
  template <class Barrier>
  __device__ void count(const classifier& classes, std::size_t (&offsets)[per_thread], const Barrier& barrier) {
    for (unsigned b = threadIdx.x; b <= shape::most_buckets; b += threads) shared_.start[b] = 0;
    __syncthreads();
    for_each_tile(classes, [&](unsigned count, const unsigned(&bucket)[items]) {
      const auto counter = [&](int i) {
        return block::item_index<items>(i) < count ? bucket[i] : shape::most_buckets;  // where absent items count
      };
      block::claim_each<items>(shared_.start, false, counter, [](int, unsigned) {});
    });
    __syncthreads();
    unsigned before[per_thread], start[per_thread];
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      const unsigned own = shared_.start[own_bucket(j)];
      before[j] = own > 0 ? atomicAdd(&together_.counts[own_bucket(j)], own) : 0;
    }
    barrier();
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) start[j] = __ldcg(&together_.counts[own_bucket(j)]);
    typename shape::scan{shared_.scan}.ExclusiveSum(start, start);
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      shared_.start[own_bucket(j)] = start[j];
      offsets[j] = start[j] + before[j];
    }
    if (threadIdx.x == 0) shared_.start[shape::most_buckets] = base::n_;
    __syncthreads();
  }

  /// Whether any partition is too long for a block. The same in all blocks.
  __device__ bool any_too_long() const {
    bool found = false;
    for (unsigned b = threadIdx.x; b < buckets_; b += threads) found |= base::is_too_long(b);
    return __syncthreads_or(found);
  }

  __device__ void move(const classifier& classes, std::size_t (&offsets)[per_thread]) {
    for_each_tile(classes, [&](unsigned count, const unsigned(&bucket)[items]) {
      distribute tile{shared_.distribute, count};
      tile.rank(false, [&](int i) { return bucket[i]; });
      tile.set_offsets([&](unsigned b, unsigned ranked) {
        std::size_t& offset = offsets[b - own_bucket(0)];
        offset += ranked;
        return offset - ranked;
      });
      tile.template stage<Key>([&](int i) { return codec_.decode(base::keys_[i]); });
      tile.template write<Key>(base::destination(), [](unsigned) { return Key{}; });
    });
  }
};

}  // namespace gpu::inline v1::detail::device
