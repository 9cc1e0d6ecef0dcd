// Where random samples look. Positions are drawn by a key of the process that nobody outside knows, so that no input
// can be made for which samples say nothing about the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config.hpp"
#include "keys/key.hpp"

namespace gpu::inline v1::detail {

/// Two words of their own. Every other draw of a first sample is by the second word: whoever knows the first one, and
/// so half of the sample, knows nothing of its other half, by which splitters get buckets at most twice as long.
/// Samples that are taken where the first may have misled are by the second word alone.
struct sample_key {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  /// The word for a draw of a first sample.
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t word(std::uint64_t draw) const {
    return draw % 2 == 0 ? first : second;
  }
};

/// The process's key: from the system's source of random numbers, once. The environment variable GPUPAR_SAMPLE_KEY, one
/// number or two with a comma between, sets the first word or both, for runs that are to be repeated.
[[nodiscard]] GPUPAR_EXPORT const sample_key& process_sample_key();

/// A position in [0, count), the same whenever asked with the same arguments. `word`: of the key; `stream`: a number of
/// the sample. Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014 (splitmix64's finalizer).
GPUPAR_HOST_DEVICE inline std::size_t random_position(std::uint64_t word, std::uint64_t stream, std::uint64_t draw,
                                                      std::size_t count) {
  std::uint64_t x = word + (stream + 1) * 0x9e3779b97f4a7c15u + (draw + 1) * 0xd1342543de82ef95u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::size_t>(uint128{x ^ (x >> 31)} * count >> 64);
}

}  // namespace gpu::inline v1::detail
