// A function of a library that sorts by its own comparator: with its own kernels if there is a device, or on the host.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::uint32_t count = 300'000;

std::vector<std::uint32_t> sorted_by(const auto& policy, const auto& before) {
  std::vector<std::uint32_t> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = i * 2654435761u;
  gpu::sort(policy, keys, before);
  return keys;
}

}  // namespace

/// Both libraries define the same type, so the kernels that it instantiates have the same names in both.
struct odd_first {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 2 != b % 2 ? a % 2 > b % 2 : a < b;
  }
};

/// 0: sorted; 1: rejected with a message, as kernels for other devices must be; 2: neither.
extern "C" __attribute__((visibility("default"))) int SORTS() {
  const odd_first before;
  const auto expected = sorted_by(gpu::par.require_host(), before);
  try {
    const bool device = gpu::device_count() > 0;
    const auto sorted = device ? sorted_by(gpu::par.require_device(), before) : sorted_by(gpu::par, before);
    return sorted == expected ? 0 : 2;
  } catch (const gpu::error& refused) {
    std::puts(refused.what());
    return 1;
  }
}
