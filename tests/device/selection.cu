// Selections on the device by comparators and projections of one's own, into indices and values; on a stream, and
// captured in a graph.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "places.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;
using namespace std::string_literals;

namespace {

struct by_low_bits {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 1024 < b % 1024; }
};

using wide = gpu::detail::uint128;

struct by_low_bits_of_wide {
  GPUPAR_HOST_DEVICE bool operator()(wide a, wide b) const { return a % 1024 < b % 1024; }
};

}  // namespace

TEST_CASE("selection: comparators on the device") {
  for (const std::size_t n : tried({1, 3000, 40'000})) {
    const auto keys = make_keys<std::uint32_t>(n);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return by_low_bits{}(keys[a], keys[b]); });
    const std::size_t k = (n + 2) / 3;
    order.resize(k);
    std::vector<std::uint32_t> first;
    for (const auto place : order) first.push_back(keys[place]);
    at_device_places([&](const auto& place) {
      const std::string name = place.name + ", " + std::to_string(n);
      auto input = place.store(keys);
      const auto output = place.store(std::vector<std::uint32_t>(k));
      const auto indices = place.store(std::vector<std::uint64_t>(k));
      gpu::top_k(place.policy, place.view(input), place.view(output), by_low_bits{});
      expect_none(difference(first, output.fetch(name)), name + ": top_k");
      gpu::arg_top_k(place.policy, place.view(input), place.view(indices), by_low_bits{});
      expect_none(difference(std::vector<std::uint64_t>(order.begin(), order.end()), indices.fetch(name)),
                  name + ": arg_top_k");
      const auto view = place.view(input);
      gpu::partial_sort(place.policy, view, view.begin() + static_cast<std::ptrdiff_t>(k), by_low_bits{});
      auto sorted = input.fetch(name);
      expect_none(permutation_problem(keys, sorted), name + ": partial_sort");
      sorted.resize(k);
      expect_none(order_problem(sorted, by_low_bits{}), name + ": partial_sort");
      input.refill(keys);
      gpu::nth_element(place.policy, view, view.begin() + static_cast<std::ptrdiff_t>(k - 1), by_low_bits{});
      const auto parted = input.fetch(name);
      expect_none(permutation_problem(keys, parted), name + ": nth_element");
      expect(parted[k - 1] % 1024 == first[k - 1] % 1024, name + ": nth_element");
    });
  }
}

TEST_CASE("selection: few of many by a comparator, and by such as are no order") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({5'000'007})) {
    for (const auto& chosen : {uniform, few_values}) {
      const auto keys = make_keys<std::uint32_t>(chosen, n);
      std::vector<std::uint64_t> order(n);
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return by_low_bits{}(keys[a], keys[b]); });
      const storage<std::uint32_t> input{memory::device, keys};
      for (const std::size_t k : {std::size_t{1}, std::size_t{1000}, n / 16}) {
        const storage<std::uint64_t> indices{memory::device, std::vector<std::uint64_t>(k)};
        gpu::arg_top_k(gpu::par, gpu::device_span{input.data(), n}, gpu::device_span{indices.data(), k}, by_low_bits{});
        expect_none(
            difference(std::vector<std::uint64_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)),
                       indices.fetch()),
            "of " + std::to_string(n) + " the first " + std::to_string(k));
      }
    }
    const auto wide_numbers = make_keys<wide>(n);
    const storage<double> input{memory::device, make_keys<double>(n)};
    for (const lie which : lies) {
      const storage<std::uint64_t> indices{memory::device, std::vector<std::uint64_t>(1000)};
      gpu::arg_top_k(gpu::par, gpu::device_span{input.data(), n}, gpu::device_span{indices.data(), 1000}, liar{which});
      const auto found = indices.fetch();
      expect(std::all_of(found.begin(), found.end(), [n](auto place) { return place < n; }), to_string(which));
      const storage<wide> moved{memory::device, wide_numbers};
      const gpu::device_span view{moved.data(), n};
      gpu::partial_sort(gpu::par, view, view.begin() + 1000, liar{which});
      expect_none(permutation_problem(wide_numbers, moved.fetch()), "partial_sort, "s + to_string(which));
    }
  }
}

