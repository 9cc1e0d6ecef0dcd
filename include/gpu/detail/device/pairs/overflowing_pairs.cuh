// Base cases of pairs that overflow bins: words that join their keys with positions are sorted by merging, whatever the
// keys are like.
#pragma once

#include <cstddef>

#include "../block/word_sort.cuh"
#include "../distribution/subproblems.cuh"
#include "../launching/launch.cuh"
#include "../tuning/pairs.hpp"
#include "pair_destinations.cuh"
#include "pairs.cuh"

namespace gpu::inline v1::detail::device {

/// Sorts a base case of pairs by words that hold all bits in which its keys differ.
template <class Key>
struct pair_word_sort {
  static constexpr tile_shape shape = pair_base_case_tile(sizeof(key_value<Key>));
  static constexpr int threads = shape.threads;
  using words = block::word_sort<Key, threads, shape.items>;
  static constexpr unsigned tile = words::tile;

  struct storage {
    key_value<Key> pairs[tile];
    typename words::storage words;
  };
  static_assert(sizeof(storage) <= pair_shared_bytes);

  /// Sorts a base case stably; returns false, having written nothing, if words cannot hold all bits that differ.
  template <class Decoder>
  __device__ static bool sort(storage& shared, const base_case_of_pairs<Key>& base_case, unsigned n,
                              Decoder decoder) {
    Key keys[shape.items];
    __syncthreads();
    const Key first = device::load_pairs<threads>(base_case, n, shared.pairs, keys);
    words sorted{shared.words};
    if (!sorted.sort(keys, first, n)) return false;
    for (unsigned i = threadIdx.x; i < n; i += threads) {
      const key_value<Key> pair = shared.pairs[sorted[i]];
      base_case.data.set(i, decoder.decode(pair.key), pair.value);
    }
    return true;
  }
};

/// Sorts overflowing base cases of pairs by words. Those that are too long, or whose keys differ in too many bits,
/// become columns in data, to be merged.
template <class Key>
__global__ void __launch_bounds__(pair_base_case_tile(sizeof(key_value<Key>)).threads,
                                  pair_base_case_blocks(sizeof(key_value<Key>)))
    overflowing_pairs_kernel(base_case* base_cases, base_case_list overflowing, base_case_list merged,
                             pair_destinations<Key> pairs, key_codec<Key> decoder) {
  await_predecessors();
  using base_case_sort = pair_word_sort<Key>;
  auto& shared = device::dynamic_shared<typename base_case_sort::storage>();
  overflowing.for_each([&](unsigned number) {
    base_case& listed = base_cases[number];
    const base_case_of_pairs<Key> located{listed, pairs};
    const auto n = static_cast<unsigned>(min(located.count, std::size_t{base_case_sort::tile} + 1));
    const bool sorted = n <= base_case_sort::tile && base_case_sort::sort(shared, located, n, decoder);
    if (!sorted) located.unpack(identity_codec{});
    __syncthreads();
    if (sorted || threadIdx.x > 0) return;
    listed.round = 1;  // it lies in data now
    merged.add(number);
  });
}

}  // namespace gpu::inline v1::detail::device
