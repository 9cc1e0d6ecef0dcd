// The exceptions of gpupar other than std::bad_alloc: gpu::error, a std::system_error whose category states whether the
// error comes from gpupar or from CUDA.
#pragma once

#include <string>
#include <system_error>

#include "detail/config.hpp"

namespace gpu::inline v1 {

/// Errors that gpupar itself reports. Values of the category `gpupar`.
enum class errc {
  no_device = 1,         ///< the policy requires a device and none can be used
  host_unreachable,      ///< the data are in device memory, but the work can only be done on the host
  device_unsupported,    ///< the policy requires the device, but the device cannot do this work
  unsuitable_algorithm,  ///< the forced algorithm cannot do this work
  invalid_range,         ///< a null pointer with elements, or a range that ends before it begins
  overlapping_ranges,    ///< an output overlaps an input
  rank_failed,           ///< over ranks: one of them threw something other than gpu::error, or has ended
  ranks_disagree,        ///< over ranks: the ranks do not all make the same call
};

/// Messages of gpu::errc.
[[nodiscard]] GPUPAR_EXPORT const std::error_category& error_category() noexcept;
/// Messages of cudaError_t.
[[nodiscard]] GPUPAR_EXPORT const std::error_category& cuda_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// A failure of CUDA (code().category() == cuda_category()) or an error that gpupar itself reports (a gpu::errc).
/// what() includes how to fix it.
class GPUPAR_EXPORT error : public std::system_error {
 public:
  error(std::error_code code, const std::string& what) : std::system_error{code, what} {}
  ~error() override;
};

}  // namespace gpu::inline v1

template <>
struct std::is_error_code_enum<gpu::errc> : std::true_type {};
