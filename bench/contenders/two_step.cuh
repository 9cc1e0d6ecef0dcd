// Shared by CUB's contenders: calls in two steps, the first of which queries the size of temporary memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "../contender.hpp"
#include "../cuda_check.hpp"
#include "../memory.hpp"

namespace bench {

/// Makes a contender of call(memory, bytes, arrays) -> outcome. Temporary memory is allocated once, beforehand.
/// `other_bytes`: the bytes of the other arrays that the call uses, which also count as scratch.
template <class Call>
prepared with_temporary_memory(Call call, std::size_t other_bytes) {
  std::size_t bytes = 0;
  call(nullptr, bytes, arrays{});
  const auto memory = std::make_shared<block>(place::device, bytes);
  return {[call, bytes, memory](const arrays& on) {
            std::size_t size = bytes;
            return call(memory->data(), size, on);
          },
          bytes + other_bytes};
}

template <class Index>
__global__ void count_up_kernel(Index* out, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += gridDim.x * std::size_t{blockDim.x})
    out[i] = static_cast<Index>(i);
}

/// Writes 0 … n - 1 on the default stream.
template <class Index>
void count_up(Index* out, std::size_t n) {
  constexpr std::size_t threads = 256, most_blocks = 4096;
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((n + threads - 1) / threads, 1, most_blocks));
  count_up_kernel<<<blocks, threads>>>(out, n);
  check(cudaGetLastError());
}

}  // namespace bench
