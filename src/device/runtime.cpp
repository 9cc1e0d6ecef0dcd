// Devices, their properties and default memory; pinned and managed allocations; where a pointer points; CUDA's errors.
#include "runtime.hpp"

#include <gpu/detail/device/launching/launch.cuh>
#include <gpu/detail/request.hpp>
#include <gpu/plan.hpp>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "handles.hpp"

namespace gpu {
inline namespace v1 {
namespace {

/// A process that used CUDA cannot use it in its children: they run without a device. A handler tells, since asking for
/// the process's number takes longer than sorting a few elements.
std::atomic<bool> is_child{false};

/// What a child of a process with devices has taken from ordinary memory: all else that it is asked to give back is the
/// driver's, which it cannot reach.
class taken_by_child {
 public:
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back(::operator new(bytes, page));
    return blocks_.back();
  }
  void deallocate(void* block) noexcept {
    const std::lock_guard lock{mutex_};
    const auto found = std::find(blocks_.begin(), blocks_.end(), block);
    if (found == blocks_.end()) return;
    blocks_.erase(found);
    ::operator delete(block, page);
  }

  static constexpr std::align_val_t page{
      4096};  // the alignment of memory without a device, as page-locked memory has it

 private:
  std::mutex mutex_;
  std::vector<void*> blocks_;
};

taken_by_child& own_blocks() {
  static auto& blocks = *new taken_by_child;
  return blocks;
}

/// What CUDA says of its devices, asked once.
struct found_devices {
  int count = 0;
  cudaError_t answer;

  found_devices() noexcept : answer{cudaGetDeviceCount(&count)} {
    if (answer == cudaSuccess && count > 0) {
      (void)pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
      return;
    }
    (void)cudaGetLastError();
    count = 0;
  }
};

const found_devices& devices() noexcept {
  static const found_devices found;
  return found;
}

std::string in_words(int version) {  // 13000 is CUDA 13.0
  return "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

/// Why there is no device, by CUDA's answer.
std::string problem_in_words(cudaError_t answer) {
  if (answer == cudaErrorInsufficientDriver) {
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) (void)cudaGetLastError();
    if (version == 0) return "there is no CUDA driver: install NVIDIA's for " + in_words(CUDART_VERSION) + " or newer";
    return "the CUDA driver is too old: it serves " + in_words(version) + " and this program has " +
           in_words(CUDART_VERSION) + ", so update the driver";
  }
  if (answer == cudaErrorNoDevice || answer == cudaSuccess) {
    if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
      return std::string{"CUDA_VISIBLE_DEVICES=\""} + visible + "\" leaves no CUDA device: unset it";
    return "the CUDA driver finds no device: see what nvidia-smi lists; a container must be given its devices";
  }
  return std::string{"CUDA cannot use a device: "} + cudaGetErrorString(answer) + " (" + cudaGetErrorName(answer) + ')';
}

bool ask_cuda(cudaPointerAttributes& attributes, const void* pointer) noexcept {
  if (cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

/// Asks the system whether the host can read from there. Takes a few system calls: for the case that CUDA, having lost
/// a device, does not answer, and the pointer may be the device's.
bool host_reads(const void* pointer) noexcept {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return true;
  const bool readable = write(ends[1], pointer, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

/// Whether a pointer that CUDA knows nothing of is a graph's, whose memory is not there until it is launched. Such
/// addresses are reserved far from where the system puts what programs allocate, but beyond where small programs may
/// lie; there the host cannot read. Only there is the system asked, which takes longer than to sort a few elements.
bool is_of_graph(const void* pointer) noexcept {
  constexpr std::uintptr_t least = std::uintptr_t{1} << 32, most = std::uintptr_t{1} << 46;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return least <= address && address < most && !host_reads(pointer);
}

}  // namespace

int device_count() noexcept {
  const int found = devices().count;
  return is_child.load(std::memory_order_relaxed) ? 0 : found;
}

namespace detail {

const char* device_problem() noexcept {
  if (is_child.load(std::memory_order_relaxed))
    return "this process was forked off one that uses CUDA, which its children cannot: start another program";
  try {
    static const auto& words = *new std::string{problem_in_words(devices().answer)};
    return words.c_str();
  } catch (const std::bad_alloc&) {
    return "CUDA finds no device";
  }
}

location locate(const void* pointer) noexcept {
  if (pointer == nullptr || device_count() == 0) return {};
  cudaPointerAttributes attributes{};
  if (!ask_cuda(attributes, pointer) && !ask_cuda(attributes, pointer)) {
    if (host_reads(pointer)) return {};
    return {memory_kind::device, 0};  // whose memory it is will not matter: the call is going to be refused
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {memory_kind::pinned, attributes.device};
    case cudaMemoryTypeDevice:
      return {memory_kind::device, attributes.device};
    case cudaMemoryTypeManaged:
      return {memory_kind::managed, attributes.device};
    default:
      break;
  }
  int current = 0;
  if (!is_of_graph(pointer) || cudaGetDevice(&current) != cudaSuccess) return {};
  return {memory_kind::device, current};
}

namespace device {
namespace {

class pool_resource final : public memory_resource {
 public:
  explicit pool_resource(int ordinal) : ordinal_{ordinal} {
    int supported = 0;
    check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, ordinal));
    if (supported) pool_ = make_pool();
  }

  void* allocate(std::size_t bytes, std::size_t, stream_handle stream) override {
    void* memory = nullptr;
    const cudaMemPool_t pool = pool_;
    if (pool == nullptr) {
      check(cudaMalloc(&memory, bytes));
      return memory;
    }
    const beside_captures unhindered;  // a refusal would be the end of another thread's capture, too
    cudaError_t answer = cudaMallocFromPoolAsync(&memory, bytes, pool, stream);
    if (answer == cudaErrorInvalidValue && is_gone(pool))
      answer = cudaMallocFromPoolAsync(&memory, bytes, pool_instead_of(pool), stream);
    check(answer);
    return memory;
  }

  void deallocate(void* memory, std::size_t, std::size_t, stream_handle stream) noexcept override {
    const beside_captures unhindered;
    (void)(pool_ ? cudaFreeAsync(memory, stream) : cudaFree(memory));
  }

  /// Bytes that the pool has of the driver and nobody has of the pool.
  [[nodiscard]] std::size_t idle_bytes() const {
    const cudaMemPool_t pool = pool_;
    if (pool == nullptr || is_gone(pool)) return 0;
    const beside_captures unhindered;
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return reserved - used;
  }

  /// Gives back what nobody has of the pool.
  void release() noexcept {
    const cudaMemPool_t pool = pool_;
    const beside_captures unhindered;
    if (pool != nullptr && !is_gone(pool) && cudaMemPoolTrimTo(pool, 0) != cudaSuccess) (void)cudaGetLastError();
  }

 private:
  [[nodiscard]] cudaMemPool_t make_pool() const {
    const beside_captures unhindered;
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, ordinal_));
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ordinal_;
    cudaMemPool_t pool = nullptr;
    check(cudaMemPoolCreate(&pool, &properties));
    // Kept between calls, so that the next one need not ask the driver: an eighth leaves the device to its user.
    std::uint64_t kept = device.totalGlobalMem / 8;
    if (cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) != cudaSuccess)
      (void)cudaGetLastError();  // then it asks
    return pool;
  }

  /// Whether CUDA knows the pool no more, because the device was reset. (Some drivers keep pools even so.)
  [[nodiscard]] static bool is_gone(cudaMemPool_t pool) noexcept {
    const beside_captures unhindered;
    std::uint64_t reserved = 0;
    if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess) return false;
    (void)cudaGetLastError();
    return true;
  }

  /// Another pool for one that is gone, for all threads the same.
  [[nodiscard]] cudaMemPool_t pool_instead_of(cudaMemPool_t gone) {
    const std::lock_guard lock{mutex_};
    if (pool_ == gone) pool_ = make_pool();
    return pool_;
  }

  int ordinal_;
  std::mutex mutex_;
  std::atomic<cudaMemPool_t> pool_{nullptr};
};

/// A value per device, made when first asked for. Never destroyed: static destructors may run after CUDA is gone.
template <class T>
class per_device {
 public:
  template <class Make>
  T& get(int ordinal, const Make& make) {
    auto& slot = values_.at(static_cast<std::size_t>(ordinal));
    if (T* const known = slot.load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock{mutex_};
    if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(make().release(), std::memory_order_release);
    return *slot.load(std::memory_order_relaxed);
  }

  /// Calls use(value) with those that have been made.
  template <class Use>
  void for_each(const Use& use) {
    for (const auto& slot : values_)
      if (T* const known = slot.load(std::memory_order_acquire)) use(*known);
  }

 private:
  std::mutex mutex_;
  std::vector<std::atomic<T*>> values_{static_cast<std::size_t>(device_count())};
};

per_device<pool_resource>& pools() {
  static auto& all = *new per_device<pool_resource>;
  return all;
}

pool_resource& pool_of(int ordinal) {
  return pools().get(ordinal, [&] { return std::make_unique<pool_resource>(ordinal); });
}

}  // namespace

memory_resource& default_resource(int ordinal) { return pool_of(ordinal); }

std::size_t available_bytes() {
  int ordinal = 0;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaGetDevice(&ordinal));
  check(cudaMemGetInfo(&free, &total));
  return free + pool_of(ordinal).idle_bytes();
}

const device_properties& properties(int ordinal) {
  static auto& known = *new per_device<device_properties>;
  return known.get(ordinal, [&] {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, ordinal));
    return std::make_unique<device_properties>(
        device_properties{ordinal, device.major * 10 + device.minor, device.multiProcessorCount,
                          static_cast<std::size_t>(device.sharedMemPerBlockOptin), device.cooperativeLaunch != 0,
                          device.clusterLaunch != 0, device.canUseHostPointerForRegisteredMem != 0});
  });
}

