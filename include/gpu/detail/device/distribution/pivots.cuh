// Chooses by a sample how each subproblem of a round is divided: to even buckets, or by splitters.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../keys/key.hpp"
#include "../block/merge_sort.cuh"
#include "../block/splitters.cuh"
#include "../erased_codes.cuh"
#include "../launching/launch.cuh"
#include "analysis.cuh"
#include "distribution.cuh"

namespace gpu::inline v1::detail::device {

template <class Key>
using splitter_scan = cub::BlockScan<unsigned, splitter_threads<Key>>;

template <class Key>
using sample_sorter =
    block::merge_sort<Key, no_value, merge_tile(sizeof(Key), 0).threads, merge_tile(sizeof(Key), 0).items>;

/// Draws and sorts a random sample of a subproblem for splitters.
template <class Key, class Codes, class Less>
__device__ block::sorted_sample<Key> draw_sample(const worklist_of<Key, Less>& worklist, unsigned round,
                                                 const subproblem& divided, const Codes& codes,
                                                 typename sample_sorter<Key>::storage& shared,
                                                 typename splitter_scan<Key>::TempStorage& scan, Less less) {
  const unsigned buckets = worklist.plan.buckets(divided.count, round);
  const unsigned stride = min(block::oversampling, static_cast<unsigned>(sample_sorter<Key>::tile) / buckets);
  __syncthreads();  // analyze() has used the same memory
  for (unsigned i = threadIdx.x; i < stride * buckets; i += splitter_threads<Key>)
    shared.keys[i] = codes[divided.begin + device::sampled(worklist.plan, round, divided, i)];
  sample_sorter<Key>{shared}.sort(static_cast<int>(stride * buckets), less);
  block::sorted_sample<Key> sample{shared.keys, stride, buckets, false};
  block::thin_out<splitter_threads<Key>>(sample, scan, less);
  return sample;
}

/// Whether an earlier round has broken off.
template <class Less>
__device__ bool is_broken(const worklist& worklist) {
  if constexpr (strict_weak_order_v<Less>)
    return false;
  else
    return *worklist.broken != no_round;
}

/// For each subproblem: claims tile ranges, and chooses even buckets or splitters from a random sample. Clears the
/// `counters` of its buckets, if not null.
template <class Key, class Codes, class Less>
__global__ void __launch_bounds__(splitter_threads<Key>)
    splitters_kernel(worklist_of<Key, Less> worklist, unsigned round, Codes codes, unsigned long long* counters,
                     Less less) {
  await_predecessors();
  constexpr int threads = splitter_threads<Key>;
  __shared__ union {
    typename sample_sorter<Key>::storage sample;
    std::conditional_t<are_codes_v<Key, Less>, analysis_storage<Key>, int> analysis;
  } shared;
  __shared__ typename splitter_scan<Key>::TempStorage scan;
  for (unsigned s = blockIdx.x; s < worklist.totals[round].subproblems; s += gridDim.x) {
    subproblem& divided = worklist.subproblems_of(round)[s];
    if (device::is_broken<Less>(worklist)) {
      if (threadIdx.x == 0) {
        divided.buckets = 0;  // and no tile ranges: the rest of the round skips it
        worklist.add_base_case(round, divided.begin, divided.count);
      }
      continue;
    }
    even_of<Key, Less> even{};
    auto repeats = repetition::seldom;
    bool has_heavy = false;
    if constexpr (are_codes_v<Key, Less>) {
      const bool first = round == 0 && !worklist.plan.subproblems_are_given();
      const auto found = device::analyze<Key>(worklist.plan, round, divided, codes, first ? worklist.curves : nullptr,
                                              shared.analysis);
      even = found.even, repeats = found.repeats, has_heavy = found.has_heavy;
    }
    block::sorted_sample<Key> sample{nullptr, 0, even.buckets, false};
    if (even.buckets == 0)
      sample = device::draw_sample<Key>(worklist, round, divided, codes, shared.sample, scan, less);
    if (threadIdx.x == 0) {
      worklist.even[s] = even;
      divided.buckets = sample.buckets;
      divided.repeats = repeats;
      divided.has_heavy = has_heavy;
      divided.equal = even.buckets == 0   ? equal_buckets::repeated
                      : even.all_equal(1) ? equal_buckets::inner
                                          : equal_buckets::none;
      worklist.claim(divided, round);
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < divided.tile_ranges; j += threads)
      worklist.subproblem_of[divided.first_tile_range + j] = s;
    if (counters)
      for (unsigned b = threadIdx.x; b < divided.buckets; b += threads) counters[divided.first_bucket + b] = 0;
    if (even.buckets == 0)
      block::build_splitters<threads>(sample, worklist.trees + divided.first_bucket,
                                      worklist.repeated + divided.first_bucket, less);
    __syncthreads();
  }
}

}  // namespace gpu::inline v1::detail::device
