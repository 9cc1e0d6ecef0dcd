// Selections on the device by user comparators, into indices and values, and in place.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "misleading.hpp"
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

/// Orders keys by their bytes rotated by one, so that no sample finds the order natural.
struct by_turned_bytes {
  GPUPAR_HOST_DEVICE static std::uint32_t turned(std::uint32_t key) { return key << 8 | key >> 24; }
  GPUPAR_HOST_DEVICE static std::uint32_t back(std::uint32_t key) { return key >> 8 | key << 24; }
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return back(a) < back(b); }
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

TEST_CASE("selection: comparators whose sample misleads, because somebody knows where it looks") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({17'000'003}))
    for (const bool too_great : {false, true}) {
      auto keys = misleading_keys(n, too_great);
      std::transform(keys.begin(), keys.end(), keys.begin(), by_turned_bytes::turned);
      const storage<std::uint32_t> input{memory::device, keys};
      const gpu::device_span view{input.data(), n};
      for (const std::size_t k : {std::size_t{1000}, n / 16}) {
        const std::string name = (too_great ? "too great, " : "too small, ") + std::to_string(k);
        auto expected = keys;
        std::partial_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(k), expected.end(),
                          by_turned_bytes{});
        expected.resize(k);
        const storage<std::uint32_t> first{memory::device, std::vector<std::uint32_t>(k)};
        gpu::top_k(gpu::par, view, gpu::device_span{first.data(), k}, by_turned_bytes{});
        expect_none(difference(expected, first.fetch()), name + ": top_k");
      }
    }
}
