// Whether to try what takes less time than something that never fails.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// After a failure an attempt is left out for a tile, since a block's tiles are alike as a rule, after another one for
/// two, and so on. All threads of a block keep the same.
class attempts {
 public:
  __device__ bool due() { return left_out_ == 0 || --left_out_ == 0; }
  __device__ bool result(bool success) {
    failures_ = success ? 0 : failures_ + 1;
    left_out_ = success ? 0 : 1u << min(failures_, most_doubled);
    return success;
  }

 private:
  static constexpr unsigned most_doubled = 4;
  unsigned failures_ = 0;  ///< one after the other
  unsigned left_out_ = 0;
};

}  // namespace gpu::inline v1::detail::device::block
