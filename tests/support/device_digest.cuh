// Inputs that are generated, and results that are checked, on the device: for tests of more sorts than the host could
// check.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "random.hpp"

namespace testing {

inline void check_cuda(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error{cudaGetErrorString(code)};
}

/// Properties of rows that sorting does not change, and the number of rows that are not behind their predecessor.
struct row_digest {
  unsigned long long sum = 0, others = 0, out_of_order = 0;

  /// What is wrong with sorted rows, given the digest `before` sorting.
  [[nodiscard]] std::string problem(const row_digest& before) const {
    if (sum != before.sum || others != before.others) return "elements lost, doubled or altered";
    return out_of_order > 0 ? std::to_string(out_of_order) + " out of order" : std::string{};
  }
};

namespace on_device {

constexpr unsigned blocks = 264, threads = 256;

/// Calls body(i) for all i of [0, n).
template <class Body>
__device__ void for_all(std::size_t n, Body body) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) body(i);
}

/// Random keys below `distinct`, with indices as values; or, if cut > 0, keys[0, cut) and keys[cut, n) in order.
template <class Key>
__global__ void fill_kernel(Key* keys, std::uint32_t* values, std::size_t n, std::size_t cut, Key distinct,
                            std::uint64_t seed) {
  for_all(n, [=](std::size_t i) {
    const std::size_t begin = i < cut ? 0 : cut, length = i < cut ? cut : n - cut;
    const Key step = static_cast<Key>(distinct / static_cast<Key>(length));
    const Key key = static_cast<Key>(random_at(seed, i));
    keys[i] = cut == 0 ? key % distinct : static_cast<Key>((i - begin) * step + (step > 0 ? key % step : 0));
    values[i] = static_cast<std::uint32_t>(i);
  });
}

/// The digest of the rows (keys[i], values[i]), or with an order of (keys[order[i]], order[i]). Missing values are 0.
template <class Key>
__global__ void digest_kernel(const Key* keys, const std::uint32_t* values, const std::uint32_t* order, std::size_t n,
                              bool stable, row_digest* out) {
  const auto key_of = [=](std::size_t i) { return keys[order ? order[i] : i]; };
  const auto value_of = [=](std::size_t i) { return order ? order[i] : values ? values[i] : 0; };
  row_digest own;
  for_all(n, [&](std::size_t i) {
    const Key key = key_of(i);
    const std::uint64_t word = mixed(mixed(key) + value_of(i));
    own.sum += word;
    own.others += word * word ^ word >> 7;
    if (i == 0) return;
    const Key before = key_of(i - 1);
    own.out_of_order += key < before || (stable && key == before && value_of(i) < value_of(i - 1));
  });
  atomicAdd(&out->sum, own.sum);
  atomicAdd(&out->others, own.others);
  if (own.out_of_order > 0) atomicAdd(&out->out_of_order, own.out_of_order);
}

}  // namespace on_device
}  // namespace testing
