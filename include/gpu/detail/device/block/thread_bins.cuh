// Sort of a tile of 32-bit codes by one block, by interpolation: each thread has a bin with room for a fixed number of
// codes, so that one atomic addition finds a code's slot without any preceding scan. Every thread sorts its bin by a
// network in registers and writes it behind the preceding bins. Neubert, "The Flashsort1 algorithm", 1998 (bins by
// interpolation); Dobosiewicz, "Sorting by distributive partitioning", 1978. Not stable, which makes no difference for
// codes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "extremes.cuh"
#include "load_store.cuh"

namespace gpu::inline v1::detail::device::block {

/// Bins of equal width, one per thread of a block, for words from `least` to `greatest` that share `shared_bits` low
/// bits. If there are fewer such words than bins, equal words are spread over several bins by the thread that holds
/// them, which keeps the order.
template <int Threads>
class even_bins {
 public:
  __device__ __forceinline__ even_bins(unsigned least, unsigned greatest, unsigned shared_bits) {
    const unsigned span = greatest - least;
    const int shift = min(__clz(static_cast<int>(span)), 31);
    const unsigned step = 1u << min(static_cast<int>(shared_bits), 31 - shift);
    scale_ = scale_for((span << shift) + ((step << shift) - 1));
    factor_ = 1u << shift;
    const unsigned among_equals = __umulhi(threadIdx.x * (0xffffffffu / Threads + 1), step << shift);
    offset_ = among_equals - (least << shift);
  }

  __device__ __forceinline__ unsigned of(unsigned word) const { return __umulhi(word * factor_ + offset_, scale_); }

  /// 2^32 times the number of bins per unit, for 32-bit numbers from 0 to `greatest`, which has its top bit or all
  /// other bits set.
  __device__ __forceinline__ static unsigned scale_for(unsigned greatest) {
    constexpr float all = 4294967296.f * Threads * 0.9999995f;  // a little less: rounding must not add a bin
    return __float2uint_rz(__fdividef(all, __ull2float_ru(1ull + greatest)));
  }

 private:
  unsigned factor_;  ///< scales the span to the width of a word
  unsigned offset_;
  unsigned scale_;
};

/// Threads: a power of two. All members are called by every thread of the block.
template <int Threads, int Items>
class thread_bins {
  static constexpr int few = Items + 8;  ///< codes in a bin, seldom exceeded by chance
  /// Codes in a bin, hardly ever exceeded; more where there are more bins.
  static constexpr int most = Items < 16 || Threads > 256 ? 2 * Items + 3 : 2 * Items;
  static constexpr int room = most | 1;  ///< odd, so that neighbouring threads' bins begin in different banks
  static constexpr int warps = Threads / warp::threads;
  static constexpr unsigned too_many = 1u << 31;
  static_assert(warps <= warp::threads);

 public:
  static constexpr unsigned tile = Threads * Items;

  struct storage {
    alignas(16) unsigned slots[Threads * room];
    unsigned next[Threads + warp::threads];  ///< see one_more; the last ones are for absent codes
    unsigned counts[warps];                  ///< codes in all bins of a warp's threads, or too_many
    extremes_storage<unsigned, Threads> range;
    typename common_low_bits<Threads>::storage low_bits;
    unsigned size;  ///< of the tile: reading it here saves keeping a predicate for each code
  };

  __device__ explicit thread_bins(storage& shared) : shared_{shared} {}

