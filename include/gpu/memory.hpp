// Memory: views whose type states where the elements live, allocators for standard containers, and the interface
// through which algorithms obtain their scratch memory.
#pragma once

#include <cstddef>
#include <iterator>
#include <new>
#include <ranges>
#include <span>
#include <type_traits>

#include "detail/arguments/thrust.hpp"
#include "detail/config.hpp"
#include "execution.hpp"

namespace gpu::inline v1 {

/// Stream-ordered device memory, the source of all scratch. Implementations must be safe to call from many threads.
class GPUPAR_EXPORT memory_resource {
 public:
  memory_resource() = default;
  memory_resource(const memory_resource&) = delete;
  memory_resource& operator=(const memory_resource&) = delete;
  virtual ~memory_resource();

  /// Returns `bytes` > 0 bytes of memory of the current device, usable by work enqueued on `stream` from now on.
  /// `alignment` is a power of two, at most 256. Throws std::bad_alloc if there is not enough memory; returning a null
  /// pointer has the same meaning.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment, stream_handle stream) = 0;

  /// Frees what allocate returned, once the work enqueued on `stream` so far has ended. Does not wait for that work.
  virtual void deallocate(void* pointer, std::size_t bytes, std::size_t alignment, stream_handle stream) noexcept = 0;
};

namespace detail {

/// Called before a resource that is not stream-ordered allocates memory for work on `stream`: throws gpu::error if the
/// stream is being captured, because a graph uses its memory at every launch.
GPUPAR_EXPORT void refuse_capture(stream_handle stream);
/// Called before such a resource frees memory: waits for the work on `stream`. Returns false if a capture forbids that.
[[nodiscard]] GPUPAR_EXPORT bool wait_for_work(stream_handle stream) noexcept;

}  // namespace detail

/// Adapts a resource in the sense of cuda::mr, std::pmr or RMM to memory_resource: anything with allocate(stream,
/// bytes, alignment), allocate_async(bytes, alignment, stream), allocate_sync(bytes, alignment) or allocate(bytes,
/// alignment) and the matching deallocation. Holds a reference.
/// The last two are not stream-ordered: they may hand out freed memory again at once, so the adapter waits for the
/// stream before it frees memory, even with par_nosync. A graph cannot be captured with them: gpu::error. (If a capture
/// that began later elsewhere forbids waiting for the legacy default stream, the memory is never freed.)
template <class Resource>
class resource_adapter final : public memory_resource {
 public:
  explicit resource_adapter(Resource& resource) noexcept : resource_{&resource} {}

  void* allocate(std::size_t bytes, std::size_t alignment, stream_handle stream) override {
    void* const memory = take(bytes, alignment, stream);
    if (memory == nullptr) GPUPAR_THROW(std::bad_alloc{});
    return memory;
  }

  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment, stream_handle stream) noexcept override {
    if constexpr (takes_back_after_stream)
      resource_->deallocate(stream, pointer, bytes, alignment);
    else if constexpr (takes_back_async)
      resource_->deallocate_async(pointer, bytes, alignment, stream);
    else if (detail::wait_for_work(stream))
      take_back_at_once(pointer, bytes, alignment);
  }

 private:
  static constexpr bool takes_back_after_stream = requires(Resource& resource, stream_handle stream, void* pointer) {
    resource.deallocate(stream, pointer, std::size_t{}, std::size_t{});
  };
  static constexpr bool takes_back_async = requires(Resource& resource, stream_handle stream, void* pointer) {
    resource.deallocate_async(pointer, std::size_t{}, std::size_t{}, stream);
  };

  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment, stream_handle stream) {
    if constexpr (!takes_back_after_stream && !takes_back_async) detail::refuse_capture(stream);
    if constexpr (requires { resource_->allocate(stream, bytes, alignment); })
      return resource_->allocate(stream, bytes, alignment);
    else if constexpr (requires { resource_->allocate_async(bytes, alignment, stream); })
      return resource_->allocate_async(bytes, alignment, stream);
    else if constexpr (requires { resource_->allocate_sync(bytes, alignment); })
      return resource_->allocate_sync(bytes, alignment);
    else
      return resource_->allocate(bytes, alignment);
  }

  void take_back_at_once(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (requires { resource_->deallocate_sync(pointer, bytes, alignment); })
      resource_->deallocate_sync(pointer, bytes, alignment);
    else
      resource_->deallocate(pointer, bytes, alignment);
  }

  Resource* resource_;
};

