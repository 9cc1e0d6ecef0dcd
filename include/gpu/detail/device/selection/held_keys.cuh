// Selection from at most as many keys as the shared memory of all multiprocessors holds, in one launch. Keys are read
// once and counted by digits, from the top, until so few candidates for the wanted key remain that every block looks at
// all of them; then every key goes to its side. Digits in which the candidates do not differ are skipped, so that
// repeated keys take no longer than others; no sample is drawn, so none can mislead. By digits as in Alabi, Blanchard,
// Gordon and Steinbach, "Fast k-selection algorithms for graphics processing units", 2012.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../launching/persistent.cuh"
#include "../tuning/selection.hpp"
#include "../warp/shuffle.cuh"
#include "digit_search.cuh"
#include "held_memory.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// One block's part; the members are the steps.
template <class Bits, class Rank>
class held_keys {
  static constexpr int threads = held_threads;
  static constexpr unsigned warps = held_storage<Bits>::warps;

 public:
  __device__ held_keys(held_storage<Bits>& shared, const key_source<Bits, Rank>& source, unsigned n, unsigned wanted,
                       const held_memory<Bits>& memory)
      : shared_{shared},
        source_{source},
        state_{*memory.state},
        ties_of_blocks_{memory.ties},
        n_{n},
        first_{first_of(blockIdx.x)},
        count_{first_of(blockIdx.x + 1) - first_},
        search_{shared, wanted} {}

  /// Zeros the counters that the blocks share.
  __device__ void clear() {
    auto* const words = reinterpret_cast<unsigned*>(&state_);
    constexpr std::size_t cleared = offsetof(held_state<Bits>, list) / sizeof(unsigned);
    for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < cleared;
         i += gridDim.x * std::size_t{threads})
      words[i] = 0;
  }

  /// Reads the block's keys, and counts their first digit.
  __device__ void load() {
    constexpr unsigned together = 8;
    const auto* const keys = reinterpret_cast<const Bits*>(source_.first_key) + first_;
    typename digit_search<Bits>::counter counter{search_};
    for (unsigned begin = 0; begin < count_; begin += together * threads) {
      Bits loaded[together];
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        const unsigned at = begin + i * threads + threadIdx.x;
        loaded[i] = keys[at < count_ ? at : 0];
      }
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        const unsigned at = begin + i * threads + threadIdx.x;
        const Bits code = source_.codec.encode(loaded[i]);
        if (at < count_) shared_.codes()[at] = code;
        counter.add(at < count_, ranked(code));
      }
    }
    counter.finish();
  }

  /// Finds the wanted key. The counts from load() have not yet been published; all blocks must have finished clear().
  template <class Barrier>
  __device__ void find(const Barrier& barrier) {
    for (unsigned round = 0;; ++round) {
      search_.publish(state_, round);
      barrier();
      search_.choose(state_, round);
      if (search_.has_found()) return;
      if (search_.left() <= most_listed_alike) break;
      count(shared_.codes(), count_);
    }
    list();
    barrier();
    const unsigned listed = state_.listed;
    for (unsigned i = threadIdx.x; i < listed; i += threads) shared_.list[i] = state_.list[i];
    __syncthreads();
    while (!search_.has_found()) {
      count(shared_.list, listed);
      search_.choose();
    }
  }

  __device__ found_key<Bits> found() const { return {search_.less(), search_.code()}; }

  /// Passes every key to the writer with its slot; ties in the order of their indices if the writer requires it.
  template <class Writer, class Barrier>
  __device__ void write(const Writer& writer, const Barrier& barrier) {
    const unsigned lane = threadIdx.x % warp::threads, own = threadIdx.x / warp::threads;
    const auto row = static_cast<unsigned>(divide_up(count_, threads)) * warp::threads;  // keys of a warp
    const unsigned begin = min(own * row, count_), end = min(begin + row, count_);
    unsigned less = 0, ties = 0;
    with_sides(begin, end, [&](const held_key<Bits>&, unsigned before, unsigned equal) {
      less += static_cast<unsigned>(__popc(before));
      ties += static_cast<unsigned>(__popc(equal));
    });
    if (lane == 0) shared_.sums[0][own] = less, shared_.sums[1][own] = ties;
    __syncthreads();
    const unsigned less_up_to = warp::inclusive_sum(shared_.sums[0][lane]);
    const unsigned ties_up_to = warp::inclusive_sum(shared_.sums[1][lane]);
    if (threadIdx.x == warps - 1) {
      shared_.less = atomicAdd(&state_.less, less_up_to);
      shared_.greater = n_ - 1 - atomicAdd(&state_.greater, count_ - less_up_to - ties_up_to);
      if constexpr (Writer::orders_ties)
        ties_of_blocks_[blockIdx.x] = ties_up_to;
      else
        shared_.ties = search_.less() + atomicAdd(&state_.ties, ties_up_to);
    }
    if constexpr (Writer::orders_ties) {
      barrier();
      if (own == 0) {
        unsigned before = 0;
        for (unsigned block = lane; block < blockIdx.x; block += warp::threads) before += ties_of_blocks_[block];
        before = warp::sum(before);
        if (lane == 0) shared_.ties = search_.less() + before;
      }
    }
    __syncthreads();
    less = shared_.less + __shfl_sync(warp::all_lanes, less_up_to, static_cast<int>(own)) - less;
    ties = shared_.ties + __shfl_sync(warp::all_lanes, ties_up_to, static_cast<int>(own)) - ties;
    unsigned greater = shared_.greater - (begin - (less - shared_.less) - (ties - shared_.ties));
    with_sides(begin, end, [&](const held_key<Bits>& key, unsigned before, unsigned equal) {
      const unsigned lanes = warp::lanes_before(), own_bit = 1u << lane;
      const unsigned behind = __ballot_sync(warp::all_lanes, key.index < first_ + end) & ~(before | equal);
      const auto number = [&](unsigned side) { return static_cast<unsigned>(__popc(side & lanes)); };
      if (before & own_bit) writer.write_less(less + number(before), key);
      if (equal & own_bit) writer.write_tie(ties + number(equal), key);
      if (behind & own_bit) writer.write_greater(greater - number(behind), key);
      less += static_cast<unsigned>(__popc(before));
      ties += static_cast<unsigned>(__popc(equal));
      greater -= static_cast<unsigned>(__popc(behind));
    });
  }

 private:
  __device__ unsigned first_of(unsigned block) const {
    return static_cast<unsigned>(std::uint64_t{n_} * block / gridDim.x);
  }
  /// A code that equivalent keys share.
  __device__ Bits ranked(Bits code) const { return source_.floating ? source_.order.rank(code) : code; }
  __device__ void count(const Bits* codes, unsigned size) {
    typename digit_search<Bits>::counter counter{search_};
    for (unsigned begin = 0; begin < size; begin += threads) {
      const unsigned at = begin + threadIdx.x;
      counter.add(at < size, at < size ? ranked(codes[at]) : Bits{0});
    }
    counter.finish();
  }

  /// Lists the block's candidates for the wanted key where all blocks can read them.
  __device__ void list() {
    if (threadIdx.x == 0) shared_.listed = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count_; i += threads) {
      const Bits code = ranked(shared_.codes()[i]);
      if (search_.may_be_wanted(code)) shared_.list[atomicAdd(&shared_.listed, 1u)] = code;
    }
    __syncthreads();
    const unsigned listed = shared_.listed;
    if (listed == 0) return;
    if (threadIdx.x == 0) shared_.before = atomicAdd(&state_.listed, listed);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < listed; i += threads) state_.list[shared_.before + i] = shared_.list[i];
  }

  /// Calls use(key, less, ties) for the block's keys [begin, end), one key per lane at a time: `key` is the calling
  /// lane's, valid if its index is in the range; `less` and `ties` are the lanes whose keys are less than the wanted
  /// key and equivalent to it.
  template <class Use>
  __device__ void with_sides(unsigned begin, unsigned end, const Use& use) const {
    for (unsigned at = begin; at < end; at += warp::threads) {
      const unsigned i = at + threadIdx.x % warp::threads;
      const Bits code = shared_.codes()[i < end ? i : begin];
      const held_key<Bits> key{code, ranked(code), first_ + i};
      const unsigned less = __ballot_sync(warp::all_lanes, i < end && key.rank < search_.code());
      use(key, less, __ballot_sync(warp::all_lanes, i < end && key.rank == search_.code()));
    }
  }

  held_storage<Bits>& shared_;
  const key_source<Bits, Rank>& source_;
  held_state<Bits>& state_;
  unsigned* ties_of_blocks_;
  unsigned n_, first_, count_;
  digit_search<Bits> search_;
};

