// A stand-in for CUDA's runtime on machines without a GPU: memory is ordinary memory, copies copy, kernels do nothing.
// Enough to see what becomes of data and memory when a call fails.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "cuda_calls.hpp"
#include "failing_cuda.hpp"

#define DECLARE(name, parameters, arguments) cudaError_t pretended_##name parameters;
GPUPAR_CUDA_CALLS(DECLARE)

const bool testing::cuda_is_pretended = true;

namespace {

struct block {
  std::size_t bytes;
  cudaMemoryType kind;
  int device;
};

std::mutex mutex;
std::map<const char*, block> blocks;

/// The device that a thread has set, and those whose contexts it has pushed since.
thread_local int set_device = 0;
thread_local std::vector<int> entered;

int device_here() { return entered.empty() ? set_device : entered.back(); }
void start(int device) { testing::pretended_started |= 1u << device; }

/// Starts the current device, as most calls do, in CUDA 13 also some that only query.
void start_here() {
  start(device_here());
  thread_local bool counted = false;
  if (!counted) ++testing::pretended_threads;
  counted = true;
}

cudaError_t take(void** memory, std::size_t bytes, cudaMemoryType kind) {
  start_here();
  const std::lock_guard lock{mutex};
  *memory = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0, bytes);
  blocks[static_cast<const char*>(*memory)] = {bytes, kind, device_here()};
  return cudaSuccess;
}

cudaError_t give_back(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const std::lock_guard lock{mutex};
  if (blocks.erase(static_cast<const char*>(memory)) == 0) std::abort();
  std::free(memory);
  return cudaSuccess;
}

CUresult set_attribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult attribute_of(int* value, CUfunction_attribute what, CUfunction) {
  return *value = what == CU_FUNC_ATTRIBUTE_PTX_VERSION ? 90 : 0, CUDA_SUCCESS;
}
CUresult id_of_context(CUcontext, unsigned long long* id) { return *id = 1, CUDA_SUCCESS; }

CUresult retain_context(CUcontext* context, CUdevice device) {
  start(device);
  return *context = std::bit_cast<CUcontext>(std::uintptr_t{1} + static_cast<unsigned>(device)), CUDA_SUCCESS;
}
CUresult release_context(CUdevice) { return CUDA_SUCCESS; }
CUresult push_context(CUcontext context) {
  return entered.push_back(static_cast<int>(std::bit_cast<std::uintptr_t>(context) - 1)), CUDA_SUCCESS;
}
CUresult pop_context(CUcontext*) { return entered.pop_back(), CUDA_SUCCESS; }

cudaMemPool_t newest_pool() { return reinterpret_cast<cudaMemPool_t>(256 * testing::pretended_pools); }
bool is_known(cudaMemPool_t pool) { return testing::pretended_pool_is_known && pool == newest_pool(); }

/// A handle that is not null.
template <class Handle>
Handle some_handle() {
  static int something;
  return reinterpret_cast<Handle>(&something);
}

}  // namespace

cudaError_t pretended_cudaGetDeviceCount(int* count) { return *count = testing::pretended_devices, cudaSuccess; }
cudaError_t pretended_cudaDriverGetVersion(int* version) {
  return *version = testing::pretended_driver_version, cudaSuccess;
}
cudaError_t pretended_cudaGetDevice(int* device) { return *device = device_here(), cudaSuccess; }
cudaError_t pretended_cudaSetDevice(int device) {
  if (entered.empty())
    set_device = device;
  else
    entered.back() = device;
  return start(device), cudaSuccess;
}
cudaError_t pretended_cudaDeviceCanAccessPeer(int* reaches, int, int) { return *reaches = 1, cudaSuccess; }
cudaError_t pretended_cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t pretended_cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 1, cudaSuccess; }
cudaError_t pretended_cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  properties->major = 9;
  properties->multiProcessorCount = 132;
  properties->cooperativeLaunch = 1;
  properties->canUseHostPointerForRegisteredMem = 1;
  properties->sharedMemPerBlockOptin = 227 * 1024;
  properties->totalGlobalMem = std::size_t{1} << 37;
  return cudaSuccess;
}

