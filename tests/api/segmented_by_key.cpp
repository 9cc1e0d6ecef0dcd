// segmented_sort_by_key and segmented_argsort: columns follow their keys within segments.
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "segments.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// The stable permutation of all elements that sorts each segment.
template <class Key, class Less>
std::vector<std::uint32_t> segment_order(const std::vector<Key>& keys, const segment_shape& shape, Less less) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  return sorted_segments(order, shape, [&](std::uint32_t i, std::uint32_t j) { return less(keys[i], keys[j]); });
}

template <class T>
std::vector<T> reordered(const std::vector<T>& elements, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  for (const std::uint32_t i : order) result.push_back(elements[i]);
  return result;
}

/// Checks stable sorts, with one value column of words and with two columns of different sizes.
template <class Place, class Key, class Compare, class Projection, class Less>
void check_columns(const Place& place, const std::vector<Key>& keys, const segment_shape& shape, Compare comp,
                   Projection proj, Less less, const std::string& what) {
  const auto order = segment_order(keys, shape, by(less, proj));
  const std::string name = place.name + ", " + what + ", segments: " + shape.name;
  const auto words = make_keys<std::uint32_t>(keys.size(), 1);
  const auto wide = make_keys<std::uint64_t>(keys.size(), 2);
  const auto records = make_records<record12>(uniform, keys.size());
  const auto offsets = place.store(shape.offsets<std::uint32_t>());
  {
    const auto key_data = place.store(keys);
    const auto word_data = place.store(words);
    gpu::segmented_stable_sort_by_key(place.policy, place.view(key_data), place.view(offsets), place.view(word_data),
                                      comp, proj);
    expect_none(difference(reordered(keys, order), key_data.fetch(name)), name + ": keys");
    expect_none(difference(reordered(words, order), word_data.fetch(name)), name + ": values");
  }
  const auto key_data = place.store(keys);
  const auto wide_data = place.store(wide);
  const auto record_data = place.store(records);
  gpu::segmented_stable_sort_by_key(place.policy, place.view(key_data), place.view(offsets), place.view(wide_data),
                                    place.view(record_data), comp, proj);
  expect_none(difference(reordered(keys, order), key_data.fetch(name)), name + ": keys of two columns");
  expect_none(difference(reordered(wide, order), wide_data.fetch(name)), name + ": first column");
  expect_none(difference(reordered(records, order), record_data.fetch(name)), name + ": second column");
}

/// Checks a sort that need not be stable: values are the positions of their keys, and must stay with them.
template <class Place, class Key>
void check_unstable(const Place& place, const std::vector<Key>& keys, const segment_shape& shape) {
  const std::string name = place.name + ", unstable, segments: " + shape.name;
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  const auto offsets = place.store(shape.offsets<std::int64_t>());
  const auto key_data = place.store(keys);
  const auto number_data = place.store(numbers);
  gpu::segmented_sort_by_key(place.policy, place.view(key_data), place.view(offsets), place.view(number_data),
                             std::ranges::greater{});
  const auto sorted = key_data.fetch(name);
  const auto moved = number_data.fetch(name);
  expect_none(difference(sorted_segments(keys, shape, natural_greater{}), sorted), name);
  expect_none(permutation_problem(numbers, moved), name);
  bool own = true;
  for (std::size_t i = 0; i < moved.size(); ++i) own &= moved[i] < keys.size() && same(keys[moved[i]], sorted[i]);
  expect(own, name + ": values follow their keys");
}

template <class Index, class Place, class Key, class Compare, class Projection, class Less>
void check_argsort(const Place& place, const std::vector<Key>& keys, const segment_shape& shape, Compare comp,
                   Projection proj, Less less, const std::string& what) {
  const std::string name = place.name + ", indices, " + what + ", segments: " + shape.name;
  const auto key_data = place.store(keys);
  const auto index_data = place.store(std::vector<Index>(keys.size(), std::numeric_limits<Index>::max()));
  const auto offsets = place.store(shape.offsets<std::uint32_t>());
  gpu::segmented_argsort(place.policy, place.view(key_data), place.view(offsets), place.view(index_data), comp, proj);
  const auto order = segment_order(keys, shape, by(less, proj));
  std::vector<Index> expected;
  std::size_t begin = 0;
  for (const std::size_t length : shape.lengths) {
    for (std::size_t i = 0; i < length; ++i) expected.push_back(static_cast<Index>(order[begin + i] - begin));
    begin += length;
  }
  expect_none(difference(expected, index_data.fetch(name)), name);
  expect_none(difference(keys, key_data.fetch(name)), name + ": keys changed");
}

}  // namespace

