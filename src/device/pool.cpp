// The default memory resources: a pool of each device, and one whose memory other devices can read, too.
#include <gpu/detail/distributed/devices.hpp>
#include <gpu/plan.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "handles.hpp"
#include "per_device.hpp"
#include "runtime.hpp"

namespace gpu::inline v1 {
namespace detail::device {
namespace {

/// Who can read a pool's memory.
enum class readers : unsigned char { own_device, peers };

class pool_resource final : public memory_resource {
 public:
  pool_resource(int ordinal, readers allowed) : ordinal_{ordinal}, readers_{allowed} {
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
    const beside_captures unhindered;  // a refused call would also end another thread's capture
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

  /// Bytes that the pool holds and has not handed out.
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

  /// Returns to the driver what the pool has not handed out.
  void release() noexcept {
    const cudaMemPool_t pool = pool_;
    const beside_captures unhindered;
    if (pool != nullptr && !is_gone(pool)) (void)granted(cudaMemPoolTrimTo(pool, 0));
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
    // Kept between calls, so that the next one need not request it from the driver; an eighth leaves enough of the
    // device to its user.
    std::uint64_t kept = device.totalGlobalMem / 8;
    (void)granted(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));  // or else it asks
    if (readers_ == readers::peers) admit_peers(pool);
    return pool;
  }

  /// Gives access to the pool's memory to all devices that can have it.
  void admit_peers(cudaMemPool_t pool) const {
    std::vector<cudaMemAccessDesc> peers;
    for (int peer = 0; peer < device_count(); ++peer) {
      int reaches = 0;
      if (peer == ordinal_) continue;
      check(cudaDeviceCanAccessPeer(&reaches, peer, ordinal_));
      if (reaches) peers.push_back({{cudaMemLocationTypeDevice, peer}, cudaMemAccessFlagsProtReadWrite});
    }
    if (!peers.empty()) check(cudaMemPoolSetAccess(pool, peers.data(), peers.size()));
  }

  /// Whether CUDA no longer knows the pool, because the device was reset. (Some drivers keep pools even then.)
  [[nodiscard]] static bool is_gone(cudaMemPool_t pool) noexcept {
    const beside_captures unhindered;
    std::uint64_t reserved = 0;
    return !granted(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  }

  /// A replacement for a pool that is gone, the same for all threads.
  [[nodiscard]] cudaMemPool_t pool_instead_of(cudaMemPool_t gone) {
    const std::lock_guard lock{mutex_};
    if (pool_ == gone) pool_ = make_pool();
    return pool_;
  }

  int ordinal_;
  readers readers_;
  std::mutex mutex_;
  std::atomic<cudaMemPool_t> pool_{nullptr};
};

per_device<pool_resource>& pools(readers allowed) {
  static auto& all = *new std::array<per_device<pool_resource>, 2>;
  return all[static_cast<std::size_t>(allowed)];
}

pool_resource& pool_of(int ordinal, readers allowed) {
  return pools(allowed).get(ordinal, [&] { return std::make_unique<pool_resource>(ordinal, allowed); });
}

/// Memory of the current device, whichever that is, that peers can read.
class peer_resource final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, stream_handle stream) override {
    return pool().allocate(bytes, alignment, stream);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment, stream_handle stream) noexcept override {
    pool().deallocate(memory, bytes, alignment, stream);
  }

 private:
  static pool_resource& pool() {
    int ordinal = 0;
    check(cudaGetDevice(&ordinal));
    return pool_of(ordinal, readers::peers);
  }
};

}  // namespace

memory_resource& default_resource(int ordinal) { return pool_of(ordinal, readers::own_device); }

std::size_t available_bytes() {
  int ordinal = 0;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaGetDevice(&ordinal));
  check(cudaMemGetInfo(&free, &total));
  return free + pool_of(ordinal, readers::own_device).idle_bytes();
}

std::size_t memory_for(const execution_options& options, std::size_t wanted) {
  constexpr std::size_t surely_there = std::size_t{1} << 30;  // not asked about: finding out takes less time
  const std::size_t allowed = options.memory_limit > 0 ? options.memory_limit : std::numeric_limits<std::size_t>::max();
  if (options.resource != nullptr || std::min(wanted, allowed) <= surely_there) return allowed;
  return std::min(allowed, available_bytes() / 20 * 19);  // the rest: fragments, and what others take meanwhile
}

}  // namespace detail::device

memory_resource& detail::memory_for_peers() {
  static auto& resource = *new device::peer_resource;
  return resource;
}

void release_memory() noexcept {
  if (device_count() == 0) return;
  try {
    for (const auto allowed : {detail::device::readers::own_device, detail::device::readers::peers})
      detail::device::pools(allowed).for_each([](auto& pool) { pool.release(); });
  } catch (const std::bad_alloc&) {  // for the list of pools: then there are none
  }
}

}  // namespace gpu::inline v1
