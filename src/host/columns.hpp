// Rearranging columns of elements of which only the size is known, and writing indices.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/host/parallel.hpp>
#include <gpu/detail/index.hpp>

#include <cstddef>
#include <cstring>

namespace gpu::inline v1::detail::host {

/// The size of an element: a compile-time constant for common sizes, so that a copy is a few instructions.
template <std::size_t Bytes>
struct fixed_size {
  constexpr std::size_t operator()() const noexcept { return Bytes; }
};
struct any_size {
  std::size_t bytes;
  constexpr std::size_t operator()() const noexcept { return bytes; }
};

/// Element i of the result is the old element index_of(i). `scratch` has room for all of them.
template <class Size, class IndexOf>
void permute_column(std::byte* data, std::byte* scratch, std::size_t n, Size size, const IndexOf& index_of) {
  for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::memcpy(scratch + i * size(), data + index_of(i) * size(), size());
  });
  for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
    std::memcpy(data + begin * size(), scratch + begin * size(), (end - begin) * size());
  });
}

template <class IndexOf>
void permute_column(const column& elements, std::byte* scratch, std::size_t n, const IndexOf& index_of) {
  auto* const data = static_cast<std::byte*>(elements.data);
  switch (elements.element_bytes) {
    case 4:
      return permute_column(data, scratch, n, fixed_size<4>{}, index_of);
    case 8:
      return permute_column(data, scratch, n, fixed_size<8>{}, index_of);
    case 12:
      return permute_column(data, scratch, n, fixed_size<12>{}, index_of);
    case 16:
      return permute_column(data, scratch, n, fixed_size<16>{}, index_of);
    case 24:
      return permute_column(data, scratch, n, fixed_size<24>{}, index_of);
    case 32:
      return permute_column(data, scratch, n, fixed_size<32>{}, index_of);
    default:
      return permute_column(data, scratch, n, any_size{elements.element_bytes}, index_of);
  }
}

/// Sets indices[i] to index_of(i) for all i < n.
template <class IndexOf>
void write_indices(const column& indices, std::size_t n, const IndexOf& index_of) {
  with_index_of_bytes(indices.element_bytes, [&]<class Index>(Index) {
    auto* const to = static_cast<Index*>(indices.data);
    for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<Index>(index_of(i));
    });
  });
}

}  // namespace gpu::inline v1::detail::host
