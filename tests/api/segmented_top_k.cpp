// segmented_top_k: the first k of every segment in the order of std::stable_sort, each segment's in its own slot of the
// output, and nothing else modified.
#include <deque>
#include <functional>
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

/// The expected contents of an output that was filled with `untouched` elements.
template <class Element, class Less>
std::vector<Element> selected_of_segments(const std::vector<Element>& elements, const segment_shape& shape,
                                          std::size_t k, Less less, const Element& untouched) {
  const auto sorted = sorted_segments(elements, shape, less);
  std::vector<Element> output(shape.lengths.size() * k, untouched);
  std::size_t begin = 0, slot = 0;
  for (const std::size_t length : shape.lengths) {
    std::copy_n(sorted.begin() + static_cast<std::ptrdiff_t>(begin), std::min(k, length),
                output.begin() + static_cast<std::ptrdiff_t>(slot));
    begin += length, slot += k;
  }
  return output;
}

template <class Integer = std::uint32_t, class Place, class Element, class Compare, class Projection, class Less>
void check_selection(const Place& place, const std::vector<Element>& elements, const segment_shape& shape,
                     std::size_t k, Compare comp, Projection proj, Less less, const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(k) + " of each, segments: " + shape.name;
  const Element untouched = elements.empty() ? Element{} : elements.back();
  const auto data = place.store(elements);
  const auto offsets = place.store(shape.offsets<Integer>());
  const auto output = place.store(std::vector<Element>(shape.lengths.size() * k, untouched));
  gpu::segmented_top_k(place.policy, place.view(data), place.view(offsets), place.view(output), k, comp, proj);
  expect_none(difference(selected_of_segments(elements, shape, k, by(less, proj), untouched), output.fetch(name)),
              name);
  expect_none(difference(elements, data.fetch(name)), name + ": elements changed");
}

}  // namespace

TEST_CASE("segmented_top_k: shapes, numbers of each, keys and records") {
  for (const segment_shape& shape : segment_shapes()) {
    const std::size_t count = shape.elements();
    const auto words = make_keys<std::uint32_t>(zipf, count);
    const auto wide = make_keys<std::int64_t>(count);
    const auto floats = make_special_keys<float>(count);
    const auto records = with_index(make_keys<std::uint32_t>(few_values, count));
    const auto large = make_records<record64>(zipf, count);
    for (const std::size_t k : {1, 7, 40})
      at_all_places([&](const auto& place) {
        check_selection(place, words, shape, k, std::ranges::greater{}, std::identity{}, natural_greater{}, "words");
        check_selection<std::int64_t>(place, wide, shape, k, std::ranges::less{}, std::identity{}, natural_less{},
                                      "least numbers of 8 bytes");
        check_selection(place, floats, shape, k, std::ranges::greater{}, std::identity{}, natural_greater{}, "floats");
        check_selection(place, records, shape, k, std::ranges::greater{}, &record8::key, natural_greater{}, "records");
        check_selection<std::uint64_t>(place, large, shape, k, std::ranges::less{}, &record64::key, natural_less{},
                                       "large records");
      });
  }
}

TEST_CASE("segmented_top_k: more of each than any segment has") {
  const segment_shape shape{"of 0 to 9", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const auto keys = make_keys<std::uint16_t>(shape.elements());
  at_all_places([&](const auto& place) {
    check_selection(place, keys, shape, 1000, std::ranges::greater{}, std::identity{}, natural_greater{}, "2 bytes");
    check_selection(place, keys, shape, 0, std::ranges::greater{}, std::identity{}, natural_greater{}, "none");
  });
}

TEST_CASE("segmented_top_k: on the host, comparators, iterators and outputs of any kind") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 100 < b % 100; };
  for (const segment_shape& shape : segment_shapes())
    at_host_places([&](const auto& place) {
      check_selection(place, make_keys<std::uint32_t>(shape.elements()), shape, 5, less, std::identity{}, less,
                      "comparator");
    });
  const std::vector<std::string> names{"Ada", "Alan", "Edsger", "Grace", "Ken"};
  std::vector<std::string> best(4, "none");
  const auto end =
      gpu::segmented_top_k(gpu::par, names, std::vector{0, 4, 5}, best, 2, std::greater<>{}, &std::string::size);
  expect(end == best.end() && best == std::vector<std::string>{"Edsger", "Grace", "Ken", "none"}, "strings");
  const std::deque<int> numbers{3, 1, 2, 9, 8};
  std::deque<long> widened(3, -1);
  gpu::segmented_top_k(gpu::par, numbers, std::deque<std::int64_t>{0, 3, 5}, widened, 1);
  expect(widened == std::deque<long>{3, 9, -1}, "what is behind the last segment's places stays");
  const std::vector<bool> odd{true, false, false, true};
  std::vector<bool> first(2);
  gpu::segmented_top_k(gpu::par, odd, std::vector{0, 1, 4}, first, 1);
  expect(first == std::vector<bool>{true, true}, "bits");
}

TEST_CASE("segmented_top_k: what cannot be done is refused, and nothing written") {
  const std::vector<int> keys{5, 4, 3, 2, 1, 0};
  const auto refuse_all = [&](const auto& place) {
    std::vector<int> output(4, -1);
    const auto refused = [&](gpu::errc code, const std::string& what, const std::vector<int>& offsets, std::size_t k) {
      expect_error(code, place.name + ": " + what,
                   [&] { gpu::segmented_top_k(place.policy, keys, offsets, output, k); });
      expect(output == std::vector<int>(4, -1), place.name + ": nothing written, " + what);
    };
    refused(gpu::errc::invalid_range, "too few places", {0, 3, 6}, 3);
    refused(gpu::errc::invalid_range, "more places than numbers count", {0, 3, 6}, ~std::size_t{0});
    refused(gpu::errc::invalid_range, "descending offsets", {0, 4, 3}, 2);
    refused(gpu::errc::invalid_range, "offsets behind the end", {0, 7}, 2);
    auto same = keys;
    expect_error(gpu::errc::overlapping_ranges, place.name + ": an output within the input",
                 [&] { gpu::segmented_top_k(place.policy, same, std::vector{0, 6}, same, 2); });
    expect(same == keys, place.name + ": nothing written");
  };
  at_host_places(refuse_all);
  if (gpu::device_count() > 0)
    refuse_all(
        place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), memory::pageable, "device"});
}
