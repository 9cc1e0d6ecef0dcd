// The segments whose bounds a warp reads, in shared memory: which are short, whether they adjoin, and in which order
// lanes best sort them together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../calls/segments.hpp"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// Sets of 32 segments whose bounds a warp reads at once: many tiny segments cost mostly the wait for their bounds.
inline constexpr unsigned bounds_at_once = 4;

/// Loads the calling lane's bounds, which are Numbers, from segment `first` on, with all loads in flight at once.
/// Segments past the last are empty.
template <class Number>
__device__ __forceinline__ void load_bounds(const segment_bounds& bounds, std::size_t first, std::size_t n,
                                            segment_range (&found)[bounds_at_once]) {
  const auto index = [&](unsigned s) { return first + s * warp::threads + threadIdx.x % warp::threads; };
  Number begins[bounds_at_once], ends[bounds_at_once];
#pragma unroll
  for (unsigned s = 0; s < bounds_at_once; ++s) {
    const std::size_t i = min(index(s), bounds.count - 1);
    begins[s] = static_cast<const Number*>(bounds.begins)[i], ends[s] = static_cast<const Number*>(bounds.ends)[i];
  }
#pragma unroll
  for (unsigned s = 0; s < bounds_at_once; ++s)
    found[s] = index(s) < bounds.count ? bounds.between(begins[s], ends[s], n) : segment_range{n, n};
}

/// Sizes of several segments: the elements of the longest one, and of all if none is too long.
struct segment_sizes {
  unsigned longest;
  unsigned total;
};

/// The bounds that a warp has read.
struct warp_bounds {
  static constexpr unsigned size = bounds_at_once * warp::threads;
  std::size_t begins[size];
  std::size_t counts[size];

  /// Reads the bounds from segment `first` on and returns the segments' sizes, with `most` + 1 for a longest one of
  /// more than `most` elements. No bounds are stored if all segments have fewer than `least` elements. Called by all
  /// lanes.
  __device__ __forceinline__ segment_sizes read(const segment_bounds& bounds, std::size_t first, std::size_t n,
                                                unsigned least, unsigned most) {
    const unsigned lane = threadIdx.x % warp::threads;
    segment_range found[bounds_at_once];
    if (bounds.bytes == sizeof(std::uint32_t))
      device::load_bounds<std::uint32_t>(bounds, first, n, found);
    else
      device::load_bounds<std::uint64_t>(bounds, first, n, found);
    std::size_t longest = 0;
    unsigned total = 0;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s)
      longest = max(longest, found[s].count()), total += static_cast<unsigned>(found[s].count());
    longest = warp::maximum(static_cast<unsigned>(min(longest, std::size_t{most} + 1)));
    if (longest < least) return {static_cast<unsigned>(longest), 0};
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      begins[s * warp::threads + lane] = found[s].begin;
      counts[s * warp::threads + lane] = found[s].count();
    }
    __syncwarp();
    return {static_cast<unsigned>(longest), warp::sum(total)};
  }

  /// Keeps only the segments of `least` to `most` elements, in their order, and returns their number. Called by all
  /// lanes.
  __device__ __forceinline__ unsigned keep_short(unsigned least, unsigned most) {
    unsigned kept = 0;
#pragma unroll
    for (unsigned i = threadIdx.x % warp::threads; i < size; i += warp::threads) {
      const std::size_t begin = begins[i], count = counts[i];
      const bool keeps = count >= least && count <= most;
      const unsigned all = __ballot_sync(warp::all_lanes, keeps);
      const unsigned slot = kept + static_cast<unsigned>(__popc(all & warp::lanes_before()));
      __syncwarp();
      if (keeps) begins[slot] = begin, counts[slot] = count;
      kept += static_cast<unsigned>(__popc(all));
    }
    __syncwarp();
    return kept;
  }

  /// Elements from the beginning of segment `first` to the end of the last one before `end`.
  __device__ __forceinline__ std::size_t extent(unsigned first, unsigned end) const {
    return begins[end - 1] + counts[end - 1] - begins[first];
  }

  /// Whether the first `kept` segments, none of which is empty, follow one another in memory. Called by all lanes.
  __device__ __forceinline__ bool adjoin(unsigned kept) const {
    bool all = true;
#pragma unroll
    for (unsigned i = threadIdx.x % warp::threads; i < size; i += warp::threads)
      all &= i + 1 >= kept || begins[i] + counts[i] == begins[i + 1];
    return __all_sync(warp::all_lanes, all);
  }

  /// For up to this many elements, one network is as good as another.
  static constexpr unsigned alike = 8;

  /// Puts segments [first, end) in order of descending length, as coarsely as networks differ, so that those that lanes
  /// sort together are alike. Does nothing if they are alike already. Called by all lanes.
  __device__ __forceinline__ void order(unsigned first, unsigned end) {
    constexpr unsigned none = ~0u;
    std::size_t own_begins[bounds_at_once];
    unsigned own_counts[bounds_at_once], longest = 0, total = 0;
#pragma unroll
    for (unsigned s = 0; s < bounds_at_once; ++s) {
      const unsigned i = first + s * warp::threads + threadIdx.x % warp::threads;
      own_begins[s] = i < end ? begins[i] : 0, own_counts[s] = i < end ? static_cast<unsigned>(counts[i]) : 0;
      longest = max(longest, own_counts[s]), total += own_counts[s];
      if (i >= end) own_counts[s] = none;
    }
    longest = warp::maximum(longest), total = warp::sum(total);
    if (longest <= alike || end - first <= warp::threads || 3 * total > 2 * longest * (end - first)) return;
    __syncwarp();
    unsigned slot = first;
#pragma unroll 1
    for (unsigned grade = (longest + alike - 1) / alike + 1; grade-- > 0;) {
#pragma unroll
      for (unsigned s = 0; s < bounds_at_once; ++s) {
        const bool takes = own_counts[s] != none && (own_counts[s] + alike - 1) / alike == grade;
        const unsigned all = __ballot_sync(warp::all_lanes, takes);
        const unsigned own = slot + static_cast<unsigned>(__popc(all & warp::lanes_before()));
        if (takes) begins[own] = own_begins[s], counts[own] = own_counts[s];
        slot += static_cast<unsigned>(__popc(all));
      }
    }
    __syncwarp();
  }
};

}  // namespace gpu::inline v1::detail::device
