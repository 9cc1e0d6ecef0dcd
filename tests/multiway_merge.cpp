// multiway_merge: k sorted ranges, k known at run time; equal elements in the order of the ranges.
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

/// k ranges of about `length` elements each, some empty, some short; all are concatenated into one stored array.
struct pieces {
  std::vector<record8> elements;
  std::vector<std::size_t> ends;
};

template <class Less>
pieces make_pieces(std::size_t k, std::size_t length, const distribution& chosen, Less less) {
  pieces made;
  random_source random{seed() + k};
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t count = i % 5 == 3 ? 0 : i % 7 == 2 ? 1 : length / 2 + random.below(length);
    std::vector<record8> piece;
    for (const auto key : make_keys<std::uint32_t>(chosen, count, i)) piece.push_back({key, index++});
    std::stable_sort(piece.begin(), piece.end(), by(less, &record8::key));
    made.elements.insert(made.elements.end(), piece.begin(), piece.end());
    made.ends.push_back(made.elements.size());
  }
  return made;
}

template <class Place, class Compare, class Less>
void check_multiway(const Place& place, std::size_t k, std::size_t length, const distribution& chosen, Compare comp,
                    Less less) {
  const auto made = make_pieces(k, length, chosen, less);
  const auto in = place.store(made.elements);
  const auto out = place.store(std::vector<record8>(made.elements.size()));
  const auto source = place.view(in), target = place.view(out);
  std::vector<std::remove_const_t<decltype(source)>> ranges;
  std::size_t begin = 0;
  for (const auto end : made.ends) {
    ranges.push_back({source.data() + begin, end - begin});
    begin = end;
  }
  const std::string what =
      place.name + ", " + chosen.name + ", k = " + std::to_string(k) + ", " + std::to_string(length);
  const auto end = gpu::multiway_merge(place.policy, ranges, target.begin(), comp, &record8::key);
  expect(end == target.end(), what + ": returned end");
  auto expected = made.elements;
  std::stable_sort(expected.begin(), expected.end(), by(less, &record8::key));
  expect_none(difference(expected, out.fetch(what)), what);
  expect_none(difference(made.elements, in.fetch(what)), what + ": input changed");
}

}  // namespace

TEST_CASE("multiway_merge: numbers of ranges and lengths") {
  for (const std::size_t k : {0, 1, 2, 3, 4, 8, 17, 64, 300})
    for (const std::size_t length : {1, 100, 3000}) {
      if (k * length > 300'000) continue;
      at_all_places([&](const auto& place) {
        check_multiway(place, k, length, few_values, std::ranges::less{}, natural_less{});
        check_multiway(place, k, length, uniform, std::ranges::greater{}, natural_greater{});
      });
    }
}

TEST_CASE("multiway_merge: large inputs") {
  at_all_places(
      [&](const auto& place) { check_multiway(place, 16, 40'000, zipf, std::ranges::less{}, natural_less{}); });
}

TEST_CASE("multiway_merge: custom comparators and containers of containers") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 1024 < b % 1024; };
  at_host_places([&](const auto& place) {
    check_multiway(place, 9, 5000, uniform, less, less);
    const std::vector<std::vector<std::string>> words{{"ant", "dog"}, {}, {"bee", "cat", "dog"}};
    std::vector<std::string> all;
    gpu::multiway_merge(place.policy, words, std::back_inserter(all));
    expect(all == std::vector<std::string>{"ant", "bee", "cat", "dog", "dog"}, place.name + ": strings");
  });
}
