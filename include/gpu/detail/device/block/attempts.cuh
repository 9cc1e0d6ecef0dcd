// Whether to try a fast method that may fail, before a slower one that never does.
#pragma once

#include "../columns.cuh"

namespace gpu::inline v1::detail::device::block {

/// After two failures in a row the attempt is skipped for one tile, after three for three, then for seven and at most
/// 15, since the tiles of a block tend to be alike. All threads of a block hold the same state.
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
  unsigned failures_ = 0;  ///< in a row
  unsigned left_out_ = 0;
};

}  // namespace gpu::inline v1::detail::device::block
