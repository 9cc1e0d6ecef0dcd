// What a call on host data is expected to cost on either side: how placement.cpp decides where it runs.
#pragma once

#include <gpu/detail/boundary/request.hpp>

namespace gpu::inline v1::detail {

/// What using a device costs on this machine beside the kernels' work.
struct machine_costs {
  double latency;         ///< seconds of a call with next to no data: copy there, one launch, copy back
  double pageable_speed;  ///< bytes per second by plain copies, the mean of both directions
  double pinned_speed;    ///< the same for page-locked memory, and what staged copies come close to
};

/// Measured when first asked, once per process, in about 3 milliseconds (plus CUDA's own start, if this is its first
/// use); or what GPUPAR_COST_MODEL says, "latency in microseconds,pageable GB/s,pinned GB/s", as in "20,10,50".
[[nodiscard]] const machine_costs& costs_of_machine();

/// The value of GPUPAR_COST_MODEL in numbers; false if the text is none or makes no sense.
[[nodiscard]] bool parse_costs(const char* text, machine_costs& costs);

/// Seconds that the host backend will need, about.
[[nodiscard]] double host_seconds(const workload& work);
/// Seconds that the device will need, transfers included, about.
[[nodiscard]] double device_seconds(const workload& work, const machine_costs& costs);

}  // namespace gpu::inline v1::detail
