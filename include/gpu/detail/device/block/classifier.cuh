// The bucket of a key, in one of three ways that a sample has chosen: computed from its offset in an even range,
// computed by a curve, or searched among splitters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "even_buckets.cuh"
#include "splitters.cuh"

namespace gpu::inline v1::detail::device::block {

/// Keeps in shared memory what it looks up, but for the splitters of wide keys.
template <class Key, class Even, int Threads>
class classifier {
  static constexpr bool kept = sizeof(Key) <= 16;

 public:
  struct storage {
    union {
      alignas(16) std::byte tree[kept ? max_buckets<Key> * sizeof(Key) : 1];
      breakpoint curve[breakpoints];
    };
    std::uint8_t repeated[max_buckets<Key>];
  };

  /// Called by every thread; synchronises before and after, so that `shared` may be in use by another classifier.
  __device__ classifier(storage& shared, const Even& even, const splitters<Key>& from)
      : even_{even}, shared_{shared}, tree_{from.tree}, buckets_{from.buckets} {
    __syncthreads();
    if (even_.curve)
      for (unsigned k = threadIdx.x; k < breakpoints; k += Threads) shared.curve[k] = even_.curve[k];
    if (!is_computed()) keep_splitters(from);
    __syncthreads();
  }

  /// Whether buckets cost so little that they need not be remembered.
  __device__ bool is_computed() const { return even_.buckets > 0; }

  /// Calls body with a functor that computes the bucket of a key. `codec`: what made the codes, as values need it.
  template <class Codec, class Body>
  __device__ __forceinline__ void compute(const Codec& codec, Body body) const {
    if constexpr (may_have_value_v<Key, Codec>)
      if (even_.scale != 0) return body(valued_buckets<Key>{block::maker_of<Key>(codec), even_});
    if (even_.curve)
      body(curved_buckets<Key>{even_, shared_.curve});
    else
      body(even_);
  }

  /// Whether most keys are so frequent that they have buckets of their own.
  __device__ bool is_skewed() const { return !is_computed() && shared_.repeated[0] >= 2; }

  /// bucket[i] of keys[i] by search; always below the number of buckets, whatever `less` is.
  template <int Items, class Less>
  __device__ void search(const Key (&keys)[Items], unsigned (&bucket)[Items], Less less) const {
    constexpr int group = Items < 8 ? Items : 8;  // searched side by side, as many as registers allow
    // Nodes are known by offsets, which address them, from two nodes before the tree, so that either child's is twice
    // its parent's less something: one selection. Were it nothing for one of them, the compiler would make three steps
    // of it.
    constexpr unsigned bytes = sizeof(Key);
    // Of the two upper levels all three nodes are asked, a comparison more than it takes: they are read, and what the
    // comparator makes of them alone is computed, once for all items.
    const Key &root = tree_[1], &low = tree_[2], &high = tree_[3];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int above = less(keys[i], low) + less(keys[i], root) + less(keys[i], high);
      bucket[i] = static_cast<unsigned>(9 - above) * bytes;
    }
#pragma unroll
    for (int first = 0; first < Items; first += group)
#pragma unroll 1
      for (unsigned level = 4; level < buckets_; level *= 2)
#pragma unroll
        for (int i = first; i < first + group && i < Items; ++i) {
          const bool left = less(keys[i], node(bucket[i] - 2 * bytes));
          bucket[i] = 2 * bucket[i] - (left ? 2 * bytes : bytes);
        }
#pragma unroll
    for (int i = 0; i < Items; ++i) bucket[i] = bucket[i] / bytes - 2 - buckets_;
    if (!shared_.repeated[0]) return;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned b = bucket[i];
      if (b > 0 && shared_.repeated[b] && !less(tree_[splitter_node(b, buckets_)], keys[i])) bucket[i] = b - 1;
    }
  }

  /// bucket[i] of keys[i], in whichever way.
  template <int Items, class Less, class Codec>
  __device__ void find(const Key (&keys)[Items], unsigned (&bucket)[Items], Less less, const Codec& codec) const {
    if constexpr (!std::is_same_v<Even, no_even_buckets>)
      if (is_computed())
        return compute(codec, [&](auto bucket_of) {
#pragma unroll
          for (int i = 0; i < Items; ++i) bucket[i] = bucket_of(keys[i]);
        });
    search(keys, bucket, less);
  }

 private:
  /// The node at an offset in the tree.
  __device__ __forceinline__ const Key& node(unsigned offset) const {
    return *reinterpret_cast<const Key*>(reinterpret_cast<const std::byte*>(tree_) + offset);
  }

  __device__ void keep_splitters(const splitters<Key>& from) {
    for (unsigned b = threadIdx.x; b < buckets_; b += Threads) {
      if constexpr (kept)
        if (b > 0) reinterpret_cast<Key*>(shared_.tree)[b] = from.tree[b];
      shared_.repeated[b] = from.repeated[b];
    }
    if constexpr (kept) tree_ = reinterpret_cast<const Key*>(shared_.tree);
  }

  Even even_;
  storage& shared_;
  const Key* tree_;
  unsigned buckets_;
};

}  // namespace gpu::inline v1::detail::device::block
