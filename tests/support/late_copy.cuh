// A kernel that lets its successors begin long before it writes.
#pragma once

#include <cstddef>

#include "gpu/detail/device/launching/launch.cuh"

namespace testing {

/// Copies source[0, n) to target[0, n) after a delay.
template <class T>
__global__ void late_copy_kernel(const T* source, T* target, std::size_t n) {
  constexpr long long cycles = 2'000'000;
  gpu::detail::device::admit_successors();
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) target[i] = source[i];
}

template <class T>
void copy_late(const gpu::detail::device::context& context, const T* source, T* target, std::size_t n) {
  gpu::detail::device::launch(context, {1, 512}, late_copy_kernel<T>, source, target, n);
}

}  // namespace testing
