// Distribution of a tile into buckets by one block: every element is ranked within its bucket, the buckets are lined up
// in shared memory, and each bucket's run is written where the caller says.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "../columns.cuh"
#include "../warp/shuffle.cuh"
#include "claims.cuh"
#include "items.cuh"

namespace gpu::inline v1::detail::device::block {

/// The lanes whose number differs from the caller's in the given bit. All 32 threads call. In assembly, as the compiler
/// would test the bit twice: for the vote and for the caller's own value.
__device__ __forceinline__ unsigned lanes_unlike(unsigned number, unsigned bit) {
  unsigned unlike;
  asm("{\n"
      "  .reg .pred set;\n"
      "  .reg .b32 own, with;\n"
      "  and.b32 own, %1, %2;\n"
      "  setp.ne.u32 set, own, 0;\n"
      "  vote.sync.ballot.b32 with, set, 0xffffffff;\n"
      "  selp.b32 own, 0xffffffff, 0, set;\n"
      "  xor.b32 %0, with, own;\n"
      "}"
      : "=r"(unlike)
      : "r"(number), "r"(bit));
  return unlike;
}

/// The lanes whose number, below 2^Bits, differs from the caller's. All 32 threads call.
template <int Bits>
__device__ __forceinline__ unsigned lanes_of_others(unsigned number) {
  unsigned others = Bits % 2 != 0 ? lanes_unlike(number, 1u << (Bits - 1)) : 0;
#pragma unroll
  for (int bit = 0; bit + 1 < Bits; bit += 2)  // one instruction for all three operands; the compiler takes two
    asm("lop3.b32 %0, %0, %1, %2, 0xfe;"
        : "+r"(others)
        : "r"(lanes_unlike(number, 1u << bit)), "r"(lanes_unlike(number, 2u << bit)));
  return others;
}

/// All positions of a target may be written to.
struct all_positions {
  __device__ constexpr bool operator()(std::size_t) const { return true; }
};

/// Widest: size in bytes of the widest key or value that is distributed. Buckets: the most buckets.
template <int Threads, int Items, unsigned Buckets, std::size_t Widest>
class distribute {
  static constexpr unsigned warps = Threads / 32;
  static constexpr std::size_t staged_limit = 16;
  static constexpr std::size_t staged_bytes = Widest <= staged_limit ? Widest : staged_limit;
  static constexpr int bucket_bits = std::bit_width(Buckets - 1);
  static_assert(Buckets % 8 == 0 && Buckets <= 65536 && Threads * Items <= 65535);
  using scan = cub::BlockScan<unsigned, Threads, cub::BLOCK_SCAN_WARP_SCANS>;  // raking takes more registers

 public:
  static constexpr int items = Items;
  static constexpr unsigned tile = Threads * Items;
  static constexpr unsigned per_thread = (Buckets + Threads - 1) / Threads;

  struct storage {
    union {
      alignas(16) std::uint16_t warp_counts[warps][Buckets];
      alignas(16) std::byte stage[tile * (staged_bytes > 2 ? staged_bytes : 2)];
    };
    typename scan::TempStorage scan;
    std::uint16_t bucket_of[tile];  ///< of each slot; slots hold the tile's elements in the order of their buckets
    unsigned start[Buckets + 1];    ///< first slot of each bucket; until set_offsets(), its count
    std::size_t offsets[Buckets];   ///< where the bucket's first element goes, less its slot, modulo 2^64
  };

  /// `count`: how many elements at the tile's beginning take part.
  __device__ distribute(storage& shared, unsigned count) : shared_{shared}, count_{count} {}

