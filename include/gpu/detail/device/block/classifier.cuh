// The bucket of a key, found in one of three ways, as chosen by a sample: computed from the offset in an even range,
// computed by a curve, or searched among splitters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "even_buckets.cuh"
#include "splitters.cuh"

namespace gpu::inline v1::detail::device::block {

/// Keeps its tables in shared memory, except for splitters that are wide keys.
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

  /// Whether buckets are computed, and so cheap that they need not be remembered.
  __device__ bool is_computed() const { return even_.buckets > 0; }

  /// Calls body with a functor that computes the bucket of a key. `codec`: the codec that made the codes, needed for
  /// buckets by value.
  template <class Codec, class Body>
  __device__ __forceinline__ void compute(const Codec& codec, Body body) const {
    if constexpr (may_have_value_v<Key, Codec>)
      if (even_.scale != 0) return body(valued_buckets<Key>{block::maker_of<Key>(codec), even_});
    if (even_.curve)
      body(curved_buckets<Key>{even_, shared_.curve});
    else
      body(even_);
  }

  /// Whether most keys are frequent enough to have buckets of their own.
  __device__ bool is_skewed() const { return !is_computed() && shared_.repeated[0] >= 2; }

  /// Searches the bucket of each key; always below the number of buckets, whatever `less` is.
  template <int Items, class Less>
  __device__ void search(const Key (&keys)[Items], unsigned (&bucket)[Items], Less less) const {
    constexpr int group = Items < 8 ? Items : 8;  // searched in an interleaved way, as many as registers allow
    // Nodes are identified by byte offsets, usable as addresses, relative to two nodes before the tree, so that the
    // offset of either child is twice its parent's less a constant: one selection. Were the constant zero for one
    // child, the compiler would make three steps of it.
    constexpr unsigned bytes = sizeof(Key);
    // All three nodes of the two upper levels are compared, one comparison more than necessary: they are read, and
    // whatever the comparator derives from them alone is computed, once for all items.
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

  /// Finds the bucket of each key, in whichever way was chosen.
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
