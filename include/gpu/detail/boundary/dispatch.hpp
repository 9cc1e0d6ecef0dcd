// Derives from a call's types how this translation unit can carry it out. The choice is made here once; everything
// below is plain function calls.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "../../error.hpp"
#include "../../memory.hpp"
#include "../../plan.hpp"
#include "../arguments/iterator.hpp"
#include "../host/buffer.hpp"
#include "../host/parallel.hpp"
#include "../keys/ordering.hpp"
#include "request.hpp"

namespace gpu::inline v1::detail {

/// Where elements are, as far as the types of ranges and iterators state it.
enum class residence : unsigned char { ask, device };

template <class... Elements>
inline constexpr residence residence_of =
    ((is_device_span_v<std::remove_cvref_t<Elements>> || typed_device_elements<Elements>) || ...) ? residence::device
                                                                                                  : residence::ask;

inline namespace GPUPAR_UNIT {

#if defined(__CUDACC__)
inline constexpr bool compiles_kernels = true;
#else
inline constexpr bool compiles_kernels = false;
#endif

/// How this translation unit sorts or merges elements of type T in contiguous memory on the device.
template <class T, class Compare, class Projection, placement Where>
constexpr device_way way_of() {
  using order = ordering<T, Compare, Projection>;
  if constexpr (Where == placement::host_only) return device_way::none;
  if constexpr (is_bytewise_v<T> && order::natural && order::key_in_place)
    return device_way::precompiled;
  else if constexpr (order::textual)
    return device_way::keys_by_index;
  else if constexpr (std::is_trivially_copyable_v<T> && compiles_kernels &&
                     (!std::is_member_pointer_v<Projection> || is_data_member_v<T, Projection>) &&
                     !std::is_member_pointer_v<Compare> && !is_of_the_host_v<Compare> &&
                     (std::is_member_pointer_v<Projection> || !is_of_the_host_v<Projection>))
    return device_way::instantiated;
  else if constexpr (order::natural || order::led)
    return device_way::keys_by_index;
  else
    return device_way::none;
}

/// Refuses at compile time calls whose policy or span type requires something that this translation unit cannot do.
template <device_way Way, placement Where, residence Memory>
constexpr void require_way() {
  static_assert(Where != placement::device_only || Way != device_way::none,
                "gpu: .require_device() cannot be met: in a .cpp only natural order (std::less, std::greater, "
                "std::ranges::less, std::ranges::greater) of arithmetic, enum, pointer, half or 128-bit keys, of "
                "strings, and of pairs, tuples and arrays of these, or gpu::by several of them, runs on the device. "
                "Sort by a projection to such a key, or compile this call with nvcc and a "
                "comparator that is a __host__ __device__ function object (a lambda: [] __host__ __device__, and nvcc "
                "--extended-lambda), or drop .require_device().");
  static_assert(
      Memory != residence::device || Way == device_way::precompiled || Way == device_way::instantiated,
      "gpu: the elements of a device_span or of thrust::device_vector can only be reached by kernels: sort "
      "them by the natural order of an arithmetic key (the element, a data member, or gpu::by several of them, "
      "of 128 bits together), or compile this call "
      "with nvcc and a comparator and projection that are __host__ __device__ function objects. A lambda "
      "says [] __host__ __device__, and nvcc --extended-lambda.");
}

/// Whether the host backend is compiled for this call.
template <placement Where, residence Memory, class... Callables>
inline constexpr bool host_may_serve =
    Where != placement::device_only && Memory != residence::device && (!is_device_lambda_v<Callables> && ...);

}  // namespace GPUPAR_UNIT

/// The number of elements; refuses ranges that end before they begin.
template <class Iterator, class Sentinel>
std::size_t count_of(const Iterator& first, const Sentinel& last) {
  if constexpr (sized_end_of<Sentinel, Iterator>) {
    const auto distance = last - first;
    if (distance < 0) refuse(errc::invalid_range, "the range ends before it begins: swap its iterators");
    return static_cast<std::size_t>(distance);
  } else {
    std::size_t count = 0;
    for (Iterator at = first; at != last; ++at) ++count;
    return count;
  }
}

template <class Range>
std::size_t size_of(Range& range) {
  return detail::count_of(std::ranges::begin(range), std::ranges::end(range));
}

/// Refuses a column or an output that is too short.
inline void require_room(std::size_t room, std::size_t count) {
  if (room < count) refuse(errc::invalid_range, "a value column or output is shorter than the keys: make them equal");
}

/// Refuses integers that are too narrow for the indices of `count` keys.
template <class Integer>
void require_countable(std::size_t count) {
  if (count > 0 && count - 1 > static_cast<std::size_t>((std::numeric_limits<Integer>::max)()))
    refuse(errc::invalid_range, "more keys than the index type can count: use 64-bit indices");
}

/// Refuses a null pointer with elements.
inline void require_memory(const void* data, std::size_t count) {
  if (data == nullptr && count > 0)
    refuse(errc::invalid_range, "a null pointer cannot have elements: pass 0 of them or their address");
}

/// iterator + count, also for iterators whose difference type is narrow.
template <class Iterator>
constexpr Iterator advanced(const Iterator& first, std::size_t count) {
  return first + static_cast<std::iter_difference_t<Iterator>>(count);
}

/// Refuses a null pointer with elements, for iterators over contiguous elements.
template <class Iterator>
void require_memory_of(const Iterator& first, std::size_t count) {
  if constexpr (is_contiguous_v<Iterator>) detail::require_memory(detail::address_of(first), count);
}

/// The elements of a random-access range, moved into contiguous memory until put_back(). If the work in between throws,
/// the destructor moves them back in whatever order they are, so that nothing is lost.
template <class Iterator>
class contiguous_elements {
 public:
  using value_type = std::iter_value_t<Iterator>;