cudaError_t pretended_cudaMalloc(void** memory, size_t bytes) { return take(memory, bytes, cudaMemoryTypeDevice); }
cudaError_t pretended_cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  return is_known(pool) ? take(memory, bytes, cudaMemoryTypeDevice) : cudaErrorInvalidValue;
}
cudaError_t pretended_cudaMallocHost(void** memory, size_t bytes) { return take(memory, bytes, cudaMemoryTypeHost); }
cudaError_t pretended_cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return take(memory, bytes, cudaMemoryTypeHost);
}
cudaError_t pretended_cudaMallocManaged(void** memory, size_t bytes, unsigned) {
  return take(memory, bytes, cudaMemoryTypeManaged);
}
cudaError_t pretended_cudaFree(void* memory) { return give_back(memory); }
cudaError_t pretended_cudaFreeAsync(void* memory, cudaStream_t) { return give_back(memory); }
cudaError_t pretended_cudaFreeHost(void* memory) { return give_back(memory); }
cudaError_t pretended_cudaHostRegister(void* memory, size_t bytes, unsigned) {
  start_here();
  const std::lock_guard lock{mutex};
  blocks[static_cast<const char*>(memory)] = {bytes, cudaMemoryTypeHost, device_here()};
  return cudaSuccess;
}
cudaError_t pretended_cudaHostUnregister(void* memory) {
  const std::lock_guard lock{mutex};
  blocks.erase(static_cast<const char*>(memory));
  return cudaSuccess;
}
cudaError_t pretended_cudaMemGetInfo(size_t* free, size_t* total) {
  start_here();
  *free = *total = std::size_t{1} << 37;
  return cudaSuccess;
}
cudaError_t pretended_cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  ++testing::pretended_pools;
  testing::pretended_pool_is_known = true;
  return *pool = newest_pool(), cudaSuccess;
}
cudaError_t pretended_cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  return std::memset(value, 0, 8), is_known(pool) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t pretended_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return is_known(pool) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t pretended_cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) { return cudaSuccess; }
cudaError_t pretended_cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t pretended_cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t pretended_cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::lock_guard lock{mutex};
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  const auto* const byte = static_cast<const char*>(pointer);
  const auto after = blocks.upper_bound(byte);
  if (after == blocks.begin()) return cudaSuccess;
  const auto& [begin, found] = *std::prev(after);
  if (byte >= begin + found.bytes) return cudaSuccess;
  attributes->type = found.kind;
  attributes->device = found.device;
  return cudaSuccess;
}

cudaError_t pretended_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  start_here();
  return std::memmove(to, from, bytes), cudaSuccess;
}
cudaError_t pretended_cudaMemsetAsync(void* memory, int byte, size_t bytes, cudaStream_t) {
  start_here();
  return std::memset(memory, byte, bytes), cudaSuccess;
}
cudaError_t pretended_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return start_here(), cudaSuccess;
}
cudaError_t pretended_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  return *blocks = 2, cudaSuccess;
}
cudaError_t pretended_cudaGetFuncBySymbol(cudaFunction_t* function, const void*) {
  return *function = some_handle<cudaFunction_t>(), cudaSuccess;
}
cudaError_t pretended_cudaGetDriverEntryPointByVersion(const char* symbol, void** entry, unsigned, unsigned long long,
                                                       cudaDriverEntryPointQueryResult* found) {
  static const std::map<std::string_view, void*> functions{
      {"cuFuncSetAttribute", reinterpret_cast<void*>(&set_attribute)},
      {"cuFuncGetAttribute", reinterpret_cast<void*>(&attribute_of)},
      {"cuCtxGetId", reinterpret_cast<void*>(&id_of_context)},
      {"cuCtxPushCurrent", reinterpret_cast<void*>(&push_context)},
      {"cuCtxPopCurrent", reinterpret_cast<void*>(&pop_context)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&retain_context)},
      {"cuDevicePrimaryCtxRelease", reinterpret_cast<void*>(&release_context)}};
  const auto known = functions.find(symbol);
  *entry = known != functions.end() ? known->second : nullptr;
  if (found) *found = *entry ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t pretended_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  start_here();
  return *stream = some_handle<cudaStream_t>(), cudaSuccess;
}
cudaError_t pretended_cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t pretended_cudaStreamSynchronize(cudaStream_t) { return start_here(), cudaSuccess; }
cudaError_t pretended_cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t pretended_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  start_here();
  const bool captured = static_cast<void*>(stream) == &testing::captured_stream;
  *status = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t pretended_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return start_here(), cudaSuccess; }
cudaError_t pretended_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  start_here();
  return *event = some_handle<cudaEvent_t>(), cudaSuccess;
}
cudaError_t pretended_cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t pretended_cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t pretended_cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

cudaError_t pretended_cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return std::memmove(to, from, bytes), cudaSuccess;
}
cudaError_t pretended_cudaDeviceSynchronize() { return cudaSuccess; }
