// The boundary for strings: what the library orders by the bytes of texts that stay where they are.
#pragma once

#include <cstddef>

#include "config.hpp"
#include "request.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {

/// The characters of a string, as bytes.
struct text {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};

struct text_request {
  const text* texts = nullptr;
  std::size_t count = 0;
  column indices;  ///< 4 or 8 bytes each
  bool descending = false;
  bool stable = false;
  algorithm how = algorithm::radix;
  backend where = backend::host;
};

/// Writes the permutation that sorts the texts: by unsigned bytes, and a text before those that it begins, as
/// std::string's operator<. Eight bytes at a time are sorted as integers, on the device if so asked; then what agrees
/// in them by the next eight, and the last few by comparison. Work: a sort per eight bytes of those texts alone that
/// agree in all before; bytes that a whole group shares are looked at once. Throws std::bad_alloc; reads only.
GPUPAR_EXPORT void argsort_texts(const text_request& request, const execution_options& options);

}  // namespace detail
}  // namespace v1
}  // namespace gpu
