// When pageable memory goes through staging buffers.
#pragma once

#include <cstddef>

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// Are so many bytes of pageable memory faster through staging buffers than by the driver's own? Below, waking the
/// threads costs what they gain (both ways, H200: 119 us by the driver and 102 at 512 KiB, 226 and 173 at 1 MiB, 716
/// and 455 at 4 MiB).
[[nodiscard]] constexpr bool worth_staging(std::size_t bytes) { return bytes >= std::size_t{1} << 20; }

/// And on their way back, where several copies bring them home and a device that is lost leaves some of them out? What
/// little there is to gain for a few MiB is not worth that.
[[nodiscard]] constexpr bool worth_staging_back(std::size_t bytes) { return bytes >= std::size_t{8} << 20; }

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
