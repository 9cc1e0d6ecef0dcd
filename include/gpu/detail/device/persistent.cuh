// Grids of kernels that loop over their work: no more blocks than the device holds at once, and none without work.
#pragma once

#include <cstddef>
#include <source_location>

#include "launch.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// For at most `limit` pieces of work, of which a block takes one at a time.
template <class... Parameters>
shape persistent_shape(const context& context, void (*kernel)(Parameters...), std::size_t limit, int threads,
                       std::size_t shared_bytes = 0,
                       const std::source_location& where = std::source_location::current()) {
  const std::size_t resident = resident_blocks(context, kernel, threads, shared_bytes, where);
  shape grid{limit < resident ? limit : resident, threads, shared_bytes, where};
  grid.shared_allowed = true;
  return grid;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
