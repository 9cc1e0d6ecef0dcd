// What is left to rounds after a sort for which the device may choose digits: all keys, if they prove the sample's
// choice or its window wrong, otherwise none.
#include "gpu/detail/device/radix/choice.cuh"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "paths.hpp"

using namespace testing;

namespace {

/// Sorts keys, alone or with values that are equal to them, by at most two digits. Returns whether rounds are wanted
/// after it, and checks that the keys are unchanged in this case and sorted otherwise.
template <class Key, bool Paired>
bool wants_rounds(const std::vector<Key>& keys, const std::string& what) {
  using bits = bits_of<Key>;
  using value = std::conditional_t<Paired, bits, device::no_value>;
  workplace here;
  const std::size_t n = keys.size();
  const storage<bits> data{memory::device, raw(keys)}, values{memory::device, raw(keys)};
  const storage<unsigned> words{memory::device, std::vector<unsigned>(device::radix_choice::size, 99)};
  const device::scratch<device::one_launch_radix_scratch<bits, value>> scratch{here.context(), n};
  value* own_values = nullptr;
  if constexpr (Paired) own_values = values.data();
  const device::columns<bits, value> home{data.data(), own_values};
  const unsigned* const unwanted = device::sort_by_digits_or_not(
      here.context(), device::radix_choice{words.data()}, *scratch,
      device::radix_ends<bits, value>{data.data(), own_values, home, true}, n, device::limits_of(2), codec_of<Key>());
  expect(unwanted == words.data() + 1, what + ": who tells");
  const bool wanted = words.fetch(what)[1] == 0;
  auto expected = keys;
  if (!wanted) std::sort(expected.begin(), expected.end());
  expect_none(difference(raw(expected), data.fetch(what)), what);
  if (Paired) expect_none(difference(raw(expected), values.fetch(what)), what + ": values");
  return wanted;
}

/// Numbers on both sides of zero, all of whose bytes vary.
template <class Key>
std::vector<Key> about_zero(std::size_t n, Key width) {
  auto keys = make_keys<Key>(uniform, n, n);
  for (Key& key : keys) key = static_cast<Key>(key % width);
  return keys;
}

template <class Key, bool Paired>
void check_window(const std::string& name) {
  const std::size_t n = device::enough_to_analyze(sizeof(Key), Paired ? sizeof(Key) : 0) + 17;
  const auto keys = about_zero<Key>(n, 12'000);
  expect(!wants_rounds<Key, Paired>(keys, name), name + ": two digits of a window");
  expect(wants_rounds<Key, Paired>(about_zero<Key>(n, 20'000), name + ", wide"), name + ": a window of three digits");
  for (const Key far : {Key{-70'000}, Key{70'000}, std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max()}) {
    auto astray = keys;
    astray[n / 3] = far;
    expect(wants_rounds<Key, Paired>(astray, name + ", astray"), name + ": but for " + std::to_string(far));
  }
  auto coarse = keys;  // the last digit is always zero, so that no more digits vary than the window has
  for (Key& key : coarse) key = key / 256 * 256;
  coarse[n / 3] = Key{273 * 256};
  expect(wants_rounds<Key, Paired>(coarse, name + ", coarse"), name + ": multiples of 256, but for one beyond");
}

}  // namespace

TEST_CASE("device paths: rounds are wanted where digits have not sorted, and there alone") {
  if (no_device()) return;
  const std::size_t n = device::enough_to_analyze(4, 4) + 17;
  const auto wanted = [](const std::vector<std::uint32_t>& keys) {
    return wants_rounds<std::uint32_t, true>(keys, "digits or rounds");
  };
  expect(wanted(masked<std::uint32_t>(n, 0xffffffffu)), "even keys");
  expect(!wanted(masked<std::uint32_t>(n, 0xffffu)), "keys of two digits");
  auto astray = masked<std::uint32_t>(n, 0xffffu);
  astray[n / 3] = ~astray[n / 3];
  expect(wanted(astray), "keys that look as if two digits varied");
}

TEST_CASE("device paths: codes in a narrow window take the digits that it has, if none is outside") {
  if (no_device()) return;
  check_window<std::int32_t, true>("window, pairs");
  check_window<std::int32_t, false>("window, alone");
  check_window<std::int64_t, true>("window, wide pairs");
  check_window<std::int64_t, false>("window, wide, alone");
}
