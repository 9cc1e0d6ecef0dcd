// Where the keys of a random sample come from.
#pragma once

#include <cstddef>

#include "../../keys/key.hpp"
#include "../../sample_key.hpp"

namespace gpu::inline v1::detail::device {

/// The codes of n keys, drawn with replacement.
template <class Bits>
struct sampled_keys {
  const Bits* keys;
  std::size_t n;
  sample_key samples;
  key_codec<Bits> codec;

  __device__ Bits operator()(unsigned draw) const {
    return codec.encode(keys[detail::random_position(samples.word(draw), 0, draw, n)]);
  }
};

}  // namespace gpu::inline v1::detail::device
