// Splitters: a sorted random sample cuts the key space into buckets, and a search in a perfect binary tree without
// pointers finds the bucket of a key without branches, in log2(number of buckets) steps. Leischner, "GPU algorithms for
// comparison-based sorting", 2010, section 6; Sanders and Winkel, "Super scalar sample sort", 2004.
//
// Splitters s_1 <= ... <= s_(k-1), k a power of two, define buckets 0 ... k-1; bucket b holds [s_b <= x < s_(b+1)),
// where s_0 and s_k are infinite. A splitter that occurs twice, s_(b-1) == s_b, indicates a heavy key: bucket b-1,
// which would stay empty, takes the keys equivalent to it, [x == s_b], and bucket b the rest, [s_b < x < s_(b+1)).
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../tuning/merging.hpp"

namespace gpu::inline v1::detail::device::block {

/// Sample elements per bucket: with 16, buckets rarely exceed twice their mean (Gamma distribution of order 16). Less
/// where the sample, which one block sorts, would not fit into a tile.
inline constexpr unsigned oversampling = 16;

/// The most buckets of one subsequence, a power of two: no more than a sample supports with 4 elements each, and few
/// enough that the tree, counters and offsets fit into 48 KB next to a tile.
template <class Key>
inline constexpr unsigned max_buckets = [] {
  unsigned buckets = 512;
  while (buckets > 8 && buckets * 4 > merge_tile(sizeof(Key), 0).size()) buckets /= 2;
  return buckets;
}();

/// The node of the tree that holds splitter s_b, 1 <= b < buckets. Node 1 is the root, 2j and 2j + 1 are j's children.
__device__ inline unsigned splitter_node(unsigned b, unsigned buckets) { return (b + buckets) >> (__ffs(b)); }

/// Splitters of one subsequence in global memory, for at least four buckets, in the order of the tree; node 0 is
/// unused. repeated[b] is true if s_(b-1) == s_b; in repeated[0], bit 0 is set if any splitter repeats, bit 1 if most
/// do.
template <class Key>
struct splitters {
  const Key* tree;
  const std::uint8_t* repeated;
  unsigned buckets;

  /// Whether bucket b holds keys equivalent to one splitter and nothing else.
  __device__ bool all_equal(unsigned b) const { return b + 1 < buckets && repeated[b + 1]; }
};

/// A sorted sample in shared memory: the splitters are the keys at multiples of `stride`.
template <class Key>
struct sorted_sample {
  Key* keys;
  unsigned stride;
  unsigned buckets;
  bool skewed;  ///< few different splitters: most keys are equivalent to one of them
};

/// If most splitters repeat others, replaces them by as few as the distinct ones need, each of them twice. Called by
/// every thread; synchronises before and after.
template <int Threads, class Key, class Less>
__device__ void thin_out(sorted_sample<Key>& sample, typename cub::BlockScan<unsigned, Threads>::TempStorage& shared,
                         Less less) {
  constexpr unsigned per_thread = static_cast<unsigned>(device::divide_up(max_buckets<Key>, Threads));
  Key splitters[per_thread];
  unsigned rank[per_thread];
  bool first[per_thread];
#pragma unroll
  for (unsigned i = 0; i < per_thread; ++i) {
    const unsigned b = threadIdx.x * per_thread + i;
    first[i] = false;
    if (b > 0 && b < sample.buckets) {
      splitters[i] = sample.keys[b * sample.stride];
      first[i] = b == 1 || less(sample.keys[(b - 1) * sample.stride], splitters[i]);
    }
    rank[i] = first[i] ? 1 : 0;
  }
  unsigned different = 0;
  cub::BlockScan<unsigned, Threads>{shared}.ExclusiveSum(rank, rank, different);
  __syncthreads();
  const unsigned needed = 2 * different + 1;
  if (2 * needed > sample.buckets) return;
  unsigned buckets = 4;
  while (buckets < needed) buckets *= 2;
#pragma unroll
  for (unsigned i = 0; i < per_thread; ++i)
    if (first[i])  // the last one fills the rest
      for (unsigned b = 1 + 2 * rank[i]; b < (rank[i] + 1 == different ? buckets : 3 + 2 * rank[i]); ++b)
        sample.keys[b] = splitters[i];
  sample = {sample.keys, 1, buckets, true};
  __syncthreads();
}

/// Builds the tree of a sorted sample. Called by every thread; synchronises at the start.
template <int Threads, class Key, class Less>
__device__ void build_splitters(const sorted_sample<Key>& sample, Key* tree, std::uint8_t* repeated, Less less) {
  bool any = false;
  for (unsigned b = threadIdx.x; b < sample.buckets; b += Threads) {
    if (b == 0) continue;
    const Key& splitter = sample.keys[b * sample.stride];
    tree[block::splitter_node(b, sample.buckets)] = splitter;
    const bool again = b > 1 && !less(sample.keys[(b - 1) * sample.stride], splitter);
    repeated[b] = again;
    any |= again;
  }
  any = __syncthreads_or(any);
  if (threadIdx.x == 0) repeated[0] = static_cast<std::uint8_t>((any ? 1 : 0) + (sample.skewed ? 2 : 0));
}

}  // namespace gpu::inline v1::detail::device::block
