// Floating-point keys: NaN is greater than every number whatever its sign, -0 equals +0, bits survive.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Both sorts in both directions; stable ones must agree with std::stable_sort to the bit.
template <class Key>
void check_floats(const std::vector<Key>& keys, const std::string& what) {
  at_all_places([&](const auto& place) {
    const std::string name = place.name + ", " + what;
    auto data = place.store(keys);
    gpu::sort(place.policy, place.view(data));
    expect_none(sort_problem(keys, data.fetch(), natural_less{}), name + ", sort");
    data.refill(keys);
    gpu::sort(place.policy, place.view(data), std::ranges::greater{});
    expect_none(sort_problem(keys, data.fetch(), natural_greater{}), name + ", sort descending");
    data.refill(keys);
    gpu::stable_sort(place.policy, place.view(data));
    expect_none(stable_sort_problem(keys, data.fetch(), natural_less{}), name + ", stable_sort");
    data.refill(keys);
    gpu::stable_sort(place.policy, place.view(data), std::ranges::greater{});
    expect_none(stable_sort_problem(keys, data.fetch(), natural_greater{}), name + ", stable_sort descending");
  });
}

/// Both sorts in both directions, of keys with their positions.
template <class Key>
void check_floats_by_key(const std::vector<Key>& keys, const std::string& what) {
  using row = indexed<Key, std::uint32_t>;
  std::vector<std::uint32_t> positions(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
  const auto before = with_index(keys, positions);
  at_all_places([&](const auto& place) {
    const std::string name = place.name + ", " + what;
    auto data = place.store(keys);
    auto order = place.store(positions);
    const auto after = [&] { return with_index(data.fetch(), order.fetch()); };
    gpu::sort_by_key(place.policy, place.view(data), place.view(order));
    expect_none(sort_problem(before, after(), by(natural_less{}, &row::key)), name + ", sort");
    data.refill(keys), order.refill(positions);
    gpu::stable_sort_by_key(place.policy, place.view(data), place.view(order), std::ranges::greater{});
    expect_none(stable_sort_problem(before, after(), by(natural_greater{}, &row::key)), name + ", stable, descending");
  });
}

/// All values of a 16-bit format, shuffled.
template <class Key>
std::vector<Key> all_of_16_bits() {
  std::vector<std::uint16_t> bits(1 << 16);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  random_source random{seed()};
  for (std::size_t i = bits.size(); i > 1; --i) std::swap(bits[i - 1], bits[random.below(i)]);
  std::vector<Key> keys;
  for (const auto b : bits) keys.push_back(std::bit_cast<Key>(b));
  return keys;
}

}  // namespace

TEST_CASE("floats: float and double, special values only") {
  for (const std::size_t copies : {1, 7, 400}) {
    std::vector<float> narrow;
    std::vector<double> wide;
    for (std::size_t i = 0; i < copies; ++i) {
      for (const auto value : special_values<float>()) narrow.push_back(value);
      for (const auto value : special_values<double>()) wide.push_back(value);
    }
    check_floats(narrow, "float, " + std::to_string(narrow.size()));
    check_floats(wide, "double, " + std::to_string(wide.size()));
  }
}

TEST_CASE("floats: float and double, special values among numbers") {
  check_floats(make_special_keys<float>(50'000), "float");
  check_floats(make_special_keys<double>(50'000), "double");
}

TEST_CASE("floats: where NaN, infinity and zero end up") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  at_all_places([&](const auto& place) {
    const auto data = place.store(std::vector<float>{1, -nan, 0.0f, infinity, -0.0f, -infinity, nan, -1});
    gpu::stable_sort(place.policy, place.view(data));
    auto got = data.fetch();
    expect(got[0] == -infinity && got[1] == -1 && got[4] == 1 && got[5] == infinity, place.name + ": numbers");
    expect(got[2] == 0 && !std::signbit(got[2]) && got[3] == 0 && std::signbit(got[3]), place.name + ": +0 came first");
    expect(std::isnan(got[6]) && std::signbit(got[6]) && std::isnan(got[7]) && !std::signbit(got[7]),
           place.name + ": NaNs last, in their order");
    gpu::stable_sort(place.policy, place.view(data), std::greater<float>{});
    got = data.fetch();
    expect(
        std::isnan(got[0]) && std::signbit(got[0]) && std::isnan(got[1]) && got[2] == infinity && got[7] == -infinity,
        place.name + ": NaNs first, in their order");
  });
}

TEST_CASE("floats: keys of records, stable") {
  const auto records = with_index(make_special_keys<float>(30'000));
  at_all_places([&](const auto& place) {
    const auto data = place.store(records);
    gpu::stable_sort(place.policy, place.view(data), {}, &indexed<float>::key);
    expect_none(stable_sort_problem(records, data.fetch(), by(natural_less{}, &indexed<float>::key)), place.name);
  });
}

TEST_CASE("floats: projections that compute a float follow the same rules on the host") {
  const auto keys = make_special_keys<double>(20'000);
  const auto negated = [](double x) { return -x; };
  at_host_places([&](const auto& place) {
    auto sorted = keys;
    gpu::stable_sort(place.policy, sorted, std::ranges::less{}, negated);
    expect_none(stable_sort_problem(keys, sorted, by(natural_less{}, negated)), place.name);
  });
}

TEST_CASE("floats: long double on the host") {
  std::vector<long double> keys{2.5L, -1.0L, std::numeric_limits<long double>::quiet_NaN(), 1e4000L, -1e4000L, 0.0L};
  gpu::sort(gpu::par, keys);
  expect(std::isnan(keys.back()), "NaN last");
  keys.pop_back();
  expect(keys == std::vector<long double>{-1e4000L, -1.0L, 0.0L, 2.5L, 1e4000L}, "numbers");
}

#ifdef GPUPAR_TEST_HALF
TEST_CASE("floats: all halves") {
  auto keys = all_of_16_bits<__half>();
  check_floats(keys, "half");
  check_floats_by_key(keys, "half");
  const auto once = keys;
  for (int i = 0; i < 2; ++i) keys.insert(keys.end(), once.begin(), once.end());
  check_floats_by_key(keys, "half, three times");
}

TEST_CASE("floats: all bfloat16s") {
  check_floats(all_of_16_bits<__nv_bfloat16>(), "bfloat16");
  check_floats_by_key(all_of_16_bits<__nv_bfloat16>(), "bfloat16");
}
#else
TEST_CASE("floats: all halves and bfloat16s") {
  static_assert(sizeof(all_of_16_bits<std::uint16_t>()) > 0);
  skip("cuda_fp16.h and cuda_bf16.h are not there");
}
#endif
