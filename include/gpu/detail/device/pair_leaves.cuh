// Leaves of pairs. A block sorts codes that join a leaf's keys, less the least of them, with positions in it, and
// fetches the values by those: stable, and codes are half as wide as pairs.
#pragma once

#include <bit>
#include <cstddef>

#include "block/bin_sort.cuh"
#include "block/extremes.cuh"
#include "launch.cuh"
#include "leaves.cuh"
#include "pairs.cuh"
#include "persistent.cuh"
#include "segments.cuh"
#include "tuning.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The two homes of n pairs, of which one may lie where the sorted columns shall be.
template <class Key, class Value>
struct pair_homes {
  split_array<key_value<Key>> buffer;
  split_array<key_value<Key>> home;
  columns<Key, Value> data;
  std::size_t n;
};

inline constexpr int settle_threads = 256;

/// What lies in a chunk that several leaves share would be overwritten by one of them while another one reads it: it
/// becomes columns before. So does the last chunk if it is not full. A warp for each leaf's begin; `settled`: a bit for
/// each chunk, zero.
template <class Key, class Value>
__global__ void __launch_bounds__(settle_threads)
    settle_chunks_kernel(const leaf* leaves, const unsigned* leaf_count, pair_homes<Key, Value> pairs,
                         unsigned* settled) {
  constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;
  constexpr unsigned warps = settle_threads / warp::threads;
  const unsigned lane = threadIdx.x % warp::threads;
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x * warps + threadIdx.x / warp::threads; l <= count; l += gridDim.x * warps) {
    const std::size_t begin = l < count ? leaves[l].begin : pairs.n;
    if (begin % chunk == 0) continue;
    const std::size_t number = begin / chunk;
    const unsigned bit = 1u << number % 32;
    const unsigned before = lane == 0 ? atomicOr(&settled[number / 32], bit) : 0;
    if (__shfl_sync(warp::all_lanes, before, 0) & bit) continue;
    const std::size_t place = number * chunk + lane;
    const bool present = lane < chunk && place < pairs.n;
    key_value<Key> pair{};
    if (present) pair = pairs.home[place];
    __syncwarp();
    if (present) pairs.data.set(place, pair.key, static_cast<Value>(pair.value));
  }
}

/// A leaf of pairs, wherever they lie.
template <class Key, class Value>
struct leaf_of_pairs {
  static constexpr std::size_t chunk = split_array<key_value<Key>>::chunk;
  split_array<key_value<Key>> pairs;
  columns<Key, Value> data;
  std::size_t count;
  std::size_t whole_begin;  ///< outside [whole_begin, whole_end) they lie in columns
  std::size_t whole_end;

  __device__ leaf_of_pairs(const leaf& placed, const pair_homes<Key, Value>& of)
      : pairs{(placed.round % 2 == 0 ? of.buffer : of.home) + placed.begin},
        data{of.data + placed.begin},
        count{placed.count},
        whole_begin{0},
        whole_end{placed.count} {
    if (placed.round % 2 == 0) return;
    const std::size_t end = (placed.begin + placed.count) / chunk * chunk;
    whole_begin = (chunk - placed.begin % chunk) % chunk;
    whole_end = end > placed.begin + whole_begin ? end - placed.begin : whole_begin;
  }

  __device__ key_value<Key> operator[](std::size_t i) const {
    return i >= whole_begin && i < whole_end ? pairs[i] : in_columns(i);
  }
  __device__ key_value<Key> in_columns(std::size_t i) const { return {data.keys[i], data.values[i]}; }

  /// Makes columns of it where it is. Called by every thread of the block: a warp has whole chunks before it, and reads
  /// them before it writes.
  template <class Decoder>
  __device__ void unpack(bool keep_keys, Decoder decoder) const {
    for (std::size_t first = 0; first < count + chunk; first += blockDim.x) {
      const std::size_t i = first + threadIdx.x + whole_begin - chunk;
      const bool present = i < count;
      key_value<Key> pair{};
      if (present) pair = (*this)[i];
      __syncwarp();
      if (!present) continue;
      if (keep_keys) data.keys[i] = decoder.decode(pair.key);
      data.values[i] = static_cast<Value>(pair.value);
    }
  }
};

