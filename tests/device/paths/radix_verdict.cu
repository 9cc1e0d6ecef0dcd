// What a sample decides about the keys: whether digits or rounds sort them, and what kind of buckets they form.
#include "gpu/detail/device/radix/choice.cuh"

#include <algorithm>
#include <vector>

#include "paths.hpp"

using namespace testing;

namespace {

/// What a sample decides about n keys: the most digits that may vary, or zero for rounds.
template <class Bits>
unsigned verdict_on(const Bits* keys, std::size_t n, const device::digit_limits& limits,
                    const gpu::detail::key_codec<Bits>& codec, const gpu::detail::sample_key& samples) {
  workplace here;
  const storage<unsigned> words{memory::device, {77, 77}}, cleared{memory::device, std::vector<unsigned>(1000, 7u)};
  const unsigned draws = device::draws_analyzed(n);
  const storage<Bits> drawn{memory::device, std::vector<Bits>(draws)};
  device::draw_codes(here.context(), device::sampled_keys<Bits>{keys, n, samples, codec}, drawn.data(), draws);
  device::launch(here.context(), device::shape{1, device::analysis_threads}, device::analyze_digits_kernel<Bits>,
                 device::drawn_codes<Bits>{drawn.data(), n, codec}, limits, device::leading_digits_prices{},
                 device::radix_choice{words.data()}, cleared.data(), std::size_t{999});
  const auto after = cleared.fetch("cleared");
  expect(std::count(after.begin(), after.end(), 0u) == 999 && after[999] == 7, "what is to be cleared, and no more");
  expect(words.fetch("taken")[1] == 0, "not taken");
  return words.fetch("verdict")[0];
}

template <class Key>
unsigned verdict(const std::vector<Key>& keys, const device::digit_limits& limits) {
  using bits = bits_of<Key>;
  const storage<bits> data{memory::device, raw(keys)};
  return verdict_on<bits>(data.data(), keys.size(), limits, codec_of<Key>(), gpu::detail::process_sample_key());
}

}  // namespace

TEST_CASE("device paths: a sample chooses between digits and rounds") {
  if (no_device()) return;
  const std::size_t n = 2'000'000;
  const device::digit_limits limits{2, 3, 3, 3, 3, 4, 4, 4};
  expect(verdict(masked<std::uint32_t>(n, 0xffffffffu), limits) == 0, "even keys: rounds");
  expect(verdict(masked<std::uint32_t>(n, 0xffffu), limits) == 2, "two digits");
  expect(verdict(std::vector<std::uint32_t>(n, 77u), limits) == 2, "equal keys");
  expect(verdict(masked<std::uint32_t>(n, 0xf0f0f0f0u), {2, 2, 4, 4, 4, 4, 4, 4}) == 4, "many digits, but not even");
  expect(verdict(masked<std::uint32_t>(n, 0xf0f0f0f0u), {2, 4, 3, 3, 3, 3, 3, 3}) == 0, "too many digits");
  const auto repeated = repeated_keys<std::uint32_t>(n, 100);
  expect(verdict(repeated, {2, 4, 2, 2, 2, 2, 2, 2}) == 4 && verdict(repeated, {2, 3, 4, 4, 4, 4, 4, 4}) == 0,
         "even, but repeated");
  std::vector<std::uint64_t> rows(n);  // of thirty neighbours each, with anything between them
  for (std::size_t i = 0; i < n; ++i) rows[i] = random_at(5, i / 30) >> 20 << 20 | i % 30;
  expect(verdict(rows, {2, 2, 8, 2, 2, 2, 2, 2}) == 8 && verdict(rows, {2, 8, 6, 8, 8, 8, 8, 8}) == 0,
         "even from afar, but crowded");
  std::vector<std::uint64_t> twins(n);
  for (std::size_t i = 0; i < n; ++i) twins[i] = random_at(6, i / 2);
  expect(verdict(twins, {2, 8, 8, 2, 2, 2, 2, 2}) == 0, "each key twice: rounds");
  const auto floats = make_keys<float>(uniform, n);
  expect(verdict(floats, device::limits_of(4)) == 4 && verdict(floats, device::limits_of(0)) == 0,
         "floating-point keys");
}

