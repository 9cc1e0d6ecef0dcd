// Codes whose source is chosen at run time are those of the source itself, for every width, format and join; and rows
// that are written from such codes are those that were read.
#include "gpu/detail/device/erased_codes.cuh"

#include <string>
#include <type_traits>
#include <vector>

#include "gpu/detail/device/pairs/pairs.cuh"
#include "gpu/detail/device/erased_rows.cuh"
#include "gpu/detail/device/sort_out_of_place.cuh"
#include "paths.hpp"

using namespace testing;

namespace {

using gpu::detail::key_class;
using gpu::detail::key_format;
using gpu::detail::uint128;

template <class Bits, class Codes, class Source, class Codec>
__global__ void compare_codes(Codes erased, Source source, Codec codec, unsigned n, unsigned* wrong) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Bits expected = codec.encode(static_cast<Bits>(source[i]));
  const std::size_t indices[2] = {n - 1 - i, i};
  Bits codes[2];
  erased.load(indices, codes);
  if (erased[i] != expected || codes[1] != expected) atomicAdd(wrong, 1u);
}

template <class Bits, class Source, class Codec>
void check(const std::string& what, const Source& source, const Codec& codec, std::size_t n) {
  const auto erased = device::codes_of<Bits>(source, codec);
  static_assert(std::is_same_v<std::remove_const_t<decltype(erased)>, device::erased_codes<Bits>>);
  const storage<unsigned> wrong{memory::device, {0}};
  const auto count = static_cast<unsigned>(n);
  compare_codes<Bits><<<(count + 255) / 256, 256>>>(erased, source, codec, count, wrong.data());
  expect(wrong.fetch(what)[0] == 0, what + ": " + std::to_string(wrong.fetch(what)[0]) + " codes differ");
}

/// Copies all rows but the first one, each thread two at once.
template <class Bits>
__global__ void copy_rows(device::erased_rows<Bits> rows, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto behind = rows + 1;
  const auto index = [=](int k) { return i + static_cast<unsigned>(k) * gridDim.x * blockDim.x; };
  const auto there = [=](int k) { return index(k) + 1 < n; };
  Bits codes[2];
  device::read_items(behind, codes, [=](int k) { return there(k) ? index(k) : 0; });
  device::write_items(behind, codes, index, there);
}

/// Copies rows through their codes, and compares what is written with what was read.
template <class Bits, class Key, class Value>
void check_rows(const std::string& what, const device::erased_rows<Bits>& read, const storage<Key>& keys,
                const std::vector<Value>& values, std::size_t n) {
  const storage<Key> key_target{memory::device, std::vector<Key>(n)};
  const storage<Value> value_target{memory::device, std::vector<Value>(n)};
  const auto rows = read.written_to(key_target.data(), value_target.data(), sizeof(Value));
  copy_rows<<<static_cast<unsigned>(n / 500), 256>>>(rows, static_cast<unsigned>(n));
  auto expected_keys = keys.fetch(what);
  auto expected_values = values;
  expected_keys[0] = Key{}, expected_values[0] = Value{};
  expect(key_target.fetch(what) == expected_keys, what + ": keys as they were");
  expect(value_target.fetch(what) == expected_values, what + ": values as they were");
}

template <class Bits>
std::vector<Bits> random_bits(std::size_t n, std::uint64_t salt) {
  std::vector<Bits> bits(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t word = 0; word < sizeof(Bits); word += 8)
      bits[i] |= static_cast<Bits>(static_cast<Bits>(random_at(seed() + salt, 2 * i + word / 8)) << 8 * word);
  return bits;
}

/// Formats of integers and floating-point numbers, ascending and descending, and of integers side by side.
template <class Bits>
std::vector<key_format> formats() {
  constexpr auto bytes = static_cast<std::uint8_t>(sizeof(Bits));
  std::vector<key_format> all{{key_class::unsigned_integer, bytes}, {key_class::signed_integer, bytes}};
  if (bytes == 4) all.push_back({key_class::floating_point, bytes, 23});
  if (bytes == 8) all.push_back({key_class::floating_point, bytes, 52});
  if (bytes >= 4) {
    key_format parts{key_class::unsigned_integer, bytes};
    for (unsigned i = 0; i < bytes; ++i) parts.bytes_from |= std::uint64_t{(i + 2) % bytes} << 4 * i;
    parts.low_flips = 0x80;
    all.push_back(parts);
  }
  for (std::size_t i = 0, count = all.size(); i < count; ++i)
    if (!all[i].is_of_parts()) all.push_back(all[i]), all.back().descending = true;
  return all;
}