/// Where a sorted tile of codes goes: their keys, and the values from the positions in them.
template <class Code, class Key, class Value, class Decoder>
struct fetched_pairs {
  columns<Key, Value> target;
  const Value* values;  ///< of the tile, in shared memory
  Key least;
  unsigned position_bits;
  bool keep_keys;
  Decoder decoder;

  struct reference {
    const fetched_pairs& of;
    unsigned index;
    __device__ void operator=(Code code) const {
      const Key key = static_cast<Key>(of.least + static_cast<Key>(code >> of.position_bits));
      if (of.keep_keys) of.target.keys[index] = of.decoder.decode(key);
      of.target.values[index] = of.values[static_cast<unsigned>(code) & ((1u << of.position_bits) - 1)];
    }
  };
  __device__ reference operator[](unsigned index) const { return {*this, index}; }
};

template <class Code, class Key, class Value>
class pair_leaf_sort {
  static constexpr tile_shape shape = pair_leaf_tile(sizeof(Code));
  static constexpr int items = shape.items;
  using bins = block::bin_sort<Code, shape.threads, items>;
  static constexpr unsigned position_bits = std::countr_zero(bins::tile);

 public:
  static constexpr int threads = shape.threads;
  static constexpr unsigned tile = bins::tile;

  struct storage {
    typename bins::storage bins;
    block::extremes_storage<Key, threads> range;
    Value values[tile];
  };
  static_assert(sizeof(storage) <= pair_shared_bytes);

  __device__ explicit pair_leaf_sort(storage& shared) : shared_{shared} {}

  /// Sorts a leaf of 0 < n <= tile pairs, stably; false, and nothing is written, if keys differ too much for codes of
  /// this width or bins are too crowded. placed(): the leaf, cheaper to find again than to keep. Called by every
  /// thread; synchronises before.
  template <class Placed, class Decoder>
  __device__ bool sort(Placed placed, unsigned n, bool keep_keys, Decoder decoder) {
    Key keys[items];
    __syncthreads();
    load(placed(), n, keys);
    const auto range = block::extremes<threads>(keys, shared_.range);
    const Key span = static_cast<Key>(range.greatest - range.least);
    if constexpr (8 * sizeof(Code) < 8 * sizeof(Key) + position_bits)
      if (span >> (8 * sizeof(Code) - position_bits) != 0) return false;
    Code codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i)
      codes[i] = static_cast<Code>(static_cast<Code>(keys[i] - range.least) << position_bits | index(i));
    const Code greatest = static_cast<Code>(static_cast<Code>(span) << position_bits | (tile - 1));
    bins sorted{shared_.bins};
    if (!sorted.sort(codes, n, 0, greatest)) return false;
    sorted.store(fetched_pairs<Code, Key, Value, Decoder>{placed().data, shared_.values, range.least, position_bits,
                                                          keep_keys, decoder},
                 n, identity_codec{});
    return true;
  }

 private:
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * threads + threadIdx.x; }

  /// Keys to registers, values to shared memory; keys from n on are the first. As many loads are under way as
  /// registers allow.
  __device__ __forceinline__ void load(const leaf_of_pairs<Key, Value>& leaf, unsigned n, Key (&keys)[items]) {
    constexpr int group = 128 / static_cast<int>(sizeof(key_value<Key>));
    const auto whole_begin = static_cast<unsigned>(leaf.whole_begin), whole_end = static_cast<unsigned>(leaf.whole_end);
    const key_value<Key>* const own = &leaf.pairs[threadIdx.x];
    const std::size_t step = leaf.pairs.distance(threads);
    const key_value<Key> first = leaf[0];
#pragma unroll
    for (int begin = 0; begin < items; begin += group) {
      key_value<Key> pairs[group];
#pragma unroll
      for (int i = 0; i < group; ++i) {
        const unsigned at = index(begin + i);
        pairs[i] = first;
        if (at - whole_begin < whole_end - whole_begin)
          pairs[i] = own[static_cast<std::size_t>(begin + i) * step];
        else if (at < n)
          pairs[i] = leaf.in_columns(at);
      }
#pragma unroll
      for (int i = 0; i < group; ++i) {
        keys[begin + i] = pairs[i].key;
        shared_.values[index(begin + i)] = static_cast<Value>(pairs[i].value);
      }
    }
  }

  storage& shared_;
};

