// Uninitialised scratch memory of the host backend.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "../config.hpp"

namespace gpu::inline v1::detail::host {

/// Asks the system for pages of large_page bytes for memory that begins on such a page. Only a hint. Touching every
/// small page of a large buffer for the first time takes as long as sorting its contents.
GPUPAR_EXPORT void prefer_large_pages(void* data, std::size_t bytes) noexcept;
inline constexpr std::size_t large_page = std::size_t{2} << 20;

/// Thrown by buffers, to be told apart from a std::bad_alloc that a comparator throws.
struct no_memory : std::bad_alloc {};

/// Aligned memory for `size` objects of type T. The buffer neither constructs nor destroys them: the caller manages
/// their lifetimes. Throws std::bad_alloc; with std::nothrow the buffer is empty if there is no memory.
template <class T>
class buffer {
 public:
  explicit buffer(std::size_t size) : data_{allocate(size)}, size_{size} {
    if (data_ == nullptr && size != 0) GPUPAR_THROW(no_memory{});
  }
  buffer(std::size_t size, const std::nothrow_t&) noexcept : data_{allocate(size)}, size_{data_ ? size : 0} {}

  buffer(buffer&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, std::size_t{0})} {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() { ::operator delete(static_cast<void*>(data_), alignment(size_)); }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return data_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  static constexpr bool is_large(std::size_t size) noexcept { return size >= 4 * large_page / sizeof(T); }

  // At least a cache line, so that no two threads' parts share a line merely because of where the buffer starts.
  static constexpr std::align_val_t alignment(std::size_t size) noexcept {
    constexpr std::size_t line = alignof(T) > 64 ? alignof(T) : 64;
    return std::align_val_t{is_large(size) ? large_page : line};
  }

  static T* allocate(std::size_t size) noexcept {
    if (size == 0 || size > (std::numeric_limits<std::size_t>::max)() / sizeof(T)) return nullptr;
    void* const data = ::operator new(size * sizeof(T), alignment(size), std::nothrow);
    if (data != nullptr && is_large(size)) prefer_large_pages(data, size * sizeof(T));
    return static_cast<T*>(data);
  }

  T* data_;
  std::size_t size_;
};

/// Memory for `n` objects of an implicit-lifetime type: inside this object if n <= Few, else in a buffer.
template <class T, std::size_t Few>
class few_or_buffer {
 public:
  explicit few_or_buffer(std::size_t n) : many_{n > Few ? buffer<T>(n) : buffer<T>(0)} {}
  few_or_buffer(std::size_t n, const std::nothrow_t& quiet)
      : many_{n > Few ? n : 0, quiet}, missing_{n > Few && !many_} {}

  [[nodiscard]] T* data() noexcept { return many_ ? many_.data() : reinterpret_cast<T*>(few_.data()); }
  [[nodiscard]] explicit operator bool() const noexcept { return !missing_; }

 private:
  alignas(T) std::array<std::byte, Few * sizeof(T)> few_;
  buffer<T> many_;
  bool missing_ = false;
};

}  // namespace gpu::inline v1::detail::host
