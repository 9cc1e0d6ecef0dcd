// Quicksort of keys as codes: by rounds, in one launch and by few blocks, of keys that share bits, repeat or crowd.
#include "gpu/detail/device/quicksort.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using keys_alone = device::columns<std::uint32_t, device::no_value>;

/// Uniform keys and one that is so frequent that a block cannot hold its bucket, but too rare for a sample to reveal.
template <class Key>
std::vector<Key> even_keys_and_a_heavy_one(std::size_t n) {
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 1; i < n; i += 33) keys[i] = keys[0];
  return keys;
}

/// Keys around many places far from each other, about 128 keys of up to `values` values at each.
template <class Key>
std::vector<Key> crowds(std::size_t n, std::size_t values) {
  auto keys = make_keys<Key>(uniform, n, 0);
  constexpr auto spread = static_cast<Key>(0x9e3779b97f4a7c15u);
  for (Key& key : keys) key = static_cast<Key>(key % (n / 128) * spread + (key >> 16) % values);
  return keys;
}

/// Sorts keys as codes and checks the result.
template <class Key>
void check_codes(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  const storage<Key> data{memory::device, keys};
  device::quicksort(context, device::columns<Key, device::no_value>{data.data(), nullptr}, keys.size(),
                    gpu::detail::code_less{}, codec_of<Key>());
  expect_none(sort_problem(keys, data.fetch(what), natural_less{}), what);
}

/// `different` keys in steps of `step`, each many times; every `strangers_apart`-th key is a stranger, which does not
/// share the others' low bits.
template <class Key>
std::vector<Key> keys_in_steps(std::size_t n, std::size_t different, Key step, std::size_t strangers_apart) {
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>(static_cast<Key>(-1) / 1000 + keys[i] % different * step +
                               (i % strangers_apart == strangers_apart - 1));
  return keys;
}

/// Quicksort by rounds of keys that share the low bits of `step`, all of them or all but few.
template <class Key>
void check_steps(Key step) {
  workplace here;
  const std::size_t n = reduced() ? 40'001 : 300'007;
  for (const std::size_t different : tried({1000, 5, 60, 20'000, 150'000}))
    for (const std::size_t strangers_apart : {n + 1, std::size_t{1009}}) {
      const std::string name = std::to_string(different) + " keys in steps of " + std::to_string(step) +
                               ", strangers " + std::to_string(strangers_apart) + " apart";
      check_codes(by_rounds(here.context()), keys_in_steps(n, different, step, strangers_apart), name);
    }
}

/// Floating-point keys with evenly distributed values, and so few NaNs that a sample sees none.
template <class Key>
void check_rare_nans(std::size_t n, bool descending) {
  const std::string name =
      std::string{descending ? "descending" : "ascending"} + " floats of " + std::to_string(sizeof(Key)) + " bytes";
  workplace here;
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 1; i <= 8; ++i)
    keys[n / 9 * i] = std::copysign(std::numeric_limits<Key>::quiet_NaN(), static_cast<Key>(i % 2 == 0 ? 1 : -1));
  auto expected = raw(keys);
  const storage<bits_of<Key>> data{memory::device, expected};
  const auto codec = codec_of<Key>(descending);
  device::quicksort(by_rounds(here.context()), device::columns<bits_of<Key>, device::no_value>{data.data(), nullptr}, n,
                    gpu::detail::code_less{}, codec);
  std::sort(expected.begin(), expected.end(),
            [&](auto left, auto right) { return codec.encode(left) < codec.encode(right); });
  expect(data.fetch(name) == expected, name);
}

/// Sorts, in one launch, sums of `summands` uniform numbers around zero, where values are three times as dense as on
/// average.
template <class Key>
void check_values_about_zero(std::size_t n, int summands, bool descending) {
  const std::string name = "values about zero, " + std::to_string(summands) + " summands, " +
                           std::to_string(sizeof(Key)) + " bytes, " + std::to_string(n);
  workplace here;
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    for (int s = 0; s < summands; ++s)
      keys[i] +=
          static_cast<Key>(static_cast<double>(random_at(i, static_cast<std::uint64_t>(s)) >> 11) * 0x1p-53 - 0.4);
  auto expected = raw(keys);
  const storage<bits_of<Key>> data{memory::device, expected};
  const auto codec = codec_of<Key>(descending);
  device::quicksort(here.context(), device::columns<bits_of<Key>, device::no_value>{data.data(), nullptr}, n,
                    gpu::detail::code_less{}, codec);
  std::sort(expected.begin(), expected.end(),
            [&](auto left, auto right) { return codec.encode(left) < codec.encode(right); });
  expect(data.fetch(name) == expected, name);
}

}  // namespace

TEST_CASE("device paths: quicksort of floats that crowd about zero") {
  if (no_device()) return;
  for (const int summands : {1, 6})
    for (const std::size_t n : tried({20'000, 300'007, std::size_t{1} << 20})) {
      check_values_about_zero<float>(n, summands, summands == 1);
      check_values_about_zero<double>(n, summands, false);
    }
}

TEST_CASE("device paths: quicksort of floats by value, few of which are no numbers") {
  if (no_device()) return;
  const std::size_t n = reduced() ? 100'001 : 1'000'001;
  for (const bool descending : {false, true}) {
    check_rare_nans<float>(n, descending);
    check_rare_nans<double>(n, descending);
  }
}

