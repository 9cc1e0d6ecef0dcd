// What the library decided to do with a call, and why: the answer of explain(), and what the algorithms obey.
#pragma once

#include <cstddef>
#include <ostream>
#include <string_view>

#include "detail/config.hpp"
#include "execution.hpp"

namespace gpu::inline v1 {

/// One decision. explain() returns it; the call itself follows the same one.
struct plan {
  backend where = backend::host;
  algorithm how = algorithm::automatic;
  std::size_t scratch_bytes = 0;  ///< device memory that is taken, for the elements, too, if they are host data
  std::string_view reason;        ///< never empty; refers to a string that stays
  double host_seconds = 0;        ///< estimates that decided the place of host data, transfers included;
  double device_seconds = 0;      ///< 0 where something else decided
  std::string_view remark;        ///< what only the elements, or a device, will tell, as a rule nothing; stays, too
};

[[nodiscard]] GPUPAR_EXPORT std::string_view to_string(backend where) noexcept;
[[nodiscard]] GPUPAR_EXPORT std::string_view to_string(algorithm how) noexcept;

/// "device, quicksort, 4210688 bytes of scratch: …"
GPUPAR_EXPORT std::ostream& operator<<(std::ostream& out, const plan& decided);

/// Number of usable CUDA devices; 0 without a driver, after a fork, or in a build without CUDA. Never throws.
[[nodiscard]] GPUPAR_EXPORT int device_count() noexcept;

}  // namespace gpu::inline v1
