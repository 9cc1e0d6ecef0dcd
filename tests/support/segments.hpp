// Shapes of segments, and the expected results of segmented sorts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "random.hpp"

namespace testing {

/// Lengths of segments that follow one another.
struct segment_shape {
  std::string name;
  std::vector<std::size_t> lengths;

  [[nodiscard]] std::size_t elements() const {
    std::size_t sum = 0;
    for (const std::size_t length : lengths) sum += length;
    return sum;
  }

  template <class Integer>
  [[nodiscard]] std::vector<Integer> offsets() const {
    std::vector<Integer> all{0};
    for (const std::size_t length : lengths)
      all.push_back(static_cast<Integer>(all.back() + static_cast<Integer>(length)));
    return all;
  }
};

/// One long segment among short ones, at a place from 0 (first) to 2 (last).
inline segment_shape one_long(std::size_t length, std::size_t others, std::size_t place) {
  segment_shape shape{
      "one of " + std::to_string(length) + " among " + std::to_string(others) + ", place " + std::to_string(place),
      std::vector<std::size_t>(others, 3)};
  shape.lengths.insert(shape.lengths.begin() + static_cast<std::ptrdiff_t>(others * place / 2), length);
  return shape;
}

inline std::vector<segment_shape> segment_shapes() {
  std::vector<segment_shape> all{{"none", {}}, {"an empty one", {0}}, {"one of one", {1}}, {"one", {100'000}}};
  segment_shape few{"0 to 70", {}};
  for (std::size_t round = 0; round < 3; ++round)
    for (std::size_t length = 0; length <= 70; ++length) few.lengths.push_back(round == 1 ? 70 - length : length);
  all.push_back(few);
  segment_shape thresholds{"thresholds", {}};
  for (std::size_t power = 32; power <= 16'384; power *= 2)
    for (const std::size_t most : {power, power * 3 / 2})
      for (const std::size_t length : {most - 1, most, most + 1}) thresholds.lengths.push_back(length);
  all.push_back(thresholds);  // few elements, which are sorted in fewer classes than twice as many are
  segment_shape twice{"thresholds, twice", thresholds.lengths};
  twice.lengths.insert(twice.lengths.end(), thresholds.lengths.begin(), thresholds.lengths.end());
  all.push_back(twice);
  all.push_back({"single elements", std::vector<std::size_t>(5000, 1)});
  all.push_back({"empty ones", std::vector<std::size_t>(5000, 0)});
  all.push_back({"of 100", std::vector<std::size_t>(500, 100)});
  all.push_back({"of 5000", std::vector<std::size_t>(20, 5000)});
  segment_shape similar{"similar ones behind a longer one", {40}};  // the first of the similar ones are the shortest
  for (std::size_t i = 1; i < 128; ++i) similar.lengths.push_back(i <= 32 ? 12 : 17);
  all.push_back(similar);
  for (std::size_t place = 0; place < 3; ++place) all.push_back(one_long(60'000, 3000, place));
  segment_shape skewed{"power law", {}};
  for (std::size_t i = 0; i < 3000; ++i)
    skewed.lengths.push_back(std::min<std::size_t>(20'000, 1'000'000'000 / (1 + mixed(seed() + i) % 1'000'000'000)));
  all.push_back(skewed);
  return all;
}

/// Elements whose segments have been sorted by std::stable_sort.
template <class Element, class Less>
std::vector<Element> sorted_segments(std::vector<Element> elements, const segment_shape& shape, Less less) {
  auto begin = elements.begin();
  for (const std::size_t length : shape.lengths) {
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(length), less);
    begin += static_cast<std::ptrdiff_t>(length);
  }
  return elements;
}

}  // namespace testing
