// The boundary for strings: ordering texts by their bytes without moving them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../config.hpp"
#include "request.hpp"

namespace gpu::inline v1::detail {

/// The characters of a string, as bytes.
struct text {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};

/// The characters of a string or of a view of one.
template <class String>
text text_of(const String& string) noexcept {
  return {reinterpret_cast<const unsigned char*>(string.data()), string.size()};
}

inline constexpr std::size_t prefix_bytes = 8;

inline std::uint64_t load_word(const unsigned char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return word;
}

/// The bytes from `depth` on as a number, the first one most significant, padded with zeros. depth <= t.size.
inline std::uint64_t prefix_at(const text& t, std::size_t depth) {
  const std::size_t rest = t.size - depth;
  if (rest >= prefix_bytes) return load_word(t.bytes + depth);
  if (rest == 0) return 0;
  if (t.size >= prefix_bytes) return load_word(t.bytes + (t.size - prefix_bytes)) << (8 * (prefix_bytes - rest));
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < rest; ++i) word |= std::uint64_t{t.bytes[depth + i]} << (8 * (prefix_bytes - 1 - i));
  return word;
}

struct text_request {
  const text* texts = nullptr;
  std::size_t count = 0;
  column indices;  ///< 4 or 8 bytes each
  bool descending = false;
  bool stable = false;
  algorithm how = algorithm::radix;
  backend where = backend::host;
};

/// Writes the permutation that sorts the texts by unsigned bytes, as operator< of std::string does; a text goes before
/// those of which it is a prefix. Eight bytes at a time are sorted as integers, on the device if requested; texts that
/// agree in these are sorted by the next eight, and the last few by comparison. Work: one sort per eight bytes, of only
/// those texts that agree in all bytes before; bytes shared by a whole group are read once. Throws std::bad_alloc; only
/// reads the texts.
GPUPAR_EXPORT void argsort_texts(const text_request& request, const execution_options& options);

}  // namespace gpu::inline v1::detail