TEST_CASE("selection: the first of many by a comparator, in place") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({5'000'007, 17'000'003}))  // the second are enough to be selected
    for (const auto& chosen : n < 10'000'000 ? std::vector{uniform, few_values, zipf} : std::vector{few_values})
      for (const std::size_t k : {std::size_t{1000}, n / 1024, n / 16}) {
        const std::string name = chosen.name + ", the first "s + std::to_string(k);
        const auto keys = make_keys<wide>(chosen, n);
        auto expected = keys;
        std::nth_element(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(k - 1), expected.end(),
                         by_low_bits_of_wide{});
        const auto last = expected[k - 1];
        const storage<wide> input{memory::device, keys};
        const gpu::device_span view{input.data(), n};
        const auto place = static_cast<std::ptrdiff_t>(k);
        const auto check = [&](const std::string& what) {
          const auto parted = input.fetch();
          expect_none(permutation_problem(keys, parted), what);
          expect(parted[k - 1] % 1024 == last % 1024, what + ": another element");
          expect(std::none_of(parted.begin(), parted.begin() + place,
                              [&](auto key) { return by_low_bits_of_wide{}(last, key); }),
                 what + ": front");
          expect(std::none_of(parted.begin() + place, parted.end(),
                              [&](auto key) { return by_low_bits_of_wide{}(key, last); }),
                 what + ": behind");
          return parted;
        };
        gpu::nth_element(gpu::par, view, view.begin() + (place - 1), by_low_bits_of_wide{});
        check(name + ": nth_element");
        gpu::partial_sort(gpu::par, view, view.begin() + place, by_low_bits_of_wide{});
        auto front = check(name + ": partial_sort");
        front.resize(k);
        expect_none(order_problem(front, by_low_bits_of_wide{}), name + ": partial_sort");
      }
}

namespace {

/// Partitions keys around nth, and selects as many as are before it.
template <class Policy, class Key>
void check_parts(const Policy& policy, const std::vector<Key>& keys, const std::vector<Key>& sorted, std::size_t nth,
                 const std::string& name) {
  const std::size_t n = keys.size();
  const storage<Key> input{memory::device, keys};
  const gpu::device_span<Key> view{input.data(), n};
  const storage<Key> first{memory::device, std::vector<Key>(nth)};
  gpu::top_k(policy, view, gpu::device_span{first.data(), nth}, std::ranges::less{});
  expect_none(
      difference(std::vector<Key>(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(nth)), first.fetch()),
      name + ": top_k");
  gpu::nth_element(policy, view, view.begin() + static_cast<std::ptrdiff_t>(nth));
  const auto parted = input.fetch();
  expect_none(permutation_problem(keys, parted), name + ": nth_element");
  const natural_less less;
  expect(!less(parted[nth], sorted[nth]) && !less(sorted[nth], parted[nth]), name + ": another element");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += i < nth ? less(parted[nth], parted[i]) : less(parted[i], parted[nth]);
  expect(wrong == 0, name + ": " + std::to_string(wrong) + " on the wrong side");
}
/// By launches whose blocks wait for each other where there are such, and by others.
template <class Key>
void check_parts(const std::vector<Key>& keys, const std::vector<std::size_t>& parts, const std::string& what) {
  auto sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(), natural_less{});
  for (const std::size_t nth : parts) {
    const std::string name = what + ", " + std::to_string(nth) + " of " + std::to_string(keys.size());
    check_parts(gpu::par, keys, sorted, nth, name);
    if (keys.size() < 3'000'000)  // more are not held all at once, in whatever way
      check_parts(gpu::par.beside_others(), keys, sorted, nth, name + ", beside others");
  }
}

}  // namespace

TEST_CASE("selection: in tiles from both sides, and of keys alone") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({140'003, 2'000'001, 9'000'000})) {
    const std::vector<std::size_t> parts{1, n / 130, n / 126, n / 16 + 1, n / 2, n - n / 126, n - 1};
    const bool many = n > 2'000'001;  // which the host takes seconds to check
    for (const auto& chosen : many ? std::vector{uniform, few_values, zipf} : all_distributions())
      check_parts(make_keys<std::uint32_t>(chosen, n), {n / 126, n / 2}, chosen.name);
    check_parts(make_keys<std::uint8_t>(n), parts, "8 bits");
    check_parts(make_keys<std::int64_t>(n), parts, "64 bits");
    check_parts(make_keys<std::uint64_t>(few_values, n), parts, "64 bits, few values");
    check_parts(make_special_keys<float>(n), parts, "float");
    check_parts(make_keys<gpu::detail::uint128>(n), {n / 2}, "128 bits");
  }
  constexpr std::size_t refined = 13'000'000;  // whose sample is more than one block holds
  for (const auto& chosen : {uniform, few_values})
    check_parts(make_keys<std::uint32_t>(chosen, refined), {refined / 20, refined / 2}, chosen.name + ", refined"s);
}

