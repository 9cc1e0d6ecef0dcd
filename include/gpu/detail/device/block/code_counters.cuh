// Histograms of one- or two-byte keys: counters of a block, in shared memory. They count keys as they are, which are
// encoded only when counts are added to the totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device::block {

template <class Bits>
inline constexpr std::size_t code_count = std::size_t{1} << (8 * sizeof(Bits));

/// The sums of all blocks' counts, by code.
template <class Bits, class Codec>
struct code_totals {
  unsigned long long* counts;
  Codec codec;

  __device__ void add(unsigned key, unsigned count) const {
    atomicAdd(&counts[codec.encode(static_cast<Bits>(key))], static_cast<unsigned long long>(count));
  }
};

/// Calls body with each key in sixteen bytes.
template <class Bits, class Body>
__device__ __forceinline__ void for_each_key(const uint4& quad, Body body) {
  constexpr unsigned keys_per_word = sizeof(unsigned) / sizeof(Bits);
#pragma unroll
  for (const unsigned word : {quad.x, quad.y, quad.z, quad.w})
#pragma unroll
    for (unsigned k = 0; k < keys_per_word; ++k) body(static_cast<Bits>(word >> (8 * sizeof(Bits) * k)));
}

/// Counters of one-byte keys: a copy per lane, each in its own bank, so that lanes never conflict.
class lane_counters {
 public:
  static constexpr int threads = 512;
  static constexpr unsigned quads_at_once = 1;
  struct storage {
    unsigned counts[code_count<std::uint8_t>][warp::threads];
  };

  __device__ explicit lane_counters(storage& shared) : shared_{shared} {}

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < sizeof(storage) / sizeof(unsigned); i += threads) (&shared_.counts[0][0])[i] = 0;
  }

  template <class Totals>
  __device__ void count(std::uint8_t key, const Totals&) const {
    atomicAdd(&shared_.counts[key][threadIdx.x % warp::threads], 1u);
  }
  template <class Totals>
  __device__ __forceinline__ void count(const uint4& quad, const Totals& totals) const {
    block::for_each_key<std::uint8_t>(quad, [&](std::uint8_t key) { count(key, totals); });
  }

  template <class Totals>
  __device__ void flush(const Totals& totals) const {
    for (unsigned key = threadIdx.x; key < code_count<std::uint8_t>; key += threads) {
      unsigned sum = 0;
      for (unsigned i = 0; i < warp::threads; ++i) sum += shared_.counts[key][(i + threadIdx.x) % warp::threads];
      if (sum > 0) totals.add(key, sum);
    }
  }

 private:
  storage& shared_;
};

/// Counters of two-byte keys, two to a word: those of keys that differ only in the first bit. A counter that reaches
/// `limit` passes that many on to the totals. Between two synchronisations a block adds at most 2^14 to a counter, so
/// none overflows its 16 bits.
class packed_counters {
  static constexpr unsigned words = code_count<std::uint16_t> / 2;
  static constexpr unsigned limit = 1u << 15;
  static constexpr unsigned limits = limit << 16 | limit;  ///< of both counters of a word
  static constexpr int keys_per_quad = sizeof(uint4) / sizeof(std::uint16_t);

  static constexpr int enough_alike = 12;  ///< lanes that make one counter slower than grouping equal keys
  static constexpr int nearly_all = 24;    ///< lanes in two groups; few others are left then

 public:
  static constexpr int threads = 1024;
  static constexpr unsigned quads_at_once = 2;
  static_assert(quads_at_once * threads * keys_per_quad <= limit / 2);
  struct storage {
    unsigned words[packed_counters::words];
  };

