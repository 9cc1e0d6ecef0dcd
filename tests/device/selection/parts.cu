// Keys on the device partitioned around one of them: in tiles that are swapped, from both sides.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "misleading.hpp"
#include "places.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;
using namespace std::string_literals;

namespace {

/// Partitions keys around nth, and selects as many as are before it.
template <class Policy, class Key>
void check_parts(const Policy& policy, const std::vector<Key>& keys, const std::vector<Key>& sorted, std::size_t nth,
                 const std::string& name) {
  const std::size_t n = keys.size();
  const storage<Key> input{memory::device, keys};
  const gpu::device_span<Key> view{input.data(), n};
  const storage<Key> first{memory::device, std::vector<Key>(nth)};
  gpu::top_k(policy, view, gpu::device_span{first.data(), nth}, std::ranges::less{});
  expect_none(
      difference(std::vector<Key>(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(nth)), first.fetch()),
      name + ": top_k");
  gpu::nth_element(policy, view, view.begin() + static_cast<std::ptrdiff_t>(nth));
  const auto parted = input.fetch();
  expect_none(permutation_problem(keys, parted), name + ": nth_element");
  const natural_less less;
  expect(!less(parted[nth], sorted[nth]) && !less(sorted[nth], parted[nth]), name + ": another element");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += i < nth ? less(parted[nth], parted[i]) : less(parted[i], parted[nth]);
  expect(wrong == 0, name + ": " + std::to_string(wrong) + " on the wrong side");
}
/// Checks launches whose blocks wait for each other, where there are such, and others.
template <class Key>
void check_parts(const std::vector<Key>& keys, const std::vector<std::size_t>& parts, const std::string& what) {
  auto sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(), natural_less{});
  for (const std::size_t nth : parts) {
    const std::string name = what + ", " + std::to_string(nth) + " of " + std::to_string(keys.size());
    check_parts(gpu::par, keys, sorted, nth, name);
    if (keys.size() < 3'000'000)  // more keys are never held all at once
      check_parts(gpu::par.beside_others(), keys, sorted, nth, name + ", beside others");
  }
}

}  // namespace

TEST_CASE("selection: in tiles from both sides, and of keys alone") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({40'003, 140'003, 2'000'001, 9'000'000})) {
    const std::vector<std::size_t> parts{1, n / 130, n / 126, n / 16 + 1, n / 2, n - n / 126, n - 1};
    const bool many = n > 2'000'001;  // which the host takes seconds to check
    for (const auto& chosen : many ? std::vector{uniform, few_values, zipf} : all_distributions())
      check_parts(make_keys<std::uint32_t>(chosen, n), {n / 126, n / 2}, chosen.name);
    check_parts(make_keys<std::uint8_t>(n), parts, "8 bits");
    check_parts(make_keys<std::int64_t>(n), parts, "64 bits");
    check_parts(make_keys<std::uint64_t>(few_values, n), parts, "64 bits, few values");
    check_parts(make_special_keys<float>(n), parts, "float");
    check_parts(make_keys<gpu::detail::uint128>(n), {n / 2}, "128 bits");
  }
  constexpr std::size_t refined = 13'000'000;  // its sample is more than one block holds
  const std::vector half{refined / 2}, both{refined / 20, refined / 2};
  for (const auto& chosen : reduced() ? std::vector{uniform} : std::vector{uniform, few_values})
    check_parts(make_keys<std::uint32_t>(chosen, refined), reduced() ? half : both, chosen.name + ", refined"s);
}

TEST_CASE("selection: in parts where the first sample misleads, because somebody knows where it looks") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({140'003, 2'000'001}))
    for (const bool too_great : {false, true})
      check_parts(misleading_keys(n, too_great), {n / 126, n / 16 + 1, n / 2},
                  "sample too "s + (too_great ? "great" : "small"));
}
