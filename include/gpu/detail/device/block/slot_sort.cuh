// Sort of a tile of codes by one block, for codes that lie evenly between two known ones: a code's bin follows from its
// offset between them, and an atomic addition ranks it there, which gives a slot near its final one. Every thread sorts
// the slots of a stretch by a network, then merges the upper half of its stretch with the lower half of the next one,
// alternately, until all are in order. Neubert, "The Flashsort1 algorithm", 1998; merge-splitting: Baudet and
// Stevenson, "Optimal sorting algorithms for parallel computers", 1978. Not stable, which makes no difference for
// codes.
#pragma once

#include <bit>

#include <cub/block/block_scan.cuh>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "bulk_store.cuh"

namespace gpu::inline v1::detail::device::block {

/// Bins of equal width for 4- or 8-byte codes from `least` to `greatest`; for other codes the result may be no bin.
template <class Code, unsigned Bins>
class equal_bins {
 public:
  __device__ __forceinline__ equal_bins(Code least, Code greatest) : least_{least}, drop_{0} {
    const Code span = greatest - least;
    if constexpr (sizeof(Code) == 8) drop_ = 32 - min(__clzll(static_cast<long long>(span)), 32);
    constexpr float all = 4294967296.f * static_cast<float>(Bins) * 0.9999995f;  // rounding must not add a bin
    scale_ = __float2uint_rz(__fdividef(all, __uint2float_ru(max(word(span), 1u))));
  }

  __device__ __forceinline__ unsigned of(Code code) const {
    return __umulhi(word(static_cast<Code>(code - least_)), scale_);
  }

 private:
  /// The leading bits in which codes can differ.
  __device__ __forceinline__ unsigned word(Code difference) const {
    if constexpr (sizeof(Code) == 8)
      return __funnelshift_rc(static_cast<unsigned>(difference), static_cast<unsigned>(difference >> 32), drop_);
    else
      return difference;
  }

  Code least_;
  unsigned drop_;
  unsigned scale_;
};

/// Items: odd, so that the stretches of neighbouring threads begin in different banks. All members are called by every
/// thread of the block.
template <class Code, int Threads, int Items>
class slot_sort {
  /// Some four codes per bin, with which one tile in seven takes another round; two in larger tiles, where one bin that
  /// is too full makes more threads wait. More bins take longer to clear and to scan.
  static constexpr unsigned bins_per_thread = Threads <= 128 ? 4 : 8;
  static constexpr unsigned bins = Threads * bins_per_thread;
  static constexpr int shift = Items / 2;       ///< offset of the merged stretches from the sorted ones
  static constexpr int longer = Items - shift;  ///< the longer part of a stretch
  static constexpr unsigned warps = Threads / warp::threads;
  static constexpr int most_rounds = 8;  ///< beyond which merging two sequences at a time is faster
  static constexpr Code last_code = static_cast<Code>(~Code{0});
  static constexpr unsigned one_more = sizeof(Code);  ///< codes are counted in bytes, to serve as addresses
  static constexpr unsigned counter_bytes = bins * sizeof(unsigned);
  static constexpr int cut_off = std::countr_zero(bins_per_thread / sizeof(unsigned));  ///< bits of a bin's number
  static_assert(Items % 2 == 1 && std::has_single_bit(unsigned{longer}) && std::has_single_bit(bins));
  static_assert(bins <= 1u << 13 && bins_per_thread >= sizeof(unsigned));
  using stores = bulk_store<Code, Threads, Threads * Items>;
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers

  /// What a warp publishes about its threads' merged codes.
  struct seam {
    Code first;
    Code last;
    bool disorder;
  };

 public:
  static constexpr unsigned tile = Threads * Items;
  static_assert((tile + shift + stores::vector) * sizeof(Code) < 1u << 16);

