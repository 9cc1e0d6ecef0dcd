// Keys of every kind as functions of their index, the same in every run.
#pragma once

#include <cstring>
#include <type_traits>

#include "../../tests/support/inputs.hpp"
#include "../../tests/support/mixtures.hpp"
#include "identifiers.hpp"
#include "kind.hpp"
#include "numbers.hpp"
#include "sequences.hpp"
#include "skewed.hpp"
#include "structures.hpp"

namespace bench::kinds {

/// The i-th key of one of the mixtures, counted from 0.
GPUPAR_HOST_DEVICE inline std::uint64_t in_mixture(const slot& at, int which) {
  constexpr std::uint64_t first_number = 51;  // another number would give other kinds
  return testing::mixture{first_number + static_cast<std::uint64_t>(which), at.seed}(at.i);
}

/// The i-th key of a kind as the bits of a type of `bytes` bytes. Out of line in kernels, each of which would otherwise
/// compile all of it.
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
    case kind::zipf_0_4:
      return by_zipf(at, 0.4);
    case kind::zipf_0_6:
      return by_zipf(at, 0.6);
    case kind::zipf_0_8:
      return by_zipf(at, 0.8);
    case kind::zipf_1:
      return by_zipf(at, 1);
    case kind::zipf_1_2:
      return by_zipf(at, 1.2);
    case kind::zipf_1_5:
      return by_zipf(at, 1.5);
    case kind::copies_2:
      return copied(at, 2);
    case kind::copies_8:
      return copied(at, 8);
    case kind::copies_60:
      return copied(at, 60);
    case kind::copies_1000:
      return copied(at, 1000);
    case kind::crowds_16:
      return in_crowds(at, 16);
    case kind::crowds_1000:
      return in_crowds(at, 1000);
    case kind::crowds_100000:
      return in_crowds(at, 100'000);
    case kind::half_one:
      return mostly_one(at, 0.5);
    case kind::nine_tenths_one:
      return mostly_one(at, 0.9);
    case kind::bits_8:
      return at.random() >> 56;
    case kind::bits_12:
      return at.random() >> 52;
    case kind::bits_16:
      return at.random() >> 48;
    case kind::bits_20:
      return at.random() >> 44;
    case kind::bits_24:
      return at.random() >> 40;
    case kind::mixture_1:
    case kind::mixture_2:
    case kind::mixture_3:
    case kind::mixture_4:
    case kind::mixture_5:
    case kind::mixture_6:
    case kind::mixture_7:
    case kind::mixture_8:
    case kind::mixture_9:
    case kind::mixture_10:
    case kind::mixture_11:
    case kind::mixture_12:
      return in_mixture(at, static_cast<int>(which) - static_cast<int>(kind::mixture_1));
  }
  return 0;
}

/// What the bits of a kind's keys represent.
enum class meaning : unsigned char { integer, f32, f64, position };
GPUPAR_HOST_DEVICE constexpr meaning meaning_of(kind which) {
  if (which == kind::amounts) return meaning::f64;
  if (which == kind::half_zeros || which == kind::scores || which == kind::depths || which == kind::sensor_readings)
    return meaning::f32;
  return which >= first_position && which <= last_position ? meaning::position : meaning::integer;
}

/// The i-th key of a kind. For floating-point keys, integers are converted to the same numbers, rounded.
template <class Key>
GPUPAR_HOST_DEVICE Key key_of_kind(kind which, const slot& at) {
  const uint128 bits = kinds::key_bits(which, at, static_cast<int>(sizeof(Key)));
  const meaning meant = kinds::meaning_of(which);
  if (meant == meaning::position) return testing::key_at<Key>(static_cast<std::uint64_t>(bits));
  if constexpr (std::is_floating_point_v<Key>) {
    const auto read_as = [&](auto number) {
      std::memcpy(&number, &bits, sizeof(number));
      return static_cast<Key>(number);
    };
    if (meant == meaning::f32) return read_as(float{});
    if (meant == meaning::f64) return read_as(double{});
    return read_as(std::int64_t{});
  } else {
    return static_cast<Key>(bits);
  }
}

}  // namespace bench::kinds
