// A source of more than 2^32 elements with keys of few bytes: such inputs are rare, so the width of keys is a run-time
// value, and one kernel serves all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "../../keys/shared_codes.hpp"
#include "../rows/record_keys.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// Elements by their keys of 1, 2 or 4 bytes, at any offset in the element.
class narrow_source {
  using keys = record_keys<std::uint32_t>;

 public:
  using rank = uint128;
  static constexpr bool has_vectors = false;

  template <class Bits>
  narrow_source(const void* elements, const keyed_elements& like, Bits)
      : keys_{elements, like.element_bytes, like.key_offset, detail::make_shared_codes<Bits>(like.key)} {}

  __device__ rank operator[](std::size_t i) const { return rank_parts<rank>::make(keys_[i], i); }
  template <int Items>
  __device__ void load(const std::size_t (&indices)[Items], rank (&ranks)[Items]) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) ranks[i] = (*this)[indices[i]];
  }

 private:
  keys keys_;
};

/// The source in which a selection of elements with keys of type Bits finds its threshold.
template <class Bits, class Rank>
auto source_of(const void* elements, const keyed_elements& like) {
  if constexpr (sizeof(Bits) < sizeof(std::uint64_t) && sizeof(Rank) == sizeof(uint128))
    return narrow_source{elements, like, Bits{}};
  else
    return key_source<Bits, Rank>{elements, like};
}

}  // namespace gpu::inline v1::detail::device
