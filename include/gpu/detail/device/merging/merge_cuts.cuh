// Where the tiles of merges begin in both inputs: where the path of a merge crosses the tiles' diagonals. A kernel
// finds all cuts before tiles are merged, a thread for each; of few tiles, the blocks that merge them search for their
// own, a warp for each, which spares a launch. Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cstddef>

#include "../../merge_path.hpp"
#include "../columns.cuh"
#include "../order.cuh"
#include "../thread/interpolation.cuh"
#include "../warp/shuffle.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Keys as their codes.
template <class Key, class Codec>
struct encoded_keys {
  const Key* keys;
  Codec codec;
  __device__ decltype(auto) operator[](std::size_t index) const { return codec.encode(keys[index]); }
};

/// A point of the path of a merge: of the elements before a diagonal, so many come from the first sequence.
struct path_point {
  std::size_t diagonal;
  std::size_t cut;

  __device__ std::size_t second_cut() const { return diagonal - cut; }
};

/// Where the cut of a diagonal lies between two points of the path: in [low, high].
struct cut_interval {
  std::size_t low;
  std::size_t high;

  __device__ cut_interval(path_point before, path_point after, std::size_t diagonal)
      : low{max(before.cut, max(diagonal, after.second_cut()) - after.second_cut())},
        high{min(after.cut, diagonal - before.second_cut())} {}
};

/// merge_path among numbers in global memory by one thread, between two points of the path.
template <class Key, class Codec>
__device__ std::size_t cut_by_value(encoded_keys<Key, Codec> a, encoded_keys<Key, Codec> b, path_point before,
                                    path_point after, std::size_t diagonal) {
  const cut_interval open{before, after, diagonal};
  if (open.low == open.high) return open.low;
  struct keys_across {
    Key a, b;
  };
  const auto look = [&](int, std::size_t at) { return keys_across{a[at], b[diagonal - 1 - at]}; };
  const auto see = [](const keys_across& found) {
    return thread::sighting<Key>{found.b < found.a,
                                 static_cast<Key>(found.b < found.a ? found.a - found.b : found.b - found.a)};
  };
  const thread::sighting<Key> least = see(look(0, open.low)), greatest = see(look(0, open.high - 1));
  if (least.behind) return open.low;
  if (!greatest.behind) return open.high;
  thread::search_interval<Key> places[] = {{open.low, open.high, least.gap, greatest.gap}};
  thread::interpolation_search(places, look, see);
  return places[0].low;
}

/// merge_path by a warp: looks at 32 places at once, first on either side of where the cut should be if both sequences
/// lie alike.
template <class Keys, class Less>
__device__ __forceinline__ std::size_t cut_by_warp(Keys a, std::size_t a_count, Keys b, std::size_t b_count,
                                                   std::size_t diagonal, Less less) {
  constexpr std::size_t lanes = warp::threads;
  auto [low, high] = cut_interval{{0, 0}, {a_count + b_count, a_count}, diagonal};
  const auto n = static_cast<float>(a_count + b_count);
  const auto expected = static_cast<std::size_t>(static_cast<float>(diagonal) / n * static_cast<float>(a_count));
  const auto spread = static_cast<std::size_t>(sqrtf(n));  // four deviations at most, if chance has shuffled both
  std::size_t step = min(spread, high - low) / lanes + 1;
  std::size_t first =
      max(low, min(max(expected, lanes / 2 * step) - lanes / 2 * step, max(high, lanes * step) - lanes * step));
  while (low < high) {
    const std::size_t at = first + threadIdx.x % lanes * step;
    const bool selected = at < high && !less(b[diagonal - 1 - at], a[at]);
    const std::size_t count = __popc(__ballot_sync(warp::all_lanes, selected));
    if (count < lanes) high = min(high, first + count * step);
    if (count > 0) low = first + (count - 1) * step + 1;
    step = (high - low) / lanes + 1;
    first = low;
  }
  return low;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
