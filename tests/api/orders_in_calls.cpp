// Orders of several keys in selections and segmented sorts.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "expected_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "random.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

struct quote {
  std::uint32_t day = 0;
  float price = 0;
  std::uint64_t id = 0;
  friend bool operator==(const quote&, const quote&) = default;
};

template <class Key>
std::vector<Key> make_keys_of_parts(std::size_t n) {
  random_source random{seed() + n};
  std::vector<Key> all(n);
  for (std::size_t i = 0; i < n; ++i)
    if constexpr (std::is_same_v<Key, quote>)
      all[i] = {static_cast<std::uint32_t>(random() % 50), static_cast<float>(random() % 9) - 4, i};
    else
      all[i] = {static_cast<typename Key::first_type>(random() % 90), static_cast<typename Key::second_type>(random())};
  return all;
}

/// Checks the first k, as elements, as indices and in place; `less` is the same order as `order`.
template <class Place, class Element, class Order, class Less>
void check_selections(const Place& place, const std::vector<Element>& all, std::size_t k, Order order, Less less,
                      const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(k) + " of " + std::to_string(all.size());
  auto expected = expected_order<std::uint32_t>(all.size(), [&](auto i, auto j) { return less(all[i], all[j]); });
  expected.resize(k);
  const auto first = in_order(all, expected);
  const auto stored = place.store(all);
  const auto output = place.store(std::vector<Element>(k));
  const auto places = place.store(std::vector<std::uint32_t>(k));
  gpu::top_k(place.policy, place.view(stored), place.view(output), order);
  expect(output.fetch(name) == first, name + ": top_k");
  gpu::arg_top_k(place.policy, place.view(stored), place.view(places), order);
  expect(places.fetch(name) == expected, name + ": arg_top_k");
  expect(stored.fetch(name) == all, name + ": the input stays");

  const auto view = place.view(stored);
  gpu::nth_element(place.policy, view, view.begin() + (k - 1), order);
  const auto parted = stored.fetch(name);
  expect(!less(parted[k - 1], first[k - 1]) && !less(first[k - 1], parted[k - 1]), name + ": nth_element");
  expect(std::none_of(parted.begin(), parted.begin() + k, [&](const auto& one) { return less(parted[k - 1], one); }) &&
             std::none_of(parted.begin() + k, parted.end(), [&](const auto& one) { return less(one, parted[k - 1]); }),
         name + ": nth_element, its sides");
  gpu::partial_sort(place.policy, view, view.begin() + k, order);
  const auto sorted = stored.fetch(name);
  expect(std::equal(first.begin(), first.end(), sorted.begin(),
                    [&](const auto& a, const auto& b) { return !less(a, b) && !less(b, a); }),
         name + ": partial_sort");
}

/// Segments of all lengths below 100, as far as there are elements, and one of the remaining elements.
template <class Place, class Element, class Order, class Less>
void check_segments(const Place& place, const std::vector<Element>& all, Order order, Less less,
                    const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(all.size());
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t length = 0; length < 100 && offsets.back() + length <= all.size(); ++length)
    offsets.push_back(offsets.back() + length);
  offsets.push_back(static_cast<std::uint32_t>(all.size()));
  auto expected = all;
  std::vector<std::uint32_t> expected_places(all.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto* const segment = all.data() + offsets[s];
    const std::size_t length = offsets[s + 1] - offsets[s];
    const auto places =
        expected_order<std::uint32_t>(length, [&](auto i, auto j) { return less(segment[i], segment[j]); });
    std::copy(places.begin(), places.end(), expected_places.begin() + offsets[s]);
    for (std::size_t i = 0; i < length; ++i) expected[offsets[s] + i] = segment[places[i]];
  }
  const auto stored = place.store(all);
  const auto places = place.store(std::vector<std::uint32_t>(all.size()));
  gpu::segmented_argsort(place.policy, place.view(stored), offsets, place.view(places), order);
  expect(places.fetch(name) == expected_places, name + ": segmented_argsort");
  gpu::segmented_stable_sort(place.policy, place.view(stored), offsets, order);
  expect(stored.fetch(name) == expected, name + ": segmented_stable_sort");
}

template <class Element, class Order, class Less>
void check(Order order, Less less, const std::string& what) {
  for (const std::size_t n : tried({1, 2, 50, 5000, 80'000})) {
    const auto all = make_keys_of_parts<Element>(n);
    at_all_places([&](const auto& place) {
      for (const std::size_t k : {std::size_t{1}, (n + 9) / 10, (n + 1) / 2, n})
        check_selections(place, all, k, order, less, what);
      check_segments(place, all, order, less, what);
    });
  }
}

}  // namespace

TEST_CASE("orders of several keys select and sort segments: pairs") {
  using narrow = std::pair<std::uint32_t, std::uint32_t>;
  using wide = std::pair<std::int64_t, std::uint64_t>;
  using padded = std::pair<std::uint64_t, std::uint16_t>;
  check<narrow>(std::less<>{}, std::less<>{}, "pairs of u32");
  check<wide>(std::greater<>{}, std::greater<>{}, "pairs of 64 bits, descending");
  check<padded>(std::less<>{}, std::less<>{}, "u64 and u16");
}

TEST_CASE("orders of several keys select and sort segments: members") {
  check<quote>(
      gpu::by(&quote::day).then(&quote::price, std::ranges::greater{}),
      [](const quote& a, const quote& b) { return a.day < b.day || (a.day == b.day && a.price > b.price); },
      "day, then price");
}
