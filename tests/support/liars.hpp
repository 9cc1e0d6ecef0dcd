// Comparators that are no strict weak order; a single type for all of them, so that kernels are compiled once. Safe to
// call from several threads, on host and device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gpu/detail/config.hpp"
#include "random.hpp"

namespace testing {

enum class lie : unsigned char {
  always,                // everything goes before everything, itself included
  never,                 // all equivalent: a weak order, but nothing moves
  less_or_equal,         // not irreflexive
  greater_or_equal,      // not irreflexive either
  cyclic,                // rock, paper, scissors
  unordered,             // a seventh of the keys is NaN under <
  near_is_equal,         // |a - b| below a limit: equivalence is not transitive
  parity_decides,        // ascending among even sums, descending among odd ones
  by_hash_of_pair,       // consistent, but neither asymmetric nor transitive
  asymmetric_hash,       // consistent and asymmetric, not transitive
  first_argument_alone,  // ignores the second
  random,                // contradicts itself
  mostly_right,          // lies once in 128 calls
  confused_in_part,      // contradicts itself where both keys are from a small part of the range
};
inline constexpr std::array lies{
    lie::always,          lie::never,           lie::less_or_equal,        lie::greater_or_equal,
    lie::cyclic,          lie::unordered,       lie::near_is_equal,        lie::parity_decides,
    lie::by_hash_of_pair, lie::asymmetric_hash, lie::first_argument_alone, lie::random,
    lie::mostly_right,    lie::confused_in_part};

inline const char* to_string(lie which) {
  constexpr const char* names[] = {"always",          "never",           "less or equal",        "greater or equal",
                                   "cyclic",          "unordered",       "near is equal",        "parity decides",
                                   "by hash of pair", "asymmetric hash", "first argument alone", "random",
                                   "mostly right",    "confused in part"};
  return names[static_cast<int>(which)];
}

/// A namespace with functions that the library must not find by the comparator's type.
namespace beside_liars {

#include "greedy_neighbours.inc"

/// Compares doubles in [-2^16, 2^16) wrongly, in the way of `which`.
struct liar {
  lie which;

  GPUPAR_HOST_DEVICE bool operator()(double a, double b) const {
    switch (which) {
      case lie::always:
        return true;
      case lie::never:
        return false;
      case lie::less_or_equal:
        return a <= b;
      case lie::greater_or_equal:
        return a >= b;
      case lie::cyclic:
        return (whole(a) + 1) % 3 == whole(b) % 3;
      case lie::unordered:
        return whole(a) % 7 != 0 && whole(b) % 7 != 0 && a < b;
      case lie::near_is_equal:
        return a + 4096 < b;
      case lie::parity_decides:
        return (whole(a) + whole(b)) % 2 == 0 ? a < b : b < a;
      case lie::by_hash_of_pair:
        return (hash(a, b) & 1) != 0;
      case lie::asymmetric_hash:
        return a != b && ((hash(a < b ? a : b, a < b ? b : a) & 1) != 0) == (a < b);
      case lie::first_argument_alone:
        return whole(a) % 2 == 0;
      case lie::random:
        return (chance() & 1) != 0;
      case lie::mostly_right:
        return (a < b) != (chance() % 128 == 0);
      case lie::confused_in_part:
        return whole(a) / 128 == 700 && whole(b) / 128 == 700 ? (chance() & 1) != 0 : a < b;
    }
    return false;
  }

 private:
  GPUPAR_HOST_DEVICE static std::uint64_t whole(double x) { return static_cast<std::uint64_t>(x + 65536); }
  GPUPAR_HOST_DEVICE static std::uint64_t hash(double a, double b) {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, &a, sizeof(x));
    std::memcpy(&y, &b, sizeof(y));
    return mixed(x * 3 + mixed(y));
  }
  /// Another number at every call.
  GPUPAR_HOST_DEVICE static std::uint64_t chance() {
#if defined(__CUDA_ARCH__)
    return mixed(static_cast<std::uint64_t>(clock64()) * 1024 + threadIdx.x);
#else
    static std::atomic<std::uint64_t> calls{0};
    return mixed(calls.fetch_add(1, std::memory_order_relaxed) * golden_step);
#endif
  }
};

}  // namespace beside_liars

using beside_liars::liar;

}  // namespace testing
