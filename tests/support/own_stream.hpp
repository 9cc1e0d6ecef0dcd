// Lets threads test at the same time without waiting for each other's work on the device.
#pragma once

#include "gpu/execution.hpp"

namespace testing {

/// During its lifetime, device memory of the calling thread is allocated, copied and freed on a stream of its own
/// (device_memory.hpp). Does nothing if there is no device.
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
