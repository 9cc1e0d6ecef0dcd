// The element types of the benchmarks, by name: how they are made from a position in the key range, their order, and
// their hash. All for host and device.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../tests/support/inputs.hpp"
#include "problem.hpp"

#if __has_include(<cuda_fp16.h>)
#define GPUPAR_BENCH_HALF 1
#include <cuda_fp16.h>
#endif

namespace bench {

__extension__ using uint128 = unsigned __int128;

/// A record with a 64-bit key, its index in the input, and more payload.
template <std::size_t Bytes>
struct record {
  std::uint64_t key;
  std::uint64_t index;
  std::uint64_t payload[Bytes / 8 - 2];
};
template <>
struct record<16> {
  std::uint64_t key;
  std::uint64_t index;
};

/// A record of the sort benchmark: 10 bytes of key, most significant first, and 90 of payload, the first 8 of which are
/// the index.
struct record100 {
  std::uint8_t key[10];
  std::uint8_t payload[90];
};
/// A record that owns its text; sorted by a projection to the key.
struct owner {
  std::uint64_t key;
  std::string text;
};

/// Two numbers, ordered by the first; ties by the second.
template <class Part>
struct two_parts {
  Part first;
  Part second;
  GPUPAR_HOST_DEVICE friend bool operator<(const two_parts& left, const two_parts& right) {
    return left.first != right.first ? left.first < right.first : left.second < right.second;
  }
};
using u32x2 = two_parts<std::uint32_t>;
using u64x2 = two_parts<std::uint64_t>;

/// Numbers in an order unrelated to their natural one: by their bits, least significant first.
enum class reversed32 : std::uint32_t {};
enum class reversed64 : std::uint64_t {};

static_assert(sizeof(record<16>) == 16 && sizeof(record<32>) == 32 && sizeof(record100) == 100);

template <class Key>
inline constexpr bool is_record_v = std::is_same_v<Key, record<16>> || std::is_same_v<Key, record<32>>;

template <class Key>
inline constexpr bool has_parts_v = std::is_same_v<Key, u32x2> || std::is_same_v<Key, u64x2>;

template <class Key>
inline constexpr bool is_reversed_v = std::is_same_v<Key, reversed32> || std::is_same_v<Key, reversed64>;

/// Strings and string views; on the host only.
template <class Key>
inline constexpr bool is_string_v = std::is_same_v<Key, std::string> || std::is_same_v<Key, std::string_view>;

/// The type as which a key is made: the characters of views are kept elsewhere.
template <class Key>
using made_key = std::conditional_t<std::is_same_v<Key, std::string_view>, std::string, Key>;

/// The text at a position of the key range: 16 hexadecimal digits of the position and 8 derived from its index in the
/// input. Too long for the internal buffer of a std::string.
using text_characters = std::array<char, 24>;
inline text_characters text_at(std::uint64_t position, std::uint64_t index) {
  text_characters made{};
  const std::uint64_t low = testing::mixed(index + 1);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::uint64_t digits = i < 16 ? position >> (60 - 4 * i) : low >> (4 * i - 64);
    made[i] = "0123456789abcdef"[digits & 15];
  }
  return made;
}

/// The key at a position of the key range. `index` is its index in the input, which records contain.
template <class Key>
GPUPAR_HOST_DEVICE Key make_key(std::uint64_t position, std::uint64_t index) {
  if constexpr (is_record_v<Key>) {
    Key made{};
    made.key = position;
    made.index = index;
    if constexpr (sizeof(Key) > 16)
      for (auto& word : made.payload) word = testing::mixed(index + 1);
    return made;
  } else if constexpr (std::is_same_v<Key, u32x2>) {
    return {static_cast<std::uint32_t>(position >> 32), static_cast<std::uint32_t>(position)};
  } else if constexpr (std::is_same_v<Key, u64x2>) {
    return {position, testing::mixed(index + 1)};
  } else if constexpr (std::is_same_v<Key, record100>) {
    record100 made{};
    const std::uint64_t low = testing::mixed(index + 1);
    for (int byte = 0; byte < 8; ++byte) made.key[byte] = static_cast<std::uint8_t>(position >> (56 - 8 * byte));
    for (int byte = 8; byte < 10; ++byte) made.key[byte] = static_cast<std::uint8_t>(low >> (8 * byte - 64));
    for (int byte = 0; byte < 90; ++byte)
      made.payload[byte] = static_cast<std::uint8_t>((byte < 8 ? index : low) >> (8 * (byte % 8)));
    return made;
  } else if constexpr (std::is_same_v<Key, std::string>) {
    const text_characters made = text_at(position, index);
    return {made.begin(), made.end()};
  } else if constexpr (std::is_same_v<Key, owner>) {
    return {position, make_key<std::string>(position, index)};
  } else if constexpr (is_reversed_v<Key>) {
    return static_cast<Key>(testing::key_at<std::underlying_type_t<Key>>(position));
  } else {
    return testing::key_at<Key>(position);
  }
}