  struct storage {
    alignas(16) Code slots[tile + shift + stores::vector];
    alignas(16) unsigned counts[bins + warp::threads];  ///< then first slots; the last ones count absent codes
    typename scan::TempStorage scan;
    seam seams[warps];
    alignas(16) Code passed[warps + 1][longer];  ///< each warp's first sorted codes; at the end, greatest codes
  };

  __device__ explicit slot_sort(storage& shared) : shared_{shared} {}

  /// Called before sort(), with a barrier between.
  __device__ void clear() {
#pragma unroll
    for (unsigned i = 0; i < bins_per_thread; ++i) shared_.counts[i * Threads + threadIdx.x] = 0;
  }

  /// Sorts those codes of all threads whose bits in `present` are set, `n` in all, and stores them, decoded, in
  /// target[0, n). Returns false, without storing anything, if they do not lie evenly enough between least and
  /// greatest. Synchronises.
  template <int Held, class Encoder, class Decoder>
  __device__ __forceinline__ bool sort(const Code (&codes)[Held], unsigned present, unsigned n, Code least,
                                       Code greatest, Code* target, Encoder encoder, Decoder decoder) {
    const unsigned begin = stores::begin_for(target);
    scatter(codes, present, n, begin, equal_bins<Code, bins>{least, greatest});
    if (!finalize(shared_.slots + begin, encoder, decoder)) return false;
    stores::store(shared_.slots, target, n);
    return true;
  }

 private:
  /// Where a lane counts absent codes: an addition costs less than a branch around it.
  __device__ static unsigned nowhere() { return counter_bytes + threadIdx.x % warp::threads * sizeof(unsigned); }
  __device__ __forceinline__ Code& slot(unsigned bytes) const {
    return *reinterpret_cast<Code*>(reinterpret_cast<char*>(shared_.slots) + bytes);
  }
  __device__ __forceinline__ unsigned& counter(unsigned bytes) const {
    return *reinterpret_cast<unsigned*>(reinterpret_cast<char*>(shared_.counts) + bytes);
  }

  /// Puts codes into slots, bin by bin, from `begin` on, followed by greatest codes. Synchronises.
  template <int Held>
  __device__ __forceinline__ void scatter(const Code (&codes)[Held], unsigned present, unsigned n, unsigned begin,
                                          const equal_bins<Code, bins>& bins_of_codes) {
    unsigned ranks[Held];  // rank in the bin and offset of the bin's counter, both in bytes, 16 bits each
#pragma unroll
    for (int i = 0; i < Held; ++i) {
      const unsigned bytes = present >> i & 1u ? counter_of(bins_of_codes.of(codes[i])) : nowhere();
      ranks[i] = __byte_perm(bytes, atomicAdd(&counter(bytes), one_more), 0x5410);
    }
    __syncthreads();
    counts_to_starts(begin * sizeof(Code));
#pragma unroll
    for (int i = 0; i < Held; ++i)
      if (const unsigned bytes = ranks[i] & 0xffffu; bytes < counter_bytes)
        slot(counter(bytes) + (ranks[i] >> 16)) = codes[i];
#pragma unroll 1
    for (unsigned i = n + threadIdx.x; i < tile + shift; i += Threads) shared_.slots[begin + i] = last_code;
    __syncthreads();
  }

  /// The offset of a bin's counter in bytes, valid for any number. Counters of one thread lie Threads counters apart,
  /// so that codes that are neighbours in one of a few sequences rarely use the same bank: the last bits of a bin's
  /// number become the first.
  __device__ __forceinline__ static unsigned counter_of(unsigned bin) {
    return bin * (bins + 1) >> cut_off & (counter_bytes - sizeof(unsigned));  // the bin's bits twice in a row
  }

