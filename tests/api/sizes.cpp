// Sizes: every small one and those around powers of two; all permutations and all 0-1 sequences of a few elements.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

constexpr std::array every_algorithm{gpu::algorithm::automatic,   gpu::algorithm::bitonic,    gpu::algorithm::quicksort,
                                     gpu::algorithm::sample_sort, gpu::algorithm::merge_sort, gpu::algorithm::radix};

std::vector<std::size_t> interesting_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 70; ++n) sizes.push_back(n);
  for (std::size_t k = 7; k <= 17; ++k)
    for (const std::size_t n : {(std::size_t{1} << k) - 1, std::size_t{1} << k, (std::size_t{1} << k) + 1})
      sizes.push_back(n);
  // Tiles of 256 threads with an odd number of items, and their multiples.
  for (const std::size_t tile : {256 * 9, 256 * 15, 256 * 19})
    for (const std::size_t n : {tile - 1, tile, tile + 1, 2 * tile + 1, 128 * tile + 1}) sizes.push_back(n);
  return tried(sizes);
}

template <class Place>
void check_size(const Place& place, std::size_t count, const distribution& chosen) {
  const auto keys = make_keys<std::uint32_t>(chosen, count, count);
  const auto data = place.store(keys);
  gpu::sort(place.policy, place.view(data));
  expect_none(sort_problem(keys, data.fetch(place.name), natural_less{}),
              place.name + ", " + std::to_string(count) + ", " + chosen.name);
}

/// Sorts all permutations of 0 … n - 1 with one storage.
template <class Place>
void check_permutations(const Place& place, std::size_t longest) {
  for (std::size_t n = 1; n <= longest; ++n) {
    std::vector<std::uint32_t> permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0u);
    const auto expected = permutation;
    auto data = place.store(permutation);
    std::size_t wrong = 0;
    do {
      data.refill(permutation);
      gpu::sort(place.policy, place.view(data));
      wrong += data.fetch(place.name) != expected;
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    expect(wrong == 0, place.name + ": " + std::to_string(wrong) + " permutations of " + std::to_string(n));
  }
}

}  // namespace

TEST_CASE("sizes: small, powers of two, tiles") {
  for (const auto count : interesting_sizes())
    at_all_places([&](const auto& place) {
      check_size(place, count, uniform);
      if (count < 5000) check_size(place, count, few_values);
    });
}

TEST_CASE("sizes: every algorithm") {
  for (const auto count : interesting_sizes()) {
    if (count > 70'000) continue;
    for (const auto how : every_algorithm) {
      at_host_places([&](const auto& place) {
        if (place.on_host) check_size(place.using_algorithm(how), count, uniform);
      });
      at_device_places([&](const auto& place) {
        if (place.kind == memory::device) check_size(place.using_algorithm(how), count, uniform);
      });
    }
  }
}

TEST_CASE("sizes: a million") {
  for (const auto count : tried({1'000'000}))
    at_all_places([&](const auto& place) { check_size(place, count, uniform); });
}

TEST_CASE("sizes: all permutations of up to 8") {
  at_host_places([&](const auto& place) {
    if (!place.on_host) return check_permutations(place, 7);
    check_permutations(place, 8);
    for (const auto how : every_algorithm) check_permutations(place.using_algorithm(how), 7);
  });
  at_device_places([&](const auto& place) {
    if (place.kind == memory::device) check_permutations(place, reduced() ? 4 : 8);
  });
}

TEST_CASE("sizes: all sequences of zeros and ones of up to 14, which prove a network") {
  at_host_places([&](const auto& place) {
    if (!place.on_host) return;
    for (const auto how : {gpu::algorithm::bitonic, gpu::algorithm::automatic})
      for (std::size_t n = 1; n <= 14; ++n) {
        std::size_t wrong = 0;
        for (std::uint32_t bits = 0; bits < (1u << n); ++bits) {
          std::vector<std::uint32_t> keys(n);
          for (std::size_t i = 0; i < n; ++i) keys[i] = bits >> i & 1;
          const auto ones = std::accumulate(keys.begin(), keys.end(), 0u);
          gpu::sort(place.policy.using_algorithm(how), keys);
          const bool sorted = std::is_sorted(keys.begin(), keys.end());
          wrong += !sorted || std::accumulate(keys.begin(), keys.end(), 0u) != ones;
        }
        expect(wrong == 0,
               std::string{gpu::to_string(how)} + ": " + std::to_string(wrong) + " of " + std::to_string(n));
      }
  });
}
