// What launches ask for that only the device knows to be wanted.
#pragma once

namespace gpu::inline v1::detail::device {

/// What has to hold for work to be done, which only the device will know. Without a word it is done.
struct condition {
  enum state : unsigned char { zero, not_zero };

  const unsigned* word = nullptr;
  state wanted = zero;
  const unsigned* unless = nullptr;  ///< if not null, another word that has to be zero

  __device__ bool holds() const {
    return (word == nullptr || (*word == 0) == (wanted == zero)) && (unless == nullptr || *unless == 0);
  }
};

}  // namespace gpu::inline v1::detail::device
