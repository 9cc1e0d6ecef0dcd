#include "gpu/detail/device/merging/merge.cuh"

#include <numeric>

#include "late_copy.cuh"
#include "paths.hpp"

using namespace testing;

namespace {

template <class Key>
inline constexpr std::size_t tile_size = device::single_pair<Key, device::no_value>::tile.size();

/// Sorts keys[0, middle) and the others, merges them as codes, and compares with all of them sorted; nothing is written
/// behind the output.
template <class Key>
void check_merge(const workplace& here, std::vector<Key> keys, std::size_t middle, const std::string& shape) {
  const std::size_t n = keys.size();
  keys = sorted_halves(std::move(keys), middle);
  const std::vector<Key> behind(16, Key{99});
  std::vector<Key> blank(n);
  blank.insert(blank.end(), behind.begin(), behind.end());
  const storage<Key> data{memory::device, keys}, merged{memory::device, blank};
  device::merge<Key, device::no_value>(here.context(), {data.data(), nullptr}, middle, {data.data() + middle, nullptr},
                                       n - middle, {merged.data(), nullptr}, gpu::detail::code_less{},
                                       gpu::detail::identity_codec{});
  auto after = merged.fetch(shape);
  std::sort(keys.begin(), keys.end());
  keys.insert(keys.end(), behind.begin(), behind.end());
  expect_none(difference(keys, after), "merge of codes cut at " + std::to_string(middle) + ", " + shape);
}

/// Merges small inputs cut at several places, and large ones cut at one place.
template <class Key>
void check_lengths(const workplace& here, const std::vector<Key>& keys, const std::string& shape) {
  const std::size_t n = keys.size();
  check_merge(here, keys, n / 3, shape);
  if (n > 10'000) return;
  for (const std::size_t middle : {n / 2, n - n / 1000, n > 0 ? std::size_t{1} : n, n})
    check_merge(here, keys, middle, shape);
}

}  // namespace

TEST_CASE("device paths: merge of codes in so few tiles that blocks search for their cuts") {
  if (no_device()) return;
  const workplace here;
  with_shapes<std::uint32_t>([&](const auto& keys, const std::string& shape) { check_lengths(here, keys, shape); });
  with_shapes<std::uint64_t>([&](const auto& keys, const std::string& shape) { check_lengths(here, keys, shape); });
}

namespace {

/// Merges two sequences in device memory that begin a_offset and b_offset keys after a multiple of 16 bytes, amid other
/// keys that must not be merged, into an output that may also be misaligned.
void check_place(const workplace& here, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                 std::size_t a_offset, std::size_t b_offset) {
  constexpr std::size_t vector = device::key_vector<std::uint32_t>::size;
  const std::size_t b_place = (a_offset + a.size() + vector - 1) / vector * vector + b_offset, n = a.size() + b.size();
  const std::size_t to_offset = (a_offset + b_offset) % vector;
  std::vector<std::uint32_t> around(b_place + b.size() + vector), expected(to_offset + n + vector, 99);
  for (std::size_t i = 0; i < around.size(); ++i) around[i] = i % 2 == 0 ? 0 : 0xffffffff;
  std::copy(a.begin(), a.end(), around.begin() + static_cast<std::ptrdiff_t>(a_offset));
  std::copy(b.begin(), b.end(), around.begin() + static_cast<std::ptrdiff_t>(b_place));
  const storage<std::uint32_t> from{memory::device, around}, to{memory::device, expected};
  device::merge<std::uint32_t, device::no_value>(
      here.context(), {from.data() + a_offset, nullptr}, a.size(), {from.data() + b_place, nullptr}, b.size(),
      {to.data() + to_offset, nullptr}, gpu::detail::code_less{}, gpu::detail::identity_codec{});
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin() + static_cast<std::ptrdiff_t>(to_offset));
  expect_none(difference(expected, to.fetch("places")), std::to_string(a.size()) + " keys from " +
                                                            std::to_string(a_offset) + ", " + std::to_string(b.size()) +
                                                            " from " + std::to_string(b_offset));
}

/// Sorted keys in [first, first + range).
std::vector<std::uint32_t> sorted_part(std::size_t n, std::uint32_t first, std::uint32_t range, std::uint64_t seed) {
  auto keys = make_keys<std::uint32_t>(uniform, n, seed);
  for (auto& key : keys) key = first + key % range;
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

TEST_CASE("device paths: merge of codes that begin anywhere in sixteen bytes") {
  if (no_device()) return;
  const workplace here;
  constexpr std::size_t tile = tile_size<std::uint32_t>;
  constexpr std::uint32_t half = 0x80000000;
  const std::size_t lengths[] = {0, 1, 3, tile / 2 + 2, 2 * tile + 5};
  for (const std::size_t a : lengths)
    for (const std::size_t b : lengths)
      for (const std::uint32_t b_first : {0u, half}) {
        const auto low = sorted_part(a, 0, half, 1), high = sorted_part(b, b_first, half, 2);
        for (std::size_t place = 0; place < 16; place += reduced() ? 5 : 1) {
          check_place(here, low, high, place / 4, place % 4);
          if (b_first != 0) check_place(here, high, low, place / 4, place % 4);
        }
      }
}

namespace {

/// The table of cuts lies inside the output, aligned, and apart from the tiles that are merged while it is read.
template <class Key>
void check_table(std::size_t tiles, std::size_t rest, std::size_t offset) {
  constexpr std::size_t size = tile_size<Key>;
  const std::size_t n = (tiles - 1) * size + rest;
  const std::uintptr_t begin = 4096 + offset * sizeof(Key);  // never read
  const device::cuts_in_output<Key> place{reinterpret_cast<Key*>(begin), n, size};
  const auto table = reinterpret_cast<std::uintptr_t>(place.table), end = begin + n * sizeof(Key);
  const std::string what = std::to_string(sizeof(Key)) + " bytes, " + std::to_string(n);
  expect(table % alignof(std::size_t) == 0, "table of cuts is aligned, " + what);
  expect(table + tiles * sizeof(std::size_t) <= end, "table of cuts ends in the output, " + what);
  expect(begin + place.covered_from * size * sizeof(Key) <= table, "tiles merged first are apart from it, " + what);
  expect(begin + (place.covered_from + 1) * size * sizeof(Key) > table, "those merged last are not, " + what);
}

}  // namespace

TEST_CASE("device paths: where cuts lie in the output of a merge") {
  for (const std::size_t tiles : {device::few_tiles + 1, std::size_t{300'000}})
    for (const std::size_t rest : {1, 2, 7, 2000})
      for (const std::size_t offset : {0, 1, 5}) {
        check_table<std::uint8_t>(tiles, rest, offset);
        check_table<std::uint16_t>(tiles, rest, offset);
        check_table<std::uint32_t>(tiles, rest, offset);
        check_table<std::uint64_t>(tiles, rest, offset);
        check_table<gpu::detail::uint128>(tiles, rest, offset);
      }
}

namespace {

/// Merges `tiles` tiles, the last one of `rest` elements; the table of their cuts ends at the end of the output, or as
/// far before it as its alignment requires.
template <class Key>
void check_many_tiles(workplace& here, const distribution& shape, std::size_t tiles, std::size_t rest) {
  const std::size_t n = (tiles - 1) * tile_size<Key> + rest;
  const auto keys = make_keys<Key>(shape, n, n);
  check_lengths(here, keys, std::to_string(sizeof(Key)) + " bytes, " + std::to_string(n) + ", " + shape.name);
  expect(here.resource().take_peak() == 0, "merge of " + std::to_string(tiles) + " tiles takes no scratch");
}

}  // namespace

TEST_CASE("device paths: merge of codes in so many tiles that cuts are known before") {
  if (no_device()) return;
  if (reduced()) return skip("merge of many tiles: too long for reduced tests");
  workplace here;
  constexpr std::size_t many = device::few_tiles + 1;
  for (const std::size_t rest : {1, 2, 3, 5000}) check_many_tiles<std::uint32_t>(here, uniform, many, rest);
  check_many_tiles<std::uint32_t>(here, few_values, many, tile_size<std::uint32_t>);
  check_many_tiles<std::uint64_t>(here, uniform, many, 1);
  check_many_tiles<std::uint64_t>(here, uniform, 4 * many, tile_size<std::uint64_t>);
  for (const std::size_t rest : {1, 7, 8}) check_many_tiles<std::uint8_t>(here, uniform, many, rest);
  check_many_tiles<std::uint16_t>(here, uniform, many, 1);
  check_many_tiles<gpu::detail::uint128>(here, uniform, many, 1);
}

TEST_CASE("device paths: merge in place in so many tiles that cuts lie in the buffer") {
  if (no_device()) return;
  if (reduced()) return skip("merge of many tiles in place: too long for reduced tests");
  workplace here;
  const std::size_t n = device::few_tiles * tile_size<std::uint64_t> + 1, middle = n / 5;
  auto keys = sorted_halves(make_keys<std::uint64_t>(uniform, n), middle);
  const storage<std::uint64_t> data{memory::device, keys};
  device::inplace_merge<std::uint64_t, device::no_value>(here.context(), {data.data(), nullptr}, middle, n,
                                                         gpu::detail::code_less{}, gpu::detail::identity_codec{});
  std::sort(keys.begin(), keys.end());
  expect_none(difference(keys, data.fetch("in place")), "merge in place of many tiles");
  expect(here.resource().take_peak() == n * sizeof(std::uint64_t), "a buffer for the elements, and no more");
}

TEST_CASE("device paths: the last tiles of a merge write when the others have been merged") {
  if (no_device()) return;
  const workplace here;
  using pairs = device::single_pair<std::uint32_t, device::no_value>;
  const std::size_t n = 3 * tile_size<std::uint32_t>;
  std::vector<std::uint32_t> keys(n), merged(n, 0xffffffff);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i % (n / 2));
  const storage<std::uint32_t> from{memory::device, keys}, to{memory::device, keys}, late{memory::device, merged};
  const device::columns<std::uint32_t, device::no_value> output{to.data(), nullptr};
  const pairs pair{{{from.data(), nullptr}, n / 2, {from.data() + n / 2, nullptr}, n - n / 2, 0}};
  copy_late(here.context(), late.data(), to.data(), n);
  device::merge_tiles(here.context(), pair, device::known_cuts{nullptr, nullptr, 1}, 2, output,
                      gpu::detail::code_less{}, gpu::detail::identity_codec{}, gpu::detail::identity_codec{});
  for (std::size_t i = tile_size<std::uint32_t>; i < n; ++i) merged[i] = static_cast<std::uint32_t>(i / 2);
  expect_none(difference(merged, to.fetch("last tiles")), "last tiles behind a launch that writes late");
}

TEST_CASE("device paths: stable merge by key in one launch, without scratch") {
  if (no_device()) return;
  workplace here;
  const std::size_t n = 30'011, middle = 17'000;
  const auto keys = sorted_halves(make_keys<std::uint32_t>(few_values, n, n), middle);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  const storage<std::uint32_t> from{memory::device, keys}, values{memory::device, places};
  const storage<std::uint32_t> to{memory::device, keys}, moved{memory::device, keys};
  device::merge<std::uint32_t, std::uint32_t>(
      here.context(), {from.data(), values.data()}, middle, {from.data() + middle, values.data() + middle}, n - middle,
      {to.data(), moved.data()}, gpu::detail::code_less{}, gpu::detail::identity_codec{});
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  expect_none(difference(places, moved.fetch("places")), "stable merge by key");
  expect(here.resource().take_peak() == 0, "merge of few tiles takes no scratch");
}
