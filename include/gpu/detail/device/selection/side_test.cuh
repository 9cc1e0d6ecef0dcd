// Which side of the border elements go to: those before the threshold to the left, those after it to the right, and
// those equivalent to it according to their index.
#pragma once

#include <cstddef>
#include <type_traits>

#include "keeping.cuh"
#include "rank.cuh"

namespace gpu::inline v1::detail::device {

/// Which side elements equivalent to the threshold go to: according to their index before the partition.
template <class Rank>
struct tie_sides {
  const source_part& part;
  Rank threshold;

  /// Whether an equivalent element at the index goes left.
  __device__ bool ties_go_left(std::size_t index) const {
    return part.former(index) <= rank_parts<Rank>::index(threshold);
  }
  /// Whether that is the same for all of the `count` indices from `at` on.
  __device__ bool ties_agree(std::size_t at, unsigned count) const {
    const auto holds = [&](std::size_t index) { return index - at < count; };
    return !holds(rank_parts<Rank>::index(threshold)) && !holds(part.exchanged_a) && !holds(part.exchanged_b);
  }
};

/// Separates a source's elements that go left of the border from those that go right.
template <class Source, class Rank>
struct side_test;

/// Separates keys that are not greater than the threshold from the others.
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
  /// Lists the part's elements that go right or, unless `right`, those that go left.
  __device__ void list(bool right, const kept_ranks<Rank>& kept, keeping_storage<Rank>& shared) const {
    const rank_bounds<Rank> bounds{ties.threshold, ties.threshold, right, !right};
    device::keep_between(source, ties.part, bounds, kept, nullptr, shared);
  }
};

}  // namespace gpu::inline v1::detail::device
