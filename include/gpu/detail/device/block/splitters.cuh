// Splitters: a sorted random sample cuts the key space into buckets, and a perfect binary search tree without pointers
// tells the bucket of a key in as many steps, without a branch, as the number of buckets has bits. Leischner, "GPU
// algorithms for comparison-based sorting", 2010, section 6; Sanders and Winkel, "Super scalar sample sort", 2004.
//
// Splitters s_1 <= ... <= s_(k-1), k a power of two, make buckets 0 ... k-1; bucket b holds [s_b <= x < s_(b+1)), where
// s_0 and s_k are infinite. A splitter that occurs twice, s_(b-1) == s_b, stands for a heavy key: bucket b-1, which
// would stay empty, takes the keys equivalent to it, [x == s_b], and bucket b the rest, [s_b < x < s_(b+1)).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device::block {

/// Sample elements per bucket: buckets rarely exceed twice their mean (Gamma distribution of order 16). Less where the
/// sample, which one block sorts, would not fit a tile.
inline constexpr unsigned oversampling = 16;

/// Most buckets of one subsequence, a power of two: as many as a sample supports with 7 elements each; and no more than
/// leave room for tree, counters and places beside a tile in 48 KB.
template <class Key>
inline constexpr unsigned max_buckets = [] {
  unsigned buckets = 512;
  while (buckets > 8 && buckets * 7 > merge_tile(sizeof(Key), 0).size()) buckets /= 2;
  return buckets;
}();

/// A place in [0, count), the same whenever asked with the same arguments. Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014 (the finalizer of splitmix64).
__device__ inline std::size_t random_place(std::uint64_t stream, std::uint64_t draw, std::size_t count) {
  std::uint64_t x = (stream + 1) * 0x9e3779b97f4a7c15u + (draw + 1) * 0xd1342543de82ef95u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::size_t>(__umul64hi(x ^ (x >> 31), count));
}

/// The node of the tree that holds splitter s_b, 1 <= b < buckets. Node 1 is the root, 2j and 2j + 1 are j's children.
__device__ inline unsigned splitter_node(unsigned b, unsigned buckets) { return (b + buckets) >> (__ffs(b)); }

/// Splitters of one subsequence in global memory, in the order of the tree; node 0 is unused.
/// repeated[b] tells whether s_(b-1) == s_b; repeated[0] whether any is.
template <class Key>
struct splitters {
  const Key* tree;
  const std::uint8_t* repeated;
  unsigned buckets;

  /// Whether bucket b holds keys equivalent to one splitter and nothing else.
  __device__ bool all_equal(unsigned b) const { return b + 1 < buckets && repeated[b + 1]; }
};

/// Makes the tree of a sorted sample of `stride` keys per bucket. Called by every thread; synchronises at the start.
template <int Threads, class Key, class Less>
__device__ void build_splitters(const Key* sample, unsigned stride, unsigned buckets, Key* tree, std::uint8_t* repeated,
                                Less less) {
  bool any = false;
  for (unsigned b = threadIdx.x; b < buckets; b += Threads) {
    if (b == 0) continue;
    const Key& splitter = sample[b * stride];
    tree[splitter_node(b, buckets)] = splitter;
    const bool again = b > 1 && !less(sample[(b - 1) * stride], splitter);
    repeated[b] = again;
    any |= again;
  }
  any = __syncthreads_or(any);
  if (threadIdx.x == 0) repeated[0] = any;
}

/// Finds buckets of keys: even ones if there are any, else by splitters that it keeps in shared memory, unless keys are
/// wide.
template <class Key, class Even, int Threads>
class classifier {
  static constexpr bool kept = sizeof(Key) <= 16;

 public:
  struct storage {
    alignas(16) std::byte tree[kept ? max_buckets<Key> * sizeof(Key) : 1];
    std::uint8_t repeated[max_buckets<Key>];
  };

  /// Called by every thread; synchronises before and after, so that `shared` may be in use by another classifier.
  __device__ classifier(storage& shared, const Even& even, const splitters<Key>& from)
      : even_{even}, tree_{from.tree}, repeated_{shared.repeated}, buckets_{from.buckets} {
    __syncthreads();
    if (is_even()) return;
    for (unsigned b = threadIdx.x; b < buckets_; b += Threads) {
      if constexpr (kept)
        if (b > 0) reinterpret_cast<Key*>(shared.tree)[b] = from.tree[b];
      shared.repeated[b] = from.repeated[b];
    }
    if constexpr (kept) tree_ = reinterpret_cast<const Key*>(shared.tree);
    __syncthreads();
  }

  /// Whether even() tells the bucket of a key at next to no cost.
  __device__ bool is_even() const { return even_.buckets > 0; }
  __device__ const Even& even() const { return even_; }

  /// bucket[i] of keys[i]; always below the number of buckets, whatever `less` is.
  template <int Items, class Less>
  __device__ void find(const Key (&keys)[Items], unsigned (&bucket)[Items], Less less) const {
    if (is_even()) {
#pragma unroll
      for (int i = 0; i < Items; ++i) bucket[i] = even_(keys[i]);
      return;
    }
    constexpr int group = Items < 8 ? Items : 8;  // searched side by side, as many as registers allow
#pragma unroll
    for (int i = 0; i < Items; ++i) bucket[i] = 1;
#pragma unroll
    for (int first = 0; first < Items; first += group)
#pragma unroll 1
      for (unsigned level = 1; level < buckets_; level *= 2)
#pragma unroll
        for (int i = first; i < first + group && i < Items; ++i)
          bucket[i] = 2 * bucket[i] + !less(keys[i], tree_[bucket[i]]);
#pragma unroll
    for (int i = 0; i < Items; ++i) bucket[i] -= buckets_;
    if (!repeated_[0]) return;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned b = bucket[i];
      if (b > 0 && repeated_[b] && !less(tree_[splitter_node(b, buckets_)], keys[i])) bucket[i] = b - 1;
    }
  }

 private:
  Even even_;
  const Key* tree_;
  const std::uint8_t* repeated_;
  unsigned buckets_;
};

}  // namespace detail::device::block
}  // namespace v1
}  // namespace gpu
