// Segments short enough for one thread, which sorts them by a network in its registers; a warp brings them to shared
// memory and back. Longer ones are listed for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../calls/segments.hpp"
#include "../block/even_buckets.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../thread/codes.cuh"
#include "../thread/merge_network.cuh"
#include "../warp/shuffle.cuh"
#include "lane_stage.cuh"
#include "lists.cuh"
#include "warp_bounds.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int short_threads = 128;

/// Blocks per multiprocessor, by registers: warps that only wait for bounds profit from many.
constexpr int short_blocks(std::size_t key_bytes) { return key_bytes <= 4 ? 7 : 4; }

/// Lanes sort segments of up to this many elements in place: bringing them to the stage and back takes longer.
inline constexpr unsigned few_elements = 2;

/// From this many elements on, a segment of wide codes is sorted by words, and its codes are moved on their way out.
template <class Key>
inline constexpr unsigned least_moved = has_moves_v<Key> ? 17 : thread_items<Key> + 1;

/// Sorts codes [first, first + count) of the stage, a segment of Data, count <= Most, in the calling thread's
/// registers.
template <int Most, class Data, class Key>
__device__ __forceinline__ void sort_short(warp_stage<Key>& stage, unsigned first, unsigned count) {
  using code = register_code<Key>;
  code codes[Most];
#pragma unroll
  for (int i = 0; i < Most; ++i)
    codes[i] = static_cast<unsigned>(i) < count
                   ? code_parts<Data>::counted(stage[first + static_cast<unsigned>(i)], static_cast<unsigned>(i))
                   : static_cast<code>(~code{0});  // stays behind the others, none of which is greater
  thread::sort_by<Most>([&](int i, int j) { code_parts<Data>::order(codes[i], codes[j]); });
#pragma unroll
  for (int i = 0; i < Most; ++i)
    if (static_cast<unsigned>(i) < count) stage[first + static_cast<unsigned>(i)] = codes[i];
}

/// Notes how codes [first, first + count) of the stage are to be moved, equal ones keeping their order: sorts 32-bit
/// words, which hold the leading bits from where the codes differ, as many as there is room for, followed by the code's
/// number. False if these bits do not suffice.
template <unsigned Most, class Data, class Key>
__device__ __forceinline__ bool order_short(warp_stage<Key>& stage, unsigned first, unsigned count) {
  using part = decltype(code_parts<Data>::sorted(Key{}));
  constexpr unsigned numbers = thread_items<Key> - 1;  // the bits of a word that hold the number
  const auto part_of = [&](unsigned word) { return code_parts<Data>::sorted(stage[first + (word & numbers)]); };
  part parts[Most], different{};
#pragma unroll
  for (unsigned i = 0; i < Most; ++i) {
    parts[i] = i < count ? part_of(i) : i > 0 ? parts[0] : part{};
    different |= parts[i] ^ parts[0];
  }
  const unsigned alike = block::leading_zeros(different);
  unsigned words[Most];
#pragma unroll
  for (unsigned i = 0; i < Most; ++i)
    words[i] = (i < count ? block::leading_word(parts[i], alike) & ~numbers : ~numbers) | i;
  thread::sort_by_merges(words);
  unsigned doubtful = 0;  // a bit for each element whose position is in doubt
#pragma unroll
  for (unsigned i = 0; i + 1 < Most; ++i)
    if ((words[i] ^ words[i + 1]) <= numbers && i + 1 < count) doubtful |= 1u << i;
#pragma unroll
  for (unsigned i = 0; i < Most; ++i)
    if (i < count)
      stage.move_to(first + i) = static_cast<std::int8_t>(static_cast<int>(words[i] & numbers) - static_cast<int>(i));
#pragma unroll 1
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    const auto i = static_cast<unsigned>(__ffs(static_cast<int>(doubtful))) - 1;
    const auto moved = [&](unsigned k) {
      return part_of(k + static_cast<unsigned>(static_cast<int>(stage.move_to(first + k))));
    };
    if (moved(i + 1) < moved(i)) return false;
  }
  if constexpr (code_parts<Data>::counts)
#pragma unroll 4
    for (unsigned i = 0; i < count; ++i) stage[first + i] = code_parts<Data>::counted(stage[first + i], i);
  return true;
}

/// Sorts codes [first, first + count) of the stage, count <= longest <= thread_items, by the smallest network for
/// `longest` codes. `moved`: whether codes are later moved as noted.
template <class Data, unsigned Most = 4, class Key>
__device__ __forceinline__ void sort_staged(warp_stage<Key>& stage, unsigned first, unsigned count, unsigned longest,
                                            bool moved) {
  if (Most == thread_items<Key> || longest <= Most) {
    if constexpr (Most >= least_moved<Key>)
      if (device::order_short<Most, Data>(stage, first, count)) return;
    device::sort_short<Most, Data>(stage, first, count);
    if constexpr (has_moves_v<Key>)
      if (moved)
        for (unsigned i = 0; i < count; ++i) stage.move_to(first + i) = 0;
  } else if constexpr (Most < thread_items<Key>) {
    device::sort_staged<Data, Most % 3 == 0 ? Most / 3 * 4 : (Most < 8 ? 2 * Most : Most / 2 * 3)>(stage, first, count,
                                                                                                   longest, moved);
  }
}

