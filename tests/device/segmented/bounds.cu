// Segmented sorts in kernels stay in their segments: with orders that contradict themselves, with invalid bounds that
// only the device can read, and with very many segments.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "liars.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using key = std::uint32_t;

/// Keys in device memory between guard zones that must not be written.
class guarded {
 public:
  explicit guarded(const std::vector<key>& keys) : all_{memory::device, between(keys)}, count_{keys.size()} {}

  [[nodiscard]] gpu::device_span<key> span() const { return {all_.data() + zone, count_}; }
  /// The current keys; also checks the guard zones.
  [[nodiscard]] std::vector<key> fetch(const std::string& what) const {
    const std::vector<key> found = all_.fetch(what);
    const auto first = found.begin() + zone, last = first + static_cast<std::ptrdiff_t>(count_);
    const auto untouched = [](key k) { return k == guard; };
    expect(std::all_of(found.begin(), first, untouched) && std::all_of(last, found.end(), untouched),
           what + ": elements outside the range written");
    return {first, last};
  }

 private:
  static constexpr std::ptrdiff_t zone = 1000;
  static constexpr key guard = 0xabababab;

  static std::vector<key> between(const std::vector<key>& keys) {
    std::vector<key> all(keys.size() + 2 * zone, guard);
    std::copy(keys.begin(), keys.end(), all.begin() + zone);
    return all;
  }

  storage<key> all_;
  std::size_t count_;
};

/// What is wrong, if anything: every segment must still have its own elements.
std::string exchange_problem(const std::vector<double>& before, const std::vector<double>& after,
                             const segment_shape& shape) {
  auto begin = std::size_t{0};
  for (const std::size_t length : shape.lengths) {
    const auto part = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                 all.begin() + static_cast<std::ptrdiff_t>(begin + length));
    };
    if (auto problem = permutation_problem(part(before), part(after)); !problem.empty())
      return problem + ", segment from " + std::to_string(begin);
    begin += length;
  }
  return {};
}

}  // namespace

TEST_CASE("segmented, device: comparators that contradict themselves exchange nothing between segments") {
  if (no_device("segments")) return;
  for (const segment_shape& shape : segment_shapes())
    for (const lie which : {lie::always, lie::random, lie::mostly_right}) {
      const auto keys = make_keys<double>(shape.elements());
      const storage<double> data{memory::device, keys};
      gpu::segmented_sort(gpu::par, gpu::device_span<double>{data.data(), keys.size()}, shape.offsets<std::int64_t>(),
                          liar{which});
      const std::string name = std::string{to_string(which)} + ", segments: " + shape.name;
      expect_none(exchange_problem(keys, data.fetch(name), shape), name);
    }
}

