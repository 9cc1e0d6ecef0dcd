// Search by one thread in a sorted sequence of numbers whose reads are dear: interpolation looks where the number
// should be, if numbers are spread evenly, and takes four reads where halving takes ten. Perl, Itai and Avni,
// "Interpolation search: a log log n search", 1978.
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../key.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device::thread {

/// Whether keys in this order are numbers to compute with.
template <class Key, class Less>
inline constexpr bool interpolates_v = std::is_same_v<Less, code_less> && (sizeof(Key) == 4 || sizeof(Key) == 8);

/// What a probe saw: whether its position is behind the place that is looked for, and how far off the number there is.
template <class Number>
struct sighting {
  bool behind;
  Number gap;
};

/// The first position of [low, high) that probe(position) calls behind; `high` if none is. Numbers at the ends are
/// about low_gap and high_gap off. Each step probes on either side of the expected place, as far from it as chance may
/// have moved numbers; where two steps have missed, numbers do not lie evenly, and halving takes over: O(log(high -
/// low)).
template <class Number, class Probe>
__device__ __forceinline__ std::size_t interpolation_search(std::size_t low, std::size_t high, Number low_gap,
                                                            Number high_gap, Probe probe) {
  constexpr std::size_t enough = 32;  // a few sectors: halving costs no more
  constexpr int most_misses = 2;
  for (int misses = 0; high - low > enough && misses < most_misses;) {
    const std::size_t length = high - low;
    const float range = static_cast<float>(low_gap) + static_cast<float>(high_gap);
    const float share = range > 0 ? static_cast<float>(low_gap) / range : 0.5f;
    const std::size_t place = low + static_cast<std::size_t>(share * static_cast<float>(length));
    const auto margin = static_cast<std::size_t>(sqrtf(static_cast<float>(length)));
    const std::size_t first = max(min(place, high - 1), low + margin) - margin;
    const std::size_t second = min(place + margin, high - 1);
    const sighting<Number> left = probe(first), right = probe(second);
    if (!right.behind) {
      low = second + 1;
      low_gap = right.gap;
    } else if (!left.behind) {
      low = first + 1;
      low_gap = left.gap;
      high = second;
      high_gap = right.gap;
    } else {
      high = first;
      high_gap = left.gap;
    }
    if (high - low > length / 4) ++misses;
  }
  while (low < high) {  // three reads at once: their time is what counts
    const std::size_t length = high - low;
    const std::size_t first = low + length / 4, second = low + length / 2, third = high - 1 - length / 4;
    const bool left = probe(first).behind, middle = probe(second).behind, right = probe(third).behind;
    high = left ? first : middle ? second : right ? third : high;
    low = left ? low : middle ? first + 1 : right ? second + 1 : third + 1;
  }
  return low;
}

}  // namespace detail::device::thread
}  // namespace v1
}  // namespace gpu
