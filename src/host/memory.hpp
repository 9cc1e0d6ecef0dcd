// What the library asks of the system about memory, beside what host/buffer.hpp does.
#pragma once

#include <cstddef>

namespace gpu::inline v1::detail::host {

/// Has the pages of data[0, bytes) made now; `data` begins at one. What is in them stays. A hint.
void make_present(void* data, std::size_t bytes) noexcept;

}  // namespace gpu::inline v1::detail::host
