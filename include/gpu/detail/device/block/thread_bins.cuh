// Sort of a tile of 32-bit codes by one block, by interpolation: a bin for each thread, with room for a fixed number of
// codes, so that one atomic addition finds a code's slot and nothing has to be added up before. Every thread sorts its
// bin by a network in registers and writes it behind the bins before it. Neubert, "The Flashsort1 algorithm", 1998
// (bins by interpolation); Dobosiewicz, "Sorting by distributive partitioning", 1978. Not stable, which codes do not
// notice.
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

/// A bin of equal width for each of a block's threads, for words from `least` to `greatest` that share so many low
/// bits. Where there are fewer such words than bins, equal ones go to several bins, by the thread that holds them:
/// order does not suffer.
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

  /// 2^32 times the bins per unit, for numbers from 0 to `greatest` of 32 bits, the uppermost one of them set or all
  /// others.
  __device__ __forceinline__ static unsigned scale_for(unsigned greatest) {
    constexpr float all = 4294967296.f * Threads * 0.9999995f;  // a little less: rounding shall make no bin more
    return __float2uint_rz(__fdividef(all, __ull2float_ru(1ull + greatest)));
  }

 private:
  unsigned factor_;  ///< makes the span as wide as a word
  unsigned offset_;
  unsigned scale_;
};

/// Threads: a power of two. All members are called by every thread of the block.
template <int Threads, int Items>
class thread_bins {
  static constexpr int few = Items + 8;  ///< codes in a bin that chance seldom exceeds
  /// And those it hardly ever exceeds, for the more bins the more.
  static constexpr int most = Items < 16 || Threads > 256 ? 2 * Items + 3 : 2 * Items;
  static constexpr int room = most | 1;  ///< odd, so that neighbouring threads' bins begin in different banks
  static constexpr int warps = Threads / warp::threads;
  static constexpr unsigned too_many = 1u << 31;
  static_assert(warps <= warp::threads);

 public:
  static constexpr unsigned tile = Threads * Items;

  struct storage {
    alignas(16) unsigned slots[Threads * room];
    unsigned next[Threads + warp::threads];  ///< see one_more; the last ones for what is no code
    unsigned counts[warps];                  ///< of all bins of a warp's threads, or too_many
    extremes_storage<unsigned, Threads> range;
    typename common_low_bits<Threads>::storage low_bits;
    unsigned size;  ///< of the tile: asked here, it does not keep a predicate for each code
  };

  __device__ explicit thread_bins(storage& shared) : shared_{shared} {}

  /// Leaves source[0, n), encoded, in order in shared memory, from position `begin` < quad on, 0 < n <= tile; false if
  /// bins have no room for that. meanwhile() is called while they are read. Synchronises before and after.
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

  /// Where what is no code goes: bins that are full, one for each lane. An addition costs less than a branch around it.
  __device__ static unsigned nowhere() { return Threads + threadIdx.x % warp::threads; }

  /// Codes into their bins' slots, item i of thread t, which is number i * Threads + t, in bin bin_of(i); clear() comes
  /// before, with a barrier between. Sure: items of every thread that are there without asking. Synchronises.
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

  /// After scatter(): when nobody needs the slots any more, calls meanwhile(), then take(own, count, first): the
  /// thread's part of the sorted tile, from position `first` on, followed by greatest codes. Calls neither, and returns
  /// false, if bins had no room. Synchronises, not after take().
  template <class Meanwhile, class Take>
  __device__ __forceinline__ bool finalize(Meanwhile meanwhile, Take take) {
    const int count = own_count();
    const auto fullest = static_cast<int>(warp::maximum(static_cast<unsigned>(count)));
    const unsigned before = publish_counts(count, fullest > most);
    return fullest > few ? finalize_own<most>(before, meanwhile, take) : finalize_own<few>(before, meanwhile, take);
  }

  /// For n codes to come.
  __device__ void clear(unsigned n) {
    shared_.next[threadIdx.x] = first_slot() * slot_step;
    if (threadIdx.x < warp::threads) shared_.next[Threads + threadIdx.x] = full;
    if (threadIdx.x == 0) shared_.size = n;
  }

  static constexpr unsigned quad = 4;
  /// The position to sort to for store(target, ...): that of the target in sixteen bytes.
  template <class Target>
  __device__ static unsigned begin_for(Target target) {
    if constexpr (std::is_same_v<Target, unsigned*>)
      return reinterpret_cast<std::uintptr_t>(target) / sizeof(unsigned) % quad;
    else
      return 0;
  }

  /// Decodes the sorted tile into target[0, n), in quads if it is plain memory.
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
  /// Item i of the calling thread while codes are loaded and stored; and whether it is there.
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

  /// A counter of codes in the upper half, the next one's slot, in bytes where they have no more than 16 bits, in the
  /// lower one: so an addition tells both.
  static constexpr unsigned most_slots = Threads * room + tile;
  static constexpr unsigned slot_step = most_slots * sizeof(unsigned) < 1u << 16 ? sizeof(unsigned) : 1;
  static constexpr unsigned one_more = 1u << 16 | slot_step;
  static constexpr unsigned full = static_cast<unsigned>(room) << 16;
  static_assert(most_slots * slot_step < 1u << 16);

  /// Codes in the calling thread's bin, those that it had no room for among them.
  __device__ int own_count() const { return static_cast<int>(shared_.next[threadIdx.x] >> 16); }

  /// finalize() for bins of at most Count codes, with `before` ahead of this one but for other warps'. Warps may differ
  /// in Count.
  template <int Count, class Meanwhile, class Take>
  __device__ __forceinline__ bool finalize_own(unsigned before, Meanwhile meanwhile, Take take) {
    unsigned codes[Count];
    read(codes);
    __barrier_sync(0);  // of the whole block, though there is one for each Count
    const unsigned counts = shared_.counts[threadIdx.x % warps];
    if (__any_sync(warp::all_lanes, counts == too_many)) return false;
    meanwhile();
    const bool earlier = threadIdx.x % warp::threads < threadIdx.x / warp::threads;
    const unsigned first = before + warp::sum(earlier ? counts : 0u);
    thread::sort_by_merges(codes);
    take(codes, own_count(), first);  // counted again: kept, it would be a predicate for each code
    return true;
  }

  /// Tells the other warps how many codes the bins of this one hold; returns how many those of the threads before hold.
  __device__ __forceinline__ unsigned publish_counts(int count, bool no_room) {
    const int sum = warp::inclusive_sum(count);
    if (threadIdx.x % warp::threads == warp::threads - 1)
      shared_.counts[threadIdx.x / warp::threads] = no_room ? too_many : static_cast<unsigned>(sum);
    return static_cast<unsigned>(sum - count);
  }

  /// The slots of the calling thread's bin; the greatest code for those that are empty. All are read before one is
  /// asked for: without branches around reads they overlap.
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
