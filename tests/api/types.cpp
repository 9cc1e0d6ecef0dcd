// Types: every arithmetic key, enums, bytes, bool, pointers.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "values.hpp"

namespace {

using namespace testing;

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// Sorts keys that include the extremes of their type by comp, which orders like `less`.
template <class Key, class Compare = std::ranges::less, class Less = natural_less>
void check_key_type(const std::string& name, Compare comp = {}, Less less = {}) {
  for (const std::size_t count : {50, 9000}) {
    const auto keys = make_special_keys<Key>(count);
    at_all_places([&](const auto& place) {
      const std::string what = place.name + ", " + name + ", " + std::to_string(count);
      const auto data = place.store(keys);
      gpu::sort(place.policy, place.view(data), comp);
      expect_none(sort_problem(keys, data.fetch(what), less), what);
    });
  }
}

}  // namespace

TEST_CASE("types: integers of 8 to 64 bits") {
  check_key_type<std::int8_t>("int8");
  check_key_type<std::uint8_t>("uint8, descending", std::ranges::greater{}, natural_greater{});
  check_key_type<std::int16_t>("int16, descending", std::ranges::greater{}, natural_greater{});
  check_key_type<std::uint16_t>("uint16");
  check_key_type<std::int32_t>("int32");
  check_key_type<std::uint64_t>("uint64");
  check_key_type<long long>("long long, descending", std::ranges::greater{}, natural_greater{});
}

TEST_CASE("types: integers of 128 bits") {
  check_key_type<int128>("int128");
  check_key_type<uint128>("uint128, descending", std::ranges::greater{}, natural_greater{});
}

TEST_CASE("types: characters, byte, enums") {
  check_key_type<char>("char");
  check_key_type<wchar_t>("wchar_t");
  check_key_type<std::byte>("byte");
  check_key_type<colour>("enum of 8 bits");
  check_key_type<level>("enum of 64 bits, descending", std::ranges::greater{}, natural_greater{});
}

TEST_CASE("types: bool") {
  at_all_places([&](const auto& place) {
    if (place.kind != memory::pageable) return;
    bool raw[5000];
    std::size_t ones = 0;
    for (std::size_t i = 0; i < std::size(raw); ++i) ones += raw[i] = i * 2654435761u % 1000 < 400;
    gpu::sort(place.policy, raw);
    const auto zeros = static_cast<std::ptrdiff_t>(std::size(raw) - ones);
    expect(
        std::count(raw, raw + zeros, false) == zeros && std::find(raw + zeros, std::end(raw), false) == std::end(raw),
        place.name);
  });
}

TEST_CASE("types: pointers") {
  std::vector<int> objects(5000);
  std::vector<int*> pointers;
  for (const auto position : make_positions(uniform, 5000)) pointers.push_back(&objects[position % objects.size()]);
  at_all_places([&](const auto& place) {
    const auto data = place.store(pointers);
    gpu::sort(place.policy, place.view(data));
    expect_none(sort_problem(pointers, data.fetch(), std::less<int*>{}), place.name);
  });
}
