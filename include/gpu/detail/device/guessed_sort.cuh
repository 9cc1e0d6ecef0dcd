// Sort of numbers by a caller's comparator, which more often than not is their natural order, ascending or descending.
// The compiler cannot know, but a sample in order of its codes can tell: if the comparator orders its neighbours one
// way throughout, all keys are sorted by their codes, and then the comparator is applied to all neighbours. Under a
// strict weak order a sequence is sorted if no element precedes the one before it, however it got there. Where the
// sample or the neighbours contradict, quicksort by the comparator does the work. Only the device knows: all steps are
// enqueued, and each finds out there whether it is wanted. Not stable.
#pragma once

#include <cstddef>

#include "../keys/key.hpp"
#include "../keys/ordering.hpp"
#include "../sample_key.hpp"
#include "block/merge_sort.cuh"
#include "code_sort.hpp"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "order.cuh"
#include "quicksort.cuh"
#include "tuning/callers_orders.hpp"

namespace gpu::inline v1::detail::device {

/// Whether keys may turn out to be compared as numbers: precompiled kernels sort those of 4 and 8 bytes.
template <class Key, class Value, class Less>
inline constexpr bool may_be_natural_v =
    natural_key<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8) && std::is_same_v<Value, no_value> &&
    !strict_weak_order_v<Less> && compares_values_v<Less>;

/// What has been found out about a comparator.
struct order_guess {
  unsigned refuted;     ///< by the sample: it orders numbers neither upwards nor downwards
  unsigned descending;  ///< it orders them downwards
  unsigned sorted;      ///< refuted neither by the sample nor, once these have been compared, by all keys
};

/// Compares neighbours in a sample that is sorted by its codes. One block.
template <class Key, class Less, class Codec>
__global__ void __launch_bounds__(guess_threads)
    guess_order_kernel(const Key* keys, std::size_t n, Less less, Codec codec, std::uint64_t word, order_guess* guess) {
  await_predecessors();
  using code = bits_of_size<sizeof(Key)>;
  using sorter = block::merge_sort<code, no_value, guess_threads, guess_items>;
  __shared__ typename sorter::storage shared;
  for (unsigned i = threadIdx.x; i < sorter::tile; i += guess_threads)
    shared.keys[i] = codec.encode(__builtin_bit_cast(code, keys[detail::random_position(word, 0, i, n)]));
  sorter{shared}.sort(sorter::tile, code_less{});
  bool rises = false, falls = false;
  for (unsigned i = threadIdx.x + 1; i < sorter::tile; i += guess_threads) {
    const auto lower = __builtin_bit_cast(Key, codec.decode(shared.keys[i - 1]));
    const auto upper = __builtin_bit_cast(Key, codec.decode(shared.keys[i]));
    rises |= less(lower, upper);
    falls |= less(upper, lower);
  }
  rises = __syncthreads_or(rises);
  falls = __syncthreads_or(falls);
  if (threadIdx.x == 0) *guess = {rises && falls, falls, !(rises && falls)};
}

/// Reverses keys[0, n) if they are to descend.
template <class Key>
__global__ void __launch_bounds__(verify_threads)
    reverse_keys_kernel(Key* keys, std::size_t n, const order_guess* guess) {
  await_predecessors();
  if (guess->refuted || !guess->descending) return;
  constexpr std::size_t tile = std::size_t{verify_threads} * reverse_items;
  const std::size_t half = n / 2;
  for (std::size_t first = blockIdx.x * tile + threadIdx.x; first < half; first += gridDim.x * tile) {
    Key lower[reverse_items], upper[reverse_items];
#pragma unroll
    for (int i = 0; i < reverse_items; ++i) {
      const std::size_t index = min(first + static_cast<std::size_t>(i) * verify_threads, half - 1);
      lower[i] = keys[index];
      upper[i] = keys[n - 1 - index];
    }
#pragma unroll
    for (int i = 0; i < reverse_items; ++i) {
      const std::size_t index = first + static_cast<std::size_t>(i) * verify_threads;
      if (index >= half) break;
      keys[index] = upper[i];
      keys[n - 1 - index] = lower[i];
    }
  }
}

