// Requests to the operating system about memory, in addition to the one in host/buffer.hpp.
#pragma once

#include <cstddef>

namespace gpu::inline v1::detail::host {

/// Asks the system to populate the pages of data[0, bytes) now; `data` is page-aligned. Contents are kept. Only a hint.
void make_present(void* data, std::size_t bytes) noexcept;

}  // namespace gpu::inline v1::detail::host