  contiguous_elements(const Iterator& first, std::size_t count) : first_{first}, elements_{count} {
    GPUPAR_TRY {
      for (; there_ < count; ++there_)
        std::construct_at(data() + there_, std::ranges::iter_move(detail::advanced(first_, there_)));
    }
    GPUPAR_CATCH(...) {
      give_up();
      GPUPAR_RETHROW;
    }
  }
  contiguous_elements(const contiguous_elements&) = delete;
  contiguous_elements& operator=(const contiguous_elements&) = delete;
  ~contiguous_elements() { give_up(); }

  [[nodiscard]] value_type* data() const noexcept { return const_cast<value_type*>(elements_.data()); }

  // Sequential: neighbours may share a word, as the bits of std::vector<bool> do.
  void put_back() {
    for (; back_ < there_; ++back_) *detail::advanced(first_, back_) = std::move(data()[back_]);
  }

 private:
  /// Moves back as many elements as possible; elements whose move throws are lost.
  void give_up() noexcept {
    for (; back_ < there_; ++back_) {
      GPUPAR_TRY {
        put_back();
        break;
      }
      GPUPAR_CATCH(...) {}
    }
    std::destroy_n(data(), there_);
    there_ = 0;
  }

  Iterator first_;
  host::buffer<value_type> elements_;
  std::size_t there_ = 0;  ///< elements that have been moved into contiguous memory,
  std::size_t back_ = 0;   ///< and back
};

/// Elements that are contiguous already stay where they are.
template <class Iterator>
  requires is_contiguous_v<Iterator>
class contiguous_elements<Iterator> {
 public:
  contiguous_elements(const Iterator& first, std::size_t) : data_{detail::address_of(first)} {}
  [[nodiscard]] auto* data() const noexcept { return data_; }
  void put_back() const noexcept {}

 private:
  decltype(detail::address_of(std::declval<const Iterator&>())) data_;
};

}  // namespace gpu::inline v1::detail
