// Keys of segments joined with their indices within the segment, which are not stored before they are sorted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../boundary/request.hpp"
#include "../../keys/key.hpp"
#include "../columns.cuh"
#include "../thread/merge_network.cuh"
#include "staging.cuh"

namespace gpu::inline v1::detail::device {

/// A pointer to codes made of a key and, behind it, the key's distance from where this points to: its index in the
/// segment if this points to the segment's beginning. Writing a code writes its index only, of 4 or 8 bytes; keys stay
/// as they are.
template <class Bits, class Half>
class counted_keys {
  using pairs = joint<Bits, Half, Half>;

 public:
  /// A key and its index in memory.
  class reference {
   public:
    GPUPAR_HOST_DEVICE reference(const counted_keys& data, std::ptrdiff_t index) : data_{data}, index_{index} {}

    GPUPAR_HOST_DEVICE operator Bits() const { return pairs::join(data_.keys_[index_], static_cast<Half>(index_)); }
    GPUPAR_HOST_DEVICE void operator=(Bits code) const {
      data_.indices_.write(static_cast<std::size_t>(index_), pairs::low(code));
    }

   private:
    counted_keys data_;
    std::ptrdiff_t index_;
  };

  GPUPAR_HOST_DEVICE counted_keys(const Half* keys, const index_writer& indices) : keys_{keys}, indices_{indices} {}

  GPUPAR_HOST_DEVICE reference operator[](std::ptrdiff_t index) const { return {*this, index}; }
  GPUPAR_HOST_DEVICE reference operator*() const { return {*this, 0}; }
  GPUPAR_HOST_DEVICE counted_keys operator+(std::size_t offset) const { return {keys_ + offset, indices_ + offset}; }
  GPUPAR_HOST_DEVICE const Half* keys() const { return keys_; }

 private:
  const Half* keys_;
  index_writer indices_;
};

/// Copies the first key, without an index, to shared memory; complete after await_copies().
template <class Bits, class Half>
__device__ __forceinline__ void copy_later(Bits* to, const counted_keys<Bits, Half>& from) {
  device::copy_later(reinterpret_cast<Half*>(to) + 1, from.keys());  // little-endian
}

/// The parts of the codes of Data: sorted(code) is what they are sorted by, the whole code except for pairs;
/// counted(code, index) makes the code of a segment's element from what copy_later() has copied, a different one only
/// if `counts`; order() puts two codes in order by what they are sorted by, and leaves them as they are if that is
/// equal. Of segments with fewer than `least` elements nothing has to be written.
template <class Data>
struct code_parts {
  static constexpr unsigned least = 2;
  static constexpr bool counts = false;
  template <class Code>
  __device__ __forceinline__ static Code sorted(const Code& code) {
    return code;
  }
  template <class Code>
  __device__ __forceinline__ static Code counted(const Code& code, unsigned) {
    return code;
  }
  template <class Code>
  __device__ __forceinline__ static void order(Code& first, Code& second) {
    thread::order_numbers(first, second);
  }
};
template <class Bits, class High, class Low>
struct code_parts<joined_pointer<Bits, High, Low>> {
  static constexpr unsigned least = 2;
  static constexpr bool counts = false;
  __device__ __forceinline__ static High sorted(const Bits& code) { return joint<Bits, High, Low>::high(code); }
  __device__ __forceinline__ static Bits counted(const Bits& code, unsigned) { return code; }
  __device__ __forceinline__ static void order(Bits& first, Bits& second) {
    const bool swaps = sorted(second) < sorted(first);
    const Bits low = swaps ? second : first;
    second = swaps ? first : second;
    first = low;
  }
};
template <class Bits, class Half>
struct code_parts<counted_keys<Bits, Half>> {
  using pairs = joint<Bits, Half, Half>;
  static constexpr unsigned least = 1;
  static constexpr bool counts = true;
  __device__ __forceinline__ static Half sorted(const Bits& code) { return pairs::high(code); }
  __device__ __forceinline__ static Bits counted(const Bits& code, unsigned index) {
    return pairs::join(pairs::high(code), index);
  }
  __device__ __forceinline__ static void order(Bits& first, Bits& second) { thread::order_numbers(first, second); }
};

}  // namespace gpu::inline v1::detail::device