TEST_CASE("segmented, device: bounds that nobody has looked at never lead out of the range") {
  if (no_device("segments")) return;
  const auto keys = make_keys<key>(70'000);
  const auto check = [&](const std::string& what, const std::vector<std::int64_t>& begins,
                         const std::vector<std::int64_t>& ends) {
    const storage<std::int64_t> from{memory::device, begins}, to{memory::device, ends};
    const gpu::device_span<std::int64_t> begin_span{from.data(), begins.size()}, end_span{to.data(), ends.size()};
    const guarded data{keys}, values{keys}, first{std::vector<key>(2 * begins.size(), 0)};
    const gpu::device_span<key> span = data.span(), column = values.span();
    gpu::segmented_top_k(gpu::par, span, begin_span, first.span(), 2);
    (void)first.fetch(what + ", first of each");
    gpu::segmented_sort(gpu::par, span, begin_span, end_span);
    (void)data.fetch(what);
    gpu::segmented_sort(gpu::par, span, begin_span, end_span, by_remainder{});
    (void)data.fetch(what + ", comparator");
    gpu::segmented_sort_by_key(gpu::par, span, begin_span, column);
    (void)data.fetch(what + ", by key");
    (void)values.fetch(what + ", values");
    const auto data_before = data.fetch(what);
    gpu::segmented_argsort(gpu::par, span, begin_span, column);
    (void)values.fetch(what + ", indices");
    expect_none(difference(data.fetch(what), data_before), what + ": keys, by argsort");
  };
  const auto n = static_cast<std::int64_t>(keys.size());
  check("behind the end", {0, n - 5, n + 7, 1'000'000'000'000}, {n, n + 9, n + 8, 2'000'000'000'000});
  check("negative", {-5, -1'000'000'000'000, 10}, {40'000, -1, 5});
  const std::size_t long_ones = reduced() ? 20 : 100;
  check("overlapping, long", std::vector<std::int64_t>(long_ones, 0), std::vector<std::int64_t>(long_ones, n));
  check("overlapping, some", {0, 2, 4000, 3990}, {3000, 2500, 60'000, 50'000});
  std::vector<std::int64_t> begins, ends;
  for (std::int64_t i = 0; i < (reduced() ? 4000 : 40'000); ++i) begins.push_back(i), ends.push_back(i + i % 1500);
  check("overlapping, short", begins, ends);

  // Valid segments next to an invalid one.
  const storage<std::int32_t> offsets{memory::device, {0, 100, 50, 5000, 90'000}};
  const storage<key> data{memory::device, keys};
  gpu::segmented_sort(gpu::par, gpu::device_span<key>{data.data(), keys.size()},
                      gpu::device_span<std::int32_t>{offsets.data(), 5});
  const auto sorted = data.fetch("descending offsets");
  expect_none(permutation_problem(keys, sorted), "descending offsets");
}

TEST_CASE("segmented, device: very many segments, and one long one at each place among them") {
  if (no_device("segments")) return;
  const std::size_t many = tried({1000, std::size_t{1} << 26}).back();
  const auto keys = make_keys<key>(many);
  const guarded data{keys};
  std::vector<std::uint32_t> bounds(many + 1);
  std::iota(bounds.begin(), bounds.end(), 0u);
  const storage<std::uint32_t> offsets{memory::device, bounds};
  const gpu::device_span<const std::uint32_t> segments{offsets.data(), offsets.size()};
  gpu::segmented_sort(gpu::par, data.span(), segments);
  expect_none(difference(keys, data.fetch("of one element")), "of one element");

  // All segments are empty but the last one, or the first one, which has a thousand elements.
  for (const bool at_end : {true, false}) {
    const guarded few{std::vector<key>(keys.begin(), keys.begin() + 1000)};
    std::fill(bounds.begin(), bounds.end(), at_end ? 0u : 1000u);
    (at_end ? bounds.back() : bounds.front()) = at_end ? 1000 : 0;
    const storage<std::uint32_t> empty{memory::device, bounds};
    gpu::segmented_sort(gpu::par, few.span(), gpu::device_span<const std::uint32_t>{empty.data(), empty.size()});
    auto sorted = std::vector<key>(keys.begin(), keys.begin() + 1000);
    std::sort(sorted.begin(), sorted.end());
    const std::string name = at_end ? "one behind empty ones" : "one before empty ones";
    expect_none(difference(sorted, few.fetch(name)), name);
  }

  // Ten segments scattered among empty ones.
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < 10; ++i) ends.push_back(mixed(seed() + i) % many);
  std::sort(ends.begin(), ends.end());
  const guarded sparse{std::vector<key>(keys.begin(), keys.begin() + 1000)};
  auto sorted_parts = std::vector<key>(keys.begin(), keys.begin() + 1000);
  for (std::size_t i = 0; i < bounds.size(); ++i)
    bounds[i] = 100 * static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin());
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    std::sort(sorted_parts.begin() + bounds[i], sorted_parts.begin() + bounds[i + 1]);
  const storage<std::uint32_t> apart{memory::device, bounds};
  gpu::segmented_sort(gpu::par, sparse.span(), gpu::device_span<const std::uint32_t>{apart.data(), apart.size()});
  expect_none(difference(sorted_parts, sparse.fetch("between empty ones")), "between empty ones");

  for (std::size_t place = 0; place < 3; ++place) {
    const segment_shape shape = one_long(many / 64 + 5000, many / 64, place);
    const auto mixed_keys = make_keys<key>(shape.elements());
    const guarded mixed_data{mixed_keys};
    const storage<std::int64_t> mixed_offsets{memory::device, shape.offsets<std::int64_t>()};
    gpu::segmented_sort(gpu::par, mixed_data.span(),
                        gpu::device_span<const std::int64_t>{mixed_offsets.data(), mixed_offsets.size()});
    expect_none(difference(sorted_segments(mixed_keys, shape, natural_less{}), mixed_data.fetch(shape.name)),
                shape.name);
  }
}
