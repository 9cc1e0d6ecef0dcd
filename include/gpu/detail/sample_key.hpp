// Positions of random samples. They are derived from a secret key of the process, so that nobody can construct an input
// whose samples are unrepresentative.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config.hpp"
#include "keys/key.hpp"

namespace gpu::inline v1::detail {

/// Two independent words. In a first sample, every other draw uses the second word: an attacker who knows the first
/// word, and thus half of the sample, knows nothing about the other half, with which the buckets of the splitters
/// become at most twice as long. Samples taken after the first one may have been misleading use the second word only.
struct sample_key {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  /// The word for a draw of a first sample.
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t word(std::uint64_t draw) const {
    return draw % 2 == 0 ? first : second;
  }
};

/// The key of the process, read once from the system's source of random numbers. The environment variable
/// GPUPAR_SAMPLE_KEY, one number or two separated by a comma, sets the first word or both, for reproducible runs.
[[nodiscard]] GPUPAR_EXPORT const sample_key& process_sample_key();

/// A position in [0, count), a function of the arguments alone. `word`: a word of the key; `stream`: the number of the
/// sample. Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014 (splitmix64's finalizer).
GPUPAR_HOST_DEVICE inline std::size_t random_position(std::uint64_t word, std::uint64_t stream, std::uint64_t draw,
                                                      std::size_t count) {
  std::uint64_t x = word + (stream + 1) * 0x9e3779b97f4a7c15u + (draw + 1) * 0xd1342543de82ef95u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::size_t>(uint128{x ^ (x >> 31)} * count >> 64);
}

}  // namespace gpu::inline v1::detail
