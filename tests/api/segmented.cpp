// segmented_sort and segmented_stable_sort: every segment as std::stable_sort leaves it, and nothing else modified.
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "segments.hpp"
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Sorts with offsets in the same kind of memory as the data, and compares exactly: either equivalent elements are
/// identical, or the sort is stable.
template <bool Stable, class Integer = std::uint32_t, class Place, class Element, class Compare, class Projection,
          class Less>
void check_segments(const Place& place, const std::vector<Element>& elements, const segment_shape& shape, Compare comp,
                    Projection proj, Less less, const std::string& what) {
  const auto data = place.store(elements);
  const auto offsets = place.store(shape.offsets<Integer>());
  const std::string name = place.name + ", " + what + ", segments: " + shape.name;
  if constexpr (Stable)
    gpu::segmented_stable_sort(place.policy, place.view(data), place.view(offsets), comp, proj);
  else
    gpu::segmented_sort(place.policy, place.view(data), place.view(offsets), comp, proj);
  expect_none(difference(sorted_segments(elements, shape, by(less, proj)), data.fetch(name)), name);
  expect_none(difference(shape.offsets<Integer>(), offsets.fetch(name)), name + ": offsets changed");
}

}  // namespace

TEST_CASE("segmented_sort: shapes, widths and directions") {
  for (const segment_shape& shape : segment_shapes()) {
    const std::size_t count = shape.elements();
    const auto check_width = [&]<class Key>(Key, const auto& place) {
      const std::string what = std::to_string(sizeof(Key)) + " bytes";
      check_segments<false>(place, make_keys<Key>(count), shape, std::ranges::less{}, std::identity{}, natural_less{},
                            what);
      check_segments<false, std::int64_t>(place, make_keys<Key>(zipf, count), shape, std::ranges::greater{},
                                          std::identity{}, natural_greater{}, what + ", descending");
    };
    at_all_places([&](const auto& place) {
      check_width(std::uint32_t{}, place);
      check_width(std::int64_t{}, place);
      check_width(std::int8_t{}, place);
      check_width(std::uint16_t{}, place);
#if defined(__SIZEOF_INT128__)
      check_width(gpu::detail::int128{}, place);
#endif
    });
  }
}

