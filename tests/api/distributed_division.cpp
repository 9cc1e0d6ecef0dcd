// Sorts over ranks with enough keys in device memory that keys go to their ranks before they are sorted.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// The average number of keys per rank that these tests set as enough for that.
constexpr std::size_t many = std::size_t{1} << 18;

/// Whether hardly any keys are equal; a frequent key may lie at the boundary between two ranks.
bool is_spread(const key_shape& keys) {
  const std::string name = keys.name;
  return name == "random" || name == "sorted" || name == "reversed";
}

/// A part in device memory, which it owns.
template <class T>
class device_part {
 public:
  explicit device_part(const std::vector<T>& elements)
      : data_{static_cast<T*>(allocate_device((elements.size() + 1) * sizeof(T)))}, count_{elements.size()} {
    copy_any(data_, elements.data(), count_ * sizeof(T));
  }
  device_part(const device_part&) = delete;
  device_part& operator=(const device_part&) = delete;
  ~device_part() { deallocate_device(data_); }

  [[nodiscard]] gpu::device_span<T> span() const { return {data_, count_}; }
  [[nodiscard]] std::vector<T> copy() const {
    std::vector<T> got(count_);
    copy_any(got.data(), data_, count_ * sizeof(T));
    return got;
  }

 private:
  T* data_;
  std::size_t count_;
};

/// Sorts such parts over ranks that share a device, and counts the traffic between them.
template <class T, class Compare>
void expect_sorted(const parts_of<T>& parts, Compare compare, traffic& counted, const std::string& what) {
  setenv("GPUPAR_DIVIDE_FROM", std::to_string(many).c_str(), 1);
  std::vector<std::unique_ptr<device_part<T>>> on_device;
  for (const auto& part : parts) on_device.push_back(std::make_unique<device_part<T>>(part));
  gpu::on_threads(parts.size(), [&](gpu::communicator& ranks) {
    set_current_device(0);
    counting_communicator counting{ranks, counted};
    gpu::sort(gpu::par.over(counting), on_device[ranks.rank()]->span(), compare);
  });
  unsetenv("GPUPAR_DIVIDE_FROM");
  auto all = joined(parts);
  gpu::sort(gpu::par, all, compare);
  parts_of<T> got;
  for (const auto& part : on_device) got.push_back(part->copy());
  expect_none(difference(got, divided(all, parts)), what);
}

template <class T>
parts_of<T> parts_of_numbers(const division& sizes, const key_shape& keys, std::size_t ranks, std::size_t n) {
  return make_parts(sizes, keys, ranks, n, [](std::uint64_t key, std::size_t, std::size_t) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<std::int64_t>(key % 1000003) - 500000) / 7;
    else
      return static_cast<T>(key);
  });
}

}  // namespace

TEST_CASE("distributed: many keys on a device go to their ranks piece by piece, and nearly all of them once") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t p : {2, 3})
    for (const std::size_t kind : {0, 3, 6})
      for (const key_shape& keys : key_shapes) {
        const division& sizes = divisions[kind];
        const std::string what = std::string{keys.name} + ", " + sizes.name + ", ranks " + std::to_string(p);
        const auto parts = parts_of_numbers<std::uint32_t>(sizes, keys, p, many + 12345);
        std::size_t n = 0;
        for (const auto& part : parts) n += part.size();
        traffic counted;
        expect_sorted(parts, std::less{}, counted, what);
        if (n < p * many || (kind == 3 && p == 2) || !is_spread(keys)) continue;  // few keys, or all on one rank
        expect(counted.rounds == 0, what + ": nobody looks for cuts");
        expect(counted.data_bytes >= n * 4 && counted.data_bytes <= n * 4 / 8 * 9, what + ": bytes");
      }
}

TEST_CASE("distributed: many keys of other types and orders go to their ranks before they are sorted") {
  if (gpu::device_count() == 0) return skip("no device");
  const auto expect_type = [](auto number, auto compare, const std::string& what) {
    using T = decltype(number);
    for (const key_shape& keys : {key_shapes[0], key_shapes[4], key_shapes[5]}) {
      traffic counted;
      expect_sorted(parts_of_numbers<T>(divisions[0], keys, 3, many + 1), compare, counted,
                    what + ", " + std::string{keys.name});
      if (is_spread(keys)) expect(counted.rounds == 0, what + ": nobody looks for cuts");
    }
  };
  expect_type(std::int32_t{}, std::less{}, "i32");
  expect_type(std::uint64_t{}, std::greater{}, "u64 from the greatest");
  expect_type(std::int64_t{}, std::less{}, "i64");
  expect_type(float{}, std::less{}, "f32");
  expect_type(double{}, std::greater{}, "f64 from the greatest");
  expect_type(gpu::detail::uint128{}, std::less{}, "u128");
}

TEST_CASE("distributed: where one rank has all, nothing is exchanged") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t kind : {1, 2}) {
    traffic counted;
    expect_sorted(parts_of_numbers<std::uint32_t>(divisions[kind], key_shapes[0], 3, 100000), std::less{}, counted,
                  divisions[kind].name);
    expect(counted.exchanges == 0 && counted.rounds == 0, divisions[kind].name);
  }
}
