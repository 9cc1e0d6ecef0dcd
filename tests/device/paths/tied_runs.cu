// Sorts by the leading digits alone, and what happens to keys that tie in them: in short and in long runs, across
// tiles, equal and different.
#include "gpu/detail/device/radix/one_launch.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

constexpr unsigned first_digit = 3;
constexpr unsigned trailing_bits = 8 * first_digit;
constexpr std::size_t tile = device::tied_runs_memory<std::uint64_t, std::uint32_t>::tile;

/// Shuffled keys of runs of these lengths; low_of(run, i) gives the trailing digits of the i-th key of a run.
template <class Low>
std::vector<std::uint64_t> runs_of(const std::vector<std::size_t>& lengths, Low low_of) {
  std::vector<std::uint64_t> keys;
  for (std::size_t run = 0; run < lengths.size(); ++run)
    for (std::size_t i = 0; i < lengths[run]; ++i)
      keys.push_back((run * 977 + 12345) << trailing_bits |
                     (low_of(run, i) & ((std::uint64_t{1} << trailing_bits) - 1)));
  for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random_at(3, i) % i]);
  return keys;
}

std::uint64_t any_low(std::size_t run, std::size_t i) { return random_at(run + 1, i); }
std::uint64_t few_low(std::size_t run, std::size_t i) { return random_at(run + 1, i) % 3; }
std::uint64_t equal_low(std::size_t run, std::size_t) { return run; }

/// Takes lengths from `turns` in a cycle until there are at least n keys.
std::vector<std::size_t> lengths_of(std::size_t n, const std::vector<std::size_t>& turns) {
  std::vector<std::size_t> lengths;
  for (std::size_t sum = 0; sum < n; sum += lengths.back()) lengths.push_back(turns[lengths.size() % turns.size()]);
  return lengths;
}

enum class what : unsigned char { in_place, places };

template <class Key, class Value, what Sorted>
void check_leading_digits(const std::vector<Key>& keys, const std::string& name, std::uint64_t window = 0) {
  using bits = bits_of<Key>;
  workplace here{true};
  const std::size_t n = keys.size();
  std::vector<Value> order(n);
  std::iota(order.begin(), order.end(), Value{0});
  const storage<bits> data{memory::device, raw(keys), 1}, spare{memory::device, std::vector<bits>(n, bits{9})};
  const storage<Value> values{memory::device, Sorted == what::places ? std::vector<Value>(n, Value{7}) : order, 1};
  const storage<unsigned> words{
      memory::device,
      {sizeof(bits), 0, static_cast<unsigned>(window), static_cast<unsigned>(window >> 32), first_digit, 0}};
  {
    const device::scratch<device::one_launch_radix_scratch<bits, Value>> memory{here.context(), n};
    device::set_zero(here.context(), memory->first_cleared(), memory->words_cleared() * sizeof(unsigned));
    device::radix_ends<bits, Value> ends{data.data(), nullptr, {data.data(), values.data()}, true};
    if constexpr (Sorted == what::in_place) ends.values = values.data();
    if constexpr (Sorted == what::places) ends.destination.keys = spare.data(), ends.keep_keys = false;
    device::one_launch_radix_sort(here.context(), *memory, ends, n, device::radix_choice{words.data(), true},
                                  codec_of<Key>());
  }
  expect(words.fetch(name)[1] != 0, name + ": done");
  auto codes = raw(keys);
  for (bits& code : codes) code = codec_of<Key>().encode(code);
  std::stable_sort(order.begin(), order.end(), [&](Value a, Value b) { return codes[a] < codes[b]; });
  std::vector<Key> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = keys[order[i]];
  if (Sorted == what::in_place) expect_none(difference(raw(sorted), data.fetch(name)), name + ": keys");
  expect_none(difference(order, values.fetch(name)), name + ": values");
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Checks the keys in place and their positions.
void check(const std::vector<std::uint64_t>& keys, const std::string& name) {
  check_leading_digits<std::uint64_t, std::uint32_t, what::in_place>(keys, name);
  check_leading_digits<std::uint64_t, std::uint32_t, what::places>(keys, name + ", places");
}

}  // namespace