/// Clears guess->sorted if any of keys[0, n) precedes the one before it.
template <class Key, class Less>
__global__ void __launch_bounds__(verify_threads)
    verify_order_kernel(const Key* keys, std::size_t n, Less less, order_guess* guess) {
  await_predecessors();
  if (guess->refuted) return;
  constexpr std::size_t tile = std::size_t{verify_threads} * verify_items;
  bool disorder = false;
  for (std::size_t first = blockIdx.x * tile + 1; first < n; first += gridDim.x * tile) {
    Key own[verify_items], before[verify_items];
    device::load_items(keys + first, static_cast<unsigned>(min(tile, n - first)), own);
    device::load_items(keys + first - 1, static_cast<unsigned>(min(tile, n - first)), before);
#pragma unroll
    for (int i = 0; i < verify_items; ++i) disorder |= less(own[i], before[i]);
  }
  if (disorder) guess->sorted = 0;
}

/// The two sorts share their memory, as only one uses it at a time.
template <class Key, class Less>
struct guessed_scratch {
  order_guess* guess;
  carver again;
  quicksort_scratch<Key, no_value, Less> by_comparator;
  void* by_codes;

  guessed_scratch(carver& carve, std::size_t n)
      : guess{carve.take<order_guess>(1)},
        again{carve},
        by_comparator{carve, n},
        by_codes{again.take<std::byte>(code_sort_bytes(n, sizeof(Key)))} {
    carve.cover(again);
  }
};

/// Bytes of device memory that guessed_sort takes for n keys.
template <class Key, class Less>
[[nodiscard]] std::size_t guessed_sort_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : device::scratch_bytes<guessed_scratch<Key, Less>>(n);
}

/// Sets *guess by a sample of keys[0, n), n > 0.
template <class Key, class Less>
void guess_order(const context& context, const Key* keys, std::size_t n, Less less, order_guess* guess) {
  const auto codec = detail::make_codec<bits_of_size<sizeof(Key)>>(detail::format_of<Key>());
  device::launch_early(context, shape{1, guess_threads}, guess_order_kernel<Key, Less, decltype(codec)>, keys, n, less,
                       codec, detail::process_sample_key().first, guess);
}

/// Brings keys[0, n), which are sorted by their codes, into the order that *guess says, and verifies that by `less`.
template <class Key, class Less>
void verify_guess(const context& context, Key* keys, std::size_t n, Less less, order_guess* guess) {
  device::launch_persistent(context, {divide_up(n / 2, std::size_t{verify_threads} * reverse_items), verify_threads},
                            reverse_keys_kernel<Key>, keys, n, guess);
  device::launch_persistent(context, {divide_up(n - 1, std::size_t{verify_threads} * verify_items), verify_threads},
                            verify_order_kernel<Key, Less>, keys, n, less, guess);
}

/// Sorts keys[0, n) in place by `less`. Enqueues on the context's stream; the launches depend only on n. Takes n - 1
/// comparisons and those of a sample if the guess is right, plus those of quicksort if it is not. Throws
/// no_device_memory before anything is written, gpu::error if a launch is refused.
template <class Key, class Less>
void guessed_sort(const context& context, Key* keys, std::size_t n, Less less) {
  if (n < 2) return;
  const scratch<guessed_scratch<Key, Less>> memory{context, n};
  order_guess* const guess = memory->guess;
  device::guess_order(context, keys, n, less, guess);
  device::sort_codes_unless(context, &guess->refuted, keys, n, detail::format_of<Key>(), memory->by_codes);
  device::verify_guess(context, keys, n, less, guess);
  device::quicksort(context, memory->by_comparator, columns<Key, no_value>{keys, nullptr}, less, identity_codec{},
                    &guess->sorted);
}

}  // namespace gpu::inline v1::detail::device
