// What the library knows of the machine's devices and keeps per process.
#pragma once

#include <gpu/memory.hpp>

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The library's pool of a device: stream-ordered, lives as long as the process.
[[nodiscard]] memory_resource& default_resource(int ordinal);

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
