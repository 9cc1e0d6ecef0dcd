// When pageable memory goes through staging buffers.
#pragma once

#include <cstddef>

namespace gpu::inline v1::detail::device {

/// Whether this many bytes of pageable memory are transferred faster through our staging buffers than through the
/// driver's own. For fewer, waking threads costs what they gain (both ways, H200: 71 us by the driver for 256 KiB, 120
/// for 512 KiB, 220 for 1 MiB, 780 for 4 MiB; page-locked memory takes 26, 35, 55 and 169).
[[nodiscard]] constexpr bool worth_staging(std::size_t bytes) { return bytes >= std::size_t{1} << 18; }

/// Whether this many bytes are transferred as a whole, each thread copying a part, instead of in pieces through reused
/// buffers. On the way back, all bytes have arrived before any is copied, so that no data are lost with a device that
/// fails.
[[nodiscard]] constexpr bool travels_at_once(std::size_t bytes) { return bytes <= std::size_t{16} << 20; }

}  // namespace gpu::inline v1::detail::device
