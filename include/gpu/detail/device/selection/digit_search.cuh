// Search by digits, from the top, for one of the keys that the blocks of a selection hold: the blocks' counts are added
// up, and every block chooses the digit that contains the wanted key. See held_keys.cuh.
#pragma once

#include <cstdint>

#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "held_memory.cuh"

namespace gpu::inline v1::detail::device {

/// A block's knowledge of the wanted key, the `wanted`-th of all. All threads of the block call.
template <class Bits>
class digit_search {
  static constexpr int threads = held_threads;

 public:
  __device__ digit_search(held_storage<Bits>& shared, unsigned wanted) : shared_{shared}, wanted_{wanted} {}

  __device__ bool has_found() const { return unknown_ == 0; }
  /// How many keys may still be the wanted one.
  __device__ unsigned left() const { return shared_.count; }
  __device__ bool may_be_wanted(Bits code) const {
    return static_cast<Bits>((code ^ code_) & static_cast<Bits>(~unknown_bits())) == 0;
  }
  /// The code found so far, and how many keys are less.
  __device__ Bits code() const { return code_; }
  __device__ unsigned less() const { return less_; }

  /// Counts the digits of keys that may be the wanted one. All lanes of a warp call together.
  class counter {
   public:
    /// Synchronises before and after.
    __device__ explicit counter(digit_search& search)
        : search_{search}, low_{static_cast<unsigned>(max(search.unknown_ - held_digit_bits, 0))} {
      held_storage<Bits>& shared = search.shared_;
      __syncthreads();
      for (unsigned i = threadIdx.x; i < held_digits; i += threads) shared.counts[i] = 0;
      if (threadIdx.x == 0) shared.set = shared.unset = 0;
      __syncthreads();
    }

    __device__ void add(bool takes, Bits code) {
      takes = takes && search_.may_be_wanted(code);
      unsigned lanes = __ballot_sync(warp::all_lanes, takes);
      if (lanes == 0) return;
      if (takes) set_ |= code, unset_ |= static_cast<Bits>(~code);
      const auto digit = static_cast<unsigned>(static_cast<Bits>(code & search_.unknown_bits()) >> low_);
      // Where many lanes have the same digit, one adds for all of them.
#pragma unroll
      for (int turn = 0; turn < 2 && lanes != 0; ++turn) {
        const int leader = __ffs(static_cast<int>(lanes)) - 1;
        const unsigned alike =
            lanes & __ballot_sync(warp::all_lanes, digit == __shfl_sync(warp::all_lanes, digit, leader));
        if (threadIdx.x % warp::threads == static_cast<unsigned>(leader))
          atomicAdd(&search_.shared_.counts[digit], static_cast<unsigned>(__popc(alike)));
        lanes &= ~alike;
      }
      if (lanes >> threadIdx.x % warp::threads & 1) atomicAdd(&search_.shared_.counts[digit], 1u);
    }
    /// Synchronises.
    __device__ void finish() {
      const unsigned long long set = warp::any_bits(static_cast<unsigned long long>(set_));
      const unsigned long long unset = warp::any_bits(static_cast<unsigned long long>(unset_));
      if (threadIdx.x % warp::threads == 0 && (set | unset) != 0) {
        atomicOr(&search_.shared_.set, set);
        atomicOr(&search_.shared_.unset, unset);
      }
      __syncthreads();
    }

   private:
    digit_search& search_;
    unsigned low_;  ///< where the digit begins
    Bits set_ = 0, unset_ = 0;
  };

  /// Adds the block's counts to those of all blocks.
  __device__ void publish(held_state<Bits>& all, unsigned round) {
    for (unsigned i = threadIdx.x; i < held_digits; i += threads)
      if (shared_.counts[i] > 0) atomicAdd(&all.counts[round][i], shared_.counts[i]);
    if (threadIdx.x > 0 || (shared_.set | shared_.unset) == 0) return;
    atomicOr(&all.set[round], shared_.set);
    atomicOr(&all.unset[round], shared_.unset);
  }

  /// Chooses the wanted key's digit from the counts of all blocks in this round, or from the block's own.
  __device__ void choose(const held_state<Bits>& all, unsigned round) {
    choose(all.counts[round], all.set[round], all.unset[round]);
  }
  __device__ void choose() { choose(shared_.counts, shared_.set, shared_.unset); }

 private:
  /// A mask of the lowest `bits` bits.
  __device__ static Bits ones(int bits) {
    return static_cast<Bits>(bits == 8 * static_cast<int>(sizeof(Bits)) ? ~Bits{0} : (Bits{1} << bits) - 1);
  }
  __device__ Bits unknown_bits() const { return ones(unknown_); }

  /// Also takes over the bits that all counted keys share. Synchronises.
  __device__ void choose(const unsigned* counts, unsigned long long set, unsigned long long unset) {
    constexpr unsigned each = held_digits / threads;
    const unsigned lane = threadIdx.x % warp::threads, own = threadIdx.x / warp::threads;
    unsigned number[each], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < each; ++i) sum += number[i] = counts[threadIdx.x * each + i];
    unsigned up_to = warp::inclusive_sum(sum);
    if (lane == warp::threads - 1) shared_.sums[0][own] = up_to;
    __syncthreads();
    const unsigned warps_up_to = warp::inclusive_sum(shared_.sums[0][lane]);
    if (own > 0) up_to += __shfl_sync(warp::all_lanes, warps_up_to, static_cast<int>(own) - 1);
    unsigned before = up_to - sum;
    if (before < wanted_ && wanted_ <= up_to) {
#pragma unroll
      for (unsigned i = 0; i < each; ++i) {
        if (before < wanted_ && wanted_ <= before + number[i])
          shared_.digit = threadIdx.x * each + i, shared_.before = before, shared_.count = number[i];
        before += number[i];
      }
    }
    __syncthreads();
    less_ += shared_.before, wanted_ -= shared_.before;
    const int low = max(unknown_ - held_digit_bits, 0);
    code_ =
        static_cast<Bits>(code_ & static_cast<Bits>(~unknown_bits())) | static_cast<Bits>(Bits(shared_.digit) << low);
    unknown_ = low;
    const auto differing = static_cast<std::uint64_t>(set & unset & unknown_bits());
    code_ = static_cast<Bits>(code_ | (static_cast<Bits>(set) & unknown_bits()));
    unknown_ = 64 - __clzll(static_cast<long long>(differing));
    code_ = static_cast<Bits>(code_ & static_cast<Bits>(~unknown_bits()));
  }

  held_storage<Bits>& shared_;
  unsigned wanted_;                                   ///< its position, from 1, among the keys that may be it
  unsigned less_ = 0;                                 ///< keys that are less than all of these
  Bits code_ = 0;                                     ///< of the wanted key, with zeros for unknown bits
  int unknown_ = 8 * static_cast<int>(sizeof(Bits));  ///< how many of its lowest bits are unknown
};

}  // namespace gpu::inline v1::detail::device
