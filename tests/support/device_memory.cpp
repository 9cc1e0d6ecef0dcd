// Built with the CUDA headers where the library is; a program without a GPU calls none of these.
#include "device_memory.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "gpu/plan.hpp"
#include "own_stream.hpp"

#ifdef GPUPAR_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

namespace testing {
namespace {

thread_local gpu::stream_handle own = nullptr;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "device memory of the tests: %s\n", why);
  std::abort();
}

}  // namespace

#ifdef GPUPAR_TEST_CUDA

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) give_up(cudaGetErrorString(code));
}

}  // namespace

void* allocate_device(std::size_t bytes) {
  void* pointer = nullptr;
  if (bytes == 0) bytes = 1;
  check(own ? cudaMallocAsync(&pointer, bytes, own) : cudaMalloc(&pointer, bytes));
  return pointer;
}

void deallocate_device(void* pointer) noexcept { check(own ? cudaFreeAsync(pointer, own) : cudaFree(pointer)); }

void copy_any(void* to, const void* from, std::size_t bytes) {
  if (own) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, own));
    return check(cudaStreamSynchronize(own));
  }
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  check(cudaDeviceSynchronize());  // a copy from pageable memory may not be complete yet, unseen by other streams
}

void synchronize_device() { check(cudaDeviceSynchronize()); }

int current_device() {
  int ordinal = 0;
  check(cudaGetDevice(&ordinal));
  return ordinal;
}

void set_current_device(int ordinal) { check(cudaSetDevice(ordinal)); }

std::size_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

own_stream::own_stream() {
  if (gpu::device_count() == 0) return;
  cudaMemPool_t pool = nullptr;
  std::uint64_t kept = ~std::uint64_t{0};  // freed memory stays in the pool for the next allocation
  check(cudaDeviceGetDefaultMemPool(&pool, current_device()));
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
}

own_stream::~own_stream() {
  if (own) check(cudaStreamDestroy(own));
  own = nullptr;
}

#else

void* allocate_device(std::size_t) { give_up("built without CUDA"); }
void deallocate_device(void*) noexcept { give_up("built without CUDA"); }
void copy_any(void*, const void*, std::size_t) { give_up("built without CUDA"); }
void synchronize_device() { give_up("built without CUDA"); }
int current_device() { give_up("built without CUDA"); }
void set_current_device(int) { give_up("built without CUDA"); }
std::size_t free_device_bytes() { give_up("built without CUDA"); }
own_stream::own_stream() = default;
own_stream::~own_stream() = default;

#endif

gpu::stream_handle current_stream() { return own; }

}  // namespace testing