namespace detail {

[[nodiscard]] GPUPAR_EXPORT void* allocate_pinned(std::size_t bytes);
GPUPAR_EXPORT void deallocate_pinned(void* pointer) noexcept;
[[nodiscard]] GPUPAR_EXPORT void* allocate_managed(std::size_t bytes);
GPUPAR_EXPORT void deallocate_managed(void* pointer) noexcept;

/// A thrust::device_vector, or another sized range with the same iterators.
template <class Vector>
concept thrust_device_range = std::ranges::sized_range<Vector> && typed_device_elements<Vector>;

template <class Elements>
using pointed_to = std::remove_pointer_t<plain_iterator_t<typename iterator_over<Elements>::type>>;

}  // namespace detail

/// Elements in device memory that the host cannot access. Iterators are device pointers: algorithms take them, but host
/// code must not dereference them. Constructed from a pointer and a number of elements, or from a
/// thrust::device_vector.
template <class T>
class device_span : public std::span<T> {
 public:
  using std::span<T>::span;

  template <detail::wraps_pointer Pointer>
  device_span(const Pointer& first, std::size_t count) : std::span<T>(detail::unwrap(first), count) {}
  template <detail::thrust_device_range Vector>
  device_span(Vector& vector) : device_span(std::ranges::begin(vector), std::ranges::size(vector)) {}
};
template <class T>
device_span(T*, std::size_t) -> device_span<T>;
template <detail::wraps_pointer Pointer>
device_span(const Pointer&, std::size_t) -> device_span<detail::pointed_to<Pointer>>;
template <detail::thrust_device_range Vector>
device_span(Vector&) -> device_span<detail::pointed_to<Vector&>>;

/// Elements in managed memory, accessible to host and device.
template <class T>
class managed_span : public std::span<T> {
 public:
  using std::span<T>::span;
};
template <class T>
managed_span(T*, std::size_t) -> managed_span<T>;

template <class Range>
inline constexpr bool is_device_span_v = false;
template <class T>
inline constexpr bool is_device_span_v<device_span<T>> = true;

/// Allocates page-locked host memory, which transfers at full PCIe speed; ordinary memory if there is no device.
template <class T>
class pinned_allocator {
 public:
  using value_type = T;
  constexpr pinned_allocator() noexcept = default;
  template <class Other>
  constexpr pinned_allocator(const pinned_allocator<Other>&) noexcept {}

  /// Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) GPUPAR_THROW(std::bad_array_new_length{});
    return static_cast<T*>(detail::allocate_pinned(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t) noexcept { detail::deallocate_pinned(pointer); }
  friend constexpr bool operator==(const pinned_allocator&, const pinned_allocator&) noexcept { return true; }
};

/// Allocates managed memory, which host and device access and whose pages migrate on demand; ordinary memory if there
/// is no device.
template <class T>
class managed_allocator {
 public:
  using value_type = T;
  constexpr managed_allocator() noexcept = default;
  template <class Other>
  constexpr managed_allocator(const managed_allocator<Other>&) noexcept {}

  /// Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) GPUPAR_THROW(std::bad_array_new_length{});
    return static_cast<T*>(detail::allocate_managed(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t) noexcept { detail::deallocate_managed(pointer); }
  friend constexpr bool operator==(const managed_allocator&, const managed_allocator&) noexcept { return true; }
};

// Large arrays in pageable memory are transferred through page-locked staging buffers, one pool for all calls of the
// process. The pool grows when a call first needs it, up to a limit of 128 MiB, and is kept for later calls. A call
// takes at most 64 MiB, a sort in runs twice that; a call that finds all buffers in use copies without them, which is
// slower.

/// Limits the staging buffers to `bytes` bytes from now on; 0: none. Buffers in use by a call are freed when it returns
/// them.
GPUPAR_EXPORT void limit_staging(std::size_t bytes) noexcept;
/// Frees the staging buffers that no call is using; the next call that needs some allocates them again.
GPUPAR_EXPORT void release_staging() noexcept;
/// Bytes of staging buffers that the process currently holds.
[[nodiscard]] GPUPAR_EXPORT std::size_t staging_bytes() noexcept;

// Scratch comes from one pool per device, which keeps up to an eighth of the device memory for later calls.

/// Returns the memory that these pools keep to CUDA, in about a millisecond per GiB. Memory that enqueued work may
/// still use stays in the pools: wait for that work first.
GPUPAR_EXPORT void release_memory() noexcept;

}  // namespace gpu::inline v1

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<gpu::device_span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<gpu::managed_span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<gpu::device_span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<gpu::managed_span<T>> = true;