  /// Encodes source[0, n) and leaves it sorted in shared memory, from position `begin` < quad on, 0 < n <= tile.
  /// Returns false if bins lack room. meanwhile() is called while the codes are being read. Synchronises before and
  /// after.
  template <class Source, class Encoder, class Meanwhile>
  __device__ __forceinline__ bool sort(Source source, unsigned n, unsigned begin, Encoder encoder,
                                       Meanwhile meanwhile) {
    unsigned codes[Items];
    __syncthreads();
    const auto first = static_cast<unsigned>(source[0]);
    codes[0] = static_cast<unsigned>(source[min(index(0), n - 1)]);
#pragma unroll
    for (int i = 1; i < Items; ++i) codes[i] = present(i, n) ? static_cast<unsigned>(source[index(i)]) : 0;
    meanwhile();
#pragma unroll
    for (int i = 1; i < Items; ++i)
      if (!present(i, n)) codes[i] = codes[0];  // within their range
    device::encode_items(codes, encoder);
    clear(n);
    common_low_bits<Threads> shared_bits{shared_.low_bits};
    shared_bits.publish(codes, encoder.encode(first));
    const auto range = block::extremes<Threads>(codes, shared_.range);
    const even_bins<Threads> bins{range.least, range.greatest, shared_bits.count()};
    scatter<0>(codes, [&](int i) { return bins.of(codes[i]); });
    const auto put = [&]<int Count>(const unsigned(&own)[Count], int count, unsigned first) {
      unsigned* const target = shared_.slots + begin + first;
#pragma unroll
      for (int i = 0; i < Count; ++i)
        if (i < count) target[i] = own[i];
    };
    const bool sorted = finalize([] {}, put);
    __syncthreads();
    return sorted;
  }

  /// Where absent codes go: bins that count as full, one per lane. An addition costs less than a branch around it.
  __device__ static unsigned nowhere() { return Threads + threadIdx.x % warp::threads; }