TEST_CASE("device paths: keys that tie in leading digits are put in order in short runs") {
  if (no_device()) return;
  for (const std::size_t n : tried({1, 2, 33, tile - 1, tile, tile + 1, 5 * tile + 31, 300'007})) {
    const std::string name = "ties of " + std::to_string(n);
    check(runs_of(lengths_of(n, {1}), any_low), name + ", none");
    check(runs_of(lengths_of(n, {2, 1, 1, 3, 1}), any_low), name + ", few");
    check(runs_of(lengths_of(n, {32, 1, 31}), any_low), name + ", as many as a tile puts in order");
    check(runs_of(lengths_of(n, {7, 20}), few_low), name + ", some of them equal");
  }
}

TEST_CASE("device paths: keys that tie in leading digits are put in order in long runs") {
  if (no_device()) return;
  const std::size_t n = 300'007;
  std::vector<std::size_t> turns(200, 1);
  for (const std::size_t length : {std::size_t{33}, std::size_t{34}, std::size_t{64}, std::size_t{100}}) {
    turns[17] = length;
    check(runs_of(lengths_of(n, turns), any_low), "long ties, " + std::to_string(length));
    turns[18] = 5;  // begins where the other's mark is looked for
    check(runs_of(lengths_of(n, turns), few_low), "long ties, and a short run behind, " + std::to_string(length));
  }
  check(runs_of(lengths_of(n, {100}), equal_low), "long runs of equal keys");
  check(runs_of(lengths_of(n, {20'000, 1, 3}), equal_low), "runs of equal keys beyond tiles");
  std::vector<std::size_t> one(200'000, 1);
  for (const std::size_t length : {tile - 1, tile + 1, 4 * tile + 5}) {
    one[77'777] = length;
    const std::string name = "one run of " + std::to_string(length);
    check(runs_of(one, any_low), name);
    check(runs_of(one, [&](std::size_t, std::size_t i) { return i == length / 2 ? 1u : 0u; }), name + ", one greater");
    check(runs_of(one, [&](std::size_t, std::size_t i) { return i == length / 3 ? 0u : 1u; }), name + ", one less");
  }
}

TEST_CASE("device paths: many keys in long runs are sorted by all digits") {
  if (no_device()) return;
  const auto many = runs_of(lengths_of(100'000, {40, 1}), any_low);
  check_leading_digits<std::uint64_t, std::uint32_t, what::in_place>(many, "many ties");
  check_leading_digits<std::uint64_t, std::uint32_t, what::places>(many, "many ties");
}

TEST_CASE("device paths: leading digits of other keys, and with wide values") {
  if (no_device()) return;
  std::vector<std::size_t> lengths(500, 1);
  lengths[3] = 9, lengths[70] = 40, lengths[71] = 2, lengths[300] = 70;
  const auto keys = runs_of(lengths_of(100'000, lengths), few_low);
  check_leading_digits<std::uint64_t, std::uint64_t, what::in_place>(keys, "wide values");
  std::vector<std::int64_t> numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = static_cast<std::int64_t>(keys[i]) * (i % 2 == 0 ? 1 : -1);
  check_leading_digits<std::int64_t, std::uint32_t, what::in_place>(numbers, "numbers");
  std::vector<double> floats(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) floats[i] = static_cast<double>(numbers[i]) * 0.001;
  check_leading_digits<double, std::uint32_t, what::in_place>(floats, "floats");
  const std::uint64_t least = 1'000'003;
  auto window = keys;
  for (auto& key : window) key += least;
  check_leading_digits<std::uint64_t, std::uint32_t, what::in_place>(window, "from where codes begin", least);
}
