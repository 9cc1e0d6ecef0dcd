// gpu::error and the two categories that its codes belong to.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/error.hpp>
#include <gpu/memory.hpp>

#if defined(GPUPAR_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace gpu::inline v1 {
namespace {

class own_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "gpupar"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::no_device:
        return "no usable CUDA device";
      case errc::host_unreachable:
        return "the host cannot reach the data";
      case errc::device_unsupported:
        return "the device cannot do this";
      case errc::unsuitable_algorithm:
        return "the forced algorithm cannot do this";
      case errc::invalid_range:
        return "invalid range";
      case errc::overlapping_ranges:
        return "overlapping ranges";
      case errc::rank_failed:
        return "a rank failed";
      case errc::ranks_disagree:
        return "the ranks disagree";
    }
    return "unknown error " + std::to_string(code);
  }
};

class runtime_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "cuda"; }
  std::string message(int code) const override {
#if defined(GPUPAR_WITH_CUDA)
    return cudaGetErrorString(static_cast<cudaError_t>(code));
#else
    return "CUDA error " + std::to_string(code);
#endif
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const own_category category;
  return category;
}

const std::error_category& cuda_category() noexcept {
  static const runtime_category category;
  return category;
}

error::~error() = default;
memory_resource::~memory_resource() = default;

namespace detail {

void refuse(int code, const char* what) { throw error{{code, error_category()}, std::string{"gpupar: "} + what}; }

}  // namespace detail
}  // namespace gpu::inline v1
