// Elements that cannot be copied byte by byte, sorted by keys that are extracted from them: each element moves once,
// and none is lost, whatever throws.
#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// A record that owns memory, with keys of several types.
struct parcel {
  std::string address;
  std::unique_ptr<std::uint32_t> number;
  double weight;
  std::int16_t zone;
};

std::vector<parcel> make_parcels(std::size_t count) {
  const auto weights = make_special_keys<double>(count);
  const auto zones = make_keys<std::int16_t>(few_values, count);
  std::vector<parcel> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({"street " + std::to_string(i), std::make_unique<std::uint32_t>(i), weights[i], zones[i]});
  return all;
}

/// The number of elements that are torn, lost, duplicated or out of stable order.
template <class Less>
std::size_t wrong_parcels(const std::vector<parcel>& sorted, Less less) {
  std::vector<bool> seen(sorted.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].number == nullptr || sorted[i].address != "street " + std::to_string(*sorted[i].number)) {
      ++wrong;
      continue;
    }
    wrong += seen[*sorted[i].number];
    seen[*sorted[i].number] = true;
    if (i == 0 || sorted[i - 1].number == nullptr) continue;
    wrong += less(sorted[i], sorted[i - 1]);
    wrong += !less(sorted[i - 1], sorted[i]) && *sorted[i - 1].number > *sorted[i].number;
  }
  return wrong;
}

template <class Body>
void at_record_places(Body body) {
  at_host_places(body);
  if (gpu::device_count() > 0)
    body(place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), memory::pageable, "device"});
  else
    skip("records on the device: no device");
}

/// Copies may throw and there are no moves, so a permutation has to use swaps.
struct heavy {
  static inline int copies_left = -1;  // until one fails; -1: none fails
  std::uint32_t key = 0;

  heavy() = default;
  explicit heavy(std::uint32_t value) : key{value} {}
  heavy(const heavy& other) : key{other.key} {
    if (copies_left == 0) throw std::bad_alloc();
    if (copies_left > 0) --copies_left;
  }
  heavy& operator=(const heavy& other) {
    key = other.key;
    return *this;
  }
  friend void swap(heavy& a, heavy& b) noexcept { std::swap(a.key, b.key); }
};

}  // namespace

TEST_CASE("records that own things: by members and functions") {
  for (const std::size_t count : {0, 1, 2, 3, 5, 8, 9, 24, 25, 70, 128, 129, 1000, 60'000})
    at_record_places([&](const auto& place) {
      const auto check = [&](auto compare, auto projection, auto less, const std::string& what) {
        auto parcels = make_parcels(count);
        gpu::stable_sort(place.policy, parcels, compare, projection);
        expect(wrong_parcels(parcels, by(less, projection)) == 0,
               place.name + ", " + what + ", " + std::to_string(count));
        parcels = make_parcels(count);
        gpu::sort(place.policy, parcels.begin(), parcels.end(), compare, projection);
        expect(std::is_sorted(parcels.begin(), parcels.end(), by(less, projection)),
               place.name + ", " + what + ", unstable, " + std::to_string(count));
      };
      check(std::ranges::less{}, &parcel::zone, natural_less{}, "member");
      check(std::ranges::greater{}, &parcel::weight, natural_greater{}, "member, descending");
      check(std::less<>{}, [](const parcel& one) { return -one.zone; }, natural_less{}, "function");
      check(std::greater<>{}, [](const parcel& one) { return *one.number / 16; }, natural_greater{}, "owned");
    });
}

TEST_CASE("records that own things: values of columns") {
  constexpr std::size_t count = 5000;
  const auto keys = make_keys<float>(few_values, count);
  at_record_places([&](const auto& place) {
    auto sorted = keys;
    auto parcels = make_parcels(count);
    gpu::stable_sort_by_key(place.policy, sorted, parcels);
    expect(wrong_parcels(parcels,
                         [&](const parcel& a, const parcel& b) { return keys[*a.number] < keys[*b.number]; }) == 0,
           place.name);
  });
}

TEST_CASE("records that own things: a projection that throws") {
  for (const std::size_t count : {20, 40, 3000})
    for (const std::size_t last : {0, 1, 17, 39, 2999})
      at_host_places([&](const auto& place) {
        auto parcels = make_parcels(count);
        const auto equal = [](const parcel&, const parcel&) { return false; };
        std::size_t calls = 0;
        const auto throws = [&](const parcel& one) {
          if (calls++ >= last) throw std::runtime_error("no key");
          return one.weight;
        };
        try {
          gpu::sort(place.policy, parcels, {}, throws);
        } catch (const std::runtime_error&) {
          if (count > 24) expect(wrong_parcels(parcels, equal) == 0, place.name + ": a record has moved");
        }
        std::sort(parcels.begin(), parcels.end(),
                  [](const parcel& a, const parcel& b) { return a.number && b.number && *a.number < *b.number; });
        expect(wrong_parcels(parcels, equal) == 0, place.name + ": a record is lost, " + std::to_string(count));
      });
}

TEST_CASE("records whose moves may throw: permuted by swaps") {
  constexpr std::uint32_t count = 500;
  at_record_places([&](const auto& place) {
    std::vector<heavy> all;
    all.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) all.emplace_back(i * 7919 % count);
    heavy::copies_left = 0;
    try {
      gpu::sort(place.policy, all, {}, &heavy::key);
    } catch (const std::bad_alloc&) {
    }
    heavy::copies_left = -1;
    expect(std::ranges::is_sorted(all, {}, &heavy::key) && all[count - 1].key == count - 1, place.name);
  });
}