/// Sorts the leaves of pairs into data; leaves that are too long or too crowded for that become columns there, and are
/// listed.
template <class Code, class Key, class Value, class Decoder>
__global__ void __launch_bounds__(pair_leaf_tile(sizeof(Code)).threads, pair_leaf_blocks)
    pair_leaves_kernel(leaf* leaves, const unsigned* leaf_count, unsigned* crowded, unsigned* crowded_count,
                       pair_homes<Key, Value> pairs, bool keep_keys, Decoder decoder) {
  using leaf_sort = pair_leaf_sort<Code, Key, Value>;
  auto& shared = dynamic_shared<typename leaf_sort::storage>();
  const unsigned count = *leaf_count;
  for (unsigned l = blockIdx.x; l < count; l += gridDim.x) {
    const auto placed = [&] { return leaf_of_pairs<Key, Value>{leaves[l], pairs}; };
    if (leaves[l].ordered) {
      placed().unpack(keep_keys, decoder);
      continue;
    }
    const auto n = static_cast<unsigned>(min(std::size_t{leaves[l].count}, std::size_t{leaf_sort::tile} + 1));
    if (n <= leaf_sort::tile && leaf_sort{shared}.sort(placed, n, keep_keys, decoder)) continue;
    placed().unpack(true, identity_codec{});
    __syncthreads();
    if (threadIdx.x > 0) continue;
    leaves[l].round = 1;  // it lies in data now
    crowded[atomicAdd(crowded_count, 1u)] = l;
  }
}

/// Sorts all leaves into pairs.data; its keys are written only if `keep_keys`, but may be used. `spare`: n more, which
/// may lie where the buffer is.
template <class Code, class Key, class Value, class Decoder>
void sort_pair_leaves(const context& context, const division_of<Key, code_less>& parts, pair_homes<Key, Value> pairs,
                      columns<Key, Value> spare, unsigned* settled, bool keep_keys, Decoder decoder) {
  const auto settle = settle_chunks_kernel<Key, Value>;
  const auto sort = pair_leaves_kernel<Code, Key, Value, Decoder>;
  const auto merge = merge_leaves_kernel<Key, Value, code_less, identity_codec, Decoder>;
  using leaf_sort = pair_leaf_sort<Code, Key, Value>;
  constexpr int merge_threads = merge_tile(sizeof(Key), sizeof(Value)).threads;
  const std::size_t limit = parts.plan.leaf_limit();
  const std::size_t even_leaves = divide_up(parts.plan.n, parts.plan.even_leaf);
  launch(context, persistent_shape(context, settle, divide_up(limit * warp::threads, settle_threads), settle_threads),
         settle, parts.leaves, parts.leaf_count, pairs, settled);
  launch(context,
         shape{even_leaves < limit ? even_leaves : limit, leaf_sort::threads, sizeof(typename leaf_sort::storage)},
         sort, parts.leaves, parts.leaf_count, parts.crowded, parts.crowded_count, pairs, keep_keys, decoder);
  launch(context, persistent_shape(context, merge, limit, merge_threads), merge, parts.leaves, parts.crowded,
         parts.crowded_count, parts.broken, pairs.data, spare, code_less{}, identity_codec{}, decoder);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
