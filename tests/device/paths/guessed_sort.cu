// Sorts by comparators that may be the natural order of numbers: what the guess is, and the sort that follows it,
// whether the guess is right or wrong.
#include "gpu/detail/device/guessed_sort.cuh"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

enum class kind : unsigned char {
  ascending,
  descending,
  magnitude,      // natural among positive numbers, the reverse of it among negative ones
  reversed_bits,  // unrelated to the order of numbers
  or_equal,       // no strict weak order where keys repeat
  one_astray,     // natural, but one key goes before all others
};

/// Orders floats. Counts its calls on the device in `calls`, unless that is null.
struct told {
  kind which;
  float astray = 0;
  unsigned long long* calls = nullptr;

  GPUPAR_HOST_DEVICE bool operator()(float a, float b) const {
#if defined(__CUDA_ARCH__)
    if (calls) atomicAdd(calls, 1ull);
#endif
    switch (which) {
      case kind::ascending:
        return a < b;
      case kind::descending:
        return a > b;
      case kind::magnitude:
        return (a < 0 ? -a : a) < (b < 0 ? -b : b);
      case kind::reversed_bits:
        return reversed(a) < reversed(b);
      case kind::or_equal:
        return a <= b;
      case kind::one_astray:
        return a == astray ? b != astray : b != astray && a < b;
    }
    return false;
  }

 private:
  GPUPAR_HOST_DEVICE static std::uint32_t reversed(float number) {
    std::uint32_t bits = 0, turned = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    for (int bit = 0; bit < 32; ++bit) turned |= (bits >> bit & 1u) << (31 - bit);
    return turned;
  }
};

std::vector<float> positive(std::vector<float> keys) {
  for (float& key : keys) key = std::fabs(key);
  return keys;
}
std::vector<float> negative(std::vector<float> keys) {
  for (float& key : keys) key = -std::fabs(key);
  return keys;
}

/// Keys whose sample does not contain the largest one, which the comparator puts first.
std::vector<float> with_one_astray(std::size_t n) {
  auto keys = make_keys<float>(uniform, n);
  keys[n / 2] = std::numeric_limits<float>::max();
  for (unsigned i = 0; i < device::guess_threads * device::guess_items; ++i)
    if (gpu::detail::random_position(gpu::detail::process_sample_key().first, 0, i, n) == n / 2)
      return with_one_astray(n + 1);
  return keys;
}

/// The guess after one step of the sort.
template <class Step>
device::order_guess answer(const std::vector<device::order_guess>& before, Step step) {
  const storage<device::order_guess> guess{memory::device, before};
  step(guess.data());
  return guess.fetch("guess")[0];
}

constexpr std::size_t tile = std::size_t{device::verify_threads} * device::verify_items;

}  // namespace

