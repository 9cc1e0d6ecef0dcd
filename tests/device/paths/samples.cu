// What samples tell about keys before these are distributed: how often they repeat, and what range they lie in.
#include "gpu/detail/device/block/evenness.cuh"
#include "gpu/detail/device/block/repetition.cuh"
#include "gpu/detail/device/block/splitters.cuh"
#include "gpu/detail/device/tuning/distribution.hpp"
#include "gpu/detail/device/tuning/radix.hpp"
#include "gpu/detail/sample_key.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "paths.hpp"

using namespace testing;

namespace {

/// Calls block::equal_others for a sample of n keys.
constexpr int judges = 256;
template <class Key>
__global__ void equal_others_kernel(const Key* keys, std::size_t n, float* answer) {
  __shared__ device::block::repetition_storage shared;
  constexpr int drawn = 4096 / judges;
  Key sample[drawn];
  unsigned places[drawn];
  for (int i = 0; i < drawn; ++i) {
    const auto draw = static_cast<unsigned>(i) * judges + threadIdx.x;
    places[i] = static_cast<unsigned>(gpu::detail::random_position(0, 1, draw, n));
    sample[i] = keys[places[i]];
  }
  const float found = device::block::equal_others<judges>(sample, places, n, shared);
  if (threadIdx.x == 0) *answer = found;
}

/// How many other keys a key is equal to on average.
template <class Key>
double count_equal_others(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  double all = 0;
  for (auto first = keys.begin(); first != keys.end();) {
    const auto last = std::upper_bound(first, keys.end(), *first);
    const auto copies = static_cast<double>(last - first);
    all += copies * (copies - 1);
    first = last;
  }
  return all / static_cast<double>(keys.size());
}

/// The result of block::even_range for a sample, and the buckets, out of 256, of the range's bounds and codes around
/// them.
template <class Key>
struct found_range {
  Key least, span;
  float density;
  unsigned first, below, least_bucket, greatest_bucket, above, last;
};
template <class Key>
__global__ void even_range_kernel(const Key* keys, found_range<Key>* answer) {
  __shared__ device::block::evenness_storage<Key, judges> shared;
  constexpr int drawn = device::evenness_sample / judges;
  Key sample[drawn];
  for (int i = 0; i < drawn; ++i) sample[i] = keys[i * judges + threadIdx.x];
  float density = 0;
  const auto range = device::block::even_range<judges>(sample, shared, density);
  const auto greatest = static_cast<Key>(range.least + range.span), step = static_cast<Key>(range.span / 252);
  const auto bucket = device::block::even_buckets<Key>{range.least, range.span, 256}.with_separate_outsiders();
  if (threadIdx.x == 0)
    *answer = {range.least,
               range.span,
               density,
               bucket(0),
               bucket(static_cast<Key>(range.least - step / 2)),
               bucket(static_cast<Key>(range.least + step / 2)),
               bucket(static_cast<Key>(greatest - step / 2)),
               bucket(static_cast<Key>(greatest + step / 2)),
               bucket(static_cast<Key>(-1))};
}

/// Checks whether even_range() excludes outsiders and, if so, which buckets codes around the range go to.
template <class Key>
void check_even_range(Key begin, Key width, std::size_t apart, bool left_out) {
  constexpr std::size_t n = device::evenness_sample;
  const std::string what = std::to_string(sizeof(Key)) + " bytes from " + std::to_string(begin) + ", outsiders every " +
                           std::to_string(apart);
  const storage<Key> sample{memory::device, keys_and_outsiders<Key>(n, begin, width, apart)};
  const storage<found_range<Key>> answer{memory::device, std::vector<found_range<Key>>(1)};
  even_range_kernel<<<1, judges>>>(sample.data(), answer.data());
  expect(cudaGetLastError() == cudaSuccess, what + ": launched");
  const auto found = answer.fetch(what)[0];
  if (!left_out) return expect(found.span > width && found.density > 3, what + ": they count");
  const Key margin = width / 100;
  expect(found.span < width + 2 * margin && found.span > width - 2 * margin, what + ": they do not count");
  expect(found.least < begin + margin && (begin < margin || found.least > begin - margin), what + ": least");
  expect(found.density < 1.7f, what + ": density");
  expect(found.least_bucket == (begin < margin ? 0 : 2), what + ": bucket of the least");
  expect(found.greatest_bucket == (begin + 2 * width < begin ? 255 : 253), what + ": bucket of the greatest");
  expect(found.first == 0 && found.last == 255, what + ": buckets of outsiders");
  if (begin > width) expect(found.below == 1, what + ": bucket of what the sample has missed below");
  if (begin + 2 * width > begin) expect(found.above == 254, what + ": bucket of what the sample has missed above");
}

}  // namespace

TEST_CASE("device paths: a sample tells how often codes repeat, and what it has drawn twice is no copy") {
  if (no_device()) return;
  const auto check = []<class Key>(const std::vector<Key>& keys, const std::string& each, std::optional<bool> often) {
    const std::string what =
        std::to_string(keys.size()) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " + each;
    const storage<Key> sample{memory::device, keys};
    const storage<float> answer{memory::device, std::vector<float>{-1}};
    equal_others_kernel<<<1, judges>>>(sample.data(), keys.size(), answer.data());
    expect(cudaGetLastError() == cudaSuccess, what + ": launched");
    const double found = answer.fetch(what)[0], there = count_equal_others(keys);
    constexpr double drawn = 4096;
    const double of_a_pair = 2 * static_cast<double>(keys.size()) / (drawn * drawn);
    const double by_chance = 5 * std::sqrt(there * of_a_pair);
    const double missed = keys.size() > 50'000 ? 0.45 : 0.85;  // of fewer keys, many are drawn twice
    expect(found >= there - missed * there - by_chance && found <= there + there / 3 + by_chance,
           what + ": " + std::to_string(found) + " for " + std::to_string(there) + " equal others");
    if (often) expect((found > device::keys_repeat_from) == *often, what + ": whether even bins are not tried");
  };
  const auto check_both = [&](std::size_t n, auto keys_of, const std::string& each, std::optional<bool> often) {
    check(keys_of(std::uint32_t{}, n), each, often);
    check(keys_of(std::uint64_t{}, n), each, often);
  };
  for (const std::size_t n : {5000, 100'000, 1'000'000}) {
    check_both(
        n, []<class Key>(Key, std::size_t count) { return make_keys<Key>({"sorted", form::sorted}, count); },
        "different", false);
    const auto check_times = [&](std::size_t times, std::optional<bool> often) {
      check_both(n, [&]<class Key>(Key, std::size_t count) { return repeated_keys<Key>(count, times); },
                 "about " + std::to_string(times) + " times", often);
    };
    for (const std::size_t times : {1, 2, 3}) check_times(times, {});  // which chance decides
    for (const std::size_t times : {16, 200, 5000}) check_times(times, true);
  }
}

TEST_CASE("device paths: a sample's range base_cases out few codes far away") {
  if (no_device()) return;
  const auto check = [](auto width) {
    using key = decltype(width);
    const auto high = static_cast<key>(-1) / 3;
    for (const std::size_t apart : {300, 4096}) check_even_range<key>(high, width, apart, true);
    check_even_range<key>(high, width, 100, false);
    check_even_range<key>(0, width, 1000, true);
    check_even_range<key>(static_cast<key>(static_cast<key>(-1) - width + 1), width, 1000, true);
  };
  check(std::uint32_t{1'000'000});
  check(std::uint64_t{1} << 40);
}
