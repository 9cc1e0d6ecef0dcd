// Sorts for which the device chooses between digits and rounds: either way, forced by what the sample sees, and with a
// choice that the keys as a whole prove wrong.
#include "gpu/detail/device/radix/choice.cuh"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/algorithm.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

constexpr unsigned all_digits = 99;
constexpr std::size_t pass_tile = device::radix_tile(4, 4).size();

/// Sorts keys in place (or their positions) by digits if at most `most` digits vary. Returns whether it did.
template <class Key, class Value>
bool sorts_by_digits(const std::vector<Key>& keys, unsigned most, bool places, const std::string& what) {
  using bits = bits_of<Key>;
  using passes = device::one_launch_radix_scratch<bits, Value>;
  workplace here;
  const std::size_t n = keys.size();
  std::vector<Value> order(n);
  std::iota(order.begin(), order.end(), Value{0});
  const storage<bits> key_data{memory::device, raw(keys), 3};
  const storage<Value> values{memory::device, places ? std::vector<Value>(n, Value{7}) : order, 1};
  const storage<bits> spare{memory::device, std::vector<bits>(n, bits{9})};
  const storage<unsigned> words{memory::device, {most, 0}};
  {
    const device::scratch<passes> memory{here.context(), n};
    device::set_zero(here.context(), memory->first_cleared(), memory->words_cleared() * sizeof(unsigned));
    const device::columns<bits, Value> home{places ? spare.data() : key_data.data(), values.data()};
    device::one_launch_radix_sort(
        here.context(), *memory,
        device::radix_ends<bits, Value>{key_data.data(), places ? nullptr : values.data(), home, !places}, n,
        device::radix_choice{words.data()}, codec_of<Key>());
  }
  const bool taken = words.fetch(what)[1] != 0;
  const auto sorted = cooked<Key>(key_data.fetch(what));
  const auto got = values.fetch(what);
  auto expected = order;
  if (taken) std::stable_sort(expected.begin(), expected.end(), [&](Value a, Value b) { return keys[a] < keys[b]; });
  if (taken || !places) expect_none(difference(expected, got), what + ": values");
  auto expected_keys = keys;
  if (taken && !places) std::stable_sort(expected_keys.begin(), expected_keys.end());
  expect_none(difference(raw(expected_keys), raw(sorted)), what + ": keys");
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
  return taken;
}

/// Sorts keys alone, in place.
template <class Key>
void check_alone(const std::vector<Key>& keys, const std::string& what) {
  using bits = bits_of<Key>;
  workplace here;
  const storage<bits> data{memory::device, raw(keys), 3};
  const storage<unsigned> words{memory::device, {all_digits, 0}};
  {
    const device::scratch<device::one_launch_radix_scratch<bits, device::no_value>> memory{here.context(), keys.size()};
    device::set_zero(here.context(), memory->first_cleared(), memory->words_cleared() * sizeof(unsigned));
    const device::columns<bits, device::no_value> home{data.data(), nullptr};
    device::one_launch_radix_sort(
        here.context(), *memory, device::radix_ends<bits, device::no_value>{data.data(), nullptr, home, true},
        keys.size(), device::radix_choice{words.data()}, codec_of<Key>());
  }
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  expect_none(difference(raw(expected), data.fetch(what)), what);
}

}  // namespace