TEST_CASE("segmented_sort: every distribution within segments") {
  for (const auto& distribution : all_distributions()) {
    for (const std::size_t length : tried({50, 700, 3000, 30'000})) {
      const segment_shape shape{"of " + std::to_string(length), std::vector<std::size_t>(60'000 / length, length)};
      const auto keys = make_keys<std::uint32_t>(distribution, shape.elements());
      at_all_places([&](const auto& place) {
        check_segments<false, std::int32_t>(place, keys, shape, std::ranges::less{}, std::identity{}, natural_less{},
                                            distribution.name);
      });
    }
  }
}

TEST_CASE("segmented_stable_sort: records keep their order, floats too") {
  for (const segment_shape& shape : segment_shapes()) {
    const std::size_t count = shape.elements();
    const auto records = with_index(make_keys<std::uint32_t>(few_values, count));
    const auto large = make_records<record64>(zipf, count);
    const auto floats = make_special_keys<float>(count);
    at_all_places([&](const auto& place) {
      check_segments<true>(place, records, shape, std::ranges::less{}, &record8::key, natural_less{}, "records");
      check_segments<true, std::uint64_t>(place, large, shape, std::ranges::greater{}, &record64::key,
                                          natural_greater{}, "large records");
      check_segments<true>(place, floats, shape, std::ranges::less{}, std::identity{}, natural_less{}, "floats");
      check_segments<true>(place, make_special_keys<double>(count), shape, std::ranges::greater{}, std::identity{},
                           natural_greater{}, "doubles, descending");
    });
  }
}

TEST_CASE("segmented_sort: comparators on the host") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 100 < b % 100; };
  for (const segment_shape& shape : segment_shapes()) {
    const auto keys = make_keys<std::uint32_t>(shape.elements());
    at_host_places([&](const auto& place) {
      check_segments<true>(place, keys, shape, less, std::identity{}, less, "comparator");
      const auto indirectly = [](std::uint32_t key) { return key >> 3; };
      check_segments<true>(place, keys, shape, std::ranges::less{}, indirectly, natural_less{}, "projection");
    });
  }
}

TEST_CASE("segmented_sort: gaps between segments stay as they are") {
  const auto keys = make_keys<std::uint32_t>(200'000);
  std::vector<std::int32_t> begins, ends;
  auto expected = keys;
  std::int32_t at = 1;
  for (std::int32_t length = 0; at + length + 3 < 200'000; length = (length * 5 + 1) % 3001) {
    begins.push_back(at), ends.push_back(at + length);
    std::sort(expected.begin() + at, expected.begin() + at + length);
    at += length + length % 4;
  }
  std::reverse(begins.begin(), begins.end()), std::reverse(ends.begin(), ends.end());
  at_all_places([&](const auto& place) {
    const auto data = place.store(keys);
    const auto from = place.store(begins), to = place.store(ends);
    gpu::segmented_sort(place.policy, place.view(data), place.view(from), place.view(to));
    expect_none(difference(expected, data.fetch(place.name)), place.name);
    const auto again = place.store(keys);  // offsets on the host, data anywhere
    gpu::segmented_stable_sort(place.policy, place.view(again), begins, ends);
    expect_none(difference(expected, again.fetch(place.name)), place.name + ", bounds on the host");
  });
}

TEST_CASE("segmented_sort: ranges of ranges, and iterators that are not contiguous") {
  const auto shapes = segment_shapes();
  const segment_shape& shape = shapes[4];
  const auto keys = make_keys<double>(shape.elements());
  const auto expected = sorted_segments(keys, shape, natural_less{});
  at_host_places([&](const auto& place) {
    std::vector<std::vector<double>> vectors;
    std::vector<std::deque<double>> deques;
    auto flat = keys;
    std::vector<std::span<double>> spans;
    for (std::size_t i = 0, at = 0; i < shape.lengths.size(); at += shape.lengths[i++]) {
      const auto first = keys.begin() + static_cast<std::ptrdiff_t>(at);
      vectors.emplace_back(first, first + static_cast<std::ptrdiff_t>(shape.lengths[i]));
      deques.emplace_back(first, first + static_cast<std::ptrdiff_t>(shape.lengths[i]));
      spans.emplace_back(flat.data() + at, shape.lengths[i]);
    }
    expect(gpu::segmented_sort(place.policy, vectors) == vectors.end(), place.name + ": returns the end");
    gpu::segmented_stable_sort(place.policy, deques);
    gpu::segmented_sort(place.policy, spans);
    std::vector<double> joined, of_deques;
    for (const auto& one : vectors) joined.insert(joined.end(), one.begin(), one.end());
    for (const auto& one : deques) of_deques.insert(of_deques.end(), one.begin(), one.end());
    expect_none(difference(expected, joined), place.name + ", vectors");
    expect_none(difference(expected, of_deques), place.name + ", deques");
    expect_none(difference(expected, flat), place.name + ", spans");
    std::deque<double> all(keys.begin(), keys.end());
    const auto offsets = shape.offsets<std::int32_t>();
    gpu::segmented_sort(place.policy, all, std::deque<std::int32_t>(offsets.begin(), offsets.end()));
    expect_none(difference(expected, std::vector<double>(all.begin(), all.end())), place.name + ", deque of all");
  });
  at_device_places([&](const auto& place) {
    const auto data = place.store(keys);
    std::vector<decltype(place.view(data))> parts;
    for (std::size_t i = 0, at = 0; i < shape.lengths.size(); at += shape.lengths[i++])
      parts.push_back({data.data() + at, shape.lengths[i]});
    gpu::segmented_sort(place.policy, parts);
    expect_none(difference(expected, data.fetch(place.name)), place.name + ", ranges");
  });
  std::vector<std::string> words{"pear", "fig", "apple", "kiwi", "date"};
  gpu::segmented_sort(gpu::par, words, std::vector{0, 3, 5});
  expect(words == std::vector<std::string>{"apple", "fig", "pear", "date", "kiwi"}, "strings");
}

TEST_CASE("segmented_sort: what is no segment is refused, and nothing written") {
  const std::vector<int> keys{5, 4, 3, 2, 1, 0};
  const auto refused = [&](const auto& place, const std::string& what, const auto&... bounds) {
    auto copy = keys;
    expect_error(gpu::errc::invalid_range, place.name + ": " + what,
                 [&] { gpu::segmented_sort(place.policy, copy, bounds...); });
    expect(copy == keys, place.name + ": nothing written, " + what);
  };
  const auto refuse_all = [&](const auto& place) {
    refused(place, "descending offsets", std::vector{0, 4, 3, 6});
    refused(place, "offsets behind the end", std::vector{0, 4, 7});
    refused(place, "negative offsets", std::vector<std::int64_t>{-1, 4, 6});
    refused(place, "overlapping segments", std::vector{0, 2}, std::vector{3, 6});
    refused(place, "segments that lie within others", std::vector{3u, 0u}, std::vector{4u, 6u});
    refused(place, "fewer ends than begins", std::vector{0, 3}, std::vector{3});
  };
  at_host_places(refuse_all);
  if (gpu::device_count() > 0)
    refuse_all(
        place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), memory::pageable, "device"});
  std::vector<int> copy = keys;
  expect_error(gpu::errc::unsuitable_algorithm, "an algorithm is forced",
               [&] { gpu::segmented_sort(gpu::par.using_algorithm(gpu::algorithm::radix), copy, std::vector{0, 6}); });
}
