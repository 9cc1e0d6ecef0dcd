// The codes of keys: their unsigned order is the keys' natural order, and they turn back into the same bits.
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/detail/keys/ordering.hpp"
#include "gpu/detail/keys/equivalent_indices.hpp"
#include "support.hpp"
#include "values.hpp"

namespace {

using namespace testing;
using gpu::detail::key_format;

/// Checks a format on keys given by their bits; less(a, b) is their expected order.
template <class Bits, class Less>
void check_format(const std::string& what, key_format format, const std::vector<Bits>& keys, Less less) {
  for (const bool descending : {false, true}) {
    format.descending = descending;
    const auto codec = gpu::detail::make_codec<Bits>(format);
    const auto exact = gpu::detail::make_floating_code_less<Bits>(format);
    const bool floating = format.kind == gpu::detail::key_class::floating_point;
    std::size_t lost = 0, misplaced = 0, inexact = 0;
    for (const Bits a : keys) {
      lost += codec.decode(codec.encode(a)) != a;
      for (const Bits b : keys) {
        const bool before = descending ? less(b, a) : less(a, b);
        const bool after = descending ? less(a, b) : less(b, a);
        if (before) misplaced += !(codec.encode(a) < codec.encode(b));
        if (floating) inexact += exact(codec.encode(a), codec.encode(b)) != before;
        if (!before && !after && !floating) misplaced += codec.encode(a) != codec.encode(b);
      }
    }
    const std::string name = what + (descending ? ", descending" : "");
    expect(lost == 0, name + ": " + std::to_string(lost) + " codes do not turn back");
    expect(misplaced == 0, name + ": " + std::to_string(misplaced) + " pairs out of order");
    expect(inexact == 0, name + ": " + std::to_string(inexact) + " pairs whose equivalence is lost");
  }
}

/// Special values and random ones.
template <class Bits>
std::vector<Bits> some_bits(std::vector<Bits> all) {
  random_source random{seed()};
  for (int i = 0; i < 150; ++i) all.push_back(static_cast<Bits>(random()));
  return all;
}

template <class Key>
void check_type(const std::string& name) {
  using bits = gpu::detail::bits_of_size<sizeof(Key)>;
  std::vector<bits> keys;
  for (const Key key : special_values<Key>()) keys.push_back(std::bit_cast<bits>(key));
  check_format<bits>(name, gpu::detail::format_of<Key>(), some_bits(keys),
                     [](bits a, bits b) { return natural_less{}(std::bit_cast<Key>(a), std::bit_cast<Key>(b)); });
}

/// Checks the codes of keys joined with positions: ordered by the keys' exact order, then by position, and decodable.
template <class Bits, class Key>
void check_stable_codes(const std::string& what, key_format format, const std::vector<Key>& keys) {
  for (const Bits last : {Bits{1}, Bits{127}, Bits{4095}, Bits{(1u << 20) - 2}, (Bits{1} << 31) - 1})
    for (const bool descending : {false, true}) {
      const std::vector<Bits> places{0, 1, last / 2, last - 1, last};
      format.descending = descending;
      const auto codec = gpu::detail::make_codec<Key>(format);
      const auto exact = gpu::detail::make_floating_code_less<Key>(format);
      const gpu::detail::joined_codec<Bits, Key, std::uint32_t, gpu::detail::key_codec<Key>> joined{codec};
      const gpu::detail::equivalent_indices<Bits> equivalents{exact, static_cast<std::size_t>(last + 1)};
      const auto encode = [&](Bits pair) { return equivalents.spread(joined.encode(pair)); };
      std::size_t lost = 0, misplaced = 0;
      for (const Key a : keys)
        for (const Bits place_a : places) {
          const auto join = [](Key key, Bits place) {
            return gpu::detail::joint<Bits, Key, std::uint32_t>::join(key, static_cast<std::uint32_t>(place));
          };
          const Bits pair = join(a, place_a);
          lost += joined.decode(equivalents.gather(encode(pair))) != pair;
          for (const Key b : keys)
            for (const Bits place_b : places) {
              const auto left = codec.encode(a), right = codec.encode(b);
              const bool before = exact(left, right) || (!exact(right, left) && place_a < place_b);
              if (before) misplaced += !(encode(pair) < encode(join(b, place_b)));
            }
        }
      expect(lost == 0 && misplaced == 0, what + (descending ? ", descending: " : ": ") + std::to_string(lost) +
                                              " lost, " + std::to_string(misplaced) + " misplaced");
    }
}

/// The number that 16 bits of a floating-point format stand for.
float number(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1), mantissa = bits & ((1 << mantissa_bits) - 1);
  const float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  const int implicit = exponent > 0 ? 1 << mantissa_bits : 0;
  return sign * std::ldexp(static_cast<float>(mantissa + implicit), std::max(exponent, 1) - bias - mantissa_bits);
}

}  // namespace

TEST_CASE("codes: integers") {
  check_type<std::uint8_t>("uint8");
  check_type<std::int8_t>("int8");
  check_type<std::uint16_t>("uint16");
  check_type<std::int16_t>("int16");
  check_type<std::uint32_t>("uint32");
  check_type<std::int32_t>("int32");
  check_type<std::uint64_t>("uint64");
  check_type<std::int64_t>("int64");
}

TEST_CASE("codes: floating point") {
  check_type<float>("float");
  check_type<double>("double");
  for (const int mantissa_bits : {10, 7}) {
    const key_format format{gpu::detail::key_class::floating_point, 2, static_cast<std::uint8_t>(mantissa_bits), false};
    check_format<std::uint16_t>(mantissa_bits == 10 ? "half" : "bfloat16", format,
                                some_bits(special_bits<std::uint16_t>(mantissa_bits)),
                                [=](std::uint16_t a, std::uint16_t b) {
                                  return natural_less{}(number(a, mantissa_bits), number(b, mantissa_bits));
                                });
  }
}

TEST_CASE("codes: all 2^16 halves and bfloat16s turn back, and follow one another") {
  for (const int mantissa_bits : {10, 7}) {
    const key_format format{gpu::detail::key_class::floating_point, 2, static_cast<std::uint8_t>(mantissa_bits), false};
    const auto codec = gpu::detail::make_codec<std::uint16_t>(format);
    std::vector<std::uint16_t> by_code(1u << 16);
    std::size_t lost = 0, misplaced = 0;
    for (std::uint32_t bits = 0; bits < by_code.size(); ++bits) {
      const auto code = codec.encode(static_cast<std::uint16_t>(bits));
      lost += codec.decode(code) != bits;
      by_code[code] = static_cast<std::uint16_t>(bits);
    }
    for (std::size_t code = 1; code < by_code.size(); ++code)
      misplaced += natural_less{}(number(by_code[code], mantissa_bits), number(by_code[code - 1], mantissa_bits));
    expect(lost == 0 && misplaced == 0, std::to_string(lost) + " lost, " + std::to_string(misplaced) + " misplaced");
  }
}

TEST_CASE("codes: floating point with places") {
  constexpr auto kind = gpu::detail::key_class::floating_point;
  for (const std::uint8_t mantissa_bits : {std::uint8_t{10}, std::uint8_t{7}})
    check_stable_codes<std::uint64_t>("two bytes", {kind, 2, mantissa_bits, false},
                                      some_bits(special_bits<std::uint16_t>(mantissa_bits)));
  check_stable_codes<std::uint64_t>("float", {kind, 4, 23, false}, some_bits(special_bits<std::uint32_t>(23)));
  check_stable_codes<gpu::detail::uint128>("double", {kind, 8, 52, false}, some_bits(special_bits<std::uint64_t>(52)));
}
