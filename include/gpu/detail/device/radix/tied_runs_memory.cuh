// Memory of the steps that order keys that tie in their leading digits.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../warp/shuffle.cuh"
#include "tile.cuh"

namespace gpu::inline v1::detail::device {

/// Whether leading digits may be enough to sort by: of keys of 8 bytes with values.
template <class Bits, class Value>
inline constexpr bool may_leave_ties_v = sizeof(Bits) == 8 && has_value_v<Value>;

/// Length of the longest run that a tile orders.
inline constexpr unsigned short_run = 32;

/// What a tile holds in shared memory, in place of a tile of a pass. Each warp has the keys of its own elements in
/// slots 1 to `own`, that of the element before them in slot 0, and behind them as many as a short run can extend over.
template <class Bits, class Value>
struct tied_tile {
  static constexpr unsigned warps = radix_tile_of<Bits, Value>.threads / warp::threads;
  static constexpr int words = 9;  ///< with a bit for each slot
  static constexpr unsigned slots = words * warp::threads, own = slots - 1 - short_run, size = warps * own;

  Bits keys[warps][slots];
  unsigned counts[warps];  ///< of elements that a warp gathers; then those of the warps before it
  std::size_t before;      ///< elements that preceding tiles gather
};

/// Memory for what is found out about the runs of n keys.
template <class Bits, class Value>
struct tied_runs_memory {
  static constexpr std::size_t tile = tied_tile<Bits, Value>::size, per_word = short_run * 32;

  unsigned long long* states;  ///< [tiles]: of the look-back of tiles that gather
  unsigned* long_runs;         ///< a bit per short_run positions: whether an unordered long run begins there
  unsigned char* unordered;    ///< [tiles]: whether part of such a run lies in the tile
  unsigned* list;              ///< of those tiles

  tied_runs_memory(carver& carve, std::size_t n)
      : states{carve.take<unsigned long long>(divide_up(n, tile))},
        long_runs{carve.take<unsigned>(divide_up(n, per_word))},
        unordered{carve.take<unsigned char>(divide_up(n, tile))},
        list{carve.take<unsigned>(divide_up(n, tile))} {}

  /// Clears what belongs to elements [begin, begin + count). Called by all threads of a block.
  __device__ void clear(std::size_t begin, std::size_t count) const {
    const auto clear = [&](auto* array, std::size_t each) {
      const std::size_t end = divide_up(begin + count, each);
      for (std::size_t i = divide_up(begin, each) + threadIdx.x; i < end; i += blockDim.x) array[i] = 0;
    };
    clear(states, tile);
    clear(long_runs, per_word);
    clear(unordered, tile);
  }
};

/// What is found about runs: words of global memory, zero before the sort.
struct tied_runs_found {
  unsigned long long long_runs;  ///< whether there are long runs that are not in order
  unsigned long long tiles;      ///< that have part of one
  unsigned long long gathered;   ///< elements of these runs
};

/// Where elements of long runs among n elements are gathered: in the buffer of the passes.
template <class Bits, class Value>
struct gathered_elements {
  columns<Bits, Value> elements;
  columns<Bits, Value> buffer;  ///< for sorting them
  std::size_t* indices;         ///< where they come from
  std::size_t limit;            ///< how many fit

  __device__ gathered_elements(columns<Bits, Value> memory, std::size_t n)
      : elements{memory},
        buffer{memory + n / 3},
        indices{reinterpret_cast<std::size_t*>(memory.keys + 2 * (n / 3))},
        limit{n / 3} {
    static_assert(sizeof(Bits) == sizeof(std::size_t));
  }
};

}  // namespace gpu::inline v1::detail::device
