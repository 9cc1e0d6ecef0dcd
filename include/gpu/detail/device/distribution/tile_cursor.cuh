// Loads keys from global memory to registers, tile by tile.
#pragma once

#include <cstddef>

#include "../block/distribute.cuh"
#include "../thread/codes.cuh"
#include "../warp/shuffle.cuh"

namespace gpu::inline v1::detail::device {

/// Loads the thread's items of source[0, count), count > 0. Items beyond repeat the last element, so that a comparator
/// sees only elements. All items share one base address.
template <int Items, class Source, class Key>
__device__ __forceinline__ void load_items(Source source, unsigned count, Key (&keys)[Items]) {
  const Source own = source + block::item_index<Items>(0);
  if (count == blockDim.x * Items) {
    device::read_items(own, keys, [](int i) { return i * warp::threads; });
  } else {
    const int last = static_cast<int>(count - block::item_index<Items>(0)) - 1;
    device::read_items(own, keys, [last](int i) { return min(i * warp::threads, last); });
  }
}

/// The keys of source[begin, end), begin < end, one tile after another, in registers.
template <class Key, class Source, int Threads, int Items>
class tile_cursor {
  static constexpr std::size_t tile = std::size_t{Threads} * Items;
  static constexpr bool ahead = sizeof(Key) <= 16;  ///< wider keys would take the registers that writing needs

 public:
  Key keys[Items];  ///< of the current tile until prefetch()

  __device__ tile_cursor(Source source, std::size_t begin, std::size_t end)
      : source_{source}, first_{begin}, end_{end} {
    load(first_);
  }
  __device__ bool done() const { return first_ >= end_; }
  [[nodiscard]] __device__ std::size_t first() const { return first_; }
  [[nodiscard]] __device__ unsigned count() const { return count_at(first_); }

  /// Begins to load the next tile's keys, to be called when those of the current one are no longer needed: they arrive
  /// while it is written.
  __device__ __forceinline__ void prefetch() {
    if constexpr (ahead)
      if (first_ + tile < end_) load(first_ + tile);
  }
  __device__ __forceinline__ void advance() {
    first_ += tile;
    if constexpr (!ahead)
      if (!done()) load(first_);
  }

 private:
  [[nodiscard]] __device__ unsigned count_at(std::size_t first) const {
    return static_cast<unsigned>(min(tile, end_ - first));
  }
  __device__ __forceinline__ void load(std::size_t first) {
    device::load_items(source_ + first, count_at(first), keys);
  }

  Source source_;
  std::size_t first_;
  std::size_t end_;
};

}  // namespace gpu::inline v1::detail::device