TEST_CASE("segmented_sort_by_key: shapes, widths and columns") {
  for (const segment_shape& shape : segment_shapes()) {
    const std::size_t count = shape.elements();
    at_all_places([&](const auto& place) {
      check_columns(place, make_keys<std::uint32_t>(few_values, count), shape, std::ranges::less{}, std::identity{},
                    natural_less{}, "words");
      check_columns(place, make_special_keys<double>(count), shape, std::ranges::greater{}, std::identity{},
                    natural_greater{}, "doubles, descending");
      check_columns(place, make_keys<std::uint8_t>(count), shape, std::ranges::less{}, std::identity{}, natural_less{},
                    "bytes");
      check_columns(place, make_records<record24>(zipf, count), shape, std::ranges::less{}, &record24::key,
                    natural_less{}, "records");
#if defined(__SIZEOF_INT128__)
      check_columns(place, make_keys<gpu::detail::uint128>(zipf, count), shape, std::ranges::less{}, std::identity{},
                    natural_less{}, "16 bytes");
#endif
      check_unstable(place, make_keys<std::int32_t>(zipf, count), shape);
      check_unstable(place, make_keys<std::int64_t>(zipf, count), shape);
    });
  }
}

TEST_CASE("segmented_argsort: shapes and index types") {
  for (const segment_shape& shape : segment_shapes()) {
    const std::size_t count = shape.elements();
    at_all_places([&](const auto& place) {
      check_argsort<std::uint32_t>(place, make_keys<std::uint32_t>(few_values, count), shape, std::ranges::less{},
                                   std::identity{}, natural_less{}, "words");
      check_argsort<std::int64_t>(place, make_special_keys<float>(count), shape, std::ranges::greater{},
                                  std::identity{}, natural_greater{}, "floats, descending");
      check_argsort<std::int32_t>(place, make_records<record64>(zipf, count), shape, std::ranges::less{},
                                  &record64::key, natural_less{}, "records");
    });
  }
}

TEST_CASE("segmented_argsort: what belongs to no segment is not written") {
  const auto keys = make_keys<std::uint32_t>(100);
  at_all_places([&](const auto& place) {
    const auto key_data = place.store(keys);
    const auto index_data = place.store(std::vector<std::uint32_t>(100, 7));
    const auto offsets = place.store(std::vector<std::int32_t>{10, 20, 90});
    gpu::segmented_argsort(place.policy, place.view(key_data), place.view(offsets), place.view(index_data));
    const auto indices = index_data.fetch(place.name);
    bool untouched = true;
    for (std::size_t i = 0; i < 100; ++i) untouched &= (i >= 10 && i < 90) || indices[i] == 7;
    expect(untouched, place.name);
  });
}

TEST_CASE("segmented_sort_by_key: columns of any kind on the host") {
  std::vector<int> keys{3, 1, 2, 9, 8};
  std::vector<std::string> names{"c", "a", "b", "i", "h"};
  std::vector<bool> odd{true, true, false, true, false};
  gpu::segmented_sort_by_key(gpu::par, keys, std::vector{0, 3, 5}, names, odd);
  expect(keys == std::vector{1, 2, 3, 8, 9}, "keys");
  expect(names == std::vector<std::string>{"a", "b", "c", "h", "i"}, "strings");
  expect(odd == std::vector<bool>{true, false, true, false, true}, "bits");
  std::vector<int> shorter(4);
  expect_error(gpu::errc::invalid_range, "a short column",
               [&] { gpu::segmented_sort_by_key(gpu::par, keys, std::vector{0, 5}, shorter); });
}
