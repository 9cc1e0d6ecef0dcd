// Keys that fit no integer: with strings among their parts, in any position, or with more than 128 bits of numbers.
// Keys that tie in the leading bits are sorted by the bits that follow.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expected_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "random.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

/// A text of few different characters, among them zero and the greatest, so that many texts share a prefix and end
/// anywhere.
std::string make_text(random_source& random) {
  std::string text(random() % 20, '\0');
  for (char& each : text) each = "\0a\xff"[random() % 16 == 0 ? random() % 3 : 1];
  return text;
}

/// Checks argsort in both directions and stable_sort, of keys that make(random) returns.
template <class Make>
void check_sorts(const std::string& what, Make make) {
  for (const std::size_t n : tried({2, 9, 300, 40'000})) {
    random_source random{seed() + n};
    std::vector<decltype(make(random))> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(make(random));
    const auto up = expected_order(n, [&](auto i, auto j) { return keys[i] < keys[j]; });
    const auto down = expected_order(n, [&](auto i, auto j) { return keys[j] < keys[i]; });
    at_places_of_the_host([&](const auto& place) {
      const std::string name = place.name + ", " + what + ", " + std::to_string(n);
      expect(gpu::argsort(place.policy, keys) == up, name + ": argsort");
      expect(gpu::argsort(place.policy, keys, std::ranges::greater{}) == down, name + ": argsort, descending");
      auto sorted = keys;
      gpu::stable_sort(place.policy, sorted);
      expect(sorted == in_order(keys, up), name + ": stable_sort");
    });
  }
}

}  // namespace

TEST_CASE("wide keys: strings in front, between, within, and absent") {
  check_sorts("string, number",
              [](auto& random) { return std::pair{make_text(random), static_cast<int>(random() % 9)}; });
  check_sorts("bool, string, string",
              [](auto& random) { return std::tuple{random() % 2 == 0, make_text(random), make_text(random)}; });
  check_sorts("optional string, number", [](auto& random) {
    return std::pair{random() % 3 == 0 ? std::optional<std::string>{} : make_text(random), random() % 5};
  });
}

TEST_CASE("wide keys: strings that begin alike, in a hundred characters and in a thousand") {
  const std::string same(90, 'x'), longer(1000, 'y');
  check_sorts("number, string", [&](auto& random) {
    const std::string& beginning = random() % 2 == 0 ? same : longer;
    return std::pair{static_cast<std::uint8_t>(random() % 3), beginning + make_text(random)};
  });
}

TEST_CASE("wide keys: numbers of 96, 192 and 512 bits that differ anywhere or nowhere") {
  check_sorts("u32 and u64",
              [](auto& random) { return std::pair{static_cast<std::uint32_t>(random() % 2), random() % 99}; });
  check_sorts("three doubles", [](auto& random) {
    const auto value = [&] { return static_cast<double>(random() % 3); };
    return std::array{value(), value(), value()};
  });
  check_sorts("16 of i32", [](auto& random) {
    std::array<std::int32_t, 16> key{};
    key[random() % 16] = static_cast<std::int32_t>(random() % 3) - 1;
    return key;
  });
}

TEST_CASE("wide keys: all equal, and one group that all threads sort") {
  check_sorts("equal", [](auto&) { return std::pair{7, std::string("the same, which does not fit")}; });
  check_sorts("one group", [](auto& random) { return std::pair{std::string("one beginning, and "), random() % 1000}; });
}

TEST_CASE("wide keys: what an order of codes from elsewhere leaves together") {
  const auto check = [](const std::string& what, auto make) {
    random_source random{seed()};
    std::vector<decltype(make(random))> keys;
    for (std::size_t i = 0; i < 50'000; ++i) keys.push_back(make(random));
    const auto* const first = keys.data();
    const std::ranges::less less;
    const auto codes = gpu::detail::extract_keys(first, keys.size(), less, std::identity{});
    const auto by_codes =
        expected_order<std::uint32_t>(keys.size(), [&](auto i, auto j) { return codes[i] < codes[j]; });
    gpu::detail::host::permutation order{keys.size()};
    for (std::size_t i = 0; i < keys.size(); ++i) order.set(i, by_codes[i]);
    gpu::detail::with_coded_elements(first, less, std::identity{}, [&](const auto& elements) {
      gpu::detail::host::sort_equal_codes(elements, order, gpu::detail::as_column(codes.data()));
    });
    const auto expected = expected_order<std::uint32_t>(keys.size(), [&](auto i, auto j) { return keys[i] < keys[j]; });
    std::vector<std::uint32_t> sorted(keys.size());
    gpu::detail::host::copy_indices(order.view(), sorted.size(), sorted.data());
    expect(sorted == expected, what);
  };
  check("64 bits, with characters",
        [](auto& random) { return std::pair{static_cast<int>(random() % 3), make_text(random)}; });
  check("128 of 192 bits", [](auto& random) { return std::tuple{random() % 2, random() % 3, random() % 99}; });
}
