// Keys of every kind of real data as functions of their index, the same in every run.
#pragma once

#include <cstring>
#include <type_traits>

#include "identifiers.hpp"
#include "kind.hpp"
#include "numbers.hpp"
#include "sequences.hpp"
#include "structures.hpp"

namespace bench::kinds {

/// The i-th key of a kind as bits of its type, of which it has `bytes`. Out of line in kernels, which would otherwise
/// each compile all of it.
#ifdef __CUDACC__
__noinline__
#endif
    GPUPAR_HOST_DEVICE inline uint128
    key_bits(kind which, const slot& at, int bytes) {
  switch (which) {
    case kind::none:
      return 0;
    case kind::dictionary_codes:
      return dictionary_code(at);
    case kind::prices:
      return price(at);
    case kind::amounts:
      return amount(at);
    case kind::half_zeros:
      return half_zero(at);
    case kind::scores:
      return score(at);
    case kind::depths:
      return depth(at);
    case kind::sensor_readings:
      return reading(at);
    case kind::differences:
      return difference(at);
    case kind::counts:
      return count(at, 8.0 * bytes);
    case kind::sizes:
      return size(at, 8.0 * bytes);
    case kind::timestamps:
      return timestamp(at);
    case kind::dates:
      return date(at);
    case kind::sorted_runs:
      return in_sorted_runs(at, 8 * bytes);
    case kind::addresses:
      return address(at);
    case kind::hashes:
      return hash(at);
    case kind::foreign_keys:
      return foreign_key(at);
    case kind::order_lines:
      return order_line(at);
    case kind::row_numbers:
      return row_number(at);
    case kind::uuid7:
      return uuid7(at, false);
    case kind::uuid7_in_order:
      return uuid7(at, true);
    case kind::morton30:
      return morton_code(at, 10);
    case kind::morton63:
      return morton_code(at, 21);
    case kind::edges:
      return edge(at);
    case kind::vertices:
      return edge(at) >> 32;
    case kind::matrix_entries:
      return matrix_entry(at);
    case kind::colours:
      return colour(at);
    case kind::text_prefixes:
      return text_prefix(at);
    case kind::url_prefixes:
      return url_prefix(at);
    case kind::kmers:
      return kmer(at);
    case kind::suffix_ranks:
      return suffix_ranks(at);
  }
  return 0;
}

/// The i-th key of a kind.
template <class Key>
GPUPAR_HOST_DEVICE Key key_of_kind(kind which, const slot& at) {
  const uint128 bits = key_bits(which, at, static_cast<int>(sizeof(Key)));
  if constexpr (std::is_integral_v<Key> || std::is_same_v<Key, uint128>) {
    return static_cast<Key>(bits);
  } else {
    Key key{};
    std::memcpy(&key, &bits, sizeof(Key) < sizeof(bits) ? sizeof(Key) : sizeof(bits));
    return key;
  }
}

}  // namespace bench::kinds