  __device__ explicit packed_counters(storage& shared) : shared_{shared} {}

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < words; i += threads) shared_.words[i] = 0;
  }

  template <class Totals>
  __device__ void count(std::uint16_t key, const Totals& totals) const {
    if (reached(atomicAdd(&word_at(spread(key)), one(key)), one(key))) hand_on(key, totals);
  }

  /// Counts the keys of a quad for each thread of a warp. Lanes that would wait for each other share additions: those
  /// with the most frequent key, if it is a crowd, or, if there are few different keys, all lanes with equal keys.
  /// Otherwise there are no branches, so that the additions overlap. The choice depends on the lanes' first keys, as
  /// the others are probably alike.
  template <class Totals>
  __device__ __forceinline__ void count(const uint4& quad, const Totals& totals) const {
    const crowd found = crowd_among(quad.x & 0xffffu);
    if (found.lanes < enough_alike) return count_each(quad, totals, [](unsigned) { return 1u; });
    const unsigned twice = found.key << 16 | found.key;
    const bool alike = quad.x == twice && quad.y == twice && quad.z == twice && quad.w == twice;
    if (!__all_sync(warp::all_lanes, alike)) {
      if (found.lanes_of_two >= nearly_all) return count_each(quad, totals, times_among_few);
      count_each(quad, totals, [&](unsigned key) { return times_in_crowd(key, found.key); });
    } else if (threadIdx.x % warp::threads == 0) {
      constexpr unsigned all = keys_per_quad * warp::threads;
      if (reached(atomicAdd(&word_at(spread(found.key)), all * one(found.key)), all * one(found.key)))
        hand_on(found.key, totals);
    }
  }

  template <class Totals>
  __device__ void flush(const Totals& totals) const {
    for (unsigned key = threadIdx.x; key < words; key += threads) {
      const unsigned word = word_at(spread(key));
      if (word & 0xffffu) totals.add(key, word & 0xffffu);
      if (word >> 16) totals.add(key + words, word >> 16);
    }
  }

 private:
  /// The increment of a key's word for one more key.
  __device__ static unsigned one(unsigned key) { return 1u + (key >> 15) * 0xffffu; }

  /// The offset of a key's word: spreads keys at equal distances over all banks, too. Computed for both keys in a word
  /// at once.
  __device__ static unsigned spread(unsigned keys) { return keys ^ ((keys >> 5 ^ keys >> 10) & 0x001f001fu); }
  __device__ unsigned& word_at(unsigned offset) const { return shared_.words[offset % words]; }

  /// Not zero if an addition has raised a counter of a word to the limit.
  __device__ static unsigned reached(unsigned before, unsigned added) { return ~before & (before + added) & limits; }

  template <class Totals>
  __device__ void hand_on(unsigned key, const Totals& totals) const {
    atomicSub(&word_at(spread(key)), limit * one(key));
    totals.add(key, limit);
  }

  /// The most frequent of the keys of two lanes, the number of lanes that hold it, and that of lanes that hold either
  /// key.
  struct crowd {
    unsigned key;
    int lanes;
    int lanes_of_two;
  };
  __device__ __forceinline__ static crowd crowd_among(unsigned key) {
    const unsigned first = __shfl_sync(warp::all_lanes, key, 0);
    const unsigned group = __ballot_sync(warp::all_lanes, key == first);
    const unsigned second = __shfl_sync(warp::all_lanes, key, __ffs(static_cast<int>(~group)) - 1);
    const int lanes = __popc(group), others = __popc(__ballot_sync(warp::all_lanes, key == second));
    return {lanes < others ? second : first, max(lanes, others), lanes + others};
  }

  /// How much a lane adds: the first lane of a group with equal keys adds for all of it, the others nothing. Where
  /// there are few different keys, all lanes are in such groups; where there is a crowd, only those with its key.
  __device__ static unsigned times_among_few(unsigned key) {
    return times_of_group(__match_any_sync(warp::all_lanes, key));
  }
  __device__ static unsigned times_in_crowd(unsigned key, unsigned common) {
    const unsigned group = __ballot_sync(warp::all_lanes, key == common);
    return key == common ? times_of_group(group) : 1;
  }
  __device__ static unsigned times_of_group(unsigned lanes) {
    return (lanes & warp::lanes_before()) == 0 ? static_cast<unsigned>(__popc(lanes)) : 0;
  }

  /// Adds times(key) for each key of a quad.
  template <class Totals, class Times>
  __device__ __forceinline__ void count_each(const uint4& quad, const Totals& totals, Times times) const {
    const unsigned pairs[] = {quad.x, quad.y, quad.z, quad.w};
    const auto key = [&](int i) { return i % 2 == 0 ? pairs[i / 2] & 0xffffu : pairs[i / 2] >> 16; };
    unsigned added[keys_per_quad], before[keys_per_quad], any = 0;
#pragma unroll
    for (int i = 0; i < keys_per_quad; ++i) {
      const unsigned offsets = spread(pairs[i / 2]);
      added[i] = times(key(i)) * one(key(i));
      before[i] = added[i] == 0 ? 0 : atomicAdd(&word_at(i % 2 == 0 ? offsets : offsets >> 16), added[i]);
    }
#pragma unroll
    for (int i = 0; i < keys_per_quad; ++i) any |= reached(before[i], added[i]);
    if (any == 0) return;
#pragma unroll
    for (int i = 0; i < keys_per_quad; ++i)
      if (reached(before[i], added[i])) hand_on(key(i), totals);
  }

  storage& shared_;
};

template <class Bits>
using code_counters = std::conditional_t<sizeof(Bits) == 1, lane_counters, packed_counters>;

}  // namespace gpu::inline v1::detail::device::block