/// Finds the `wanted`-th of the source's n keys and passes all of them to the writer. All blocks run at the same time.
template <class Bits, class Rank, class Writer>
__global__ void __launch_bounds__(held_threads)
    held_keys_kernel(key_source<Bits, Rank> source, unsigned n, unsigned wanted, held_memory<Bits> memory,
                     Writer writer) {
  auto& shared = device::dynamic_shared<held_storage<Bits>>();
  const auto grid = cooperative_groups::this_grid();
  const auto barrier = [&] { grid.sync(); };
  held_keys<Bits, Rank> own{shared, source, n, wanted, memory};
  own.clear();
  auto cleared = grid.barrier_arrive();
  own.load();
  grid.barrier_wait(std::move(cleared));
  own.find(barrier);
  if (blockIdx.x == 0 && threadIdx.x == 0) *memory.found = own.found();
  own.write(writer, barrier);
}

/// Finds the `wanted`-th of the source's n keys and passes all of them to the writer; returns false if the keys are not
/// dense, or if the device cannot hold all at once.
template <class Bits, class Rank, class Writer>
bool select_from_held(const context& context, const key_source<Bits, Rank>& source, std::size_t n, std::size_t wanted,
                      const held_memory<Bits>& memory, const Writer& writer) {
  if (!context.device.cooperative || !source.is_dense() || n > most_held(sizeof(Bits))) return false;
  const auto kernel = held_keys_kernel<Bits, Rank, Writer>;
  shape grid{std::min(divide_up(n, held_share), static_cast<std::size_t>(context.device.multiprocessors)),
             held_threads};
  grid.shared_bytes = held_storage<Bits>::bytes(divide_up(n, grid.blocks));
  if (grid.shared_bytes > context.device.shared_bytes_per_block) return false;
  if (device::resident_blocks(context, kernel, held_threads, grid.shared_bytes) < grid.blocks) return false;
  return device::launch_cooperative(context, grid, kernel, source, static_cast<unsigned>(n),
                                    static_cast<unsigned>(wanted), memory, writer);
}

}  // namespace gpu::inline v1::detail::device
