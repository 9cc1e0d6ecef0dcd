// Rows as codes: the leading bytes of a row's key as an unsigned integer, followed by the row's index. Sorts of such
// codes move 8 or 16 bytes where rows may have a hundred, are stable, and never meet equal codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../keys/key.hpp"
#include "../../keys/ordering.hpp"
#include "../../keys/shared_codes.hpp"
#include "../compare.cuh"
#include "../launching/launch.cuh"
#include "../tuning/rows.hpp"

namespace gpu::inline v1::detail::device {

/// Indices are the last 32 bits of codes.
inline constexpr unsigned index_bits = 32;
inline constexpr std::size_t most_coded_rows = std::size_t{1} << index_bits;

/// Integers that hold a code of so many bytes, or its first 12, and an index.
template <std::size_t Bytes>
using coded_bits = bits_of_size<Bytes <= 4 ? 8 : 16>;
inline constexpr std::size_t most_code_bytes = 12;

template <class Bits>
__device__ std::uint32_t index_of(Bits code) {
  return static_cast<std::uint32_t>(code);
}

/// How keys of a type become codes. bytes: of a code, 0 if there are none. code<Bits>(key): the leading bytes of the
/// code at the upper end of Bits, with zeros in the bits of the index.
template <class Key>
struct key_coder {
  static constexpr std::size_t bytes = 0;
};

/// The leading bytes of `code` at the upper end of Bits.
template <class Bits, class Code>
__device__ constexpr Bits lead(Code code) {
  constexpr Bits index_mask = (Bits{1} << index_bits) - 1;
  if constexpr (sizeof(Code) < sizeof(Bits))
    return static_cast<Bits>(code) << 8 * (sizeof(Bits) - sizeof(Code));
  else
    return static_cast<Bits>(code >> 8 * (sizeof(Code) - sizeof(Bits))) & ~index_mask;
}

/// Natural keys; equivalent floating-point numbers share a code. The coder is made on the host.
template <natural_key Key>
class key_coder<Key> {
  using bits = bits_of_size<sizeof(Key)>;
  static constexpr auto make_codec() {
    constexpr key_format format = detail::format_of<Key>();
    if constexpr (format.kind == key_class::floating_point)
      return detail::make_shared_codes<bits>(format);
    else
      return detail::make_codec<bits>(format);
  }
  decltype(make_codec()) codec_ = make_codec();

 public:
  static constexpr std::size_t bytes = sizeof(Key);

  template <class Bits>
  __device__ Bits code(const Key& key) const {
    return device::lead<Bits>(codec_.encode(__builtin_bit_cast(bits, key)));
  }
};

/// Arrays of integers: their codes one after the other, in the order in which they are compared.
template <class Element, std::size_t Count>
  requires is_integer_array_v<std::array<Element, Count>>
class key_coder<std::array<Element, Count>> {
  key_coder<Element> coder_;

 public:
  static constexpr std::size_t bytes = sizeof(Element) * Count;

  template <class Bits>
  __device__ Bits code(const std::array<Element, Count>& key) const {
    constexpr std::size_t room = sizeof(Bits) - index_bits / 8;
    constexpr std::size_t counted = (bytes < room ? bytes : room + sizeof(Element) - 1) / sizeof(Element);
    constexpr Bits index_mask = (Bits{1} << index_bits) - 1;
    const auto* const elements = reinterpret_cast<const Element*>(&key);
    uint128 code = 0;
#pragma unroll
    for (int i = 0; i < static_cast<int>(counted); ++i)
      code |= coder_.template code<uint128>(elements[i]) >> 8 * sizeof(Element) * static_cast<unsigned>(i);
    return static_cast<Bits>(code >> 8 * (sizeof(uint128) - sizeof(Bits))) & ~index_mask;
  }
};

/// How elements become codes that have their order; by default they do not.
template <class Less>
struct order_coder {
  static constexpr std::size_t bytes = 0;
};

/// The order of a projected key, if the host knows its type: codes in natural order, ascending or descending.
template <class T, class Compare, class Projection>
  requires(direction_of<Compare, typename projected_key<T, Projection>::type>() != direction::unknown)
struct order_coder<compare_elements<T, Compare, Projection>> {
  using key = typename projected_key<T, Projection>::type;
  static constexpr std::size_t bytes = key_coder<key>::bytes;
  static constexpr bool descending = direction_of<Compare, key>() == direction::descending;

  mutable Projection projection;
  key_coder<key> coder;
  explicit order_coder(const compare_elements<T, Compare, Projection>& less) : projection{less.projection} {}

  template <class Bits>
  __device__ Bits code(const T& element) const {
    constexpr Bits index_mask = (Bits{1} << index_bits) - 1;
    const Bits code = coder.template code<Bits>(device::project(projection, element));
    return descending ? ~code & ~index_mask : code;
  }
};

/// Whether an order has codes that determine it entirely.
template <class Less>
inline constexpr bool codes_are_whole_v = order_coder<Less>::bytes > 0 && order_coder<Less>::bytes <= most_code_bytes;

/// codes[i] = the code of elements[i] with its index i, i < n <= most_coded_rows.
template <class Bits, class T, class Coder>
__global__ void __launch_bounds__(code_threads)
    make_codes_kernel(const T* elements, Bits* codes, std::size_t n, Coder coder) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * code_threads + threadIdx.x;
  if (i < n) codes[i] = coder.template code<Bits>(elements[i]) | static_cast<Bits>(i);
}

/// Indices in the order of codes, as an array.
template <class Bits>
struct coded_indices {
  const Bits* codes;
  __device__ std::uint32_t operator[](std::size_t i) const { return device::index_of(codes[i]); }
};

}  // namespace gpu::inline v1::detail::device
