// Page-locked and managed memory, ordinary memory where there is no device, and hints about where managed memory should
// be.
#include <gpu/memory.hpp>
#include <gpu/plan.hpp>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "handles.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail {
namespace {

/// Blocks that a forked child of a process with devices has allocated from ordinary memory: all others that it is asked
/// to free are the driver's, which it cannot reach.
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

void* allocate_ordinary(std::size_t bytes) {
  return device::is_forked() ? own_blocks().allocate(bytes) : ::operator new(bytes, taken_by_child::page);
}

void deallocate_ordinary(void* pointer) noexcept {
  if (device::is_forked())
    own_blocks().deallocate(pointer);
  else
    ::operator delete(pointer, taken_by_child::page);
}

/// Memory allocated by one of CUDA's functions where there is a device, and its deallocation.
template <class Ask>
void* allocate_by(const Ask& ask_cuda, std::size_t bytes) {
  if (device_count() == 0) return allocate_ordinary(bytes);
  const device::beside_captures unhindered;
  void* memory = nullptr;
  device::check(ask_cuda(&memory, std::max<std::size_t>(bytes, 1)));
  return memory;
}

void deallocate_by(cudaError_t (*free)(void*), void* pointer) noexcept {
  if (device_count() == 0) return deallocate_ordinary(pointer);
  const device::beside_captures unhindered;
  (void)free(pointer);
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  return allocate_by([](void** memory, std::size_t size) { return cudaMallocHost(memory, size); }, bytes);
}
void deallocate_pinned(void* pointer) noexcept { deallocate_by(cudaFreeHost, pointer); }

void* allocate_managed(std::size_t bytes) {
  return allocate_by([](void** memory, std::size_t size) { return cudaMallocManaged(memory, size); }, bytes);
}
void deallocate_managed(void* pointer) noexcept { deallocate_by(cudaFree, pointer); }

void device::prefetch(const context& context, const void* data, std::size_t bytes) {
  constexpr std::size_t worth_a_call = std::size_t{1} << 20;
  if (bytes < worth_a_call) return;
  int migrates = 0;
  check(cudaDeviceGetAttribute(&migrates, cudaDevAttrConcurrentManagedAccess, context.device.ordinal));
  if (!migrates || is_captured(context.stream)) return;
  const cudaMemLocation there{cudaMemLocationTypeDevice, context.device.ordinal};
  (void)granted(cudaMemPrefetchAsync(data, bytes, there, 0, context.stream));
}

}  // namespace gpu::inline v1::detail
