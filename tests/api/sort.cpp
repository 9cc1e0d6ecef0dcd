// sort: every distribution and value, both directions, every form of the call, at every place.
#include <atomic>
#include <functional>
#include <ranges>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Sorts `keys` at a place by comp, which orders like `less`, and checks the result.
template <class Place, class Key, class Compare, class Less>
void check_sort(const Place& place, const std::vector<Key>& keys, Compare comp, Less less, const std::string& what) {
  const auto data = place.store(keys);
  gpu::sort(place.policy, place.view(data), comp);
  expect_none(sort_problem(keys, data.fetch(what), less), place.name + ", " + what);
}

template <class Key>
void check_distributions(std::size_t count) {
  for (const auto& distribution : all_distributions()) {
    const auto keys = make_keys<Key>(distribution, count);
    at_all_places([&](const auto& place) {
      check_sort(place, keys, std::ranges::less{}, natural_less{}, distribution.name);
      check_sort(place, keys, std::ranges::greater{}, natural_greater{}, distribution.name + ", descending");
    });
  }
}

}  // namespace

TEST_CASE("sort: every distribution of 32-bit integers") { check_distributions<std::uint32_t>(20'000); }

TEST_CASE("sort: every distribution of doubles") { check_distributions<double>(20'000); }

TEST_CASE("sort: inputs large enough for every phase of every algorithm") {
  for (const auto& distribution : {uniform, zipf, few_values})
    for (const auto count : tried({40'003, (1 << 20) + 3})) {
      const auto keys = make_keys<std::uint32_t>(distribution, count);
      at_all_places([&](const auto& place) {
        check_sort(place, keys, std::ranges::less{}, natural_less{}, distribution.name + ", " + std::to_string(count));
      });
    }
}

TEST_CASE("sort: special values") {
  for (const std::size_t count : tried({22, 3000, 70'000}))
    at_all_places([&](const auto& place) {
      const std::string what = std::to_string(count) + " special values";
      check_sort(place, make_special_keys<std::uint32_t>(count), std::ranges::less{}, natural_less{}, what);
      check_sort(place, make_special_keys<double>(count), std::ranges::less{}, natural_less{}, what);
    });
}

TEST_CASE("sort: every name of the natural order") {
  const auto keys = make_keys<std::uint32_t>(5000);
  at_all_places([&](const auto& place) {
    check_sort(place, keys, std::less<>{}, natural_less{}, "std::less<>");
    check_sort(place, keys, std::less<std::uint32_t>{}, natural_less{}, "std::less<Key>");
    check_sort(place, keys, std::greater<>{}, natural_greater{}, "std::greater<>");
    check_sort(place, keys, std::greater<std::uint32_t>{}, natural_greater{}, "std::greater<Key>");
  });
}

TEST_CASE("sort: projections to members of records") {
  const auto records = make_records<record24>(few_values, 10'000);
  at_all_places([&](const auto& place) {
    const auto data = place.store(records);
    gpu::sort(place.policy, place.view(data), {}, &record24::key);
    expect_none(sort_problem(records, data.fetch(), by(natural_less{}, &record24::key)), place.name + ", ascending");

    const auto iterators = place.view(data);
    gpu::sort(place.policy, iterators.begin(), iterators.end(), std::ranges::greater{}, &record24::key);
    expect_none(sort_problem(records, data.fetch(), by(natural_greater{}, &record24::key)),
                place.name + ", descending");
  });
}

TEST_CASE("sort: every misalignment of the range") {
  for (std::size_t misalignment = 1; misalignment < 16; misalignment += reduced() ? 7 : 1) {
    const auto bytes = make_keys<std::uint8_t>(3000, misalignment);
    const auto words = make_keys<std::uint32_t>(70'001, misalignment);
    at_all_places([&](const auto& place) {
      const std::string what = place.name + ", misaligned by " + std::to_string(misalignment);
      const auto first = place.store(bytes, misalignment);
      const auto second = place.store(words, misalignment);
      gpu::sort(place.policy, place.view(first));
      gpu::sort(place.policy, place.view(second));
      expect_none(sort_problem(bytes, first.fetch(what), natural_less{}), what + ", bytes");
      expect_none(sort_problem(words, second.fetch(what), natural_less{}), what + ", words");
    });
  }
}

TEST_CASE("sort: custom comparators and projections on the host") {
  const auto keys = make_keys<std::uint32_t>(zipf, 50'000);
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 1000 < b % 1000; };
  const auto last_digit = [](std::uint32_t x) { return x % 10; };
  at_host_places([&](const auto& place) {
    check_sort(place, keys, less, less, "comparator");
    auto copy = keys;
    gpu::sort(place.policy, copy, std::ranges::greater{}, last_digit);
    expect_none(sort_problem(keys, copy, by(natural_greater{}, last_digit)), place.name + ", projection");
  });
}

TEST_CASE("sort: what the calls return") {
  std::vector<int> v{3, 1, 2};
  static_assert(std::is_same_v<decltype(gpu::sort(gpu::par, v.begin(), v.end())), std::vector<int>::iterator>);
  expect(gpu::sort(gpu::par, v) == v.end(), "end of an lvalue");
  expect(v == std::vector{1, 2, 3}, "sorted");
  expect(gpu::sort(gpu::par, std::span{v}, std::greater<>{}) == std::span{v}.end(), "end of a borrowed range");
  expect(v == std::vector{3, 2, 1}, "descending");
  static_assert(std::is_same_v<decltype(gpu::sort(gpu::par, std::vector<int>{})), std::ranges::dangling>);
  gpu::sort(gpu::par, v | std::views::drop(1));
  expect(v == std::vector{3, 1, 2}, "a view");
}

TEST_CASE("a handful of values takes few comparisons") {
  for (const std::size_t count : {5000u, 20'000u, 65'000u}) {
    auto keys = make_keys<std::uint32_t>(count);
    for (auto& key : keys) key %= 6;
    auto sorted = keys;
    std::atomic<std::size_t> comparisons = 0;
    const auto less = [&](std::uint32_t left, std::uint32_t right) {
      comparisons.fetch_add(1, std::memory_order_relaxed);
      return left > right;
    };
    gpu::sort(gpu::par.require_host(), sorted, less);
    const std::size_t taken = comparisons;
    expect(taken <= 8 * count, std::to_string(count) + ": " + std::to_string(taken) + " comparisons");
    expect_none(sort_problem(keys, sorted, std::greater<>{}), std::to_string(count));
  }
}
