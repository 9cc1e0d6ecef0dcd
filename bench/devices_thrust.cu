// thrust::sort on one device, for comparison with sorts on several.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "devices_thrust.hpp"

namespace bench {

void thrust_sort(std::uint32_t* keys, std::size_t n) { thrust::sort(thrust::device, keys, keys + n); }
void thrust_sort(std::uint64_t* keys, std::size_t n) { thrust::sort(thrust::device, keys, keys + n); }

}  // namespace bench
