// Brings the first elements by a caller's own order to the front in place, or parts them from the rest: kernels
// instantiated in the caller's translation unit.
#pragma once

#include <cstddef>
#include <cstring>

#include "../../boundary/request.hpp"
#include "../launching/call.hpp"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../selection/comparison.cuh"
#include "../selection/comparison_partition.cuh"
#include "../stored.cuh"
#include "../tuning/rows.hpp"
#include "../warp/shuffle.cuh"
#include "elements.cuh"

namespace gpu::inline v1::detail::device {

/// Memory for an exchange: elements in the front, of `size` slots, that are not chosen go where chosen ones come from.
template <class T, class Index>
struct front_exchange {
  unsigned long long* leaving;  ///< elements that have found a slot
  unsigned long long* left;     ///< slots that are free
  unsigned char* stays;         ///< for each slot of the front: is its element chosen?
  std::size_t zero_bytes;       ///< from `leaving` on, which are zero at first
  T* front;                     ///< the front as it will be
  T** free;

  front_exchange(carver& carve, std::size_t size) {
    const std::size_t begin = carve.bytes();
    leaving = carve.take<unsigned long long>(1);
    left = carve.take<unsigned long long>(1);
    stays = carve.take<unsigned char>(size);
    zero_bytes = carve.bytes() - begin;
    front = carve.take<T>(size);
    free = carve.take<T*>(size);
  }
};

/// A different number for each thread with `counts` set, from *count on. Called by all lanes of a warp.
__device__ inline unsigned long long next_number(unsigned long long* count, bool counts) {
  const unsigned lanes = __ballot_sync(warp::all_lanes, counts);
  unsigned long long first = 0;
  if (threadIdx.x % warp::threads == 0 && lanes != 0)
    first = atomicAdd(count, static_cast<unsigned long long>(__popc(lanes)));
  return __shfl_sync(warp::all_lanes, first, 0) + static_cast<unsigned>(__popc(lanes & warp::lanes_before()));
}

/// Copies elements[order[i]], i < size, to moves.front, and lists the slots behind the front that they leave. Where an
/// order that contradicts itself has chosen no element, moves.front has a free slot.
template <class T, class Index>
__global__ void __launch_bounds__(permute_threads)
    choose_front_kernel(T* elements, const Index* order, std::size_t size, front_exchange<T, Index> moves) {
  await_predecessors();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  T* free = nullptr;
  if (i < size) {
    const Index chosen = order[i];
    if (chosen == static_cast<Index>(~Index{0})) {
      free = moves.front + i;
    } else {
      std::memcpy(moves.front + i, elements + chosen, sizeof(T));
      if (chosen < size)
        moves.stays[chosen] = 1;
      else
        free = elements + chosen;
    }
  }
  const unsigned long long number = device::next_number(moves.left, free != nullptr);
  if (free != nullptr) moves.free[number] = free;
}

/// Moves elements that are not chosen from the front to free slots.
template <class T, class Index>
__global__ void __launch_bounds__(permute_threads)
    clear_front_kernel(const T* elements, std::size_t size, front_exchange<T, Index> moves) {
  await_predecessors();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  const bool leaves = i < size && moves.stays[i] == 0;
  const unsigned long long number = device::next_number(moves.leaving, leaves);
  if (leaves) std::memcpy(moves.free[number], elements + i, sizeof(T));
}

/// Brings the `selected` first of elements[0, n) to the front, in order; the rest follow in any order. In device
/// memory.
template <class T, class Less>
void bring_forward(const context& context, T* elements, std::size_t n, std::size_t selected, const Less& less) {
  detail::with_index(n, [&]<class Index>(Index) {
    const selection_plan plan = device::plan_comparison(n, selected);
    const scratch<comparison_scratch<Index>> memory{context, plan};
    const scratch<front_exchange<T, Index>> moves{context, selected};
    device::with_passed(context, less,
                        [&](auto by) { device::select_by_comparing(context, elements, by, plan, *memory); });
    device::set_zero(context, moves->leaving, moves->zero_bytes);
    const shape grid{divide_up(selected, permute_threads), permute_threads};
    const Index* const order = memory->result(plan);
    device::launch(context, grid, choose_front_kernel<T, Index>, elements, order, selected, *moves);
    device::launch_early(context, grid, clear_front_kernel<T, Index>, elements, selected, *moves);
    device::copy_bytes(context.stream, elements, moves->front, selected * sizeof(T), cudaMemcpyDeviceToDevice);
  });
}

/// Brings the `selected` first to the front in any order, except that the last of them comes last; sorts them if
/// `sorted`.
template <class T, class Less>
void part_elements(const context& context, T* elements, std::size_t n, std::size_t selected, const Less& less,
                   bool sorted, algorithm how) {
  device::with_passed(context, less,
                      [&](auto by) { device::partition_by_comparing(context, elements, n, selected, by); });
  if (sorted)
    element_work<moves_directly_v<T>, T, Less>{less, how}.template sort_rows<false>(context, {{elements, sizeof(T)}},
                                                                                    selected);
}

/// Brings the first elements to the front, in host or device memory; they are in order there if `sorted`. Sorts all
/// elements where that takes less time, where they go through the device in pieces, or where the device lacks memory
/// for the selection.
template <bool HostData, class T, class Less>
void sort_front(const execution_options& options, T* elements, std::size_t n, std::size_t selected, bool sorted,
                Less less, algorithm how) {
  const location at = detail::locate(elements);
  const bool is_near = detail::kernels_reach(at);
  const bool forward = device::brings_forward(n, selected, sizeof(T));
  if (is_near && (forward || device::parts_by_comparing(n, sorted ? selected : 0, sizeof(T)))) {
    try {
      call here{options, at};
      T* const rows = here.reach(elements, n, access::read_write);
      if (forward) return here.carry_out(device::bring_forward<T, Less>, rows, n, selected, less);
      return here.carry_out(device::part_elements<T, Less>, rows, n, selected, less, sorted, how);
    } catch (const no_device_memory&) {  // what follows can do without
    }
  }
  device::sort_elements<false, HostData>(options, elements, n, less, how);
}

}  // namespace gpu::inline v1::detail::device
