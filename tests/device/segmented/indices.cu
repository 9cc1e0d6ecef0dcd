// Indices that sort segments of plain keys stably; nothing is written outside of the segments.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// The indices that sort each segment stably.
template <class Index, class Key, class Less>
std::vector<Index> segment_indices(const std::vector<Key>& keys, const segment_shape& shape, Less less) {
  std::vector<Index> all;
  auto begin = keys.begin();
  for (const std::size_t length : shape.lengths) {
    std::vector<Index> own(length);
    std::iota(own.begin(), own.end(), Index{0});
    const auto key_of = [begin](Index i) { return begin[static_cast<std::ptrdiff_t>(i)]; };
    std::stable_sort(own.begin(), own.end(), by(less, key_of));
    all.insert(all.end(), own.begin(), own.end());
    begin += static_cast<std::ptrdiff_t>(length);
  }
  return all;
}

}  // namespace

TEST_CASE("segmented, device: indices of plain keys, stably, of both widths") {
  if (no_device("segments")) return;
  combinations combination;
  const auto check = [&]<class Key, class Index>(Key, Index, const segment_shape& shape, const std::vector<Key>& keys) {
    if (!combination.next_is_tried()) return;
    const std::string name = std::to_string(sizeof(Key)) + " bytes, indices of " + std::to_string(sizeof(Index)) +
                             ", segments: " + shape.name;
    const storage<Key> data{memory::device, keys};
    const storage<Index> indices{memory::device, std::vector<Index>(keys.size(), std::numeric_limits<Index>::max())};
    const storage<std::uint32_t> offsets{memory::device, shape.offsets<std::uint32_t>()};
    const gpu::device_span<const Key> span{data.data(), keys.size()};
    const gpu::device_span<const std::uint32_t> segments{offsets.data(), offsets.size()};
    const gpu::device_span<Index> written{indices.data(), keys.size()};
    gpu::segmented_argsort(gpu::par, span, segments, written);
    expect_none(difference(segment_indices<Index>(keys, shape, natural_less{}), indices.fetch(name)), name);
    gpu::segmented_argsort(gpu::par, span, segments, written, std::greater<>{});
    expect_none(difference(segment_indices<Index>(keys, shape, natural_greater{}), indices.fetch(name)),
                name + ", descending");
    expect_none(difference(keys, data.fetch(name)), name + ": keys");
  };
  const auto check_all = [&]<class Key>(Key key) {
    std::vector<segment_shape> shapes = segment_shapes();
    for (const std::size_t longest : {9, 40, 600}) {
      shapes.push_back({"of up to " + std::to_string(longest), {}});
      for (std::size_t i = 0; i < 1000; ++i) shapes.back().lengths.push_back(mixed(seed() + i) % (longest + 1));
    }
    for (const segment_shape& shape : shapes) {
      const std::size_t n = shape.elements();
      if (!reduced()) check(key, std::uint32_t{}, shape, make_keys<Key>(n));
      check(key, std::uint64_t{}, shape, make_keys<Key>(few_values, n));
      if constexpr (!is_float_v<Key>) check(key, std::uint32_t{}, shape, two_crowds<Key>(n));
      if constexpr (is_float_v<Key>) {  // zeros and NaNs of both signs are equivalent
        const auto values = special_values<Key>();
        std::vector<Key> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = values[mixed(seed() + i) % values.size()];
        check(key, std::uint32_t{}, shape, keys);
        if (!reduced()) check(key, std::uint64_t{}, shape, keys);
      }
    }
  };
  check_all(float{});
  check_all(std::int64_t{});
  if (reduced()) return;  // the others have no kernels of their own
  check_all(std::uint32_t{});
  check_all(double{});
}

TEST_CASE("segmented, device: no index is written before segments or behind them") {
  if (no_device("segments")) return;
  const auto check = [&]<class Key>(Key) {
    constexpr std::uint32_t untouched = 0xabababab;
    const std::vector<std::uint32_t> bounds{3, 9, 145, 900, 29'000, 29'009, 60'000};
    const auto keys = make_keys<Key>(70'000);
    const segment_shape shape{"some", {6, 136, 755, 28'100, 9, 30'991}};
    const auto indices_of_all =
        segment_indices<std::uint32_t>(std::vector<Key>(keys.begin() + 3, keys.end()), shape, natural_less{});
    std::vector<std::uint32_t> expected(keys.size(), untouched);
    std::copy(indices_of_all.begin(), indices_of_all.end(), expected.begin() + 3);
    const storage<Key> data{memory::device, keys};
    const storage<std::uint32_t> offsets{memory::device, bounds};
    const storage<std::uint32_t> indices{memory::device, std::vector<std::uint32_t>(keys.size(), untouched)};
    gpu::segmented_argsort(gpu::par, gpu::device_span<const Key>{data.data(), keys.size()},
                           gpu::device_span<const std::uint32_t>{offsets.data(), offsets.size()},
                           gpu::device_span<std::uint32_t>{indices.data(), keys.size()});
    const std::string name = "outside, " + std::to_string(sizeof(Key)) + " bytes";
    expect_none(difference(expected, indices.fetch(name)), name);
  };
  check(std::uint32_t{});
  check(std::uint64_t{});
}
