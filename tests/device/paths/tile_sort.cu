#include "gpu/detail/device/tile_sort.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// Sorts keys, and compares bit by bit with the order of their codes.
template <class Key>
void check_tile(const device::context& context, const std::vector<Key>& keys, bool descending,
                const std::string& what) {
  auto expected = raw(keys);
  const storage<bits_of<Key>> data{memory::device, expected};
  const auto codec = codec_of<Key>(descending);
  const device::columns<bits_of<Key>, device::no_value> columns{data.data(), nullptr};
  expect(device::sort_tile(context, columns, keys.size(), codec), what + ": is a tile");
  std::sort(expected.begin(), expected.end(),
            [&](auto left, auto right) { return codec.encode(left) < codec.encode(right); });
  expect(data.fetch(what) == expected, what);
}

/// All shapes at all sizes that matter, with and without clusters. Reduced tests run a fifth of these, as racecheck
/// takes a third of a second for the sort of a tile: every size either way, but not with every shape.
template <class Key>
void check_tiles(const std::string& name) {
  constexpr std::size_t tile = device::sure_tile<bits_of<Key>>, most = device::cluster_bin_tile(sizeof(Key)).size();
  constexpr std::size_t share = tile / 8, few = device::few_codes;
  workplace here;
  device::context alone = here.context();
  alone.device.compute_capability = 80;
  combinations all;
  for (const std::size_t n :
       tried({1, 2, 31, 33, 100, few, few + 1, share - 1, share, share + 1, 1000, tile / 2, tile - 1, tile, most}))
    for (const auto& shape : all_distributions())
      for (const bool descending : {false, true})
        for (const bool clusters : {true, false}) {
          if ((n > tile && !clusters) || !all.next_is_tried()) continue;
          check_tile(clusters ? here.context() : alone, make_keys<Key>(shape, n, n), descending,
                     name + ", " + shape.name + ", " + std::to_string(n) + (descending ? " descending" : "") +
                         (clusters ? "" : ", by one block"));
        }
}

/// Keys in `heaps` heaps far apart, each of `different` different keys side by side; every `strangers_apart`-th key
/// lies anywhere.
template <class Key>
std::vector<Key> keys_in_heaps(std::size_t n, std::size_t heaps, std::size_t different, std::size_t strangers_apart) {
  auto keys = make_keys<Key>(uniform, n, n);
  for (std::size_t i = 0; i < n; ++i)
    if (i % strangers_apart != 0)
      keys[i] = static_cast<Key>(static_cast<Key>(-1) / heaps * (keys[i] % heaps) + keys[i] / heaps % different);
  return keys;
}

/// Keys that crowd at the lower end of their range; the greater the power, the more they do.
template <class Key>
std::vector<Key> crowding_keys(std::size_t n, int power) {
  auto keys = make_keys<Key>(uniform, n, n);
  for (Key& key : keys) {
    const double share = static_cast<double>(key) / static_cast<double>(static_cast<Key>(-1));
    key = static_cast<Key>(std::pow(share, power) * 0.9 * static_cast<double>(static_cast<Key>(-1)));
  }
  return keys;
}

/// Evenly distributed values on either side of zero, around which floating-point codes are sparse.
template <class Key>
std::vector<Key> values_about_zero(std::size_t n) {
  const auto from = make_keys<std::uint32_t>(uniform, n, n);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(from[i] * 0x1p-18 - 3);
  return keys;
}

/// Keys in five heaps, each made of three heaps, each of which is made of three more.
std::vector<std::uint64_t> heaps_of_heaps(std::size_t n) {
  auto keys = make_keys<std::uint64_t>(uniform, n, n);
  for (std::uint64_t& key : keys)
    key = (key % 5) << 60 | (key / 5 % 3) << 45 | (key / 15 % 3) << 30 | (key >> 32 & 0xfffff);
  return keys;
}

/// Sorts codes by one block, by bins or, if that would take too long, by merging.
template <int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    sort_kernel(std::uint64_t* codes, unsigned n, unsigned most_overflowing, unsigned* by_bins) {
  using bins = device::block::bin_sort<std::uint64_t, Threads, Items>;
  bins tile{device::dynamic_shared<typename bins::storage>()};
  const bool sorted = tile.sort(codes, n, gpu::detail::identity_codec{}, most_overflowing);
  if (!sorted) tile.merge(n);
  tile.store(codes, n, gpu::detail::identity_codec{});
  if (threadIdx.x == 0) *by_bins = sorted;
}

/// Sorts codes and returns whether bins did it.
template <int Threads, int Items>
bool sorted_by_bins(const std::vector<std::uint64_t>& codes, const std::string& what,
                    unsigned most_overflowing = Threads * Items) {
  using bins = device::block::bin_sort<std::uint64_t, Threads, Items>;
  const storage<std::uint64_t> data{memory::device, codes};
  const storage<unsigned> by_bins{memory::device, {7u}};
  const workplace here;
  device::launch(here.context(), device::shape{1, Threads, sizeof(typename bins::storage)}, sort_kernel<Threads, Items>,
                 data.data(), static_cast<unsigned>(codes.size()), most_overflowing, by_bins.data());
  auto expected = codes;
  std::sort(expected.begin(), expected.end());
  expect_none(difference(expected, data.fetch(what)), what);
  return by_bins.fetch(what)[0] != 0;
}

