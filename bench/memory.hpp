// Memory of the benchmarks: blocks in any place, and blocks that cases reuse one after another.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "problem.hpp"

namespace bench {

/// Uninitialised memory in a place. Throws std::bad_alloc.
class block {
 public:
  block() = default;
  block(place where, std::size_t bytes);
  block(block&& other) noexcept { *this = std::move(other); }
  block& operator=(block&& other) noexcept {
    std::swap(where_, other.where_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~block();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  place where_ = place::pageable;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Four blocks in a place, one for each member of `arrays`, that grow with the largest case.
class arena {
 public:
  explicit arena(place where) : where_{where} {}
  [[nodiscard]] place where() const { return where_; }

  /// At least `bytes` bytes in block `number`. Its former contents are lost.
  [[nodiscard]] std::byte* reserve(std::size_t number, std::size_t bytes);

 private:
  place where_;
  std::array<block, 4> blocks_;
};

}  // namespace bench
