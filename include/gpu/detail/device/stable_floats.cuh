// Stable sort of floating-point keys without values. As many as one launch sorts are joined with their indices. Where
// there are more, equivalent keys with the same bits may change places unnoticed; the only equivalent keys that differ
// are -0 and +0, and NaNs of different bits. If a look at all keys finds neither kind, which is the rule, an unstable
// sort is as good, else radix sort by ranks does the work. Only the device knows: both are enqueued, and one of them
// finds that it is not wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cuda/atomic>

#include "../keys/key.hpp"
#include "../keys/shared_codes.hpp"
#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "radix_sort.cuh"
#include "sort.cuh"
#include "sort_out_of_place.cuh"

namespace gpu::inline v1::detail::device {

/// What has been seen of keys that have equivalents. Initially all zero.
struct equivalents {
  unsigned zeros;                    ///< bit 0: some -0, bit 1: some +0
  unsigned long long greatest_nan;   ///< the greatest code of a NaN; 0: there is none
  unsigned long long least_nan_not;  ///< the complement of the least code of a NaN
};

inline constexpr int look_threads = 256;
inline constexpr int look_items = 16;

/// Notes zeros and NaNs among all keys; reads first what is noted, so as not to write it again.
template <class Bits, class Codec>
__global__ void __launch_bounds__(look_threads)
    note_equivalents_kernel(const Bits* keys, std::size_t n, floating_code_less<Bits> order, Codec codec,
                            equivalents* seen) {
  unsigned zeros = 0;
  unsigned long long greatest = 0, least_not = 0;
  constexpr std::size_t tile = std::size_t{look_threads} * look_items;
  for (std::size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
    Bits codes[look_items];
    device::load_items(keys + first, static_cast<unsigned>(min(tile, n - first)), codes);
#pragma unroll
    for (int i = 0; i < look_items; ++i) {
      const Bits ascending = static_cast<Bits>(codec.encode(codes[i]) ^ order.invert);
      if (ascending == order.negative_zero) zeros |= 1u;
      if (ascending == static_cast<Bits>(order.negative_zero + 1)) zeros |= 2u;
      if (ascending < order.first_nan) continue;
      greatest = max(greatest, static_cast<unsigned long long>(ascending));
      least_not = max(least_not, ~static_cast<unsigned long long>(ascending));
    }
  }
  using word = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  using number = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;
  constexpr auto relaxed = ::cuda::memory_order_relaxed;
  if (zeros & ~word{seen->zeros}.load(relaxed)) word{seen->zeros}.fetch_or(zeros, relaxed);
  if (greatest > number{seen->greatest_nan}.load(relaxed)) number{seen->greatest_nan}.fetch_max(greatest, relaxed);
  if (least_not > number{seen->least_nan_not}.load(relaxed)) number{seen->least_nan_not}.fetch_max(least_not, relaxed);
}

/// *differ = whether there are two equivalent keys that differ.
template <class Flag>
__global__ void decide_equivalents_kernel(const equivalents* seen, Flag* differ) {
  *differ = seen->zeros == 3 || (seen->greatest_nan != 0 && seen->greatest_nan != ~seen->least_nan_not);
}

template <class Flag>
void decide_equivalents(const context& context, const equivalents* seen, Flag* differ) {
  device::launch(context, shape{1, 1}, decide_equivalents_kernel<Flag>, seen, differ);
}

/// The two sorts share their memory, as only one of them uses it.
template <class Bits>
struct stable_floats_scratch {
  equivalents* seen;
  unsigned* differ;
  carver again;
  quicksort_or_digits_scratch<Bits, no_value, code_less> by_codes;
  radix_scratch<Bits, no_value> by_ranks;

  stable_floats_scratch(carver& carve, std::size_t n)
      : seen{carve.take<equivalents>(1)},
        differ{carve.take<unsigned>(1)},
        again{carve},
        by_codes{carve, n},
        by_ranks{again, n} {
    carve.cover(again);
  }
};

/// Upper bound on the bytes of device memory that sort_floats_stably takes for n keys: room for n keys and about 4 %,
/// or for n keys with their indices where one launch sorts them; none for a few.
template <class Bits>
[[nodiscard]] std::size_t stable_floats_scratch_bytes(std::size_t n) {
  if (n <= sure_tile<indexed_bits<Bits>>) return 0;
  return std::max(device::sort_out_of_place_scratch_bytes<indexed_bits<Bits>>(n),
                  device::scratch_bytes<stable_floats_scratch<Bits>>(n));
}

/// Sorts keys[0, n) in place and stably by `order` on encoded keys. Enqueues on the context's stream; the launches
/// depend only on n. Throws std::bad_alloc before anything is written, gpu::error if a launch is refused.
template <class Bits>
void sort_floats_stably(const context& context, Bits* keys, std::size_t n, floating_code_less<Bits> order,
                        const key_codec<Bits>& codec) {
  if (n < 2) return;
  const auto rows = device::indexed_rows(keys, shared_codes<Bits>{codec, order, true}, n).written_to(keys, nullptr, 0);
  if (device::sort_out_of_place(context, rows, n)) return;
  const scratch<stable_floats_scratch<Bits>> memory{context, n};
  const columns<Bits, no_value> data{keys, nullptr};
  const auto note = note_equivalents_kernel<Bits, key_codec<Bits>>;
  constexpr std::size_t tile = std::size_t{look_threads} * look_items;
  device::set_zero(context, memory->seen, sizeof(equivalents));
  device::launch(context, device::persistent_shape(context, note, divide_up(n, tile), look_threads), note, keys, n,
                 order, codec, memory->seen);
  device::decide_equivalents(context, memory->seen, memory->differ);
  device::quicksort_or_digits(context, memory->by_codes, data, n, code_less{}, codec, memory->differ);
  device::radix_sort(context, memory->by_ranks, radix_ends<Bits, no_value>{keys, nullptr, data, true}, n,
                     floating_rank<Bits>{order}, codec, memory->differ);
}

}  // namespace gpu::inline v1::detail::device
