// Threads that test side by side without waiting for each other's work on the device.
#pragma once

#include "gpu/execution.hpp"

namespace testing {

/// While it lives, device memory of the calling thread is taken, copied and given back on a stream of its own
/// (device_memory.hpp). Does nothing where there is no device.
class own_stream {
 public:
  own_stream();
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream();
};

/// The calling thread's own stream, or the default one.
gpu::stream_handle current_stream();

}  // namespace testing
