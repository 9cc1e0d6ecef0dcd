// When pageable memory goes through staging buffers.
#pragma once

#include <cstddef>

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Are so many bytes of pageable memory faster through staging buffers than by the driver's own? Below, waking the
/// threads and cutting the arrays costs what they gain.
[[nodiscard]] constexpr bool worth_staging(std::size_t bytes) { return bytes >= std::size_t{8} << 20; }

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