  /// Synchronises.
  __device__ __forceinline__ void counts_to_starts(unsigned begin) {
    unsigned counts[bins_per_thread], first = 0;
#pragma unroll
    for (unsigned i = 0; i < bins_per_thread; ++i) first += counts[i] = shared_.counts[i * Threads + threadIdx.x];
    scan{shared_.scan}.ExclusiveSum(first, first);
    first += begin;
#pragma unroll
    for (unsigned i = 0; i < bins_per_thread; ++i) {
      shared_.counts[i * Threads + threadIdx.x] = first;
      first += counts[i];
    }
    __syncthreads();
  }

  /// Sorts and decodes all slots if no code has to move far; returns whether it succeeded. Synchronises.
  template <class Encoder, class Decoder>
  __device__ __forceinline__ bool finalize(Code* slots, Encoder encoder, Decoder decoder) {
    Code* const own = slots + threadIdx.x * Items;
    Code codes[Items];
    read(codes, own, identity_codec{});
    thread::sort_by_merges(codes);
    if (threadIdx.x == 0) write<shift>(codes, own, decoder);
    pass_to_previous(codes);
#pragma unroll 1
    for (int round = 0; round < most_rounds; ++round) {
      thread::merge_runs<longer>(codes);
      write<Items>(codes, own + shift, decoder);
      stores::announce();
      if (in_order(codes, own, encoder)) return true;
      read(codes, own, encoder);
      thread::sort_by_merges(codes);
      write<Items>(codes, own, decoder);
      __syncthreads();
      read(codes, own + shift, encoder);
    }
    return false;
  }

  /// Shifts stretches: each thread drops its first codes and appends the next thread's first codes; between warps these
  /// go through shared memory. Synchronises.
  __device__ __forceinline__ void pass_to_previous(Code (&codes)[Items]) {
    const unsigned lane = threadIdx.x % warp::threads, warp = threadIdx.x / warp::threads;
    if (lane == 0)
#pragma unroll
      for (int i = 0; i < shift; ++i) shared_.passed[warp][i] = codes[i];
    if (threadIdx.x < shift) shared_.passed[warps][threadIdx.x] = last_code;
    __syncthreads();
    Code next[shift];
#pragma unroll
    for (int i = 0; i < shift; ++i) next[i] = warp::shuffle_down(codes[i]);
    if (lane + 1 == warp::threads)
#pragma unroll
      for (int i = 0; i < shift; ++i) next[i] = shared_.passed[warp + 1][i];
#pragma unroll
    for (int i = 0; i < longer; ++i) codes[i] = codes[shift + i];
#pragma unroll
    for (int i = 0; i < shift; ++i) codes[longer + i] = next[i];
  }

  /// Whether the merged stretches follow one another in order. Synchronises.
  template <class Encoder>
  __device__ __forceinline__ bool in_order(const Code (&codes)[Items], const Code* own, Encoder encoder) {
    const unsigned lane = threadIdx.x % warp::threads;
    const Code before = warp::shuffle_up(codes[Items - 1]);
    const bool first_of_all = threadIdx.x == 0;
    const bool disorder = first_of_all ? codes[0] < encoder.encode(own[shift - 1]) : lane > 0 && codes[0] < before;
    const bool any = __any_sync(warp::all_lanes, disorder);
    seam& mine = shared_.seams[threadIdx.x / warp::threads];
    if (lane == 0) mine.first = codes[0], mine.disorder = any;
    if (lane + 1 == warp::threads) mine.last = codes[Items - 1];
    __syncthreads();
    bool found = false;
    if (lane < warps) {
      const seam& other = shared_.seams[lane];
      found = other.disorder || (lane > 0 && other.first < shared_.seams[lane - 1].last);
    }
    return !__any_sync(warp::all_lanes, found);
  }

  template <class Encoder>
  __device__ __forceinline__ static void read(Code (&codes)[Items], const Code* from, Encoder encoder) {
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = encoder.encode(from[i]);
  }
  template <int Count, class Decoder>
  __device__ __forceinline__ static void write(const Code (&codes)[Items], Code* to, Decoder decoder) {
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = decoder.decode(codes[i]);
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