/// The bits of a number in reverse order.
GPUPAR_HOST_DEVICE inline std::uint64_t reversed_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __brevll(bits);
#else
  std::uint64_t turned = 0;
  for (int bit = 0; bit < 64; ++bit) turned |= (bits >> bit & 1) << (63 - bit);
  return turned;
#endif
}
GPUPAR_HOST_DEVICE inline std::uint32_t reversed_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __brev(bits);
#else
  return static_cast<std::uint32_t>(reversed_bits(std::uint64_t{bits}) >> 32);
#endif
}

/// The order of the benchmarks, as a user-defined comparator.
struct less {
  template <class Key>
  GPUPAR_HOST_DEVICE bool operator()(const Key& left, const Key& right) const {
    if constexpr (is_record_v<Key> || std::is_same_v<Key, owner>) {
      return left.key < right.key;
    } else if constexpr (std::is_same_v<Key, record100>) {
      for (int byte = 0; byte < 10; ++byte)
        if (left.key[byte] != right.key[byte]) return left.key[byte] < right.key[byte];
      return false;
    } else if constexpr (is_reversed_v<Key>) {
      using bits = std::underlying_type_t<Key>;
      return reversed_bits(static_cast<bits>(left)) < reversed_bits(static_cast<bits>(right));
    } else {
      return left < right;
    }
  }
};

/// Hash of bytes; `start` is the hash of those before them.
GPUPAR_HOST_DEVICE inline std::uint64_t hash_of_bytes(const void* data, std::size_t size, std::uint64_t start) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t begin = 0; begin < size; begin += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + begin, size - begin < 8 ? size - begin : 8);
    start = testing::mixed(start ^ (word + testing::golden_step));
  }
  return start;
}

/// Hash of the bits of an object, or of what a string or a record owns; `start` is the hash of objects before it.
template <class Object>
GPUPAR_HOST_DEVICE std::uint64_t hash_of(const Object& object, std::uint64_t start) {
  if constexpr (is_string_v<Object>)
    return hash_of_bytes(object.data(), object.size(), start);
  else if constexpr (std::is_same_v<Object, owner>)
    return hash_of(object.text, hash_of(object.key, start));
  else
    return hash_of_bytes(&object, sizeof(Object), start);
}

struct no_value {};

/// What is sorted: keys, alone or with values in another array.
template <class Key, class Value = no_value>
struct element {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr std::size_t key_bytes = sizeof(Key);
  static constexpr std::size_t value_bytes = has_values ? sizeof(Value) : 0;
};

/// Whether argsort can write indices to values of this type.
template <class Value>
inline constexpr bool is_index_v = std::is_integral_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8);

