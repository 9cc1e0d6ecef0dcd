// Permutations as lists of indices whose width is known at run time, so that code that uses them is compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../boundary/request.hpp"
#include "../config.hpp"
#include "../index.hpp"
#include "buffer.hpp"
#include "parallel.hpp"

namespace gpu::inline v1::detail::host {

/// A non-owning view of indices of 4 or 8 bytes each.
class index_view {
 public:
  index_view(const std::uint32_t* narrow) noexcept : narrow_{narrow} {}
  index_view(const std::uint64_t* wide) noexcept : wide_{wide} {}

  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return narrow_ != nullptr ? narrow_[i] : static_cast<std::size_t>(wide_[i]);
  }

 private:
  const std::uint32_t* narrow_ = nullptr;
  const std::uint64_t* wide_ = nullptr;
};

/// Owns n indices, no wider than n elements require. Construction throws std::bad_alloc.
class permutation {
 public:
  explicit permutation(std::size_t n)
      : narrow_{index_bytes(n) == sizeof(std::uint32_t) ? n : 0}, wide_{n - narrow_.size()} {}
  explicit permutation(buffer<std::uint32_t> narrow) noexcept : narrow_{std::move(narrow)}, wide_{0} {}
  explicit permutation(buffer<std::uint64_t> wide) noexcept : narrow_{0}, wide_{std::move(wide)} {}

  [[nodiscard]] std::size_t size() const noexcept { return narrow_.size() + wide_.size(); }
  void set(std::size_t i, std::size_t index) noexcept {
    if (narrow_)
      narrow_[i] = static_cast<std::uint32_t>(index);
    else
      wide_[i] = index;
  }
  [[nodiscard]] index_view view() const noexcept {
    return narrow_ ? index_view{narrow_.data()} : index_view{wide_.data()};
  }
  /// The indices as a column of 4 or 8 bytes each, as requests take them.
  [[nodiscard]] column indices() noexcept {
    return narrow_ ? column{narrow_.data(), sizeof(std::uint32_t)} : column{wide_.data(), sizeof(std::uint64_t)};
  }

 private:
  buffer<std::uint32_t> narrow_;  // one of the two is empty
  buffer<std::uint64_t> wide_;
};

/// Copies n indices to integers of another type.
template <class Index>
void copy_indices(const index_view& from, std::size_t n, Index* to) {
  host::for_each_part<default_tuning>(n, [from, to](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<Index>(from[i]);
  });
}

}  // namespace gpu::inline v1::detail::host
