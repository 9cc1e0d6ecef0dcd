#include "gpu/detail/device/merging/merge.cuh"

#include <numeric>

#include "device_paths/paths.hpp"

using namespace testing;

namespace {

template <class Key>
inline constexpr std::size_t tile_size = device::single_pair<Key, device::no_value>::tile.size();

/// Sorts keys[0, middle) and the others, merges them as codes, and compares with all of them sorted; nothing is written
/// behind the output.
template <class Key>
void check_merge(const workplace& here, std::vector<Key> keys, std::size_t middle, const std::string& shape) {
  const std::size_t n = keys.size();
  const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(middle);
  std::sort(keys.begin(), cut);
  std::sort(cut, keys.end());
  const std::vector<Key> behind(16, Key{99});
  std::vector<Key> blank(n);
  blank.insert(blank.end(), behind.begin(), behind.end());
  const storage<Key> data{memory::device, keys}, merged{memory::device, blank};
  device::merge<Key, device::no_value>(here.context(), {data.data(), nullptr}, middle, {data.data() + middle, nullptr},
                                       n - middle, {merged.data(), nullptr}, gpu::detail::code_less{},
                                       gpu::detail::identity_codec{});
  auto after = merged.fetch(shape);
  std::inplace_merge(keys.begin(), cut, keys.end());
  keys.insert(keys.end(), behind.begin(), behind.end());
  expect_none(difference(keys, after), "merge of codes cut at " + std::to_string(middle) + ", " + shape);
}

/// Cuts every so often among small inputs, once in large ones.
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

/// One tile more than so many, of `rest` elements: its cuts may need more room.
template <class Key>
void check_many_tiles(workplace& here, const distribution& shape, std::size_t tiles, std::size_t rest) {
  const std::size_t n = tiles * tile_size<Key> + rest;
  const auto keys = make_keys<Key>(shape, n, n);
  check_lengths(here, keys, std::to_string(sizeof(Key)) + " bytes, " + std::to_string(n) + ", " + shape.name);
  const bool in_scratch = here.resource().take_peak() > 0;
  expect(in_scratch == (tiles >= device::cached_tiles),
         "cuts of " + std::to_string(tiles) + " tiles and one in scratch");
}

}  // namespace

TEST_CASE("device paths: merge of codes in so many tiles that cuts are known before") {
  if (no_device()) return;
  if (reduced()) return skip("merge of many tiles: too long for reduced tests");
  workplace here;
  constexpr std::size_t many = device::few_tiles;
  for (const std::size_t rest : {1, 3, 4, 12'345}) check_many_tiles<std::uint32_t>(here, uniform, many, rest);
  check_many_tiles<std::uint32_t>(here, few_values, many, 2);
  for (const std::size_t rest : {1, 2}) check_many_tiles<std::uint64_t>(here, uniform, many, rest);
  for (const std::size_t rest : {1, 15, 16}) check_many_tiles<std::uint8_t>(here, uniform, many, rest);
  check_many_tiles<gpu::detail::uint128>(here, uniform, many, 1);
  check_many_tiles<std::uint64_t>(here, uniform, device::cached_tiles, 1);
}

TEST_CASE("device paths: stable merge by key in one launch, without scratch") {
  if (no_device()) return;
  workplace here;
  const std::size_t n = 30'011, middle = 17'000;
  auto keys = make_keys<std::uint32_t>(few_values, n, n);
  const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(middle);
  std::sort(keys.begin(), cut);
  std::sort(cut, keys.end());
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
