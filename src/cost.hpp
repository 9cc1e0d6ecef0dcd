// The expected cost of a call on host data on either side, by which placement.cpp decides where it runs.
#pragma once

#include <gpu/detail/boundary/request.hpp>

namespace gpu::inline v1::detail {

/// The costs of using a device on this machine, apart from the work of the kernels.
struct machine_costs {
  double latency;         ///< seconds of a call with next to no data: copy there, one launch, copy back
  double pageable_speed;  ///< bytes per second by plain copies, the mean of both directions
  double pinned_speed;    ///< the same for page-locked memory; staged copies come close to it
};

/// Measured by the first call, once per process, in about 3 milliseconds (plus CUDA's own start-up if this is its first
/// use); or taken from GPUPAR_COST_MODEL: "latency in microseconds,pageable GB/s,pinned GB/s", as in "20,10,50".
[[nodiscard]] const machine_costs& costs_of_machine();

/// Parses the value of GPUPAR_COST_MODEL; false if `text` is null or invalid.
[[nodiscard]] bool parse_costs(const char* text, machine_costs& costs);

/// Estimated seconds on the host backend.
[[nodiscard]] double host_seconds(const workload& work);
/// Estimated seconds on the device, transfers included.
[[nodiscard]] double device_seconds(const workload& work, const machine_costs& costs);

}  // namespace gpu::inline v1::detail