std::size_t least_shared_bytes() {
  static const std::size_t least = [] {
    std::size_t bytes = 0;
    for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
      const std::size_t own = properties(ordinal).shared_bytes_per_block;
      bytes = ordinal == 0 ? own : std::min(bytes, own);
    }
    return bytes;
  }();
  return least;
}

void prefetch(const context& context, const void* data, std::size_t bytes) {
  constexpr std::size_t worth_a_call = std::size_t{1} << 20;
  if (bytes < worth_a_call) return;
  int migrates = 0;
  check(cudaDeviceGetAttribute(&migrates, cudaDevAttrConcurrentManagedAccess, context.device.ordinal));
  if (!migrates || is_captured(context.stream)) return;
  const cudaMemLocation there{cudaMemLocationTypeDevice, context.device.ordinal};
  if (cudaMemPrefetchAsync(data, bytes, there, 0, context.stream) != cudaSuccess) (void)cudaGetLastError();
}

bool is_captured(stream_handle stream) noexcept {
  cudaStreamCaptureStatus capturing{};
  if (cudaStreamIsCapturing(stream, &capturing) == cudaSuccess) return capturing != cudaStreamCaptureStatusNone;
  (void)cudaGetLastError();
  return true;
}

void wait(stream_handle stream, const std::source_location& where) { check(synchronize(stream), where); }