/// Calls body with whether segments of up to `longest` elements are moved as noted, as a constant.
template <class Key, class Body>
__device__ __forceinline__ void with_moved(unsigned longest, const Body& body) {
  if constexpr (has_moves_v<Key>)
    if (longest >= least_moved<Key>) return body(std::true_type{});
  body(std::false_type{});
}

/// Sorts segments of up to few_elements elements in place, from number `first` to before `end`, at most Sets per lane.
template <unsigned Sets, class Key, class Data, class Codec>
__device__ __forceinline__ void sort_few(Data data, const warp_bounds& all, unsigned first, unsigned end, Codec codec) {
  using code = register_code<Key>;
  Key found[Sets][few_elements];
  std::size_t begin[Sets];
  unsigned count[Sets];
#pragma unroll
  for (unsigned s = 0; s < Sets; ++s) {
    const unsigned i = first + s * warp::threads + threadIdx.x % warp::threads;
    count[s] = i < end ? static_cast<unsigned>(all.counts[i]) : 0;
    begin[s] = all.begins[min(i, end - 1)];
#pragma unroll
    for (unsigned e = 0; e < few_elements; ++e)
      if (e < count[s]) found[s][e] = (data + begin[s])[e];
  }
#pragma unroll
  for (unsigned s = 0; s < Sets; ++s) {
    code codes[few_elements];
    device::encode_items(found[s], codec);
#pragma unroll
    for (unsigned e = 0; e < few_elements; ++e)
      codes[e] = e < count[s] ? static_cast<code>(found[s][e]) : static_cast<code>(~code{0});
    thread::sort_by_merges(codes);
#pragma unroll
    for (unsigned e = 0; e < few_elements; ++e) found[s][e] = static_cast<Key>(codes[e]);
    device::decode_items(found[s], codec);
#pragma unroll
    for (unsigned e = 0; e < few_elements; ++e)
      if (e < count[s]) (data + begin[s])[e] = found[s][e];
  }
}

/// Sorts segments of up to `longest` elements that follow one another in memory, in the stage, which has room for all
/// of them. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_adjoining(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned first,
                                               unsigned end, unsigned longest, Codec codec) {
  constexpr bool dear_networks = sizeof(Key) > sizeof(unsigned);
  const unsigned lane = threadIdx.x % warp::threads;
  const std::size_t base = all.begins[first];
  const auto total = static_cast<unsigned>(all.extent(first, end));
  device::begin_to_stage(stage, data + base, total, codec);
  if (dear_networks && longest > warp_bounds::alike) all.order(first, end);
  device::end_to_stage(stage, total, codec);
#pragma unroll 1
  for (unsigned own = first + lane; own - lane < end; own += warp::threads) {
    const unsigned count = own < end ? static_cast<unsigned>(all.counts[own]) : 0;
    const unsigned position = static_cast<unsigned>(all.begins[min(own, end - 1)] - base);
    const unsigned longest_here = longest > warp_bounds::alike ? warp::maximum(count) : longest;
    device::sort_staged<Data>(stage, position, count, longest_here, longest >= least_moved<Key>);
  }
  __syncwarp();
  device::with_moved<Key>(
      longest, [&](auto moved) { device::all_from_stage<decltype(moved)::value>(stage, data + base, total, codec); });
  __syncwarp();
}

/// Sorts adjoining segments, however many there are, some at a time.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_all_adjoining(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned count,
                                                   unsigned longest, Codec codec) {
  unsigned together = warp_bounds::size;
  if (all.extent(0, count) > warp_stage<Key>::size) {
    together /= 2;
    if (all.extent(0, min(together, count)) > warp_stage<Key>::size ||
        (together < count && all.extent(together, count) > warp_stage<Key>::size))
      together = warp::threads;
  }
#pragma unroll 1
  for (unsigned first = 0; first < count; first += together)
    device::sort_adjoining(stage, data, all, first, min(first + together, count), longest, codec);
}

/// Sorts as many sets of 32 segments, from number `first` on and none of them empty, as fit the stage together, so that
/// their copies are waited for only once. Returns the number of the first segment that is left. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ unsigned sort_scattered_sets(warp_stage<Key>& stage, Data data, const warp_bounds& all,
                                                        unsigned first, unsigned kept, Codec codec) {
  const auto row_after = [](unsigned position) {
    return (position + warp::threads - 1) / warp::threads * warp::threads;
  };
  unsigned end = first, filled = 0;
#pragma unroll 1
  for (; end < kept; end += warp::threads) {
    const lane_segments own{all, end, kept};
    if (filled + own.total > warp_stage<Key>::size) break;
    device::scattered_to_stage(stage, filled, data, own);
    filled = row_after(filled + own.total);
  }
  device::await_copies();
  device::encode_staged(stage, filled, codec);
  __syncwarp();
#pragma unroll 1
  for (unsigned set = first, begin = 0; set < end; set += warp::threads) {
    const lane_segments own{all, set, kept};
    const unsigned longest = warp::maximum(own.count);
    device::sort_staged<Data>(stage, begin + own.first, own.count, longest, longest >= least_moved<Key>);
    __syncwarp();
    device::with_moved<Key>(longest, [&](auto moved) {
      device::scattered_from_stage<decltype(moved)::value>(stage, begin, data, own, codec);
    });
    begin = row_after(begin + own.total);
  }
  __syncwarp();
  return end;
}

