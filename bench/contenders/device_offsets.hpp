// Segment offsets in device memory, in addition to the data that are sorted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../cuda_check.hpp"
#include "../memory.hpp"
#include "../segments.hpp"

namespace bench {

/// The offsets of a problem's segments. Copies share the memory.
class device_offsets {
 public:
  explicit device_offsets(const problem& asked) {
    const auto offsets = offsets_of(asked);
    size_ = offsets.size();
    memory_ = std::make_shared<block>(place::device, size_ * sizeof(offsets[0]));
    check(cudaMemcpy(memory_->data(), offsets.data(), memory_->bytes(), cudaMemcpyHostToDevice));
  }

  [[nodiscard]] const std::uint32_t* data() const { return static_cast<const std::uint32_t*>(memory_->data()); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::shared_ptr<block> memory_;
};

}  // namespace bench
