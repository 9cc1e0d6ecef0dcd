// The first k of keys on the device, out of place and in place: few in one launch, and of keys that the device holds
// all at once.
#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;

namespace {

/// Selects the first k keys, and their positions.
template <class Key>
void check_first(const std::vector<Key>& keys, std::initializer_list<std::size_t> counts, const std::string& what) {
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return natural_less{}(keys[a], keys[b]); });
  const storage<Key> input{memory::device, keys};
  const gpu::device_span<const Key> view{input.data(), n};
  for (const std::size_t k : counts) {
    const std::string name = what + ", " + std::to_string(k) + " of " + std::to_string(n);
    const std::vector<std::uint32_t> places(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    std::vector<Key> first;
    for (const auto place : places) first.push_back(keys[place]);
    const storage<Key> output{memory::device, std::vector<Key>(k)};
    const storage<std::uint32_t> indices{memory::device, std::vector<std::uint32_t>(k)};
    gpu::top_k(gpu::par, view, gpu::device_span{output.data(), k}, std::ranges::less{});
    expect_none(difference(first, output.fetch()), name + ": top_k");
    gpu::arg_top_k(gpu::par, view, gpu::device_span{indices.data(), k}, std::ranges::less{});
    expect_none(difference(places, indices.fetch()), name + ": arg_top_k");
  }
}

/// All distributions; some of them if tests are reduced.
std::vector<distribution> tried_distributions() {
  return reduced() ? std::vector{uniform, few_values, zipf} : all_distributions();
}

}  // namespace

TEST_CASE("selection: few in one launch") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({16'387, 65'536, 1'000'003})) {  // for few blocks, some, and all that there are
    for (const auto& chosen : tried_distributions())
      check_first(make_keys<std::uint32_t>(chosen, n), {1, 2, 1000}, chosen.name);
    check_first(make_keys<std::uint8_t>(n), {1, 1000, 4096}, "8 bits");
    check_first(make_keys<std::int64_t>(n), {1, 1000, 2048, 2049}, "64 bits");
    check_first(make_special_keys<float>(n), {3, 1000, 4096, 4097}, "float");
    check_first(make_keys<gpu::detail::uint128>(n), {1, 500, 1024, 1025}, "128 bits");
  }
  check_first(make_keys<std::uint32_t>(4097), {1, 64, 65, 1024}, "two blocks");
  const std::size_t many = reduced() ? 4'000'000 : 20'000'000;
  check_first(make_keys<std::uint32_t>(distribution{"sorted", form::sorted}, many), {1, 4096}, "many tiles");
}

namespace {

/// Checks the first k keys in place.
template <class Key>
void check_front(const std::vector<Key>& keys, std::initializer_list<std::size_t> counts, const std::string& what) {
  auto sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(), natural_less{});
  for (const std::size_t k : counts) {
    const std::string name = what + ", " + std::to_string(k) + " of " + std::to_string(keys.size());
    const storage<Key> input{memory::device, keys};
    const gpu::device_span view{input.data(), keys.size()};
    gpu::partial_sort(gpu::par, view, view.begin() + static_cast<std::ptrdiff_t>(k));
    auto front = input.fetch();
    expect_none(permutation_problem(keys, front), name);
    front.resize(k);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < k; ++i)
      wrong += natural_less{}(front[i], sorted[i]) || natural_less{}(sorted[i], front[i]);
    expect(wrong == 0, name + ": " + std::to_string(wrong) + " others");
  }
}

}  // namespace

TEST_CASE("selection: from keys that the device holds all at once") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const std::size_t n : tried({5003, 262'145, 1'050'001})) {
    for (const auto& chosen : tried_distributions()) {
      const auto keys = make_keys<std::uint32_t>(chosen, n);
      check_first(keys, {n / 16 + 1, n / 2}, chosen.name);
      check_front(keys, {n / 16, n / 16 + 1, n - 1, n}, chosen.name);
    }
    check_first(make_keys<std::int64_t>(n), {n / 64 + 1, n / 4, n / 2 + 1}, "64 bits");
    check_first(make_keys<std::uint64_t>(few_values, n), {n / 8, n / 2}, "64 bits, few values");
    check_first(make_keys<std::uint8_t>(n), {n / 8, n / 2}, "8 bits");
    check_first(make_special_keys<float>(n), {n / 8, n / 2}, "float");
    check_front(make_special_keys<double>(n), {n / 16, n / 3}, "double");
    check_front(make_keys<std::int16_t>(n), {n / 32, n / 3}, "16 bits");
  }
  if (reduced()) return;
  for (const std::size_t n : {std::size_t{4'194'304}, std::size_t{4'194'305}}) {  // as many as are held, and one more
    check_front(make_keys<std::uint32_t>(n), {1000, n - 1}, "many");
    check_first(make_keys<std::uint32_t>(few_values, n), {5000, n / 32}, "many, few values");
  }
  check_front(make_keys<std::uint64_t>(few_values, 2'200'003), {500'000}, "more than are held, few values");
}
