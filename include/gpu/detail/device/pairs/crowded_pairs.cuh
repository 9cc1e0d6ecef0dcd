// Leaves of pairs that are too crowded for bins: their keys are merged in words with positions, whatever they are like.
#pragma once

#include <cstddef>

#include "../block/word_sort.cuh"
#include "../distribution/segments.cuh"
#include "../launching/launch.cuh"
#include "../tuning.hpp"
#include "pair_homes.cuh"
#include "pairs.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Sorts a leaf of pairs by words that hold all bits in which its keys differ.
template <class Key, class Value>
struct pair_word_sort {
  static constexpr tile_shape shape = pair_leaf_tile(sizeof(key_value<Key>));
  static constexpr int threads = shape.threads;
  using words = block::word_sort<Key, threads, shape.items>;
  static constexpr unsigned tile = words::tile;

  struct storage {
    key_value<Key> pairs[tile];
    typename words::storage words;
  };
  static_assert(sizeof(storage) <= pair_shared_bytes);

  /// As pair_leaf_sort's, stably; false, and nothing is written, if words cannot hold as much.
  template <class Decoder>
  __device__ static bool sort(storage& shared, const leaf_of_pairs<Key, Value>& leaf, unsigned n, bool keep_keys,
                              Decoder decoder) {
    Key keys[shape.items];
    __syncthreads();
    const Key first = device::load_pairs<threads>(leaf, n, shared.pairs, keys);
    words sorted{shared.words};
    if (!sorted.sort(keys, first, n)) return false;
    for (unsigned i = threadIdx.x; i < n; i += threads) {
      const key_value<Key> pair = shared.pairs[sorted[i]];
      if (keep_keys) leaf.data.keys[i] = decoder.decode(pair.key);
      leaf.data.values[i] = static_cast<Value>(pair.value);
    }
    return true;
  }
};

/// Sorts the listed leaves of pairs by words, and takes them out of the list: they are leaves of nothing. Those that
/// are too long or differ in too many bits, or all unless `by_words`, become columns in data.
template <class Key, class Value, class Decoder>
__global__ void __launch_bounds__(pair_leaf_tile(sizeof(key_value<Key>)).threads,
                                  pair_leaf_blocks(sizeof(key_value<Key>)))
    crowded_pairs_kernel(leaf* leaves, const unsigned* crowded, const unsigned* crowded_count,
                         pair_homes<Key, Value> pairs, bool by_words, bool keep_keys, Decoder decoder) {
  await_predecessors();
  using leaf_sort = pair_word_sort<Key, Value>;
  auto& shared = device::dynamic_shared<typename leaf_sort::storage>();
  for (unsigned i = blockIdx.x; i < *crowded_count; i += gridDim.x) {
    leaf& listed = leaves[crowded[i]];
    const leaf_of_pairs<Key, Value> placed{listed, pairs};
    const auto n = static_cast<unsigned>(min(placed.count, std::size_t{leaf_sort::tile} + 1));
    const bool sorted = n <= leaf_sort::tile && by_words && leaf_sort::sort(shared, placed, n, keep_keys, decoder);
    if (!sorted) placed.unpack(true, identity_codec{});
    __syncthreads();
    if (threadIdx.x > 0) continue;
    if (sorted)
      listed.count = 0;
    else
      listed.round = 1;  // it lies in data now
  }
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