TEST_CASE("device paths: quicksort of 64-bit codes by rounds") {
  if (no_device()) return;
  check_keys<std::int64_t>("quicksort", [](const auto& context, std::uint64_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_rounds(context), device::columns<std::uint64_t, device::no_value>{keys, nullptr}, n,
                      gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(context, keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes by rounds") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_rounds(context), keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes by few blocks") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_few_blocks(context), keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes that share their low bits") {
  if (no_device()) return;
  for (const std::size_t step : tried({128, 1, 3, 20'480})) check_steps(static_cast<std::uint32_t>(step));
  for (const unsigned bits : {20, 1, 13, 34, 40}) check_steps(std::uint64_t{1} << bits);
}

TEST_CASE("device paths: quicksort of codes some of which occur more and more often, among different ones") {
  if (no_device()) return;
  workplace here;
  const auto check = [&]<class Key>(Key, const device::context& context, std::size_t n, std::size_t times) {
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double part = static_cast<double>(random_at(3, i) >> 11) * 0x1p-53;
      const auto number = static_cast<std::uint64_t>(part * part * static_cast<double>(n / times));
      keys[i] = static_cast<Key>(i % 3 == 0 ? random_at(5, i) : random_at(4, number));
    }
    check_codes(context, keys,
                std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " + std::to_string(times) +
                    " times on the average");
  };
  for (const std::size_t times : tried({2, 1, 20}))
    for (const std::size_t n : tried({300'007, 4096, 40'001})) {
      check(std::uint32_t{}, by_rounds(here.context()), n, times);
      check(std::uint64_t{}, by_rounds(here.context()), n, times);
    }
}

TEST_CASE("device paths: quicksort of different codes among which some are heavy") {
  if (no_device()) return;
  workplace here;
  const auto check = [&]<class Key>(Key, std::size_t n, std::size_t heavy, std::uint64_t light) {
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {  // half of the heavy keys have one value, a quarter another, and so on
      const std::uint64_t word = random_at(6, i);
      const auto one = static_cast<std::size_t>(std::countl_zero(word | 1));
      keys[i] = static_cast<Key>(i % 16 < light ? random_at(5, i) : random_at(4, one % heavy));
    }
    check_codes(by_rounds(here.context()), keys,
                std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " + std::to_string(heavy) +
                    " heavy, others in 16ths: " + std::to_string(light));
  };
  for (const std::size_t n : tried({300'007, 40'001, 3'000'000}))
    for (const std::size_t heavy : tried({12, 1, 5}))
      for (const std::uint64_t light : {8, 1, 15}) {
        check(std::uint32_t{}, n, heavy, light);
        check(std::uint64_t{}, n, heavy, light);
      }
}

TEST_CASE("device paths: quicksort of codes that occur several times") {
  if (no_device()) return;
  workplace here;
  const auto check = [&]<class Key>(Key, const device::context& context, std::size_t n, std::size_t times) {
    const std::string what = std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes that occur " +
                             std::to_string(times) + " times";
    check_codes(context, repeated_keys<Key>(n, times), what);
  };
  for (const std::size_t times : tried({7, 2, 3, 4, 30, 100, 600}))
    for (const std::size_t n : tried({4096, 40'001, 300'007})) {
      check(std::uint32_t{}, here.context(), n, times);
      check(std::uint64_t{}, here.context(), n, times);
      check(std::uint32_t{}, by_rounds(here.context()), n, times);
      check(std::uint64_t{}, by_rounds(here.context()), n, times);
    }
}

TEST_CASE("device paths: quicksort of codes that crowd about few places") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t values : {3, 16, 40})
    for (const std::size_t n : tried({4096, 40'001, 300'007})) {
      const std::string what = std::to_string(n) + " keys, " + std::to_string(values) + " values about each place";
      check_codes(by_rounds(here.context()), crowds<std::uint32_t>(n, values), what + ", 32 bits");
      check_codes(by_rounds(here.context()), crowds<std::uint64_t>(n, values), what + ", 64 bits");
    }
}

TEST_CASE("device paths: quicksort of codes a few of which lie far away") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({20'011, 70'001, 300'007, 1'200'011}))
    for (const std::size_t apart : tried({4096, 500, 60'000}))
      for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{5'000'000}, ~std::uint64_t{0} - 4'000'000}) {
        const std::string what = std::to_string(n) + " keys from " + std::to_string(begin) + ", one of " +
                                 std::to_string(apart) + " anywhere";
        const auto narrow = static_cast<std::uint32_t>(begin);
        check_codes(here.context(), keys_and_outsiders<std::uint64_t>(n, begin, 4'000'000, apart), what);
        check_codes(here.context(), keys_and_outsiders<std::uint32_t>(n, narrow, 4'000'000, apart), what + ", narrow");
        check_codes(by_rounds(here.context()), keys_and_outsiders<std::uint64_t>(n, begin, 4'000'000, apart),
                    what + ", by rounds");
      }
}

TEST_CASE("device paths: quicksort in one launch of even keys one of which is heavy") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({100'003, 300'007, std::size_t{1} << 20})) {
    check_codes(here.context(), even_keys_and_a_heavy_one<std::uint32_t>(n), std::to_string(n) + " keys of 4 bytes");
    check_codes(here.context(), even_keys_and_a_heavy_one<std::uint64_t>(n), std::to_string(n) + " keys of 8 bytes");
  }
}