  /// Ranks elements within their buckets in any order, see claim_each(). Synchronises before and after.
  template <class Bucket>
  __device__ void rank(bool skewed, Bucket bucket_of_item) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b <= Buckets; b += Threads) shared_.start[b] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned bucket = bucket_of_item(i);
      slot_[i] = present(i) ? bucket : Buckets;  // counter of absent items
    }
    block::claim_each<Items>(
        shared_.start, skewed, [&](int i) { return slot_[i]; },
        [&](int i, unsigned rank) { slot_[i] = slot_[i] << 16 | rank; });
    __syncthreads();
  }

  /// Ranks elements within their buckets in the order of the tile: lanes of a warp with the same bucket by lane, warps
  /// by their number. Synchronises before and after.
  __device__ void stable_rank(const unsigned (&bucket)[Items]) {
    __syncthreads();
    auto* const quads = reinterpret_cast<uint4*>(shared_.warp_counts);
    for (unsigned i = threadIdx.x; i < sizeof(shared_.warp_counts) / sizeof(uint4); i += Threads)
      quads[i] = {0, 0, 0, 0};
    __syncthreads();
    std::uint16_t* counts = shared_.warp_counts[threadIdx.x / 32];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const bool valid = present(i);
      const unsigned alike =
          __ballot_sync(warp::all_lanes, valid) & ~block::lanes_of_others<bucket_bits>(bucket[i]);
      const unsigned before = valid ? counts[bucket[i]] : 0;
      __syncwarp();
      const unsigned ahead = __popc(alike & warp::lanes_before());
      if (valid && ahead == 0) counts[bucket[i]] = static_cast<std::uint16_t>(before + __popc(alike));
      __syncwarp();
      slot_[i] = bucket[i] << 16 | (before + ahead);
    }
    __syncthreads();
    line_up_warps();
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (present(i)) slot_[i] += counts[bucket[i]];
    __syncthreads();
  }

  /// The number of elements of the tile in bucket b; valid between rank() and set_offsets().
  [[nodiscard]] __device__ unsigned ranked(unsigned b) const { return shared_.start[b]; }

  /// Sets where each bucket goes: offset(b, count of b in this tile), called once per b < Buckets, each by one thread;
  /// its results are not used before elements have been staged. Afterwards slots are known. KeepBuckets: if false,
  /// elements can only be written by write_by(), whose caller computes the buckets.
  template <bool KeepBuckets = true, class Offset>
  __device__ void set_offsets(Offset offset) {
    unsigned starts[per_thread];
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j) {
      const unsigned b = own_bucket(j);
      starts[j] = b < Buckets ? shared_.start[b] : 0;
      offsets_[j] = b < Buckets ? static_cast<std::size_t>(offset(b, starts[j])) : 0;
    }
    scan{shared_.scan}.ExclusiveSum(starts, starts);
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j)
      if (own_bucket(j) < Buckets) shared_.start[own_bucket(j)] = starts[j];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned bucket = slot_[i] >> 16;
      slot_[i] = shared_.start[bucket] + (slot_[i] & 0xffffu);
      if constexpr (KeepBuckets)
        if (present(i)) shared_.bucket_of[slot_[i]] = static_cast<std::uint16_t>(bucket);
    }
  }

  /// Brings one column to its slots: item(i) is what is written for the thread's i-th item. Narrow elements go through
  /// shared memory; of wide ones only the index does. Synchronises after; item() is not called later.
  template <class T, class Item>
  __device__ void stage(Item item) {
    auto* const stage = reinterpret_cast<entry<T>*>(shared_.stage);
    if (staged_) __syncthreads();  // the preceding column has been written
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (!present(i)) continue;
      if constexpr (is_staged<T>)
        stage[slot_[i]] = item(i);
      else
        stage[slot_[i]] = static_cast<std::uint16_t>(block::item_index<Items>(i));
    }
    if (!staged_)
#pragma unroll
      for (unsigned j = 0; j < per_thread; ++j)
        if (own_bucket(j) < Buckets) shared_.offsets[own_bucket(j)] = offsets_[j] - shared_.start[own_bucket(j)];
    staged_ = true;
    __syncthreads();
  }

  /// Writes the staged column of T. For wide elements, at(index) gives the element at that index of the tile. Positions
  /// for which there(position) is false are not written.
  template <class T, class Target, class At, class There = all_positions>
  __device__ void write(Target target, At at, There there = {}) const {
    write_by<T>(target, at, [this](unsigned slot, const T&) { return shared_.bucket_of[slot]; }, there);
  }

  /// Writes the staged column of T, with bucket(slot, element) computed where that is quicker than reading it.
  template <class T, class Target, class At, class Bucket, class There = all_positions>
  __device__ void write_by(Target target, At at, Bucket bucket, There there = {}) const {
    const auto* const stage = reinterpret_cast<const entry<T>*>(shared_.stage);
    const auto put = [&](unsigned slot) {
      if constexpr (is_staged<T>) {
        const T element = stage[slot];
        const std::size_t position = shared_.offsets[bucket(slot, element)] + slot;
        if (there(position)) target[position] = element;
      } else {
        const T& element = at(stage[slot]);
        const std::size_t position = shared_.offsets[bucket(slot, element)] + slot;
        if (there(position)) target[position] = element;
      }
    };
    if (count_ == tile) {
#pragma unroll 8
      for (int i = 0; i < Items; ++i) put(static_cast<unsigned>(i) * Threads + threadIdx.x);
    } else {
#pragma unroll 1
      for (unsigned slot = threadIdx.x; slot < count_; slot += Threads) put(slot);
    }
  }

 private:
  template <class T>
  static constexpr bool is_staged = sizeof(T) <= staged_limit;
  template <class T>
  using entry = std::conditional_t<is_staged<T>, T, std::uint16_t>;

  /// Whether the thread's i-th item exists; one register serves all i.
  __device__ bool present(int i) const {
    return i * warp::threads < static_cast<int>(count_ - block::item_index<Items>(0));
  }

  /// The j-th bucket that the thread is responsible for, if below Buckets.
  __device__ static unsigned own_bucket(unsigned j) { return threadIdx.x * per_thread + j; }

  /// Turns each warp's counts into the number of elements in preceding warps, and leaves their sums in `start`. Two
  /// counts share a word, and no sum overflows its half.
  __device__ void line_up_warps() {
    for (unsigned two = threadIdx.x; two < Buckets / 2; two += Threads) {
      unsigned sums = 0;
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        unsigned& counts = reinterpret_cast<unsigned*>(shared_.warp_counts[w])[two];
        const unsigned own = counts;
        counts = sums;
        sums += own;
      }
      shared_.start[2 * two] = sums & 0xffffu;
      shared_.start[2 * two + 1] = sums >> 16;
    }
    __syncthreads();
  }

  storage& shared_;
  unsigned count_;
  bool staged_ = false;
  std::size_t offsets_[per_thread];
  unsigned slot_[Items];  ///< bucket and rank in it, 16 bits each; after set_offsets(), the slot
};

}  // namespace gpu::inline v1::detail::device::block
