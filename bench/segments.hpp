// Where the segments of a problem begin.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace bench {

/// The offsets of the segments, one more than the number of segments.
[[nodiscard]] std::vector<std::uint32_t> offsets_of(const problem& asked);

/// A bit for each element, 32 in a word: whether a segment begins with it.
[[nodiscard]] std::vector<std::uint32_t> heads_of(const problem& asked);

}  // namespace bench
