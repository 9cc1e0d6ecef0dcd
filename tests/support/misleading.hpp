// Keys for which a selection's sample is misleading, as chosen by somebody who knows its positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/detail/sample_key.hpp"
#include "inputs.hpp"

namespace testing {

/// Keys that are misleading at every position from which the first sample of a selection on the device is drawn.
inline std::vector<std::uint32_t> misleading_keys(std::size_t n, bool too_great) {
  auto keys = make_keys<std::uint32_t>(n);
  for (auto& key : keys) key = key / 4 + (1u << 30);
  constexpr std::uint64_t most_drawn = 1 << 14;
  const std::uint64_t word = gpu::detail::process_sample_key().second;
  for (std::uint64_t draw = 0; draw < most_drawn; ++draw) {
    auto& key = keys[gpu::detail::random_position(word, 0, draw, n)];
    key = too_great ? key | 0x80000000u : key & 0x3fffffffu;
  }
  return keys;
}

}  // namespace testing