TEST_CASE("device paths: guesses at an order from a sample") {
  if (no_device()) return;
  workplace here;
  const auto check = [&](const std::string& name, const std::vector<float>& keys, told less, bool refuted,
                         bool descending) {
    const storage<float> data{memory::device, keys};
    const auto found = answer({{7, 7, 7}}, [&](device::order_guess* guess) {
      device::guess_order(here.context(), data.data(), keys.size(), less, guess);
    });
    expect((found.refuted != 0) == refuted, name + ": refuted");
    expect((found.sorted != 0) == !refuted, name + ": sorted, as far as is known");
    if (!refuted) expect((found.descending != 0) == descending, name + ": direction");
  };
  for (const std::size_t n : tried({1, 3000, 100'001})) {
    const auto keys = make_keys<float>(uniform, n, n);
    const bool many = n > 1;
    check("ascending", keys, {kind::ascending}, false, false);
    check("descending", keys, {kind::descending}, false, many);
    if (many) check("magnitude", keys, {kind::magnitude}, true, false);
    check("magnitude of positive numbers", positive(keys), {kind::magnitude}, false, false);
    if (many) check("magnitude of negative numbers", negative(keys), {kind::magnitude}, false, true);
    if (many) check("bits in reverse", keys, {kind::reversed_bits}, true, false);
    check("equal keys", std::vector<float>(n, 2.5f), {kind::descending}, false, false);
    check("less or equal, repeated keys", std::vector<float>(n, 2.5f), {kind::or_equal}, true, false);
  }
  const auto keys = with_one_astray(1'000'000);
  check("a key that the sample has not seen", keys, {kind::one_astray, std::numeric_limits<float>::max()}, false,
        false);
}

TEST_CASE("device paths: neighbours verify a guess") {
  if (no_device()) return;
  workplace here;
  const std::size_t n = 5 * tile / 2;
  std::vector<float> sorted(n);
  std::iota(sorted.begin(), sorted.end(), -100.0f);
  const auto verified = [&](std::vector<float> keys, kind which, device::order_guess before) {
    const storage<float> data{memory::device, keys};
    const auto found = answer({before}, [&](device::order_guess* guess) {
      device::verify_guess(here.context(), data.data(), n, told{which}, guess);
    });
    if (before.descending && !before.refuted) std::reverse(keys.begin(), keys.end());
    expect(data.fetch("verified") == keys, "turned round only to descend");
    return found.sorted != 0;
  };
  expect(verified(sorted, kind::ascending, {0, 0, 1}), "ascending");
  expect(verified(sorted, kind::descending, {0, 1, 1}), "descending");
  expect(!verified(sorted, kind::descending, {0, 0, 1}), "not descending");
  expect(!verified(sorted, kind::descending, {1, 1, 0}), "left alone if the sample has refuted it");
  for (const std::size_t i : {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile, n - 1}) {
    auto keys = sorted;
    std::swap(keys[i - 1], keys[i]);
    expect(!verified(keys, kind::ascending, {0, 0, 1}), "the only pair astray at " + std::to_string(i));
  }
}

TEST_CASE("device paths: sorts by a guess, right or wrong") {
  if (no_device()) return;
  workplace here;
  const auto check = [&](const std::string& name, const std::vector<float>& keys, told less) {
    const storage<float> data{memory::device, keys};
    device::guessed_sort(here.context(), data.data(), keys.size(), less);
    const auto sorted = data.fetch(name);
    if (less.which == kind::or_equal)
      expect_none(permutation_problem(keys, sorted), name);
    else
      expect_none(sort_problem(keys, sorted, less), name);
  };
  for (const std::size_t n : tried({0, 1, 2, 33, 4097, 70'001, 1'300'000}))
    for (const auto& shape : {uniform, few_values, zipf, distribution{"sorted", form::sorted}})
      for (const kind which :
           {kind::ascending, kind::descending, kind::magnitude, kind::reversed_bits, kind::or_equal}) {
        const std::string name = shape.name + ", " + std::to_string(n) + ", " + std::to_string(static_cast<int>(which));
        check(name, make_keys<float>(shape, n, n), {which});
        check(name + ", positive", positive(make_keys<float>(shape, n, n)), {which});
      }
  for (const std::size_t n : tried({30'000, 1'000'000}))
    check("one astray", with_one_astray(n), {kind::one_astray, std::numeric_limits<float>::max()});
  expect(here.resource().outstanding() == 0, "scratch is given back");
}

TEST_CASE("device paths: sorts by a guess, with keys that are no numbers") {
  if (no_device()) return;
  workplace here;
  auto keys = make_keys<float>(uniform, 50'000);
  for (std::size_t i = 0; i < keys.size(); i += 100) keys[i] = std::copysign(std::nanf("1"), i % 200 == 0 ? -1.f : 1.f);
  for (const kind which : {kind::ascending, kind::descending, kind::magnitude}) {
    const storage<float> data{memory::device, keys};
    device::guessed_sort(here.context(), data.data(), keys.size(), told{which});
    expect_none(permutation_problem(raw(keys), raw(data.fetch("NaN"))), "NaN");
  }
}

TEST_CASE("device paths: a right guess compares neighbours and a sample, nothing more") {
  if (no_device()) return;
  workplace here;
  const std::size_t n = 300'000;
  for (const kind which : {kind::ascending, kind::descending}) {
    const auto keys = make_keys<float>(uniform, n);
    const storage<float> data{memory::device, keys};
    const storage<unsigned long long> calls{memory::device, {0}};
    const told less{which, 0, calls.data()};
    device::guessed_sort(here.context(), data.data(), n, less);
    expect_none(sort_problem(keys, data.fetch("counted"), less), "counted");
    const auto counted = calls.fetch("calls")[0];
    expect(counted >= n - 1 && counted < n + n / 10, std::to_string(counted) + " comparisons");
  }
}
