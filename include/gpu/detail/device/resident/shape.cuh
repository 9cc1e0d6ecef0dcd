// What a quicksort in one launch keeps in global and in shared memory, and what it is made of. See
// resident_quicksort.cuh.
#pragma once

#include <cstddef>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "../../sample_key.hpp"
#include "../block/bin_sort.cuh"
#include "../block/classifier.cuh"
#include "../block/distribute.cuh"
#include "../block/evenness.cuh"
#include "../block/merge_sort.cuh"
#include "../block/splitters.cuh"
#include "../distribution/distribution.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/resident.hpp"

namespace gpu::inline v1::detail::device {

/// What a sort that streams keys does if these turn out to be skewed: it leaves them as they are and reports it, for
/// passes by digits that follow, which then take less time.
struct fallback {
  unsigned* wanted = nullptr;   ///< becomes nonzero if so, else zero
  unsigned* cleared = nullptr;  ///< words of the passes' scratch that become zero if so
  std::size_t words = 0;
};

/// Restricts a sort to the first *count keys, a number that only the device knows; null: all keys are sorted. The keys
/// behind them become the key with the code *rest; null: they stay as they are.
template <class Key>
struct front_keys {
  const unsigned long long* count = nullptr;
  const Key* rest = nullptr;
};

/// What the blocks share in global memory.
template <class Key>
struct resident_scratch {
  static constexpr unsigned divisions = 4;  ///< most that are tried until no partition is too long for a block

  Key* sample;          ///< resident_sample keys
  Key* ranked;          ///< some of them in order
  unsigned* counts;     ///< elements of each bucket, of every division; while they are counted, of the blocks before
  unsigned* long_ones;  ///< whether a bucket that is too long for a block may hold different elements
  Key* destination;     ///< of partitions, if elements go elsewhere than they come from
  sample_key samples = detail::process_sample_key();
  fallback if_skewed;
  front_keys<Key> front;

  explicit resident_scratch(carver& carve, std::size_t n_out_of_place = 0)
      : sample{carve.take<Key>(resident_sample)},
        ranked{carve.take<Key>(resident_sample)},
        counts{carve.take<unsigned>(divisions * block::max_buckets<Key>)},
        long_ones{carve.take<unsigned>(block::max_buckets<Key>)},
        destination{carve.take<Key>(n_out_of_place)} {}
};

/// The parts of the kernel for one type of key.
template <class Key, class Less, residents Count>
struct resident_shape {
  static constexpr resident_tiles tiles = resident_tiles_for(Count, sizeof(Key));
  static constexpr int threads = tiles.threads;
  static constexpr int items = tiles.held;
  static constexpr bool streamed = Count == residents::streamed;
  static constexpr unsigned most_buckets =
      streamed || tiles.buckets < block::max_buckets<Key> ? tiles.buckets : block::max_buckets<Key>;
  static constexpr unsigned most_splitters = streamed ? 1 : most_buckets;
  static_assert(streamed || most_buckets <= threads, "a thread looks after one bucket");

  using even = even_of<Key, Less>;
  using classifier = block::classifier<Key, even, threads>;
  using evenness = block::evenness_storage<Key, threads>;
  using distribute = block::distribute<threads, items, most_buckets, sizeof(Key)>;
  using bin_sort = block::bin_sort<Key, threads, tiles.sorted>;
  using merge_sort = block::merge_sort<Key, no_value, threads, tiles.sorted + 1>;
  using scan = cub::BlockScan<unsigned, threads>;
  struct curved_storage {
    evenness evenness;
    block::breakpoint curves[2 * block::breakpoints];
  };
  /// Elements that a block sorts at once.
  static constexpr unsigned longest = are_codes_v<Key, Less> ? bin_sort::tile : merge_sort::tile;

  /// `choice` holds the pivots, `start` where partitions begin: both phases need them.
  struct storage {
    typename classifier::storage classes;
    struct {
      alignas(16) std::byte tree[most_splitters * sizeof(Key)];
      std::uint8_t repeated[most_splitters];
    } choice;
    unsigned start[most_buckets + 1];
    typename scan::TempStorage scan;
    union {
      std::conditional_t<are_codes_v<Key, Less>, evenness, int> evenness;
      std::conditional_t<streamed, curved_storage, int> curved;
      alignas(16) std::byte sample[resident_sample * sizeof(Key)];
      typename distribute::storage distribute;
      std::conditional_t<are_codes_v<Key, Less>, typename bin_sort::storage, int> bins;
      typename merge_sort::storage merge;
    };
  };
};

}  // namespace gpu::inline v1::detail::device
