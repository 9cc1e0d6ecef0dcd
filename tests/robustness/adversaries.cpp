// Inputs made by someone who knows the source: keys that hide from what a sort looks at first. They may take a device a
// few times as long as uniform keys, never more.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/detail/sample_key.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

constexpr std::uint64_t sample = 4096;  // draws of a sort's first sample
constexpr double most_times_uniform = 5;

/// Positions in 1/512 of the key range, except those that are drawn by the first word of the process's sample key:
/// these are evenly distributed, as if all others were. They are half of the sample.
std::vector<std::uint64_t> hidden_from_known_draws(std::size_t n) {
  auto positions = make_positions(uniform, n);
  for (std::uint64_t& position : positions) position = position / 512 + pattern::greatest / 2;
  for (std::uint64_t draw = 0; draw < sample; draw += 2)
    positions[gpu::detail::random_position(gpu::detail::process_sample_key().first, 0, draw, n)] =
        pattern::spread(draw * 2731 % sample, sample);
  return positions;
}

/// Peaks that the bars of a histogram cannot distinguish from uniform keys: of 64 equal parts of a range, 30 contain
/// one that is a thousandth of the range wide and is structured in the same way.
std::vector<std::uint64_t> nested_peaks(std::size_t n) {
  std::vector<std::uint64_t> positions(n);
  for (std::size_t i = 0; i < n; ++i) {
    double low = 0, range = 0x1p64;
    for (std::uint64_t level = 0; level < 3; ++level, range /= 1024) {
      const std::uint64_t part = random_at(seed() + level, i) % 30 * 63 / 29;
      low += (static_cast<double>(part) + 0.4) / 64 * range;
    }
    positions[i] = static_cast<std::uint64_t>(low) + random_at(seed() + 3, i) % static_cast<std::uint64_t>(range);
  }
  return positions;
}

/// Numbers of every length in bits, equally often.
std::vector<std::uint64_t> random_lengths(std::size_t n) {
  auto positions = make_positions(uniform, n);
  for (std::size_t i = 0; i < n; ++i) positions[i] >>= 1 + random_at(seed() + 1, i) % 63;
  positions[0] = pattern::greatest;
  return positions;
}

/// Six values, each a tenth of the keys; the other keys lie anywhere.
std::vector<std::uint64_t> heavy_among_all(std::size_t n) {
  auto positions = make_positions(uniform, n);
  for (std::size_t i = 0; i < n; ++i)
    if (const auto drawn = random_at(seed() + 2, i) % 10; drawn < 6) positions[i] = random_at(seed() + 3, drawn);
  return positions;
}

struct adversary {
  std::string name;
  std::function<std::vector<std::uint64_t>(std::size_t)> positions;
};
const std::vector<adversary>& adversaries() {
  static const std::vector<adversary> all{{"hidden from known draws", hidden_from_known_draws},
                                          {"nested peaks", nested_peaks},
                                          {"random lengths", random_lengths},
                                          {"heavy among all", heavy_among_all}};
  return all;
}

std::uint64_t tried_ones = 0, slow_ones = 0;
double worst = 0;  ///< longest time, as a multiple of that of uniform keys

template <class Key>
std::vector<Key> keys_at(const std::vector<std::uint64_t>& positions) {
  std::vector<Key> keys;
  keys.reserve(positions.size());
  for (const auto position : positions) keys.push_back(key_at<Key>(position));
  return keys;
}

/// The least time, in seconds, of a few calls call(keys, values) on device memory; the result is checked once.
template <class Key, class Call>
double least_time(const std::vector<Key>& keys, const std::string& what, Call call) {
  storage<Key> data{memory::device, keys};
  const storage<Key> values{memory::device, keys};
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    if (i > 0) data.refill(keys);
    const auto begin = std::chrono::steady_clock::now();
    call(gpu::device_span{data.data(), data.size()}, gpu::device_span{values.data(), values.size()});
    least = std::min(least, std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count());
    if (i == 0) expect_none(sort_problem(keys, data.fetch(what), natural_less{}), what);
  }
  return least;
}

/// Compares the times of every adversary of n keys with those of uniform keys.
template <class Key, class Call>
void check_adversaries(const std::string& what, std::size_t n, Call call) {
  const auto usual = [&] { return least_time(make_keys<Key>(n), what + ", uniform", call); };
  const double usual_at_first = usual();
  for (const adversary& one : adversaries()) {
    const std::string name = what + ", " + one.name + ", " + std::to_string(n);
    const auto keys = keys_at<Key>(one.positions(n));
    double times = least_time(keys, name, call) / usual_at_first;
    for (int again = 0; again < 3 && times > most_times_uniform; ++again)  // another program may use the device
      times = std::min(times, least_time(keys, name, call) / usual());
    const bool slow = times > most_times_uniform && !reduced();
    expect(!slow, name + ": " + std::to_string(times) + " times as long as uniform keys");
    ++tried_ones, slow_ones += slow;
    worst = std::max(worst, times);
  }
}

}  // namespace

TEST_CASE("adversaries: keys that hide cost a few times as long as uniform ones") {
  if (gpu::device_count() == 0) return skip("device: no device");
  const auto sort = [](auto keys, auto) { gpu::sort(gpu::par, keys); };
  const auto by_key = [](auto keys, auto values) { gpu::sort_by_key(gpu::par, keys, values); };
  const auto stably = [](auto keys, auto values) { gpu::stable_sort_by_key(gpu::par, keys, values); };
  for (const std::size_t n : tried({4096, 8192, 16'384, 131'072, 300'000, 1'048'576, 4'194'304})) {
    check_adversaries<std::uint32_t>("sort u32", n, sort);
    check_adversaries<std::uint64_t>("sort u64", n, sort);
    check_adversaries<std::uint32_t>("by key u32", n, by_key);
    check_adversaries<std::uint64_t>("by key u64, stable", n, stably);
  }
  figure("adversaries", tried_ones);
  figure("adversaries slower than five times uniform keys", slow_ones);
  if (!reduced()) figure("largest time of an adversary in percent of uniform keys'", std::lround(100 * worst));
}
