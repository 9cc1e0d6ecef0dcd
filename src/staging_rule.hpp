// When pageable memory goes through staging buffers.
#pragma once

#include <cstddef>

namespace gpu::inline v1::detail::device {

/// Are so many bytes of pageable memory faster through staging buffers than by the driver's own? Below, waking threads
/// costs what they gain (both ways, H200: 71 us by the driver for 256 KiB, 120 for 512 KiB, 220 for 1 MiB, 780 for
/// 4 MiB; page-locked memory takes 26, 35, 55 and 169).
[[nodiscard]] constexpr bool worth_staging(std::size_t bytes) { return bytes >= std::size_t{1} << 18; }

/// Do so few bytes travel at once, each thread copying a part of them, instead of in pieces through buffers that are
/// used again and again? On their way back all have arrived before any is copied, so that a device that is lost takes
/// none.
[[nodiscard]] constexpr bool travels_at_once(std::size_t bytes) { return bytes <= std::size_t{16} << 20; }

}  // namespace gpu::inline v1::detail::device
