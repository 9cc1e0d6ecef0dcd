// Sorting by the threads of one block, for use in kernels.
#pragma once

#include "detail/device/block/merge_sort.cuh"
#include "detail/device/columns.cuh"

namespace gpu::inline v1::block {

/// Shared memory of gpu::block::sort for tiles of Threads * Items elements: keys, or keys with values. Key and Value
/// are trivially copyable and trivially default constructible. The overload that sorts in shared memory expects its
/// elements in `keys` and `values`. Can be reused once the block has synchronised.
template <class Key, int Threads, int Items, class Value = detail::device::no_value>
using sort_storage = detail::device::block::merge_storage<Key, Value, Threads, Items>;

/// Sorts the keys that a block of Threads threads, a power of two of at least 32, holds in registers: those of thread t
/// are elements [t * Items, (t + 1) * Items) of the tile. Only the first `n` elements of the tile take part; n must be
/// the same in all threads, and all threads must make the call. Stable. `less(a, b)` is a strict weak order callable on
/// the device; if it is not a strict weak order, the resulting order is unspecified, but no element is lost. O(Items^2
/// + Items log^2 Threads) per thread. An odd number of Items avoids bank conflicts.
///
///   __global__ void sort_tiles(float* data) {  // 128 threads, a tile of 128 * 7 per block
///     __shared__ gpu::block::sort_storage<float, 128, 7> storage;
///     float* tile = data + (blockIdx.x * 128 + threadIdx.x) * 7;
///     float keys[7];
///     for (int i = 0; i < 7; ++i) keys[i] = tile[i];
///     gpu::block::sort(storage, keys, [](float a, float b) { return a > b; });
///     for (int i = 0; i < 7; ++i) tile[i] = keys[i];
///   }
template <class Key, int Threads, int Items, class Less>
__device__ void sort(sort_storage<Key, Threads, Items>& storage, Key (&keys)[Items], Less less,
                     int n = Threads * Items) {
  detail::device::no_value values[Items];
  detail::device::block::merge_sort<Key, detail::device::no_value, Threads, Items>{storage}.sort(keys, values, n, less);
}

/// The same for keys with values: keys are compared, and values move along.
template <class Key, class Value, int Threads, int Items, class Less>
__device__ void sort_by_key(sort_storage<Key, Threads, Items, Value>& storage, Key (&keys)[Items],
                            Value (&values)[Items], Less less, int n = Threads * Items) {
  detail::device::block::merge_sort<Key, Value, Threads, Items>{storage}.sort(keys, values, n, less);
}

/// Sorts the elements in shared memory, storage.keys[0, n), together with storage.values[0, n) if there are values, for
/// n <= Threads * Items. Synchronises the block before and after.
///
///   __shared__ gpu::block::sort_storage<int, 256, 9, float> storage;
///   … any thread writes storage.keys[i] and storage.values[i], i < n …
///   gpu::block::sort(storage, n, [](int a, int b) { return a < b; });
template <class Key, int Threads, int Items, class Value, class Less>
__device__ void sort(detail::device::block::merge_storage<Key, Value, Threads, Items>& storage, int n, Less less) {
  detail::device::block::merge_sort<Key, Value, Threads, Items>{storage}.sort(n, less);
}

}  // namespace gpu::inline v1::block
