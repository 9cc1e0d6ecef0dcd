#include "gpu/detail/device/one_launch_sort.cuh"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/detail/device/pairs/argsort.cuh"
#include "gpu/detail/device/sort.cuh"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// Numbers of rows of so many bytes around those from which on skewed keys are left to passes.
std::vector<std::size_t> sizes_with_fallback(std::size_t row_bytes) {
  std::size_t least = 2;
  while (!device::worth_fallback(least, row_bytes)) ++least;
  const std::size_t most = device::resident_tiles_for(device::residents::many, row_bytes).most_elements();
  return tried({least - 1, least, least + 12'345, most});
}

/// Numbers of rows around those that are streamed.
std::vector<std::size_t> streamed_sizes(std::size_t key_bytes, std::size_t row_bytes) {
  const device::streamed_range range = device::worth_streaming(key_bytes, row_bytes);
  return tried({range.above + 1, range.above + 54'321, range.most, range.most + 1});
}

const std::vector<distribution>& kinds_of_keys() {
  static const std::vector<distribution> kinds{
      uniform, few_values, zipf, {"zero", form::zero}, {"sorted", form::sorted}};
  return kinds;
}

template <class Key>
void check_keys_alone(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  using bits = bits_of<Key>;
  auto expected = raw(keys);
  const storage<bits> data{memory::device, expected};
  const auto codec = codec_of<Key>();
  device::sort(context, device::columns<bits, device::no_value>{data.data(), nullptr}, keys.size(),
               gpu::detail::code_less{}, codec, gpu::algorithm::quicksort);
  std::sort(expected.begin(), expected.end(),
            [&](bits left, bits right) { return codec.encode(left) < codec.encode(right); });
  expect_none(difference(expected, data.fetch(what)), what);
}

/// Values say where keys were.
template <class Key, class Value>
void check_by_key(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  const std::size_t n = keys.size();
  std::vector<Value> order(n);
  std::iota(order.begin(), order.end(), Value{0});
  const storage<bits_of<Key>> key_data{memory::device, raw(keys)};
  const storage<Value> values{memory::device, order};
  device::sort(context, device::columns<bits_of<Key>, Value>{key_data.data(), values.data()}, n,
               gpu::detail::code_less{}, codec_of<Key>(), gpu::algorithm::quicksort);
  const auto after = cooked<Key>(key_data.fetch(what));
  auto places = values.fetch(what);
  expect(std::is_sorted(after.begin(), after.end()), what);
  std::size_t apart = 0;
  for (std::size_t i = 0; i < n; ++i) apart += places[i] >= n || keys[places[i]] != after[i];
  expect(apart == 0, what + ": keys and values part");
  std::sort(places.begin(), places.end());
  expect_none(difference(order, places), what + ": each value once");
}

template <class Key>
void check_places(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  const storage<bits_of<Key>> key_data{memory::device, raw(keys)};
  const storage<std::uint32_t> places{memory::device, std::vector<std::uint32_t>(keys.size())};
  device::argsort_keys(context, key_data.data(), places.data(), keys.size(), shared_codes_of<Key>());
  std::vector<std::uint32_t> expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto i, auto j) { return keys[i] < keys[j]; });
  expect_none(difference(expected, places.fetch(what)), what);
  expect_none(difference(raw(keys), key_data.fetch(what)), what + ": keys changed");
}

template <class Key>
void check_sorts(const std::string& name) {
  workplace here;
  const auto with_keys = [&](const std::vector<std::size_t>& sizes, const auto& check) {
    for (const std::size_t n : sizes)
      for (const distribution& kind : kinds_of_keys())
        check(make_keys<Key>(kind, n, n), name + ", " + kind.name + ", " + std::to_string(n));
  };
  const auto alone = [&](const auto& keys, const auto& what) { check_keys_alone(here.context(), keys, what); };
  with_keys(sizes_with_fallback(sizeof(Key)), alone);
  with_keys(streamed_sizes(sizeof(Key), sizeof(Key)), alone);
  with_keys(sizes_with_fallback(2 * sizeof(Key)), [&](const auto& keys, const auto& what) {
    check_by_key<Key, std::uint32_t>(here.context(), keys, what + ", by key");
    check_places(here.context(), keys, what + ", places");
  });
  if constexpr (sizeof(Key) == 8) {
    with_keys(streamed_sizes(sizeof(Key), 16), [&](const auto& keys, const auto& what) {
      check_by_key<Key, std::uint64_t>(here.context(), keys, what + ", by key with wide values");
    });
    with_keys(tried({device::worth_streaming(sizeof(Key), 16).above + 54'321}),
              [&](const auto& keys, const auto& what) {
                check_by_key<Key, std::uint32_t>(here.context(), keys, what + ", by key, streamed");
                check_places(here.context(), keys, what + ", places, streamed");
              });
  }
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Whether a sort in one launch leaves keys to others; if so, as they were, and with what these take cleared.
bool are_left(const std::vector<std::uint32_t>& keys, const std::string& what) {
  workplace here;
  const bool streamed = device::worth_streaming(sizeof(std::uint32_t), sizeof(std::uint32_t)).has(keys.size());
  const std::vector<std::uint32_t> dirty(1000, 7u);
  const storage<std::uint32_t> data{memory::device, keys}, cleared{memory::device, dirty};
  const storage<std::uint32_t> elsewhere{memory::device, std::vector<std::uint32_t>(streamed ? keys.size() : 0)};
  const storage<unsigned> wanted{memory::device, {7u}};
  const device::columns<std::uint32_t, device::no_value> columns{data.data(), nullptr};
  const device::fallback if_skewed{wanted.data(), cleared.data(), dirty.size()};
  const auto codec = codec_of<std::uint32_t>();
  const bool tried =
      streamed ? device::streamed_sort(here.context(), columns, elsewhere.data(), keys.size(), codec, if_skewed)
               : device::resident_quicksort(here.context(), columns, keys.size(), gpu::detail::code_less{}, codec,
                                            if_skewed);
  expect(tried, what + ": in one launch");
  static_cast<void>(elsewhere.fetch(what + ": partitions"));  // its guard zones are looked after
  const bool left = wanted.fetch(what)[0] != 0;
  auto expected = keys;
  if (!left) std::sort(expected.begin(), expected.end());
  expect_none(difference(expected, data.fetch(what)), what);
  expect_none(difference(left ? std::vector<std::uint32_t>(dirty.size()) : dirty, cleared.fetch(what)),
              what + ": memory of those that follow");
  return left;
}

/// Whether a sort in one launch leaves rows of keys and their indices to passes, if at most so many digits may differ.
bool rows_are_left(const std::vector<std::uint64_t>& keys, unsigned most_digits, const std::string& what) {
  workplace here;
  const std::size_t n = keys.size();
  std::vector<std::uint64_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  const storage<std::uint64_t> key_data{memory::device, keys}, values{memory::device, indices};
  const storage<unsigned> wanted{memory::device, {7u}}, cleared{memory::device, {7u}};
  using gpu::detail::uint128;
  const device::columns<uint128, device::joined<std::uint64_t, std::uint64_t>> rows{{key_data.data(), values.data()}};
  expect(device::resident_quicksort(here.context(), rows, n, gpu::detail::code_less{}, gpu::detail::identity_codec{},
                                    device::fallback{wanted.data(), cleared.data(), 1, most_digits}),
         what + ": in one launch");
  const bool left = wanted.fetch(what)[0] != 0;
  std::stable_sort(indices.begin(), indices.end(), [&](auto i, auto j) { return !left && keys[i] < keys[j]; });
  expect_none(difference(indices, values.fetch(what)), what);
  return left;
}

/// Keys in rows: so many of each, a few apart, and rows far from each other.
std::vector<std::uint32_t> in_rows(std::size_t n, std::size_t length) {
  auto keys = make_keys<std::uint32_t>(uniform, n, n);
  const auto rows = static_cast<std::uint32_t>(n / length);
  for (std::uint32_t& key : keys) key = key % rows * (0xffffffffu / rows) + key / rows % 50;
  return keys;
}

/// Keys that lie evenly but for every 200th: those differ and crowd in a range so small that they share a partition.
std::vector<std::uint32_t> with_hidden_peak(std::size_t n) {
  auto keys = make_keys<std::uint32_t>(uniform, n, n);
  for (std::size_t i = 0; i < n; i += 200) keys[i] = 0x4abcdef0u + static_cast<std::uint32_t>(i / 200);
  return keys;
}

}  // namespace

TEST_CASE("device paths: one launch leaves skewed keys to passes by digits, and no others") {
  if (no_device()) return;
  const std::size_t n = 300'000;
  expect(!are_left(make_keys<std::uint32_t>(uniform, n, n), "uniform"), "uniform keys are sorted");
  expect(are_left(make_keys<std::uint32_t>(few_values, n, n), "few values"), "few values are left");
  expect(are_left(make_keys<std::uint32_t>(zipf, n, n), "zipf"), "skewed keys are left");
}

TEST_CASE("device paths: one launch leaves rows whose keys repeat to passes, or whose few digits are skewed") {
  if (no_device()) return;
  const std::size_t n = tried({300'000})[0];
  const auto keys = [n](const distribution& kind, std::uint64_t distinct, unsigned shift) {
    auto made = make_keys<std::uint64_t>(kind, n, n);
    for (auto& key : made) key = key % distinct << shift;
    return made;
  };
  const auto evenly = [&](std::uint64_t distinct) { return keys(uniform, distinct, 8); };
  expect(!rows_are_left(evenly(~std::uint64_t{0} >> 8), 8, "uniform"), "keys that differ are sorted");
  expect(!rows_are_left(evenly(n / 4), 8, "few copies"), "a few copies of each are sorted");
  expect(rows_are_left(evenly(n / 400), 8, "copies"), "many copies of each are left");
  expect(rows_are_left(evenly(n / 400), 2, "two digits"), "also if few digits may differ");
  expect(!rows_are_left(evenly(n / 400), 1, "one digit"), "but not if more do");
  const auto skewed = make_keys<std::uint64_t>(zipf, n, n);
  expect(rows_are_left(skewed, 8, "zipf"), "skewed keys are left");
  expect(!rows_are_left(skewed, 1, "zipf, many digits"), "unless too many digits differ");
}

TEST_CASE("device paths: one launch streams keys that lie evenly, in crowds or not") {
  if (no_device()) return;
  if (reduced()) return skip("many keys: reduced");
  const std::size_t n = 2'000'000;
  expect(!are_left(make_keys<std::uint32_t>(uniform, n, n), "uniform, streamed"), "uniform keys are sorted");
  expect(!are_left(in_rows(n, 30), "rows of 30"), "keys in small crowds are sorted");
  expect(are_left(with_hidden_peak(n), "a hidden peak"), "what makes a partition too long for a block is left");
  are_left(make_keys<std::uint32_t>(few_values, n, n), "few values, streamed");
  are_left(make_keys<std::uint32_t>(zipf, n, n), "zipf, streamed");
}

TEST_CASE("device paths: sorts in one launch, or by passes where keys are skewed") {
  if (no_device()) return;
  check_sorts<std::uint32_t>("u32");
  check_sorts<std::int64_t>("i64");
  check_sorts<float>("f32");
  check_sorts<double>("f64");
}