bool drained_after_refusal(stream_handle stream) {
  (void)cudaGetLastError();
  if (!is_captured(stream) && synchronize(stream) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

void throw_cuda_error(int code, const std::source_location& where) {
  (void)cudaGetLastError();
  if (code == cudaErrorMemoryAllocation) throw std::bad_alloc{};
  throw error{{code, cuda_category()},
              std::string{"gpupar: "} + where.file_name() + ':' + std::to_string(where.line()) + ": CUDA refused"};
}

}  // namespace device

void await_stream(const location& at, const execution_options& options) noexcept {
  if (at.kind == memory_kind::pageable && options.stream == nullptr) return;
  if (device_count() == 0 || device::is_captured(options.stream)) return;
  (void)device::synchronize(options.stream);  // what fails there is the caller's, and stays for the caller to see
}

void refuse_capture(stream_handle stream) {
  if (device_count() > 0 && device::is_captured(stream))
    refuse(static_cast<int>(errc::device_unsupported),
           "a resource without streams cannot serve a stream that is being captured: a graph uses its memory at every "
           "launch. Leave .with() out, or pass a resource whose deallocation takes a stream");
}

bool wait_for_work(stream_handle stream) noexcept {
  if (device_count() == 0) return true;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  const cudaError_t answer = cudaStreamIsCapturing(stream, &capturing);
  if (capturing != cudaStreamCaptureStatusNone) return false;
  if (answer == cudaSuccess && device::synchronize(stream) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return answer != cudaErrorStreamCaptureImplicit;  // of a device that is lost nothing is at work any more
}

namespace {

void* allocate_ordinary(std::size_t bytes) {
  return is_child.load(std::memory_order_relaxed) ? own_blocks().allocate(bytes)
                                                  : ::operator new(bytes, taken_by_child::page);
}

void deallocate_ordinary(void* pointer) noexcept {
  if (is_child.load(std::memory_order_relaxed))
    own_blocks().deallocate(pointer);
  else
    ::operator delete(pointer, taken_by_child::page);
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  if (device_count() == 0) return allocate_ordinary(bytes);
  const device::beside_captures unhindered;
  void* memory = nullptr;
  device::check(cudaMallocHost(&memory, std::max<std::size_t>(bytes, 1)));
  return memory;
}

void deallocate_pinned(void* pointer) noexcept {
  if (device_count() == 0) return deallocate_ordinary(pointer);
  const device::beside_captures unhindered;
  (void)cudaFreeHost(pointer);
}

void* allocate_managed(std::size_t bytes) {
  if (device_count() == 0) return allocate_ordinary(bytes);
  const device::beside_captures unhindered;
  void* memory = nullptr;
  device::check(cudaMallocManaged(&memory, std::max<std::size_t>(bytes, 1)));
  return memory;
}

void deallocate_managed(void* pointer) noexcept {
  if (device_count() == 0) return deallocate_ordinary(pointer);
  const device::beside_captures unhindered;
  (void)cudaFree(pointer);
}

}  // namespace detail

void release_memory() noexcept {
  if (device_count() == 0) return;
  try {
    detail::device::pools().for_each([](auto& pool) { pool.release(); });
  } catch (const std::bad_alloc&) {  // for a list of pools: there is none
  }
}
}  // namespace v1
}  // namespace gpu
