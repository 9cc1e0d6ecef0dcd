// What the library decided to do for a call, and why: the result of explain(), and the decision that the algorithms
// follow.
#pragma once

#include <cstddef>
#include <ostream>
#include <string_view>

#include "detail/config.hpp"
#include "execution.hpp"

namespace gpu::inline v1 {

/// A decision. explain() returns the same one that the call itself follows.
struct plan {
  backend where = backend::host;
  algorithm how = algorithm::automatic;
  std::size_t scratch_bytes = 0;  ///< device memory used, including that for the elements if they are host data
  std::string_view reason;        ///< never empty; refers to a string that remains valid
  double host_seconds = 0;        ///< estimates that decided the place of host data, transfers included;
  double device_seconds = 0;      ///< 0 if something else decided
  std::string_view remark;        ///< what depends on the elements or the device; usually empty; remains valid
};

[[nodiscard]] GPUPAR_EXPORT std::string_view to_string(backend where) noexcept;
[[nodiscard]] GPUPAR_EXPORT std::string_view to_string(algorithm how) noexcept;

/// "device, quicksort, 4210688 bytes of scratch: …"
GPUPAR_EXPORT std::ostream& operator<<(std::ostream& out, const plan& decided);

/// Number of usable CUDA devices; 0 without a driver, after a fork, or in a build without CUDA. Never throws.
[[nodiscard]] GPUPAR_EXPORT int device_count() noexcept;

}  // namespace gpu::inline v1
