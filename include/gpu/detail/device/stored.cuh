// Large comparators and projections. Kernels pass on by value what they take by value, and the compiler keeps a copy of
// it in registers for every function that takes it: with hundreds of bytes, compilation does not end. So callables of
// that size are copied to device memory once, and kernels take a pointer.
#pragma once

#include <cstddef>
#include <type_traits>

#include "launching/launch.cuh"
#include "launching/scratch.cuh"
#include "tuning/callers_orders.hpp"

namespace gpu::inline v1::detail::device {

template <class Callable>
inline constexpr bool is_stored_v = sizeof(Callable) > most_bytes_passed;

/// A callable in device memory. All threads call the same one.
template <class Callable>
struct stored {
  Callable* callable;

  template <class... Arguments>
  __device__ decltype(auto) operator()(const Arguments&... arguments) const {
    return (*callable)(arguments...);
  }
};

/// What kernels take in place of a callable.
template <class Callable>
using passed = std::conditional_t<is_stored_v<Callable>, stored<Callable>, Callable>;

/// Bytes of device memory that with_passed takes.
template <class Callable>
[[nodiscard]] std::size_t stored_bytes() {
  return is_stored_v<Callable> ? device::scratch_bytes<scratch_array<Callable>>(std::size_t{1}) : 0;
}

/// Copies the callable byte by byte, as the launch does.
template <class Callable>
__global__ void __launch_bounds__(store_threads) store_kernel(const __grid_constant__ Callable callable, Callable* to) {
  const auto* const from = reinterpret_cast<const std::byte*>(&callable);
  for (unsigned i = threadIdx.x; i < sizeof(Callable); i += store_threads)
    reinterpret_cast<std::byte*>(to)[i] = from[i];
}

/// Returns use(what kernels take in place of the callable), for kernels that use() enqueues. Throws no_device_memory
/// before it calls use().
template <class Callable, class Use>
decltype(auto) with_passed(const context& context, const Callable& callable, const Use& use) {
  if constexpr (is_stored_v<Callable>) {
    const scratch<scratch_array<Callable>> memory{context, std::size_t{1}};
    device::launch(context, {1, store_threads}, store_kernel<Callable>, callable, memory->data);
    return use(stored<Callable>{memory->data});
  } else {
    return use(callable);
  }
}

}  // namespace gpu::inline v1::detail::device
