// Several threads call at once: each call is its own.
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

/// One thread's work: some calls of every kind, each checked.
template <class Place>
void work(const Place& place, std::uint64_t thread) {
  for (std::uint64_t round = 0; round < 4; ++round) {
    const std::string what = place.name + ", thread " + std::to_string(thread) + ", round " + std::to_string(round);
    const auto keys =
        make_keys<std::uint32_t>(round % 2 ? uniform : few_values, 20'000 + 137 * thread, thread * 8 + round);
    const auto records = with_index(keys);
    const auto first = place.store(keys);
    const auto second = place.store(records);
    gpu::sort(place.policy, place.view(first));
    gpu::stable_sort(place.policy, place.view(second), std::greater<>{}, &record8::key);
    expect_none(sort_problem(keys, first.fetch(what), natural_less{}), what);
    expect_none(stable_sort_problem(records, second.fetch(what), by(natural_greater{}, &record8::key)),
                what + ", stable");
    const auto merged = place.store(std::vector<std::uint32_t>(2 * keys.size()));
    gpu::merge(place.policy, place.view(first), place.view(first), place.view(merged).begin());
    expect_none(order_problem(merged.fetch(what), natural_less{}), what + ", merge");
  }
}

}  // namespace

TEST_CASE("concurrency: 16 threads at once") {
  at_all_places([](const auto& place) {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 16; ++thread)
      threads.emplace_back([&place, thread] { work(place, thread); });
  });
}

TEST_CASE("concurrency: a comparator that sorts") {
  const auto keys = make_keys<std::uint32_t>(3000);
  const auto least_digit = [](std::uint32_t key) {
    auto digits = std::to_string(key);
    gpu::sort(gpu::par, digits);
    return digits.front();
  };
  auto sorted = keys;
  gpu::stable_sort(gpu::par, sorted, std::ranges::less{}, least_digit);
  expect_none(stable_sort_problem(keys, sorted, by(natural_less{}, least_digit)), "nested");
}
