// Finds where the tiles of merges begin in both inputs, that is, where the merge path crosses the tiles' diagonals.
// Either a kernel finds all cuts before tiles are merged, one thread per cut, and leaves them in a table; or, where
// there are few tiles, the blocks that merge them search for their own cuts, one warp per cut, which saves a launch.
// Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../order.cuh"
#include "../thread/interpolation.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// Keys as their codes.
template <class Key, class Codec>
struct encoded_keys {
  const Key* keys;
  Codec codec;
  __device__ decltype(auto) operator[](std::size_t index) const { return codec.encode(keys[index]); }
};

/// Where the cut of a diagonal may lie: in [low, high].
struct cut_interval {
  std::size_t low;
  std::size_t high;

  __device__ cut_interval(std::size_t a_count, std::size_t b_count, std::size_t diagonal)
      : low{max(diagonal, b_count) - b_count}, high{min(diagonal, a_count)} {}
};

/// merge_path of numbers in global memory, by one thread with interpolation.
template <class Key, class Codec>
__device__ std::size_t cut_by_value(encoded_keys<Key, Codec> a, std::size_t a_count, encoded_keys<Key, Codec> b,
                                    std::size_t b_count, std::size_t diagonal) {
  const cut_interval open{a_count, b_count, diagonal};
  if (open.low == open.high) return open.low;
  struct keys_across {
    Key a, b;
  };
  const auto look = [&](int, std::size_t at) { return keys_across{a[at], b[diagonal - 1 - at]}; };
  const auto see = [](const keys_across& found) {
    return thread::probe_result<Key>{found.b < found.a,
                                     static_cast<Key>(found.b < found.a ? found.a - found.b : found.b - found.a)};
  };
  const thread::probe_result<Key> least = see(look(0, open.low)), greatest = see(look(0, open.high - 1));
  if (least.behind) return open.low;
  if (!greatest.behind) return open.high;
  thread::search_interval<Key> interval[] = {{open.low, open.high, least.gap, greatest.gap}};
  thread::interpolation_search<3>(interval, look, see);
  return interval[0].low;
}

/// merge_path by a warp: looks at 32 positions at once, first on either side of where the cut is expected if both
/// sequences are distributed alike.
template <class Keys, class Less>
__device__ __forceinline__ std::size_t cut_by_warp(Keys a, std::size_t a_count, Keys b, std::size_t b_count,
                                                   std::size_t diagonal, Less less) {
  constexpr std::size_t lanes = warp::threads;
  auto [low, high] = cut_interval{a_count, b_count, diagonal};
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

/// What a tile takes of its pair's first sequence: [begin, end).
struct tile_cuts {
  std::size_t begin;
  std::size_t end;
};

/// The cuts of all tiles in one table, and whether any two contradict one another, which happens only if `less` is no
/// strict weak order. A tile ends at the cut in the table where the next one begins, as such a comparator may yield two
/// cuts for one diagonal. Without a table, blocks search for the cuts of their tiles themselves, from tile `first` on:
/// all that search for a cut find the same one if `less` is a strict weak order.
struct known_cuts {
  std::size_t* cuts = nullptr;
  unsigned* contradiction = nullptr;
  unsigned first = 0;

  /// The calling block's tile.
  __device__ unsigned tile() const { return first + blockIdx.x; }
  /// Whether the inputs are complete when the kernel starts, not only once the launches before have ended. Tiles behind
  /// others may begin while these are merged: the inputs were complete before any cut was searched for.
  __device__ bool inputs_are_there() const { return first > 0; }

  /// The cuts of a tile that ends at diagonal `end` of its pair.
  template <class Pair>
  __device__ __forceinline__ tile_cuts of(std::size_t tile, const Pair& pair, std::size_t end) const {
    return {cuts[tile], end == pair.count() ? pair.a_count : cuts[tile + 1]};
  }

  /// The cuts of tile(), from diagonal `begin` of its pair to `end`. After a contradiction, tiles are cut from the
  /// concatenated sequences of the pair, and merged only within each tile: every element still arrives once.
  /// Synchronises if there is no table.
  template <bool Searches, class Pair, class Less, class Codec>
  __device__ __forceinline__ tile_cuts between(const Pair& pair, std::size_t begin, std::size_t end, Less less,
                                               Codec codec) const {
    if constexpr (!strict_weak_order_v<Less>) {
      if (*contradiction != 0) return {min(begin, pair.a_count), min(end, pair.a_count)};
    } else if constexpr (Searches) {
      if (cuts == nullptr) return searched(pair, begin, end, less, codec);
    }
    return of(tile(), pair, end);
  }

 private:
  /// Searched for by the first two warps.
  template <class Pair, class Less, class Codec>
  __device__ __forceinline__ static tile_cuts searched(const Pair& pair, std::size_t begin, std::size_t end, Less less,
                                                       Codec codec) {
    __shared__ std::size_t found[2];
    const unsigned warp = threadIdx.x / warp::threads;
    if (warp < 2)
      found[warp] = device::cut_by_warp(encoded_keys{pair.a.keys, codec}, pair.a_count,
                                        encoded_keys{pair.b.keys, codec}, pair.b_count, warp == 0 ? begin : end, less);
    __syncthreads();
    return {found[0], found[1]};
  }
};

/// The end of an output of n keys in tiles of `size`, used as a table of all tiles' cuts: allocating scratch costs the
/// host a microsecond, and twenty if it was idle before. The table covers tiles [covered_from, …), wholly or in part.
template <class Key>
struct cuts_in_output {
  std::size_t* table;
  std::size_t covered_from;

  cuts_in_output(Key* output, std::size_t n, std::size_t size) {
    constexpr std::size_t alignment = alignof(std::size_t);
    const auto begin = reinterpret_cast<std::uintptr_t>(output);
    const auto end = (begin + n * sizeof(Key)) / alignment * alignment;
    const auto first = end - divide_up(n, size) * sizeof(std::size_t);
    table = reinterpret_cast<std::size_t*>(first);
    covered_from = (first - begin) / (size * sizeof(Key));
  }
};

}  // namespace gpu::inline v1::detail::device
