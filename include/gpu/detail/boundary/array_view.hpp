// Contiguous elements as an argument of the library's exported functions, so that no exported symbol names a class
// template of std.
#pragma once

#include <cstddef>

#include "../config.hpp"

namespace gpu::inline v1::detail {

template <class Element>
class array_view {
 public:
  constexpr array_view() = default;
  constexpr array_view(const Element* first, std::size_t count) : first_{first}, count_{count} {}
  template <class Container>
    requires requires(const Container& all, const Element* first) {
      first = all.data();
      all.size();
    }
  constexpr array_view(const Container& all) : first_{all.data()}, count_{all.size()} {}

  [[nodiscard]] constexpr const Element* begin() const { return first_; }
  [[nodiscard]] constexpr const Element* end() const { return first_ + count_; }
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  constexpr const Element& operator[](std::size_t index) const { return first_[index]; }

 private:
  const Element* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace gpu::inline v1::detail