/// Sorts keys joined with values; many of either are equal, or none.
template <class Key, class Value>
void check_tile_of_pairs(std::size_t n, const distribution& shape, const distribution& of_values,
                         const std::string& what) {
  using bits = gpu::detail::bits_of_size<std::bit_ceil(sizeof(Key) + sizeof(Value))>;
  const workplace here;
  const auto keys = make_keys<Key>(shape, n, n);
  const auto values = make_keys<Value>(of_values, n, n + 1);
  const storage<Key> key_data{memory::device, keys};
  const storage<Value> value_data{memory::device, values};
  const device::columns<bits, device::joined<Key, Value>> columns{{key_data.data(), value_data.data()}};
  expect(device::sort_tile(here.context(), columns, n, gpu::detail::identity_codec{}), what + ": is a tile");
  std::vector<std::pair<Key, Value>> expected, found;
  for (std::size_t i = 0; i < n; ++i) expected.emplace_back(keys[i], values[i]);
  std::sort(expected.begin(), expected.end());
  const auto sorted_keys = key_data.fetch(what);
  const auto sorted_values = value_data.fetch(what);
  for (std::size_t i = 0; i < n; ++i) found.emplace_back(sorted_keys[i], sorted_values[i]);
  expect(found == expected, what);
}
/// As many pairs as a cluster sorts, and fewer.
template <class Key, class Value>
void check_tiles_of_pairs(const std::string& name) {
  constexpr std::size_t most = device::cluster_bin_tile(std::bit_ceil(sizeof(Key) + sizeof(Value))).size();
  for (const std::size_t n : tried({2, 90, 700, 2049, 4096, most}))
    for (const auto& shape : {uniform, few_values, zipf, distribution{"each_24_times", form::few_distinct, n / 24 + 1}})
      for (const auto& of_values : {uniform, few_values})
        check_tile_of_pairs<Key, Value>(
            n, shape, of_values,
            "pairs, " + name + ", " + shape.name + ", values " + of_values.name + ", " + std::to_string(n));
}

}  // namespace

TEST_CASE("device paths: sort of a tile") {
  if (no_device()) return;
  check_tiles<std::uint32_t>("four bytes");
  check_tiles<std::int64_t>("eight bytes");
  if (reduced()) return;
  check_tiles<std::uint8_t>("one byte");
  check_tiles<std::int16_t>("two bytes");
  check_tiles<float>("float");
  check_tiles<double>("double");
}

TEST_CASE("device paths: sort of a tile of keys in heaps") {
  if (no_device()) return;
  workplace here;
  combinations all;
  const auto check = [&]<class Key>(Key, std::size_t n) {
    for (const std::size_t heaps : tried({1, 2, 7, 30, 100, 300}))
      for (const std::size_t different : tried({1, 3, 40, 5000}))
        for (const std::size_t strangers_apart : {std::size_t{2}, std::size_t{9}, n + 1}) {
          if (!all.next_is_tried()) continue;
          const std::string what = std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " +
                                   std::to_string(heaps) + " heaps of " + std::to_string(different) +
                                   " different ones, strangers " + std::to_string(strangers_apart) + " apart";
          check_tile(here.context(), keys_in_heaps<Key>(n, heaps, different, strangers_apart), false, what);
        }
  };
  for (const std::size_t n : tried({300, 1000, 4096, 8192})) {
    check(std::uint32_t{}, n);
    check(std::uint64_t{}, n);
  }
}

TEST_CASE("device paths: sort of a tile of keys that crowd in bins, which are divided") {
  if (no_device()) return;
  workplace here;
  device::context alone = here.context();
  alone.device.compute_capability = 80;
  for (const std::size_t n : tried({300, 1500, 4096, 8192}))
    for (const bool clusters : {true, false}) {
      if (n > 4096 && !clusters) continue;
      const auto& context = clusters ? here.context() : alone;
      const std::string what = std::to_string(n) + (clusters ? "" : ", by one block");
      for (const int power : tried({2, 3, 4, 9, 40})) {
        check_tile(context, crowding_keys<std::uint32_t>(n, power), false, "crowding keys of 4 bytes, " + what);
        check_tile(context, crowding_keys<std::uint64_t>(n, power), true, "crowding keys of 8 bytes, " + what);
      }
      check_tile(context, values_about_zero<float>(n), false, "floats about zero, " + what);
      check_tile(context, values_about_zero<double>(n), true, "doubles about zero, " + what);
    }
}

TEST_CASE("device paths: a block merges a tile whose bins would be divided too often") {
  if (no_device()) return;
  expect(sorted_by_bins<512, 16>(make_keys<std::uint64_t>(uniform, 8192, 1), "uniform"), "uniform keys by bins");
  expect(sorted_by_bins<512, 16>(heaps_of_heaps(3000), "few heaps of heaps"), "few long bins are divided");
  expect(!sorted_by_bins<512, 16>(heaps_of_heaps(8192), "heaps of heaps"), "many are merged");
}

TEST_CASE("device paths: a block merges a tile of which more codes lie in overflowing bins than it may order") {
  if (no_device()) return;
  auto codes = make_keys<std::uint64_t>(uniform, 8192, 1);
  for (std::size_t i = 0; i < 900; ++i) codes[8 * i] = codes[8 * (i % 9)] + i / 9;  // nine heaps of a hundred
  for (const unsigned most : {0, 500, 850})
    expect(!sorted_by_bins<512, 16>(codes, "nine heaps", most), "more than " + std::to_string(most));
  for (const unsigned most : {1000, 8192})
    expect(sorted_by_bins<512, 16>(codes, "nine heaps", most), "no more than " + std::to_string(most));
}

TEST_CASE("device paths: sort of a tile of pairs as one integer") {
  if (no_device()) return;
  check_tiles_of_pairs<std::uint64_t, std::uint32_t>("64 and 32 bits");
  if (reduced()) return;
  check_tiles_of_pairs<std::uint32_t, std::uint32_t>("32 and 32 bits");
  check_tiles_of_pairs<std::uint64_t, std::uint64_t>("64 and 64 bits");
}