namespace {

/// Selects the first ones, and where they are.
template <class Key>
void check_first(const std::vector<Key>& keys, std::initializer_list<std::size_t> counts, const std::string& what) {
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return natural_less{}(keys[a], keys[b]); });
  const storage<Key> input{memory::device, keys};
  const gpu::device_span<const Key> view{input.data(), n};
  for (const std::size_t k : counts) {
    const std::string name = what + ", " + std::to_string(k) + " of " + std::to_string(n);
    const std::vector<std::uint32_t> places(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    std::vector<Key> first;
    for (const auto place : places) first.push_back(keys[place]);
    const storage<Key> output{memory::device, std::vector<Key>(k)};
    const storage<std::uint32_t> indices{memory::device, std::vector<std::uint32_t>(k)};
    gpu::top_k(gpu::par, view, gpu::device_span{output.data(), k}, std::ranges::less{});
    expect_none(difference(first, output.fetch()), name + ": top_k");
    gpu::arg_top_k(gpu::par, view, gpu::device_span{indices.data(), k}, std::ranges::less{});
    expect_none(difference(places, indices.fetch()), name + ": arg_top_k");
  }
}

}  // namespace

TEST_CASE("selection: few in one launch") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({16'387, 65'536, 1'000'003})) {  // of few blocks, of some, of all that there are
    for (const auto& chosen : all_distributions())
      check_first(make_keys<std::uint32_t>(chosen, n), {1, 2, 1000}, chosen.name);
    check_first(make_keys<std::uint8_t>(n), {1, 1000, 4096}, "8 bits");
    check_first(make_keys<std::int64_t>(n), {1, 1000, 2048, 2049}, "64 bits");
    check_first(make_special_keys<float>(n), {3, 1000, 4096, 4097}, "float");
    check_first(make_keys<gpu::detail::uint128>(n), {1, 500, 1024, 1025}, "128 bits");
  }
  check_first(make_keys<std::uint32_t>(4097), {1, 64, 65, 1024}, "two blocks");
  check_first(make_keys<std::uint32_t>(distribution{"sorted", form::sorted}, 20'000'000), {1, 4096}, "many tiles");
}

namespace {

/// The first ones in place.
template <class Key>
void check_front(const std::vector<Key>& keys, std::initializer_list<std::size_t> counts, const std::string& what) {
  auto sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(), natural_less{});
  for (const std::size_t k : counts) {
    const std::string name = what + ", " + std::to_string(k) + " of " + std::to_string(keys.size());
    const storage<Key> input{memory::device, keys};
    const gpu::device_span view{input.data(), keys.size()};
    gpu::partial_sort(gpu::par, view, view.begin() + static_cast<std::ptrdiff_t>(k));
    auto front = input.fetch();
    expect_none(permutation_problem(keys, front), name);
    front.resize(k);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < k; ++i)
      wrong += natural_less{}(front[i], sorted[i]) || natural_less{}(sorted[i], front[i]);
    expect(wrong == 0, name + ": " + std::to_string(wrong) + " others");
  }
}

}  // namespace

