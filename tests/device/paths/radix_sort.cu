#include "gpu/detail/device/radix_sort.cuh"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/detail/device/argsort.cuh"
#include "paths.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;

TEST_CASE("device paths: radix sort") {
  if (no_device()) return;
  check_rows<std::int32_t>("radix sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    device::radix_sort(context, data, n, device::code_rank{}, codec);
  });
}

TEST_CASE("device paths: radix sort of wide keys, of which fewer make a tile") {
  if (no_device()) return;
  check_rows<std::int64_t>("radix sort of wide keys", true,
                           [](const auto& context, auto data, std::size_t n, auto codec) {
                             device::radix_sort(context, data, n, device::code_rank{}, codec);
                           });
}

TEST_CASE("device paths: radix sort of few elements, which share the multiprocessors") {
  if (no_device()) return;
  constexpr device::tile_shape tile = device::radix_tile(4, 4);
  const auto threads = static_cast<std::size_t>(tile.threads);
  std::vector<std::size_t> sizes{1, threads * device::items_for(tile, 1) + 1};
  for (std::size_t n = threads; n <= threads * tile.items * device::radix_tiles_at_once; n += threads)
    if (device::items_for(tile, n) != device::items_for(tile, n + 1)) sizes.insert(sizes.end(), {n, n + 1, n + 45});
  workplace here;
  for (const std::size_t n : tried(sizes)) {
    const std::string what = "radix sort of " + std::to_string(n);
    const auto keys = make_keys<std::uint32_t>(uniform, n, n);
    const auto wide = make_keys<std::uint64_t>(few_values, n, n);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const storage<std::uint32_t> data{memory::device, keys}, values{memory::device, order};
    device::radix_sort(here.context(), device::columns<std::uint32_t, std::uint32_t>{data.data(), values.data()}, n,
                       device::code_rank{}, codec_of<std::uint32_t>());
    const storage<std::uint64_t> alone{memory::device, wide};
    device::radix_sort(here.context(), device::columns<std::uint64_t, device::no_value>{alone.data(), nullptr}, n,
                       device::code_rank{}, codec_of<std::uint64_t>());
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return keys[i] < keys[j]; });
    expect_none(difference(order, values.fetch(what)), what);
    auto expected = wide;
    std::sort(expected.begin(), expected.end());
    expect_none(difference(expected, alone.fetch(what)), what + ", alone");
  }
}

TEST_CASE("device paths: radix sort of floating-point keys, whose equivalents keep their order") {
  if (no_device()) return;
  workplace here;
  const auto check = [&]<class Key>(const std::vector<Key>& keys, const std::string& what) {
    const std::size_t n = keys.size();
    using bits = bits_of<Key>;
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const storage<bits> data{memory::device, raw(keys)}, alone{memory::device, raw(keys)};
    const storage<std::uint32_t> values{memory::device, order};
    const device::floating_rank<bits> rank{gpu::detail::make_floating_code_less<bits>(gpu::detail::format_of<Key>())};
    device::radix_sort(here.context(), device::columns<bits, std::uint32_t>{data.data(), values.data()}, n, rank,
                       codec_of<Key>());
    device::radix_sort(here.context(), device::columns<bits, device::no_value>{alone.data(), nullptr}, n, rank,
                       codec_of<Key>());
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return natural_less{}(keys[i], keys[j]); });
    std::vector<bits> expected;
    for (const std::uint32_t i : order) expected.push_back(std::bit_cast<bits>(keys[i]));
    expect_none(difference(order, values.fetch(what)), what + ", values");
    expect_none(difference(expected, data.fetch(what)), what + ", keys");
    expect_none(difference(expected, alone.fetch(what)), what + ", alone");
  };
  const auto check_all = [&]<class Key>(Key zero) {
    for (const std::size_t n : tried({100, 20'000, 300'001})) {
      const std::string what = "radix sort of " + std::to_string(n) + " numbers of " + std::to_string(sizeof(Key));
      auto keys = make_keys<Key>(few_values, n);
      check(keys, what);
      for (std::size_t i = 0; i < n; i += 3) keys[i] = i % 2 == 0 ? zero : Key{1};
      check(keys, what + " with zeros");
      keys[n / 2] = -zero;  // the only one whose rank is not its code
      check(keys, what + " with one -0");
      check(make_special_keys<Key>(n), what + ", every special one often");
    }
  };
  check_all(0.0f);
  check_all(0.0);
}

TEST_CASE("device paths: argsort by digits") {
  if (no_device()) return;
  workplace here;
  const auto check = [&](const std::vector<std::uint32_t>& keys, const std::string& what) {
    std::vector<std::uint32_t> expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0u);
    const storage<std::uint32_t> data{memory::device, keys};
    const storage<std::uint32_t> indices{memory::device, std::vector<std::uint32_t>(keys.size(), 7u)};
    device::argsort_by_digits(here.context(), data.data(), indices.data(), keys.size(),
                              shared_codes_of<std::uint32_t>());
    std::stable_sort(expected.begin(), expected.end(), [&](auto i, auto j) { return keys[i] < keys[j]; });
    expect_none(difference(expected, indices.fetch(what)), what);
    expect_none(difference(keys, data.fetch(what)), what + ": keys changed");
  };
  for (const std::size_t n : tried({1, 2, 1000, 12'345, 1'234'567}))
    for (unsigned digits = 0; digits <= 4; ++digits) {  // the number of passes
      auto keys = make_keys<std::uint32_t>(uniform, n, n);
      for (std::uint32_t& key : keys) key = digits == 0 ? 42 : key >> (32 - 8 * digits);
      check(keys, "argsort by " + std::to_string(digits) + " digits, " + std::to_string(n));
    }
  expect(here.resource().outstanding() == 0, "scratch is given back");
}

TEST_CASE("device paths: radix sort by few blocks, of more equal digits than a counter can say") {
  if (no_device()) return;
  constexpr std::size_t n = 4'300'001;
  std::vector<std::uint32_t> keys(n, 0x2a2a2a2a);
  for (std::size_t i = 0; i < n; i += 5) keys[i] = static_cast<std::uint32_t>(i) * 2654435761u;
  workplace here;
  const storage<std::uint32_t> data{memory::device, keys, 3};
  device::radix_sort(by_few_blocks(here.context()),
                     device::columns<std::uint32_t, device::no_value>{data.data(), nullptr}, n, device::code_rank{},
                     codec_of<std::uint32_t>());
  std::sort(keys.begin(), keys.end());
  expect_none(difference(keys, data.fetch("radix sort by few blocks")), "radix sort by few blocks");
}
