// The outputs of merges and selections: memory disjoint from their inputs, and intermediate memory of merges to
// iterators that cannot be written in any order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "../arguments/iterator.hpp"
#include "../boundary/dispatch.hpp"
#include "../host/buffer.hpp"

namespace gpu::inline v1::detail {

inline constexpr const char* merge_overlaps =
    "the output of a merge overlaps an input: merge into memory of its own, or use gpu::inplace_merge";
inline constexpr const char* selection_overlaps =
    "the output of a selection overlaps an input: select into memory of its own, or use gpu::partial_sort";

/// Refuses, with the message `words`, an output that overlaps an input, if both are contiguous: elements would be
/// overwritten before they are read.
template <class Input, class Output>
void require_disjoint(const Input& input, std::size_t input_count, const Output& output, std::size_t output_count,
                      const char* words = merge_overlaps) {
  if constexpr (is_contiguous_v<Input> && is_contiguous_v<Output>) {
    detail::require_memory(detail::address_of(input), input_count);
    detail::require_memory(detail::address_of(output), output_count);
    const auto in = reinterpret_cast<std::uintptr_t>(detail::address_of(input));
    const auto out = reinterpret_cast<std::uintptr_t>(detail::address_of(output));
    const std::size_t input_bytes = input_count * sizeof(std::iter_value_t<Input>);
    const std::size_t output_bytes = output_count * sizeof(std::iter_value_t<Output>);
    if (input_bytes > 0 && output_bytes > 0 && in < out + output_bytes && out < in + input_bytes)
      refuse(errc::overlapping_ranges, words);
  }
}

/// Storage for an element that is constructed when it is first written.
template <class T>
class made_when_written {
 public:
  template <class Element>
    requires std::constructible_from<T, Element>
  made_when_written& operator=(Element&& element) {
    held_.emplace(std::forward<Element>(element));
    return *this;
  }
  operator T&&() && { return *std::move(held_); }

 private:
  std::optional<T> held_;
};

/// The element type of a copy of a merge of `Input`: the elements themselves, or storage for them.
template <class Input, class T = std::iter_value_t<Input>>
using copied_element =
    std::conditional_t<std::default_initializable<T> && std::is_assignable_v<T&, std::iter_reference_t<Input>>, T,
                       made_when_written<T>>;

/// Default-initialised elements, destroyed at the end of the scope.
template <class T>
class scratch_elements {
 public:
  explicit scratch_elements(std::size_t count) : memory_{count} {
    std::uninitialized_default_construct_n(memory_.data(), count);
  }
  scratch_elements(const scratch_elements&) = delete;
  scratch_elements& operator=(const scratch_elements&) = delete;
  ~scratch_elements() { std::destroy_n(memory_.data(), memory_.size()); }

  [[nodiscard]] T* data() noexcept { return memory_.data(); }

 private:
  host::buffer<T> memory_;
};

/// A merge through intermediate memory, for outputs that can only be written element by element.
template <class Input, class Output, class Merge>
void merge_by_copy(std::size_t count, Output& output, const Merge& merge) {
  scratch_elements<copied_element<Input>> merged{count};
  merge(merged.data());
  for (std::size_t i = 0; i < count; ++i, static_cast<void>(++output))
    *output = static_cast<std::iter_value_t<Input>&&>(std::move(merged.data()[i]));
}

/// A merge that writes each element directly, because no single element type could hold those of both inputs.
template <class A, class B, class Output, class Less>
void merge_one_by_one(const A& a, std::size_t a_count, const B& b, std::size_t b_count, Output& output,
                      const Less& less) {
  for (std::size_t i = 0, j = 0; i < a_count || j < b_count; static_cast<void>(++output)) {
    if (i == a_count || (j < b_count && less(*detail::advanced(b, j), *detail::advanced(a, i))))
      *output = *detail::advanced(b, j++);
    else
      *output = *detail::advanced(a, i++);
  }
}

}  // namespace gpu::inline v1::detail