template <class Key>
constexpr std::string_view key_name() {
  if constexpr (std::is_same_v<Key, std::uint8_t>) return "u8";
  if constexpr (std::is_same_v<Key, std::uint16_t>) return "u16";
  if constexpr (std::is_same_v<Key, std::uint32_t>) return "u32";
  if constexpr (std::is_same_v<Key, std::uint64_t>) return "u64";
  if constexpr (std::is_same_v<Key, uint128>) return "u128";
  if constexpr (std::is_same_v<Key, std::int32_t>) return "i32";
  if constexpr (std::is_same_v<Key, std::int64_t>) return "i64";
  if constexpr (std::is_same_v<Key, float>) return "f32";
  if constexpr (std::is_same_v<Key, double>) return "f64";
#ifdef GPUPAR_BENCH_HALF
  if constexpr (std::is_same_v<Key, __half>) return "half";
#endif
  if constexpr (std::is_same_v<Key, u32x2>) return "u32x2";
  if constexpr (std::is_same_v<Key, u64x2>) return "u64x2";
  if constexpr (std::is_same_v<Key, record<16>>) return "record16";
  if constexpr (std::is_same_v<Key, record<32>>) return "record32";
  if constexpr (std::is_same_v<Key, record100>) return "record100";
  if constexpr (std::is_same_v<Key, reversed32>) return "reversed32";
  if constexpr (std::is_same_v<Key, reversed64>) return "reversed64";
  if constexpr (std::is_same_v<Key, std::string>) return "string";
  if constexpr (std::is_same_v<Key, std::string_view>) return "view";
  if constexpr (std::is_same_v<Key, owner>) return "owner";
  return {};
}

template <class Element>
std::string element_name() {
  std::string name{key_name<typename Element::key_type>()};
  if constexpr (Element::has_values) name += '+' + std::string{key_name<typename Element::value_type>()};
  return name;
}

/// Whether the operation is measured with keys of this type.
template <class Key>
bool is_asked_of(operation what) {
  if (std::is_arithmetic_v<Key>) return true;
  if (has_parts_v<Key>) return what == operation::sort || what == operation::stable_sort;
  return what == (is_string_v<Key> || std::is_same_v<Key, owner> ? operation::sort : operation::sort_comparator);
}

template <class... Elements>
struct element_list {};

/// Keys and values of different widths.
using unequal_pairs = element_list<
    element<std::uint8_t, std::uint64_t>, element<std::uint16_t, std::uint32_t>, element<std::uint16_t, std::uint64_t>,
    element<std::uint32_t, std::uint8_t>, element<std::uint32_t, std::uint16_t>, element<std::uint32_t, std::uint64_t>,
    element<std::uint32_t, uint128>, element<std::uint64_t, std::uint16_t>, element<std::uint64_t, std::uint32_t>,
    element<uint128, std::uint32_t>, element<std::int32_t, std::uint32_t>, element<std::int32_t, std::uint64_t>,
    element<float, std::uint32_t>, element<double, std::uint32_t>>;

template <class... Left, class... Right>
element_list<Left..., Right...> joined(element_list<Left...>, element_list<Right...>);

template <class... More>
using elements_and =
    element_list<element<std::uint8_t>, element<std::uint16_t>, element<std::uint32_t>, element<std::uint64_t>,
                 element<uint128>, element<std::int32_t>, element<std::int64_t>, element<float>, element<double>,
#ifdef GPUPAR_BENCH_HALF
                 element<__half>,
#endif
                 element<u32x2>, element<u64x2>, element<record<16>>, element<record<32>>, element<record100>,
                 element<reversed32>, element<reversed64>, element<std::uint32_t, std::uint32_t>,
                 element<std::uint64_t, std::uint64_t>, More...>;
/// The elements that a device can hold, and all elements.
using device_elements = decltype(joined(elements_and<>{}, unequal_pairs{}));
using all_elements =
    decltype(joined(elements_and<element<std::string>, element<std::string_view>, element<owner>>{}, unequal_pairs{}));

/// Returns visit(Element{}) for the element with this name, or a default Result if the list has none.
template <class Result, class... Elements, class Visit>
Result with_element(std::string_view name, element_list<Elements...>, Visit visit) {
  Result result{};
  (void)((name == element_name<Elements>() && (result = visit(Elements{}), true)) || ...);
  return result;
}

/// Bytes of an element of that name, value included; 0 if there is none.
inline std::size_t element_bytes(std::string_view name) {
  return with_element<std::size_t>(name, all_elements{},
                                   [](auto e) { return decltype(e)::key_bytes + decltype(e)::value_bytes; });
}

/// Bytes of a key of that element.
inline std::size_t key_bytes(std::string_view name) { return element_bytes(name.substr(0, name.find('+'))); }

}  // namespace bench
