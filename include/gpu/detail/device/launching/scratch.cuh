// Scratch: one stream-ordered allocation per call, carved into typed arrays. The same carving code, run over a null
// base, computes how many bytes it needs, so the size is known (and can be explained) before anything is written.
#pragma once

#include <cstddef>
#include <new>

#include "../../../memory.hpp"
#include "../columns.cuh"
#include "context.hpp"

namespace gpu::inline v1::detail::device {

/// Hands out consecutive arrays, each aligned to 256 bytes.
class carver {
 public:
  explicit carver(void* base = nullptr) noexcept : base_{static_cast<std::byte*>(base)} {}

  /// `count` elements; null while measuring.
  template <class T>
  T* take(std::size_t count) noexcept {
    const std::size_t start = (bytes_ + alignment - 1) / alignment * alignment;
    bytes_ = start + count * sizeof(T);
    return base_ ? reinterpret_cast<T*>(base_ + start) : nullptr;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Extends this carver over what a copy of it has taken since, for alternative layouts in the same memory, only one
  /// of which will be in use.
  void cover(const carver& copy) noexcept { bytes_ = bytes_ > copy.bytes_ ? bytes_ : copy.bytes_; }

  static constexpr std::size_t alignment = 256;

 private:
  std::byte* base_;
  std::size_t bytes_ = 0;
};

/// Room for n elements.
template <class Key, class Value>
struct take_columns {
  static columns<Key, Value> from(carver& carve, std::size_t n) {
    Key* const keys = carve.take<Key>(n);
    if constexpr (has_value_v<Value>)
      return {keys, carve.take<Value>(n)};
    else
      return {keys, nullptr};
  }
};
template <class Bits, class High, class Low>
struct take_columns<Bits, joined<High, Low>> {
  static columns<Bits, joined<High, Low>> from(carver& carve, std::size_t n) {
    High* const high = carve.take<High>(n);
    return {{high, carve.take<Low>(n)}};
  }
};

/// The bytes of scratch that Layout{carver, arguments...} takes.
template <class Layout, class... Arguments>
[[nodiscard]] std::size_t scratch_bytes(const Arguments&... arguments) {
  carver measure;
  Layout{measure, arguments...};
  return measure.bytes();
}

/// The simplest Layout.
template <class T>
struct scratch_array {
  scratch_array(carver& carve, std::size_t count) : data{carve.take<T>(count)} {}
  T* data;
};

/// A Layout carved from memory of its own, which is freed in stream order at the end of the scope. A Layout is an
/// aggregate of pointers with a constructor Layout(carver&, arguments...).
template <class Layout>
class scratch {
 public:
  /// Throws no_device_memory, before anything is written.
  template <class... Arguments>
  explicit scratch(const context& context, const Arguments&... arguments)
      : context_{context},
        bytes_{device::scratch_bytes<Layout>(arguments...)},
        memory_{bytes_ > 0 ? allocate(context, bytes_, carver::alignment) : nullptr},
        layout_{make(memory_, arguments...)} {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    if (memory_) context_.resource->deallocate(memory_, bytes_, carver::alignment, context_.stream);
  }

  const Layout& operator*() const noexcept { return layout_; }
  const Layout* operator->() const noexcept { return &layout_; }

 private:
  template <class... Arguments>
  static Layout make(void* memory, const Arguments&... arguments) {
    carver carve{memory};
    return Layout{carve, arguments...};
  }

  const context& context_;
  std::size_t bytes_;
  void* memory_;
  Layout layout_;
};

/// Memory that a caller does not need yet, lent meanwhile to code that takes scratch: one allocation at a time.
class lent_memory final : public memory_resource {
 public:
  lent_memory(std::byte* memory, std::size_t bytes) noexcept : memory_{memory}, bytes_{bytes} {}

  /// The same context, but with scratch taken from this memory.
  [[nodiscard]] context instead_of(context other) noexcept {
    other.resource = this;
    return other;
  }

  void* allocate(std::size_t bytes, std::size_t, stream_handle) override {
    if (lent_ || bytes > bytes_) throw std::bad_alloc{};
    lent_ = true;
    return memory_;
  }
  void deallocate(void*, std::size_t, std::size_t, stream_handle) noexcept override { lent_ = false; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
  bool lent_ = false;
};

}  // namespace gpu::inline v1::detail::device
