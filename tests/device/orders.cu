// Orders of several keys from a .cu: by members, which the library's own kernels read, and by callables of the device.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "places.hpp"
#include "random.hpp"

namespace {

using namespace testing;

struct trade {
  std::uint32_t day;
  float price;
  std::uint64_t id;
};

/// The distance of a price from two.
struct distance {
  GPUPAR_HOST_DEVICE float operator()(const trade& t) const { return t.price < 2 ? 2 - t.price : t.price - 2; }
};
struct even_first {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 2 < b % 2; }
};

template <class Order, class Less>
void check_order(const std::vector<trade>& trades, const Order& order, Less less, const std::string& what) {
  auto expected = trades;
  std::stable_sort(expected.begin(), expected.end(), less);
  at_all_places([&](const auto& place) {
    const auto stored = place.store(trades);
    gpu::stable_sort(place.policy, place.view(stored), order);
    const auto sorted = stored.fetch(place.name);
    bool same = true;
    for (std::size_t i = 0; i < sorted.size(); ++i) same &= sorted[i].id == expected[i].id;
    expect(same, place.name + ", " + what);
  });
}

}  // namespace

TEST_CASE("orders from a .cu: members, functions and comparators of the device") {
  random_source random{seed()};
  std::vector<trade> trades(30'000);
  for (std::size_t i = 0; i < trades.size(); ++i)
    trades[i] = {static_cast<std::uint32_t>(random() % 7), static_cast<float>(random() % 5), i};
  check_order(
      trades, gpu::by(&trade::day).then(&trade::price, std::ranges::greater{}),
      [](const trade& a, const trade& b) { return a.day < b.day || (a.day == b.day && a.price > b.price); }, "members");
  check_order(
      trades, gpu::by(distance{}).then(&trade::day, even_first{}).then([] __host__ __device__(const trade& t) {
        return t.price;
      }),
      [](const trade& a, const trade& b) {
        const float x = distance{}(a), y = distance{}(b);
        if (x != y) return x < y;
        if (a.day % 2 != b.day % 2) return a.day % 2 < b.day % 2;
        return a.price < b.price;
      },
      "callables");
}

TEST_CASE("orders from a .cu: what only the host can call keeps host data on the host") {
  std::vector<trade> trades{{1, 2, 0}, {0, 3, 1}, {0, 1, 2}};
  const auto host_only = [](const trade& t) { return std::to_string(t.price); };
  gpu::sort(gpu::par, trades, gpu::by(&trade::day).then(host_only));
  expect(trades[0].id == 2 && trades[1].id == 1 && trades[2].id == 0, "sorted");
}
