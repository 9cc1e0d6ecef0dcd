// Prints which kernels of the library a program runs: with GPUPAR_TEST_KERNELS=1, a line "kernel: name" at the first
// launch of each. Shows whether a reduced run, as tools need it, still reaches all kernels. The linker redirects
// launches to this file.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace {

void name_once(const void* kernel) {
  static std::mutex guard;
  static std::set<const void*> named;
  const std::lock_guard lock{guard};
  if (!named.insert(kernel).second) return;
  const char* name = "unknown";
  cudaFuncGetName(&name, kernel);
  std::printf("kernel: %s\n", name);
}

}  // namespace

extern "C" cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
extern "C" cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* shape, const void* kernel,
                                                  void** arguments) {
  static const bool wanted = std::getenv("GPUPAR_TEST_KERNELS") != nullptr;
  if (wanted) name_once(kernel);
  return __real_cudaLaunchKernelExC(shape, kernel, arguments);
}
