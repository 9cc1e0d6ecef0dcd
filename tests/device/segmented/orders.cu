// Segmented sorts in kernels: natural orders, comparators of a .cu, and lengths of all kinds.
#include <string>
#include <vector>

#include "kernels.hpp"
#include "records.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using key = std::uint32_t;

}  // namespace

TEST_CASE("segmented, device: natural orders of keys alone, and of pairs") {
  if (no_device("segments")) return;
  for (const segment_shape& shape : segment_shapes()) {
    const std::string name = "segments: " + shape.name;
    const auto keys = make_keys<key>(shape.elements());
    const auto expected = sorted_segments(keys, shape, natural_less{});
    const storage<std::int32_t> offsets{memory::device, shape.offsets<std::int32_t>()};
    const gpu::device_span<const std::int32_t> segments{offsets.data(), offsets.size()};
    const storage<key> alone{memory::device, keys}, paired{memory::device, keys}, values{memory::device, keys};
    gpu::segmented_sort(gpu::par, gpu::device_span<key>{alone.data(), keys.size()}, segments);
    expect_none(difference(expected, alone.fetch(name)), name);
    gpu::segmented_sort_by_key(gpu::par, gpu::device_span<key>{paired.data(), keys.size()}, segments,
                               gpu::device_span<key>{values.data(), keys.size()});
    expect_none(difference(expected, paired.fetch(name)), name + ": keys");
    expect_none(difference(expected, values.fetch(name)), name + ": values");
  }
}

TEST_CASE("segmented, device: comparators and records, stably, with columns and as indices") {
  for (const segment_shape& shape : segment_shapes()) {
    const auto keys = make_keys<key>(shape.elements());
    const auto values = make_keys<std::uint64_t>(shape.elements(), 1);
    at_device_places([&](const auto& place) {
      const std::string name = place.name + ", segments: " + shape.name;
      const auto data = place.store(keys), sorted_keys = place.store(keys);
      const auto offsets = place.store(shape.offsets<std::int32_t>());
      const auto expected = sorted_segments(keys, shape, by_remainder{});
      gpu::segmented_stable_sort(place.policy, place.view(data), place.view(offsets), by_remainder{});
      expect_none(difference(expected, data.fetch(name)), name);

      std::vector<indexed<key>> rows = with_index(keys);
      const auto sorted_rows = sorted_segments(rows, shape, by(by_remainder{}, &indexed<key>::key));
      const auto column = place.store(values);
      gpu::segmented_sort_by_key(place.policy, place.view(sorted_keys), place.view(offsets), place.view(column),
                                 by_remainder{});
      std::vector<std::uint64_t> moved;
      std::vector<std::uint32_t> indices;
      std::size_t begin = 0, at = 0;
      for (const std::size_t length : shape.lengths) {
        for (; at < begin + length; ++at) indices.push_back(static_cast<std::uint32_t>(sorted_rows[at].index - begin));
        begin += length;
      }
      for (const auto& row : sorted_rows) moved.push_back(values[row.index]);
      expect_none(difference(expected, sorted_keys.fetch(name)), name + ": keys");
      expect_none(difference(moved, column.fetch(name)), name + ": values");

      const auto index_data = place.store(std::vector<std::uint32_t>(keys.size()));
      const auto original = place.store(keys);
      gpu::segmented_argsort(place.policy, place.view(original), place.view(offsets), place.view(index_data),
                             by_remainder{});
      expect_none(difference(indices, index_data.fetch(name)), name + ": indices");

      constexpr std::size_t each = 9;
      const auto first = place.store(std::vector<key>(shape.lengths.size() * each, 100));
      std::vector<key> first_keys;
      begin = 0;
      for (const std::size_t length : shape.lengths) {
        for (std::size_t i = 0; i < each; ++i) first_keys.push_back(i < length ? expected[begin + i] : 100);
        begin += length;
      }
      gpu::segmented_top_k(place.policy, place.view(original), place.view(offsets), place.view(first), each,
                           by_remainder{});
      expect_none(difference(first_keys, first.fetch(name)), name + ": the first of each");
    });
  }
}

TEST_CASE("segmented, device: lengths of all kinds side by side, of every width") {
  if (no_device("segments")) return;
  combinations combination;
  const auto check_all = [&]<class Key>(Key) {
    for (const std::size_t longest : {1, 3, 9, 17, 30, 40, 70, 150, 300, 700, 1500, 5000}) {
      segment_shape shape{"of up to " + std::to_string(longest), {}};
      for (std::size_t i = 0; shape.lengths.size() < 2000 && i * longest < 500'000; ++i)
        shape.lengths.push_back(mixed(seed() + i) % (longest + 1));
      for (const auto& keys : {make_keys<Key>(zipf, shape.elements()), two_crowds<Key>(shape.elements())}) {
        if (!combination.next_is_tried()) continue;
        const storage<Key> data{memory::device, keys};
        gpu::segmented_sort(gpu::par, gpu::device_span<Key>{data.data(), keys.size()}, shape.offsets<std::int32_t>());
        const std::string name = std::to_string(sizeof(Key)) + " bytes, " + shape.name;
        expect_none(difference(sorted_segments(keys, shape, natural_less{}), data.fetch(name)), name);
      }
    }
  };
  check_all(std::uint8_t{});
  check_all(std::int16_t{});
  check_all(std::uint32_t{});
  check_all(std::int64_t{});
}
