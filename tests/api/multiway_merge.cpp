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
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Sorted ranges, one after another in one array.
template <class Element>
struct pieces {
  std::vector<Element> elements;
  std::vector<std::size_t> ends;

  void add(const std::vector<Element>& piece) {
    elements.insert(elements.end(), piece.begin(), piece.end());
    ends.push_back(elements.size());
  }
};

/// The lengths of k ranges of about `length` elements each, some empty, some short.
std::vector<std::size_t> make_lengths(std::size_t k, std::size_t length) {
  random_source random{seed() + k};
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < k; ++i)
    lengths.push_back(i % 5 == 3 ? 0 : i % 7 == 2 ? 1 : length / 2 + random.below(length));
  return lengths;
}

/// Merges the ranges at a place and compares with a stable sort of all.
template <class Place, class Element, class Compare, class Projection, class Less>
void check_pieces(const Place& place, const pieces<Element>& made, Compare comp, Projection proj, Less less,
                  const std::string& text) {
  const std::string what = place.name + ", " + text;
  const auto in = place.store(made.elements);
  const auto out = place.store(std::vector<Element>(made.elements.size()));
  const auto source = place.view(in), target = place.view(out);
  std::vector<std::remove_const_t<decltype(source)>> ranges;
  std::size_t begin = 0;
  for (const auto end : made.ends) {
    ranges.push_back({source.data() + begin, end - begin});
    begin = end;
  }
  const auto end = gpu::multiway_merge(place.policy, ranges, target.begin(), comp, proj);
  expect(end == target.end(), what + ": returned end");
  auto expected = made.elements;
  std::stable_sort(expected.begin(), expected.end(), by(less, proj));
  expect_none(difference(expected, out.fetch(what)), what);
  expect_none(difference(made.elements, in.fetch(what)), what + ": input changed");
}

template <class Place, class Compare, class Less>
void check_multiway(const Place& place, std::size_t k, std::size_t length, const distribution& chosen, Compare comp,
                    Less less) {
  pieces<record8> made;
  std::uint32_t index = 0;
  for (const auto count : make_lengths(k, length)) {
    std::vector<record8> piece;
    for (const auto key : make_keys<std::uint32_t>(chosen, count, made.ends.size())) piece.push_back({key, index++});
    std::stable_sort(piece.begin(), piece.end(), by(less, &record8::key));
    made.add(piece);
  }
  check_pieces(place, made, comp, &record8::key, less,
               chosen.name + ", k = " + std::to_string(k) + ", " + std::to_string(length));
}

/// Merges keys alone; make(count, variant) makes those of one range.
template <class Key, class Place, class Make, class Compare, class Less>
void check_keys(const Place& place, std::size_t k, std::size_t length, Make make, Compare comp, Less less,
                const std::string& text) {
  pieces<Key> made;
  for (const auto count : make_lengths(k, length)) {
    auto piece = make(count, made.ends.size());
    std::stable_sort(piece.begin(), piece.end(), less);
    made.add(piece);
  }
  check_pieces(place, made, comp, std::identity{}, less,
               text + ", k = " + std::to_string(k) + ", " + std::to_string(length));
}

/// Consecutive numbers from 0, `repeats` of each, dealt at random to k ranges.
pieces<std::uint32_t> deal(std::size_t n, std::size_t k, std::size_t repeats) {
  random_source random{seed() + n};
  std::vector<std::vector<std::uint32_t>> hands(k);
  for (std::size_t i = 0; i < n; ++i) hands[random.below(k)].push_back(static_cast<std::uint32_t>(i / repeats));
  pieces<std::uint32_t> made;
  for (const auto& hand : hands) made.add(hand);
  return made;
}

}  // namespace

TEST_CASE("multiway_merge: numbers of ranges and lengths") {
  for (const std::size_t k : tried({0, 1, 2, 3, 4, 8, 17, 64, 300}))
    for (const std::size_t length : tried({1, 100, 3000})) {
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

TEST_CASE("multiway_merge: integers of every distribution") {
  for (const auto& chosen : all_distributions())
    for (const std::size_t k : {3, 64}) {
      const std::size_t length = 100'000 / k;
      at_all_places([&](const auto& place) {
        const auto make = [&]<class Key>(Key) {
          return [&](std::size_t count, std::size_t variant) { return make_keys<Key>(chosen, count, variant); };
        };
        check_keys<std::uint32_t>(place, k, length, make(std::uint32_t{}), std::ranges::less{}, natural_less{},
                                  chosen.name + ", u32");
        check_keys<std::int64_t>(place, k, length, make(std::int64_t{}), std::ranges::greater{}, natural_greater{},
                                 chosen.name + ", i64 descending");
      });
    }
}

TEST_CASE("multiway_merge: special values, stable to the bit") {
  for (const std::size_t k : {5, 70}) {
    at_all_places([&](const auto& place) {
      check_keys<std::int32_t>(place, k, 2000, make_special_keys<std::int32_t>, std::ranges::less{}, natural_less{},
                               "i32");
      check_keys<std::uint64_t>(place, k, 2000, make_special_keys<std::uint64_t>, std::ranges::greater{},
                                natural_greater{}, "u64 descending");
      check_keys<float>(place, k, 2000, make_special_keys<float>, std::ranges::less{}, natural_less{}, "f32");
      check_keys<double>(place, k, 2000, make_special_keys<double>, std::ranges::greater{}, natural_greater{},
                         "f64 descending");
    });
  }
}

TEST_CASE("multiway_merge: ranges that follow one another") {
  at_all_places([&](const auto& place) {
    for (const bool ascending : {true, false}) {
      pieces<std::uint64_t> made;
      for (std::size_t piece = 0; piece < 40; ++piece) {
        std::vector<std::uint64_t> keys(piece % 3 == 0 ? 9000 : 100);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = (ascending ? piece : 40 - piece) << 40 | i;
        made.add(keys);
      }
      check_pieces(place, made, std::ranges::less{}, std::identity{}, natural_less{},
                   ascending ? "ascending" : "descending");
    }
  });
}

TEST_CASE("multiway_merge: more tiles than one search finds") {
  constexpr std::size_t count = std::size_t{33} << 20;
  if (reduced()) {
    skip("large merges: reduced");
    return;
  }
  at_device_places([&](const auto& place) {
    if (place.kind != memory::device) return;
    for (const std::size_t k : {7, 64})
      for (const std::size_t repeats : {1, 1000})
        check_pieces(place, deal(count, k, repeats), std::ranges::less{}, std::identity{}, natural_less{},
                     "k = " + std::to_string(k) + ", " + std::to_string(repeats) + " of each");
  });
}
