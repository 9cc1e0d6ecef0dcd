#include "gpu/detail/device/one_launch_sort.cuh"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/detail/device/sort.cuh"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// Numbers of keys around the bounds of those that are streamed.
std::vector<std::size_t> streamed_sizes() {
  const device::streamed_range range = device::worth_streaming(8);
  return tried({range.above, range.above + 1, range.above + 54'321, range.most, range.most + 1});
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

template <class Key>
void check_sorts(const std::string& name) {
  workplace here;
  for (const std::size_t n : streamed_sizes())
    for (const distribution& kind : kinds_of_keys())
      check_keys_alone(here.context(), make_keys<Key>(kind, n, n), name + ", " + kind.name + ", " + std::to_string(n));
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Whether a sort in one launch leaves keys to the fallback. If so, they must be unchanged, and the memory that the
/// fallback uses cleared.
bool are_left(const std::vector<std::uint64_t>& keys, const std::string& what) {
  workplace here;
  const std::vector<std::uint32_t> dirty(1000, 7u);
  const storage<std::uint64_t> data{memory::device, keys};
  const storage<std::uint64_t> elsewhere{memory::device, std::vector<std::uint64_t>(keys.size())};
  const storage<std::uint32_t> cleared{memory::device, dirty};
  const storage<unsigned> wanted{memory::device, {7u}};
  const device::fallback if_skewed{wanted.data(), cleared.data(), dirty.size()};
  expect(device::streamed_sort(here.context(), data.data(), elsewhere.data(), keys.size(), codec_of<std::uint64_t>(),
                               if_skewed),
         what + ": in one launch");
  static_cast<void>(elsewhere.fetch(what + ": partitions"));  // checks its guard zones
  const bool left = wanted.fetch(what)[0] != 0;
  auto expected = keys;
  if (!left) std::sort(expected.begin(), expected.end());
  expect_none(difference(expected, data.fetch(what)), what);
  expect_none(difference(left ? std::vector<std::uint32_t>(dirty.size()) : dirty, cleared.fetch(what)),
              what + ": memory of those that follow");
  return left;
}

/// Keys in rows far from each other, each of about `length` keys close together.
std::vector<std::uint64_t> in_rows(std::size_t n, std::size_t length) {
  auto keys = make_keys<std::uint64_t>(uniform, n, n);
  const std::uint64_t rows = n / length;
  for (std::uint64_t& key : keys) key = key % rows * (~std::uint64_t{0} / rows) + key / rows % 50;
  return keys;
}

/// Uniform keys except every 200th: those are distinct and crowd in a range so small that they share a partition.
std::vector<std::uint64_t> with_hidden_peak(std::size_t n) {
  auto keys = make_keys<std::uint64_t>(uniform, n, n);
  for (std::size_t i = 0; i < n; i += 200) keys[i] = 0x4abcdef012345678u + i / 200;
  return keys;
}

}  // namespace

TEST_CASE("device paths: one launch streams keys that lie evenly, in crowds or not") {
  if (no_device()) return;
  if (reduced()) return skip("many keys: reduced");
  const std::size_t n = 2'000'000;
  expect(!are_left(make_keys<std::uint64_t>(uniform, n, n), "uniform, streamed"), "uniform keys are sorted");
  expect(!are_left(in_rows(n, 30), "rows of 30"), "keys in small crowds are sorted");
  expect(are_left(with_hidden_peak(n), "a hidden peak"), "what makes a partition too long for a block is left");
  are_left(make_keys<std::uint64_t>(few_values, n, n), "few values, streamed");
  are_left(make_keys<std::uint64_t>(zipf, n, n), "zipf, streamed");
}

TEST_CASE("device paths: sorts in one launch, or by passes where keys are skewed") {
  if (no_device()) return;
  check_sorts<std::int64_t>("i64");
  check_sorts<double>("f64");
}
