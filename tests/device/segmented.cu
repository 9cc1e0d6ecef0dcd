// Segmented sorts in kernels: comparators of a .cu, bounds that only the device can read and that are not what they
// should be, graphs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "places.hpp"
#include "random.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "segments.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;

namespace {

using key = std::uint32_t;

struct by_remainder {
  __host__ __device__ bool operator()(key a, key b) const { return a % 100 < b % 100; }
};

/// Keys in device memory between others that nobody may touch.
class guarded {
 public:
  explicit guarded(const std::vector<key>& keys) : all_{memory::device, between(keys)}, count_{keys.size()} {}

  [[nodiscard]] gpu::device_span<key> span() const { return {all_.data() + zone, count_}; }
  /// What is there now, after a look at what is around it.
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

/// Every segment has its own elements still.
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

/// Keys around two values far apart: what tells neighbours from each other are their last bits.
template <class Key>
std::vector<Key> two_crowds(std::size_t count) {
  std::vector<Key> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mixed(seed() + i);
    keys[i] = static_cast<Key>(static_cast<Key>(bits % 200) + (bits >> 63) * (std::numeric_limits<Key>::max() / 2));
  }
  return keys;
}

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

TEST_CASE("segmented, device: indices of plain keys, stably, of both widths") {
  if (no_device("segments")) return;
  const auto check = [&]<class Key, class Index>(Key, Index, const segment_shape& shape, const std::vector<Key>& keys) {
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
  check("overlapping, long", std::vector<std::int64_t>(100, 0), std::vector<std::int64_t>(100, n));
  check("overlapping, some", {0, 2, 4000, 3990}, {3000, 2500, 60'000, 50'000});
  std::vector<std::int64_t> begins, ends;
  for (std::int64_t i = 0; i < 40'000; ++i) begins.push_back(i), ends.push_back(i + i % 1500);
  check("overlapping, short", begins, ends);

  // Those that are sound beside others that are none.
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

  // All are empty but the last one, or the first one, of the last thousand elements.
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

  // Between empty ones, here and there.
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

TEST_CASE("segmented, device: lengths of all kinds side by side, of every width") {
  if (no_device("segments")) return;
  const auto check_all = [&]<class Key>(Key) {
    for (const std::size_t longest : {1, 3, 9, 17, 30, 40, 70, 150, 300, 700, 1500, 5000}) {
      segment_shape shape{"of up to " + std::to_string(longest), {}};
      for (std::size_t i = 0; shape.lengths.size() < 2000 && i * longest < 500'000; ++i)
        shape.lengths.push_back(mixed(seed() + i) % (longest + 1));
      for (const auto& keys : {make_keys<Key>(zipf, shape.elements()), two_crowds<Key>(shape.elements())}) {
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

TEST_CASE("segmented, device: scratch of 1.06 of the elements and 16 bytes per segment, whatever their length") {
  if (no_device("segments") || reduced()) return;
  const std::size_t count = std::size_t{1} << 22;
  const auto check = [&]<class Key>(Key, std::size_t length) {
    const storage<Key> data{memory::device, make_keys<Key>(count)};
    const segment_shape shape{"of " + std::to_string(length), std::vector<std::size_t>(count / length, length)};
    const storage<std::uint32_t> offsets{memory::device, shape.offsets<std::uint32_t>()};
    counting_resource resource;
    gpu::segmented_sort(gpu::par.with(resource), gpu::device_span<Key>{data.data(), count},
                        gpu::device_span<const std::uint32_t>{offsets.data(), offsets.size()});
    const std::size_t most = count * sizeof(Key) / 100 * 106 + 16 * shape.lengths.size();
    expect(resource.take_peak() <= most, shape.name + ", " + std::to_string(sizeof(Key)) + " bytes");
  };
  for (const std::size_t length : {1, 33, 100, 128, 256, 600, 5000, 20'000}) {
    check(std::uint32_t{}, length);
    check(std::int64_t{}, length);
  }
}

TEST_CASE("segmented, device: a graph sorts new data by new offsets") {
  if (no_device("segments")) return;
  const segment_shape first{"of 700", std::vector<std::size_t>(100, 700)};
  segment_shape second{"one long", std::vector<std::size_t>(99, 3)};
  second.lengths.push_back(70'000 - 99 * 3);
  const auto keys = make_keys<key>(70'000);
  storage<key> data{memory::device, keys};
  storage<std::int32_t> offsets{memory::device, first.offsets<std::int32_t>()};
  const auto check = [](cudaError_t answer) { expect(answer == cudaSuccess, cudaGetErrorString(answer)); };
  cudaStream_t order = nullptr;
  check(cudaStreamCreateWithFlags(&order, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(order, cudaStreamCaptureModeThreadLocal));
  gpu::segmented_sort(gpu::par_nosync.on(order), gpu::device_span<key>{data.data(), keys.size()},
                      gpu::device_span<std::int32_t>{offsets.data(), 101});
  check(cudaStreamEndCapture(order, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (const segment_shape& shape : {first, second}) {
    data.refill(keys);
    offsets.refill(shape.offsets<std::int32_t>());
    check(cudaGraphLaunch(executable, order));
    check(cudaStreamSynchronize(order));
    expect_none(difference(sorted_segments(keys, shape, natural_less{}), data.fetch()), "graph, " + shape.name);
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(order));
}
