// The algorithms that a sort on the host can be asked for.
#pragma once

#include <array>

#include "gpu/algorithm.hpp"

namespace testing {

inline constexpr std::array stable_algorithms{gpu::algorithm::automatic, gpu::algorithm::sample_sort,
                                              gpu::algorithm::merge_sort};
inline constexpr std::array algorithms{gpu::algorithm::automatic, gpu::algorithm::bitonic, gpu::algorithm::quicksort,
                                       gpu::algorithm::sample_sort, gpu::algorithm::merge_sort};

}  // namespace testing
