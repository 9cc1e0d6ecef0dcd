// Random samples of keys: where they come from, and codes that have been drawn.
#pragma once

#include <cstddef>

#include "../../keys/key.hpp"
#include "../../sample_key.hpp"
#include "../launching/launch.cuh"

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

/// The first codes of a sample.
template <class Bits>
__global__ void draw_codes_kernel(sampled_keys<Bits> sample, Bits* codes, unsigned draws) {
  await_predecessors();
  const unsigned draw = blockIdx.x * blockDim.x + threadIdx.x;
  if (draw < draws) codes[draw] = sample(draw);
}

/// Draws codes[0, draws), draws > 0, by many blocks, since a block waits for memory after every few lines.
template <class Bits>
void draw_codes(const context& context, const sampled_keys<Bits>& sample, Bits* codes, unsigned draws) {
  constexpr int threads = 256;
  device::launch_early(context, shape{divide_up(draws, threads), threads}, draw_codes_kernel<Bits>, sample, codes,
                       draws);
}

/// Codes that have been drawn from n keys; `maker` is the codec that made them.
template <class Bits>
struct drawn_codes {
  const Bits* codes;
  std::size_t n;
  key_codec<Bits> maker;

  __device__ Bits operator()(unsigned draw) const { return codes[draw]; }
};

}  // namespace gpu::inline v1::detail::device
