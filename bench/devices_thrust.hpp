// thrust::sort of memory of the current device. Returns when done.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

void thrust_sort(std::uint32_t* keys, std::size_t n);
void thrust_sort(std::uint64_t* keys, std::size_t n);

}  // namespace bench
