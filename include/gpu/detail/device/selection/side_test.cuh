// On which side of a border elements go: those before the threshold to the left, those behind it to the right, and what
// is equivalent to it by its index.
#pragma once

#include <cstddef>
#include <type_traits>

#include "keeping.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// On which side what is equivalent to the threshold goes: by its index before the partition.
template <class Rank>
struct tie_sides {
  const source_part& part;
  Rank threshold;

  /// Whether what is at an index goes left.
  __device__ bool ties_go_left(std::size_t index) const {
    return part.former(index) <= rank_parts<Rank>::index(threshold);
  }
  /// Whether that is the same for all of `count` indices.
  __device__ bool ties_agree(std::size_t at, unsigned count) const {
    const auto holds = [&](std::size_t index) { return index - at < count; };
    return !holds(rank_parts<Rank>::index(threshold)) && !holds(part.exchanged_a) && !holds(part.exchanged_b);
  }
};

/// Tells what goes left of the border between a source's elements from what goes right.
template <class Source, class Rank>
struct side_test;

/// Keys that are not greater than a threshold from others.
template <class Bits, class Rank>
struct side_test<key_source<Bits, Rank>, Rank> {
  const key_source<Bits, Rank>& source;
  tie_sides<Rank> ties;

  template <class Codec>
  __device__ Bits code(const Codec& codec, Bits key) const {
    const Bits code = codec.encode(key);
    if constexpr (!std::is_same_v<Codec, integer_codec<Bits>>)
      if (source.floating) return source.order.rank(code);
    return code;
  }
  /// Calls use(goes_left): goes_left(key, i) for the key that was at index `at` + i, i < count.
  template <class Use>
  __device__ void with_sides(std::size_t at, unsigned count, const Use& use) const {
    const Bits border = static_cast<Bits>(rank_parts<Rank>::code_of(ties.threshold));
    const bool agree = ties.ties_agree(at, count), tie = ties.ties_go_left(at);
    with_simple_codec(source.codec, [&](const auto& codec) {
      if (agree)
        use([&](Bits key, unsigned) {
          const Bits code = this->code(codec, key);
          return code < border || (code == border && tie);
        });
      else
        use([&](Bits key, unsigned i) {
          const Bits code = this->code(codec, key);
          return code < border || (code == border && ties.ties_go_left(at + i));
        });
    });
  }
  /// Lists what of the part goes right, or else what goes left.
  __device__ void list(bool right, const kept_ranks<Rank>& kept, keeping_storage<Rank>& shared) const {
    const rank_bounds<Rank> bounds{ties.threshold, ties.threshold, right, !right};
    device::keep_between(source, ties.part, bounds, kept, nullptr, shared);
  }
};

}  // namespace gpu::inline v1::detail::device