namespace {

enum kind : unsigned { even, repeated, crowded, curved, crowded_curve, searched, skewed, mostly_of_heavy, undecided };

/// Limits by which four digits may vary in keys of this kind, and only one in others.
device::digit_limits only(unsigned which, bool heavy_aside) {
  const auto of = [&](unsigned other) { return other == which ? 4u : 1u; };
  device::digit_limits limits{of(even),   of(repeated),        of(crowded),
                              of(curved), of(crowded_curve),   of(searched),
                              of(skewed), of(mostly_of_heavy), heavy_aside ? 0.8f : 0.4f};
  limits.heavy_aside = heavy_aside;
  return limits;
}

/// The kind of buckets that twenty samples find, if they agree, otherwise `undecided`. At least two digits of the keys
/// vary. With `heavy_aside`, the buckets are those of the keys that are not heavy.
template <class Key = std::uint32_t>
kind agreed(const std::vector<Key>& keys, bool heavy_aside = false) {
  using bits = bits_of<Key>;
  const storage<bits> data{memory::device, raw(keys)};
  unsigned first = undecided;
  for (std::uint64_t i = 0; i < 20; ++i) {
    unsigned seen = undecided;
    for (unsigned which = even; which < undecided; ++which)
      if (verdict_on<bits>(data.data(), keys.size(), only(which, heavy_aside), codec_of<Key>(),
                           {random_at(81, i), random_at(82, i)}) > 0)
        seen = seen == undecided ? which : undecided + 1;
    if (i == 0) first = seen;
    if (seen != first) return undecided;
  }
  return first < undecided ? static_cast<kind>(first) : undecided;
}

template <class Make>
std::vector<std::uint32_t> keys_by(std::size_t n, Make make) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(make(i));
  return keys;
}

/// The product of three random numbers in [0, 1), in 2^-32: dense towards zero, everywhere smoothly.
std::uint32_t product(std::uint64_t number) {
  const std::uint64_t two = random_at(8, number), one = random_at(9, number) >> 32;
  return static_cast<std::uint32_t>(((two >> 32) * (two & 0xffffffffu) >> 32) * one >> 32);
}

}  // namespace

TEST_CASE("device paths: whatever the sample, keys that repeat, and different ones in crowds, are told from others") {
  if (no_device()) return;
  constexpr std::size_t n = 2'000'000;
  const auto half = [](std::size_t i) { return random_at(7, i) % 2 == 0; };
  expect(agreed(masked<std::uint32_t>(n, 0xffffffffu)) == even, "uniform keys");
  expect(agreed(keys_by(n, [](auto i) { return random_at(5, i / 60); })) == repeated, "each key sixty times");
  expect(agreed(keys_by(n, [](auto i) { return random_at(5, i / 60) << 6 | i % 60; })) == crowded, "crowds anywhere");
  const std::size_t many = reduced() ? n : std::size_t{1} << 24;  // of which more is drawn than the sample
  expect(agreed(keys_by(many, product)) == curved, "a smooth curve, and what lies beyond its sample");
  expect(agreed(keys_by(n, [&](auto i) { return half(i) ? 1u << 20 : product(i); })) == curved, "half of them one key");
  expect(agreed(keys_by(n, [](auto i) { return product(i) >> 20 << 20; })) == mostly_of_heavy, "heavy keys alone");
  expect(agreed(keys_by(n, [](auto i) { return (product(i / 60) & ~63u) | i % 60; })) == crowded_curve,
         "crowds along a curve");
  const auto skewed_octets = [](std::size_t i) {
    std::uint32_t key = 0;
    for (std::uint64_t octet = 0; octet < 4; ++octet) {
      const std::uint64_t r = random_at(octet, i);
      key = key << 8 | static_cast<std::uint32_t>((r & 255) * (r >> 8 & 255) * (r >> 16 & 255) >> 16);
    }
    return key;
  };
  expect(agreed(keys_by(n, skewed_octets)) == crowded_curve, "crowds in crowds");
  const auto spread_out = [](auto number) { return random_at(6, number); };
  const auto fifteen_heavy = [&](std::size_t i) {
    const std::uint64_t one = random_at(7, i) % 143;
    return spread_out(one < 15 ? one : i + 100);
  };
  expect(agreed(keys_by(n, fifteen_heavy)) == skewed, "fifteen heavy keys among different ones");
  expect(agreed(keys_by(n, [&](auto i) { return random_at(7, i) % 50 == 0 ? 77 : spread_out(i); })) == even,
         "one heavy key among different ones");
  const auto mostly_heavy = keys_by(n, [&](auto i) { return random_at(7, i) % 20 > 2 ? i % 40 : spread_out(i); });
  expect(agreed(mostly_heavy) == mostly_of_heavy, "most keys are heavy");
  const auto many_heavy = keys_by(n, [&](auto i) { return random_at(7, i) % 20 > 2 ? i % 100 : spread_out(i); });
  expect(agreed(many_heavy, true) == repeated, "most keys are heavy, equally so, the others even");
  expect(agreed(keys_by(n, [](auto i) { return random_at(5, i / 20'000); })) != skewed, "few keys, many times each");
  std::vector<float> floats(n);
  for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(random_at(5, i / 60) >> 40);
  expect(agreed(floats) == repeated, "each number sixty times");
  if (reduced()) return;  // fewer draws tell too little
  expect(agreed(keys_by(many, [](auto i) { return random_at(5, i / 1500); })) == skewed,
         "as many copies as base cases hold");
  const auto vertex = [](std::size_t i) {  // of a recursive graph: few are frequent enough for a small sample to tell
    unsigned number = 0;
    for (std::uint64_t level = 0; level < 22; ++level) number = number * 2 + (random_at(level, i) % 100 >= 76);
    return number;
  };
  expect(agreed(keys_by(many, vertex)) == skewed, "frequent keys and rare ones along a curve");
}