  /// Puts codes into their bins' slots: item i of thread t, which is number i * Threads + t, into bin bin_of(i).
  /// clear() must be called before, with a barrier between. Sure: the number of items that every thread has for
  /// certain. Synchronises.
  template <int Sure, class BinOf>
  __device__ __forceinline__ void scatter(const unsigned (&codes)[Items], BinOf bin_of) {
    const unsigned n = shared_.size;
    unsigned claimed[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned bin = i < Sure || present(i, n) ? bin_of(i) : nowhere();
      claimed[i] = atomicAdd(&shared_.next[bin], one_more);  // not used here, so that the next need not wait
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (claimed[i] < full) shared_.slots[(claimed[i] & 0xffffu) / slot_step] = codes[i];
    __syncthreads();
  }

  /// After scatter(): once the slots are no longer needed, calls meanwhile(), then take(own, count, first) with the
  /// thread's part of the sorted tile, which begins at position `first` and is padded with greatest codes. Returns
  /// false, without calling either, if bins lacked room. Synchronises, but not after take().
  template <class Meanwhile, class Take>
  __device__ __forceinline__ bool finalize(Meanwhile meanwhile, Take take) {
    const int count = own_count();
    const auto fullest = static_cast<int>(warp::maximum(static_cast<unsigned>(count)));
    const unsigned before = publish_counts(count, fullest > most);
    return fullest > few ? finalize_own<most>(before, meanwhile, take) : finalize_own<few>(before, meanwhile, take);
  }

  /// Prepares for n codes.
  __device__ void clear(unsigned n) {
    shared_.next[threadIdx.x] = first_slot() * slot_step;
    if (threadIdx.x < warp::threads) shared_.next[Threads + threadIdx.x] = full;
    if (threadIdx.x == 0) shared_.size = n;
  }

  static constexpr unsigned quad = 4;
  /// The `begin` that sort() needs for store(target, ...): the target's offset within sixteen bytes.
  template <class Target>
  __device__ static unsigned begin_for(Target target) {
    if constexpr (std::is_same_v<Target, unsigned*>)
      return reinterpret_cast<std::uintptr_t>(target) / sizeof(unsigned) % quad;
    else
      return 0;
  }

  /// Decodes the sorted tile into target[0, n), four codes at a time if the target is a plain pointer.
  template <class Target, class Decoder>
  __device__ __forceinline__ void store(Target target, unsigned n, Decoder decoder) const {
    if constexpr (std::is_same_v<Target, unsigned*>) {
      const unsigned begin = begin_for(target), end = begin + n;
      target -= begin;
#pragma unroll
      for (int i = 0; i * Threads * quad < tile + quad; ++i) {
        const unsigned first = index(i) * quad;
        if (first >= begin && first + quad <= end)
          block::store_quad(target + first, decoded_quad(first, decoder));
        else if (first < end)
#pragma unroll 1
          for (unsigned j = max(first, begin); j < min(first + quad, end); ++j)
            target[j] = decoder.decode(shared_.slots[j]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (present(i, n)) target[index(i)] = decoder.decode(shared_.slots[index(i)]);
    }
  }

 private:
  /// The index of the calling thread's item i while codes are loaded and stored; and whether it exists.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }
  __device__ static bool present(int i, unsigned n) { return i * Threads < static_cast<int>(n - threadIdx.x); }

  template <class Decoder>
  __device__ __forceinline__ uint4 decoded_quad(unsigned first, Decoder decoder) const {
    const uint4 found = *reinterpret_cast<const uint4*>(shared_.slots + first);
    unsigned codes[quad] = {found.x, found.y, found.z, found.w};
    device::decode_items(codes, decoder);
    return {codes[0], codes[1], codes[2], codes[3]};
  }

  __device__ static unsigned first_slot() { return threadIdx.x * room; }

  /// The increment of a bin's counter: the upper half counts codes; the lower half is the next code's slot, in bytes if
  /// that fits into 16 bits. So one addition yields both.
  static constexpr unsigned most_slots = Threads * room + tile;
  static constexpr unsigned slot_step = most_slots * sizeof(unsigned) < 1u << 16 ? sizeof(unsigned) : 1;
  static constexpr unsigned one_more = 1u << 16 | slot_step;
  static constexpr unsigned full = static_cast<unsigned>(room) << 16;
  static_assert(most_slots * slot_step < 1u << 16);

  /// The number of codes in the calling thread's bin, including those for which it had no room.
  __device__ int own_count() const { return static_cast<int>(shared_.next[threadIdx.x] >> 16); }

  /// finalize() for bins of at most Count codes; `before`: codes in preceding bins of the warp. Warps may differ in
  /// Count.
  template <int Count, class Meanwhile, class Take>
  __device__ __forceinline__ bool finalize_own(unsigned before, Meanwhile meanwhile, Take take) {
    unsigned codes[Count];
    read(codes);
    __barrier_sync(0);  // for the whole block, although each Count has its own call
    const unsigned counts = shared_.counts[threadIdx.x % warps];
    if (__any_sync(warp::all_lanes, counts == too_many)) return false;
    meanwhile();
    const bool earlier = threadIdx.x % warp::threads < threadIdx.x / warp::threads;
    const unsigned first = before + warp::sum(earlier ? counts : 0u);
    thread::sort_by_merges(codes);
    take(codes, own_count(), first);  // counted again: keeping it would take a predicate per code
    return true;
  }

  /// Publishes how many codes this warp's bins hold; returns how many the bins of its preceding threads hold.
  __device__ __forceinline__ unsigned publish_counts(int count, bool no_room) {
    const int sum = warp::inclusive_sum(count);
    if (threadIdx.x % warp::threads == warp::threads - 1)
      shared_.counts[threadIdx.x / warp::threads] = no_room ? too_many : static_cast<unsigned>(sum);
    return static_cast<unsigned>(sum - count);
  }

  /// Reads the slots of the calling thread's bin; empty ones become the greatest code. All are read before any is
  /// tested: without branches around them reads overlap.
  template <int Count>
  __device__ __forceinline__ void read(unsigned (&codes)[Count]) const {
    const unsigned* const own = shared_.slots + first_slot();
    const int count = own_count();
#pragma unroll
    for (int i = 0; i < Count; ++i) codes[i] = own[i];
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (i >= count) codes[i] = ~0u;
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