TEST_CASE("selection: from keys that the device holds all at once") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({5003, 262'145, 1'050'001})) {
    for (const auto& chosen : all_distributions()) {
      const auto keys = make_keys<std::uint32_t>(chosen, n);
      check_first(keys, {n / 16 + 1, n / 2}, chosen.name);
      check_front(keys, {n / 16, n / 16 + 1, n - 1, n}, chosen.name);
    }
    check_first(make_keys<std::int64_t>(n), {n / 64 + 1, n / 4, n / 2 + 1}, "64 bits");
    check_first(make_keys<std::uint64_t>(few_values, n), {n / 8, n / 2}, "64 bits, few values");
    check_first(make_keys<std::uint8_t>(n), {n / 8, n / 2}, "8 bits");
    check_first(make_special_keys<float>(n), {n / 8, n / 2}, "float");
    check_front(make_special_keys<double>(n), {n / 16, n / 3}, "double");
    check_front(make_keys<std::int16_t>(n), {n / 32, n / 3}, "16 bits");
  }
  for (const std::size_t n : tried({4'194'304, 4'194'305})) {  // as many as are held, and one more
    check_front(make_keys<std::uint32_t>(n), {1000, n - 1}, "many");
    check_first(make_keys<std::uint32_t>(few_values, n), {5000, n / 32}, "many, few values");
  }
  check_front(make_keys<std::uint64_t>(few_values, 2'200'003), {500'000}, "more than are held, few values");
}

TEST_CASE("selection: plans tell what bounds the wanted element, and how often all are read") {
  if (gpu::device_count() == 0) return skip("no device");
  using namespace gpu::detail;
  const storage<std::uint32_t> data{memory::device, std::vector<std::uint32_t>(1)};
  workload work;
  work.way = device_way::precompiled, work.at = locate(data.data());
  work.count = std::size_t{1} << 26, work.element_bytes = 4;
  work.key = {key_class::unsigned_integer, 4, 0, false};
  work.key_is_element = true;
  const auto tells = [&](operation what, std::size_t selected, std::string_view words) {
    work.what = what, work.selected = selected;
    const std::string remark{gpu::detail::choose(work, {}).remark};
    expect(remark.find(words) != std::string::npos, remark + ", but not " + std::string{words});
  };
  tells(operation::top_k, 1000, "all are read once");
  tells(operation::top_k, work.count / 2, "copies of a part are sorted");
  tells(operation::arg_top_k, work.count / 2, "all are sorted");
  tells(operation::nth_element, work.count / 2, "written once");
  tells(operation::nth_element, 1000, "change places");
  tells(operation::partial_sort, 1000, "a part is sorted");
  work.count = std::size_t{1} << 20;  // all of which the device holds
  tells(operation::top_k, 1000, "a bound from a sample");
  tells(operation::top_k, work.count / 2, "counted by their digits");
  tells(operation::arg_top_k, work.count / 4, "counted by their digits");
  tells(operation::arg_top_k, work.count / 4 + 1, "all are sorted");
  tells(operation::nth_element, work.count / 2, "counted by their digits");
  tells(operation::partial_sort, work.count / 16, "counted by their digits");
  tells(operation::partial_sort, work.count / 16 + 1, "all are sorted");
  work.count = std::size_t{1} << 26;
  work.way = device_way::instantiated, work.key = {};
  tells(operation::top_k, 1000, "comparing sorts");
  tells(operation::nth_element, 1000, "a part is sorted");
  tells(operation::nth_element, work.count / 2, "written once");
  tells(operation::partial_sort, work.count / 8, "written once, and a part is sorted");
  tells(operation::partial_sort, work.count / 2, "all are sorted");
  tells(operation::top_k, work.count / 2, "all are sorted");
}

TEST_CASE("selection: host data pass a small device once, a window at a time") {
  if (gpu::device_count() == 0) return skip("no device");
  constexpr std::size_t n = 700'001, limit = std::size_t{1} << 20;
  const auto keys = make_special_keys<float>(n);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return natural_less{}(keys[b], keys[a]); });
  const auto policy = gpu::par.require_device().with_memory_limit(limit);
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = i * 3;
  for (const std::size_t k : {1, 100, 2000}) {
    const std::string name = std::to_string(k);
    std::vector<float> first;
    for (std::size_t i = 0; i < k; ++i) first.push_back(keys[order[i]]);
    std::vector<float> best(k);
    std::vector<std::uint32_t> places(k);
    std::vector<std::uint64_t> brought(k);
    gpu::top_k(policy, keys, best);
    expect_none(difference(first, best), name + ": top_k");
    gpu::arg_top_k(policy, keys, places);
    expect_none(
        difference(std::vector<std::uint32_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)), places),
        name + ": arg_top_k");
    best.assign(k, 0.0f);
    gpu::top_k_by_key(policy, keys, best, values, brought);
    expect_none(difference(first, best), name + ": top_k_by_key, keys");
    for (std::size_t i = 0; i < k; ++i) expect(brought[i] == order[i] * std::uint64_t{3}, name + ": values");
  }
  std::vector<float> too_many(n / 2);
  try {
    gpu::top_k(policy, keys, too_many);
    expect(false, "no room for what is selected");
  } catch (const std::bad_alloc&) {
  }
}

TEST_CASE("selection: in a graph") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({2000, 300'000, 5'000'000})) {
    const std::size_t k = n / 50;
    storage<std::uint32_t> input{memory::device, make_keys<std::uint32_t>(n)};
    const storage<std::uint32_t> output{memory::device, std::vector<std::uint32_t>(k)};
    cudaStream_t stream = nullptr;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "capture");
    gpu::top_k(gpu::par_nosync.on(stream), gpu::device_span{input.data(), n}, gpu::device_span{output.data(), k});
    expect(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "captured");
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "instantiated");
    for (const std::uint64_t variant : {1, 2}) {
      auto keys = make_keys<std::uint32_t>(variant == 1 ? uniform : few_values, n, variant);
      input.refill(keys);
      expect(cudaGraphLaunch(executable, stream) == cudaSuccess, "launched");
      expect(cudaStreamSynchronize(stream) == cudaSuccess, "done");
      std::sort(keys.begin(), keys.end(), std::greater{});
      keys.resize(k);
      expect_none(difference(keys, output.fetch()), "graph of " + std::to_string(n));
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}
