// Keys of segments with what follows them, each pair one code: values as wide, or the indices that keys have in their
// segments, which nobody stores before they are sorted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "staging.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A pointer to such pairs. Where it counts, what a code has beside its key is how far that is from where this points
/// to; then codes are written as indices of 4 or 8 bytes, and keys stay as they are. One type for both, so that they
/// share their kernels.
template <class Bits, class Half>
class paired_keys {
  using pairs = joint<Bits, Half, Half>;
  static_assert(sizeof(Bits) == 2 * sizeof(Half));

 public:
  /// A pair in memory.
  class reference {
   public:
    GPUPAR_HOST_DEVICE reference(const paired_keys& data, std::ptrdiff_t index) : data_{data}, index_{index} {}

    GPUPAR_HOST_DEVICE operator Bits() const {
      return pairs::join(data_.keys_[index_], data_.counts_ ? static_cast<Half>(index_) : data_.values()[index_]);
    }
    GPUPAR_HOST_DEVICE void operator=(Bits code) const {
      if (data_.counts_) return data_.write_index(index_, pairs::low(code));
      data_.keys_[index_] = pairs::high(code);
      data_.values()[index_] = pairs::low(code);
    }

   private:
    paired_keys data_;
    std::ptrdiff_t index_;
  };

  paired_keys(Half* keys, Half* values)
      : keys_{keys}, others_{reinterpret_cast<std::byte*>(values)}, wide_{sizeof(Half) == sizeof(std::uint64_t)} {}
  /// The keys' indices, of 4 or 8 bytes.
  paired_keys(const Half* keys, const column& indices)
      : keys_{const_cast<Half*>(keys)},
        others_{static_cast<std::byte*>(indices.data)},
        wide_{indices.element_bytes == sizeof(std::uint64_t)},
        counts_{true} {}

  GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t index) const { return {*this, index}; }
  GPUPAR_HOST_DEVICE reference operator*() const { return {*this, 0}; }
  GPUPAR_HOST_DEVICE paired_keys operator+(std::size_t offset) const {
    paired_keys behind = *this;
    behind.keys_ += offset;
    behind.others_ += offset << (wide_ ? 3 : 2);
    return behind;
  }

  /// Brings what memory holds of the first pair to shared memory, some time before await_copies().
  __device__ __forceinline__ void copy_first_later(Bits* to) const {
    auto* const low = reinterpret_cast<Half*>(to);  // little-endian
    if (!counts_) device::copy_later(low, values());
    device::copy_later(low + 1, keys_);
  }
  /// The code of number `index` of what memory holds of a pair.
  __device__ __forceinline__ Bits counted(Bits code, unsigned index) const {
    return counts_ ? pairs::join(pairs::high(code), index) : code;
  }

 private:
  GPUPAR_HOST_DEVICE Half* values() const { return reinterpret_cast<Half*>(others_); }
  GPUPAR_HOST_DEVICE void write_index(std::ptrdiff_t i, Half index) const {
    if (wide_)
      reinterpret_cast<std::uint64_t*>(others_)[i] = index;
    else
      reinterpret_cast<std::uint32_t*>(others_)[i] = static_cast<std::uint32_t>(index);
  }

  Half* keys_;
  std::byte* others_;  ///< values, or indices
  bool wide_;          ///< whether these have 8 bytes
  bool counts_ = false;
};

template <class Bits, class Half>
__device__ __forceinline__ void copy_later(Bits* to, const paired_keys<Bits, Half>& from) {
  from.copy_first_later(to);
}

/// The code of a segment's element number `index`, of what has been copied from a segment that lies in `data`.
template <class Data, class Code>
__device__ __forceinline__ Code counted(const Data& data, Code code, unsigned index) {
  if constexpr (requires { data.counted(code, index); })
    return data.counted(code, index);
  else
    return code;
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
