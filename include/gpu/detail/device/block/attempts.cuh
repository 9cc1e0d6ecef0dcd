// Whether to try what takes less time than something that never fails.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// After two failures an attempt is left out for two tiles, since a block's are alike as a rule, after another one for
/// four, and so on. All threads of a block keep the same.
class attempts {
 public:
  __device__ bool due() { return left_out_ == 0 || --left_out_ == 0; }
  __device__ bool result(bool success) {
    failures_ = success ? 0 : failures_ + 1;
    left_out_ = failures_ < 2 ? 0 : 1u << min(failures_ - 1, most_doubled);
    return success;
  }

 private:
  static constexpr unsigned most_doubled = 4;
  unsigned failures_ = 0;  ///< one after the other
  unsigned left_out_ = 0;
};

}  // namespace gpu::inline v1::detail::device::block
