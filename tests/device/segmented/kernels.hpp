// Shared by the tests of segmented sorts in kernels: a comparator, and keys that differ only in their last bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "random.hpp"
#include "segments.hpp"
#include "values.hpp"

namespace testing {

struct by_remainder {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 100 < b % 100; }
};

/// Keys around two values far apart: neighbours differ only in their last bits.
template <class Key>
std::vector<Key> two_crowds(std::size_t count) {
  std::vector<Key> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mixed(seed() + i);
    keys[i] = static_cast<Key>(static_cast<Key>(bits % 200) + (bits >> 63) * (std::numeric_limits<Key>::max() / 2));
  }
  return keys;
}

}  // namespace testing
