// The tile, the unit of work of every family of kernels. Tuning is data: pure functions of key bytes and value bytes,
// and named constants, in a header for each family of kernels. Host code reads them at run time for the grid, kernels
// at compile time for their tiles; they are the same for all architectures, since a kernel's tile must not depend on
// the compute capability unless host and kernel agree on it.
#pragma once

#include <cstddef>

#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// A tile: what one block holds at a time, threads * items elements.
struct tile_shape {
  int threads;
  int items;

  GPUPAR_HOST_DEVICE constexpr std::size_t size() const {
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(items);
  }
};

}  // namespace gpu::inline v1::detail::device