TEST_CASE("device paths: radix sort in one launch, by the digits that vary") {
  if (no_device()) return;
  for (const std::size_t n :
       tried({1, 2, 33, pass_tile - 1, pass_tile, pass_tile + 1, 3 * pass_tile, 300'007, 3'000'000}))
    for (const std::uint32_t mask : {0u, 0xffu, 0x3ff00u, 0xff00ff00u, 0xffff0fu, 0xffffffffu})
      for (const bool places : {false, true}) {
        const std::string what =
            "digits, " + std::to_string(n) + ", " + std::to_string(mask) + (places ? ", places" : "");
        expect(sorts_by_digits<std::uint32_t, std::uint32_t>(masked(n, mask), all_digits, places, what),
               what + ": taken");
      }
  for (const std::uint64_t mask :
       {std::uint64_t{0}, std::uint64_t{0xff00ff}, std::uint64_t{0xffff} << 40, ~std::uint64_t{0}})
    for (const bool places : {false, true}) {
      const std::string what = "wide digits, " + std::to_string(mask) + (places ? ", places" : "");
      expect(
          sorts_by_digits<std::uint64_t, std::uint32_t>(masked<std::uint64_t>(100'003, mask), all_digits, places, what),
          what + ": taken");
      expect(
          sorts_by_digits<std::uint64_t, std::uint64_t>(masked<std::uint64_t>(100'003, mask), all_digits, places, what),
          what + ", wide values: taken");
    }
}

TEST_CASE("device paths: radix sort of keys alone in one launch, by an odd or even number of digits") {
  if (no_device()) return;
  constexpr std::size_t alone = device::radix_tile(4, 0).size();
  for (const std::size_t n : tried({1, 33, alone - 1, alone, alone + 1, 3 * alone, 300'007, 3'000'000}))
    for (const std::uint32_t mask : {0xff00u, 0x3ff00u, 0xffff0fu, 0xffffffffu})
      check_alone(masked(n, mask), "digits alone, " + std::to_string(n) + ", " + std::to_string(mask));
  for (const std::uint64_t mask : {std::uint64_t{0xffff} << 40, std::uint64_t{0xff00ff00ff}, ~std::uint64_t{0}})
    check_alone(masked<std::uint64_t>(100'003, mask), "wide digits alone, " + std::to_string(mask));
}

TEST_CASE("device paths: all keys confirm that few digits vary, or nothing is moved") {
  if (no_device()) return;
  for (const std::size_t n : tried({2, 5000, 100'003})) {
    auto keys = masked<std::uint32_t>(n, 0xff);
    const std::string what = "one digit, " + std::to_string(n);
    expect(sorts_by_digits<std::uint32_t, std::uint32_t>(keys, 1, false, what), what);
    expect(!sorts_by_digits<std::uint32_t, std::uint32_t>(keys, 0, false, what), what + ": not wanted");
    keys[n / 2] ^= 0x1000000u;
    expect(!sorts_by_digits<std::uint32_t, std::uint32_t>(keys, 1, false, what), what + ", and one key");
    expect(!sorts_by_digits<std::uint32_t, std::uint32_t>(keys, 1, true, what), what + ", and one key: places");
    expect(sorts_by_digits<std::uint32_t, std::uint32_t>(keys, 2, false, what), what + ", and one key, by two");
  }
}

namespace {

/// Keys that digits sort, keys that rounds sort, and keys that look as if digits sorted them until all keys are seen.
template <class Key>
std::vector<std::vector<Key>> chosen_keys(std::size_t n) {
  const auto few = masked<std::uint32_t>(n, 0xffffu);
  const std::vector<Key> few_digits(few.begin(), few.end());
  auto astray = few_digits;
  astray[n / 3] = static_cast<Key>(-1);
  return {make_keys<Key>(uniform, n, n), few_digits, astray, make_keys<Key>(zipf, n, n), std::vector<Key>(n, Key{5})};
}

/// Device memory for keys and values, sorted again and again.
template <class Key, class Value>
struct rows_to_choose {
  std::size_t n = device::enough_to_analyze(sizeof(Key), sizeof(Value)) + 17;
  storage<Key> keys{memory::device, std::vector<Key>(n)};
  storage<Value> values{memory::device, std::vector<Value>(n)};

  void refill(const std::vector<Key>& with) {
    std::vector<Value> order(n);
    std::iota(order.begin(), order.end(), Value{0});
    keys.refill(with);
    values.refill(order);
  }
  /// Values must be the original positions of the sorted keys. `moved`: whether the keys have been moved as well.
  void check(const std::vector<Key>& before, bool stable, bool moved, const std::string& what) const {
    const auto after = keys.fetch(what);
    const auto order = values.fetch(what);
    std::vector<bool> seen(n);
    bool sorted = true, whole = true;
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(order[i]);
      whole &= at < n && !seen[at] && (moved ? after[i] == before[at] : after[i] == before[i]);
      if (at >= n) break;
      seen[at] = true;
      if (i == 0) continue;
      const auto last = static_cast<std::size_t>(order[i - 1]);
      sorted &= before[last] < before[at] || (before[last] == before[at] && (!stable || last < at));
    }
    expect(sorted, what + ": sorted");
    expect(whole, what + ": each once");
  }
};

enum class call : unsigned char { sort_by_key, stable_sort_by_key, argsort };

template <class Key, class Value>
void enqueue(call which, const rows_to_choose<Key, Value>& rows, gpu::stream_handle order) {
  const gpu::device_span keys{rows.keys.data(), rows.n};
  const gpu::device_span values{rows.values.data(), rows.n};
  const auto policy = gpu::par_nosync.on(order);
  if (which == call::argsort)
    gpu::argsort(policy, keys, values);
  else if (which == call::stable_sort_by_key)
    gpu::stable_sort_by_key(policy, keys, values);
  else
    gpu::sort_by_key(policy, keys, values);
}

/// Sorts every kind of keys by one graph, captured before the keys are there: the launches are the same for all.
template <class Key, class Value>
void check_chosen(const std::string& name, call which) {
  rows_to_choose<Key, Value> rows;
  cudaStream_t order = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  expect(cudaStreamCreateWithFlags(&order, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  expect(cudaStreamBeginCapture(order, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "begin capture");
  enqueue(which, rows, order);
  expect(cudaStreamEndCapture(order, &graph) == cudaSuccess, "end capture");
  expect(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess, "instantiate");
  unsigned number = 0;
  for (const auto& keys : chosen_keys<Key>(rows.n)) {
    const std::string what = name + ", kind " + std::to_string(number++);
    rows.refill(keys);
    synchronize_device();
    expect(cudaGraphLaunch(ready, order) == cudaSuccess, "launch");
    expect(cudaStreamSynchronize(order) == cudaSuccess, "synchronize");
    rows.check(keys, which != call::sort_by_key, which != call::argsort, what);
    if (reduced() && number == 3) break;
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(order);
}

}  // namespace

TEST_CASE("device paths: sorts by key choose between digits and rounds") {
  if (no_device()) return;
  check_chosen<std::uint32_t, std::uint32_t>("u32 + u32", call::sort_by_key);
  if (reduced()) return;
  check_chosen<std::uint64_t, std::uint32_t>("u64 + u32", call::sort_by_key);
  check_chosen<std::uint64_t, std::uint64_t>("u64 + u64", call::sort_by_key);
  check_chosen<std::uint64_t, std::uint64_t>("u64 + u64, stable", call::stable_sort_by_key);
}

TEST_CASE("device paths: argsort chooses between digits and rounds") {
  if (no_device()) return;
  check_chosen<std::uint32_t, std::uint32_t>("u32", call::argsort);
  if (reduced()) return;
  check_chosen<std::uint32_t, std::uint64_t>("u32, wide places", call::argsort);
  check_chosen<float, std::uint32_t>("f32", call::argsort);
  check_chosen<std::uint64_t, std::uint32_t>("u64", call::argsort);
}

TEST_CASE("device paths: equivalent floating-point keys keep their order by digits") {
  if (no_device()) return;
  rows_to_choose<float, std::uint32_t> rows;
  std::vector<float> keys(rows.n);
  const float kinds[] = {0.0f, -0.0f, std::nanf("1"), -std::nanf("7"), -1.0f, 2.0f};
  for (std::size_t i = 0; i < rows.n; ++i) keys[i] = kinds[random_at(7, i) % 6];
  rows.refill(keys);
  enqueue(call::argsort, rows, nullptr);
  synchronize_device();
  std::vector<std::uint32_t> expected(rows.n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return keys[a] < keys[b] || (!std::isnan(keys[a]) && std::isnan(keys[b]));
  });
  expect_none(difference(expected, rows.values.fetch("places")), "zeros and NaNs");
}

TEST_CASE("device paths: explain says that the device chooses") {
  if (no_device()) return;
  const storage<std::uint32_t> keys{memory::device, {0}};
  const auto planned = [&](std::size_t n) {  // no key is read
    return gpu::explain(gpu::par, gpu::device_span{keys.data(), n});
  };
  constexpr std::size_t enough = device::enough_to_analyze(4, 0);
  expect(std::string{planned(enough).remark}.starts_with("passes by digits"), "from so many on");
  expect(std::string{planned(enough - 1).remark}.empty(), "not of fewer");
  expect(planned(enough - 1).how == gpu::algorithm::radix, "which passes sort in any case");
}