template <class Bits>
std::vector<Bits> keys_of(const key_format& format, std::size_t n) {
  std::vector<Bits> keys = random_bits<Bits>(n, 1);
  const auto special = [&](std::size_t i, auto number) { keys[i] = std::bit_cast<Bits>(number); };
  if constexpr (sizeof(Bits) == 4)
    if (format.kind == key_class::floating_point)
      special(3, 0.0f), special(4, -0.0f), special(5, -NAN), special(6, NAN);
  if constexpr (sizeof(Bits) == 8)
    if (format.kind == key_class::floating_point) special(3, 0.0), special(4, -0.0), special(5, -double{NAN});
  return keys;
}

template <class Key, class Value, class Bits>
void check_joined(const std::string& what, const storage<Key>& keys, auto codec, std::size_t n) {
  const storage<Value> values{memory::device, random_bits<Value>(n, 2)};
  const device::joined_pointer<Bits, Key, Value> pairs{keys.data(), values.data()};
  const gpu::detail::joined_codec<Bits, Key, Value, decltype(codec)> joined{codec};
  check<Bits>(what + ", joined", pairs, joined, n);
  const device::erased_rows<Bits> rows{keys.data(), codec};
  check_rows<Bits>(what + ", rows", rows.before(values.data()), keys, values.fetch(what), n);
  check<Bits>(what + ", joined codes", pairs, gpu::detail::identity_codec{}, n);
}

/// Positions are written as indices of either width; equivalent keys that differ keep their bits.
template <class Key, class Codec>
void check_indexed_rows(const std::string& what, const storage<Key>& keys, const Codec& codec, std::size_t n) {
  const auto rows = device::indexed_rows(static_cast<const Key*>(keys.data()), codec, n);
  std::vector<std::uint32_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<std::uint32_t>(i);
  check_rows<device::indexed_bits<Key>>(what + ", indexed rows", rows, keys, places, n);
  check_rows<device::indexed_bits<Key>>(what + ", indexed rows, wide", rows, keys,
                                       std::vector<std::uint64_t>(places.begin(), places.end()), n);
}

template <class Key>
void check_width() {
  constexpr std::size_t n = 1000;
  for (const key_format& format : formats<Key>()) {
    const std::string what = std::to_string(8 * sizeof(Key)) + " bits, kind " +
                             std::to_string(static_cast<int>(format.kind)) + (format.descending ? ", descending" : "") +
                             (format.is_of_parts() ? ", of parts" : "");
    const storage<Key> keys{memory::device, keys_of<Key>(format, n)};
    const auto codec = gpu::detail::make_codec<Key>(format);
    check<Key>(what, keys.data(), codec, n);
    check<Key>(what + ", const", static_cast<const Key*>(keys.data()), codec, n);
    check<Key>(what + ", codes", keys.data(), gpu::detail::identity_codec{}, n);
    check<Key>(what + ", made codes", keys.data(), gpu::detail::codes_by(codec), n);
    if constexpr (sizeof(Key) <= 4) check_joined<Key, std::uint32_t, std::uint64_t>(what + " + 32", keys, codec, n);
    if constexpr (sizeof(Key) <= 8) {
      check_joined<Key, std::uint64_t, uint128>(what + " + 64", keys, codec, n);
      const gpu::detail::shared_codes<Key> codes{codec};
      check_indexed_rows(what, keys, codes, n);
    }
    if constexpr (sizeof(Key) == 4 || sizeof(Key) == 8)
      if (format.kind == key_class::floating_point) {
        const auto ranks = gpu::detail::make_shared_codes<Key>(format);
        check<Key>(what + ", ranks", keys.data(), ranks, n);
        check_indexed_rows(what + ", ranks", keys, ranks, n);
      }
  }
}

}  // namespace

TEST_CASE("device paths: codes whose source is told at run time") {
  if (no_device()) return;
  check_width<std::uint8_t>();
  check_width<std::uint16_t>();
  check_width<std::uint32_t>();
  check_width<std::uint64_t>();
  check_width<uint128>();
}