/// Sorts the first `kept` segments, none of which is empty, wherever they are. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ void sort_scattered(warp_stage<Key>& stage, Data data, warp_bounds& all, unsigned kept,
                                               Codec codec) {
  all.order(0, kept);
#pragma unroll 1
  for (unsigned first = 0; first < kept;) {
    const unsigned own = first + threadIdx.x % warp::threads;
    if (warp::maximum(own < kept ? static_cast<unsigned>(all.counts[own]) : 0) <= few_elements) {
      device::sort_few<1, Key>(data, all, first, kept, codec);
      first += warp::threads;
    } else {
      first = device::sort_scattered_sets(stage, data, all, first, kept, codec);
    }
  }
  __syncwarp();
}

/// Sorts those segments that a thread can sort of the ones that a warp reads at once, from number `first` on, and lists
/// all longer ones. Returns whether any has elements. Called by all lanes.
template <class Key, class Data, class Codec>
__device__ __forceinline__ bool sort_read_segments(warp_stage<Key>& stage, warp_bounds& read, Data data, std::size_t n,
                                                   const segment_bounds& bounds, std::size_t first,
                                                   const group_lists& groups, const long_lists& others, Codec codec) {
  constexpr unsigned least = code_parts<Data>::least, most = thread_items<Key>;
  const segment_sizes sizes = read.read(bounds, first, n, least, most);
  if (sizes.longest < least) return sizes.longest > 0;
  const bool all_short = sizes.longest <= most;
  auto count = static_cast<unsigned>(min(bounds.count - first, std::size_t{warp_bounds::size}));
  if (sizes.longest <= few_elements) {
    device::sort_few<bounds_at_once, Key>(data, read, 0, count, codec);
    __syncwarp();
    return true;
  }
  bool adjoin = all_short && bounds.are_neighbours() && read.extent(0, count) == sizes.total;  // with ascending offsets
  if (!adjoin) {
    if (!all_short) device::list_segments<Key, bounds_at_once>(read.begins, read.counts, n, groups, others);
    count = read.keep_short(all_short ? 1 : least, most);
    adjoin = all_short && read.adjoin(count);
  }
  if (adjoin)
    device::sort_all_adjoining(stage, data, read, count, sizes.longest, codec);
  else
    device::sort_scattered(stage, data, read, count, codec);
  return true;
}

/// Where the warp's next read that may contain elements begins. Its reads begin `step` segments apart, from number
/// `first` on; each lane compares the offsets at both ends of one. If all 32 are empty: where the read after them
/// begins. Called by all lanes.
__device__ __forceinline__ std::size_t after_empty(const segment_bounds& bounds, std::size_t first, std::size_t step,
                                                   std::size_t n) {
  const std::size_t own = first + threadIdx.x % warp::threads * step;
  bool empty = false;
  if (own < bounds.count) {
    const std::size_t last = min(own + warp_bounds::size, bounds.count) - 1;
    empty = bounds.of(own, n).begin >= bounds.of(last, n).end;
  }
  const unsigned others = ~__ballot_sync(warp::all_lanes, empty);
  return first + (others != 0 ? __ffs(static_cast<int>(others)) - 1 : warp::threads) * step;
}

/// Sorts the segments of up to thread_items elements, and lists all longer ones. Data: a type that points to Keys.
template <class Key, class Data, class Codec>
__global__ void __launch_bounds__(short_threads, device::short_blocks(sizeof(Key)))
    short_segments_kernel(Data data, std::size_t n, segment_bounds bounds, const __grid_constant__ group_lists groups,
                          long_lists others, Codec codec) {
  await_predecessors();
  constexpr unsigned warps = short_threads / warp::threads;
  __shared__ warp_stage<Key> stages[warps];
  __shared__ warp_bounds all_read[warps];
  const unsigned warp = threadIdx.x / warp::threads;
  const std::size_t step = std::size_t{gridDim.x} * warps * warp_bounds::size;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * warp_bounds::size; first < bounds.count;) {
    const bool any =
        device::sort_read_segments(stages[warp], all_read[warp], data, n, bounds, first, groups, others, codec);
    first += step;
    if (!any && bounds.are_neighbours()) first = device::after_empty(bounds, first, step, n);
  }
}

}  // namespace gpu::inline v1::detail::device
