// Sorts by counting keys of one or two bytes.
#pragma once

#include <cstddef>

#include "../../config.hpp"
#include "local_sorts.hpp"

namespace gpu::inline v1::detail::device {

/// Whether there are enough keys of one or two bytes for counting to outweigh its launches and its pass over all codes:
/// a tile of bytes is sorted in one launch, in 10 us instead of 24.
GPUPAR_HOST_DEVICE constexpr bool enough_to_count(std::size_t count, std::size_t key_bytes) {
  if (key_bytes == 1) return count > cluster_bin_tile(key_bytes).size();
  return key_bytes == 2 && count >= std::size_t{1} << 20;
}

inline constexpr int write_threads = 256;

}  // namespace gpu::inline v1::detail::device
