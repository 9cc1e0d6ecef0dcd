// Orders that are available on the device only through kernels compiled by nvcc; the same functions serve as reference
// on the host.
#pragma once

#include <cstdint>

#include "gpu/detail/config.hpp"
#include "records.hpp"

namespace testing {

/// Many equivalent keys, far from the natural order.
struct by_last_digits {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t left, std::uint32_t right) const {
    return left % 1000 < right % 1000;
  }
};

/// The reversed natural order, in a form that the library does not recognise.
struct later {
  template <class Number>
  GPUPAR_HOST_DEVICE bool operator()(Number left, Number right) const {
    return right < left;
  }
};

/// A comparator with a state.
struct by_distance {
  std::int64_t centre;
  GPUPAR_HOST_DEVICE std::int64_t distance(const record24& record) const {
    const std::int64_t key = record.key >> 8;
    return key < centre ? centre - key : key - centre;
  }
  GPUPAR_HOST_DEVICE bool operator()(const record24& left, const record24& right) const {
    return distance(left) < distance(right);
  }
};

struct last_digits {
  GPUPAR_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key % 1000; }
};

}  // namespace testing
