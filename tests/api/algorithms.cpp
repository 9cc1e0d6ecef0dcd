// Every algorithm forced on both backends, for the main kinds of elements and hard distributions.
#include <array>
#include <functional>
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

constexpr std::array forced{gpu::algorithm::bitonic, gpu::algorithm::quicksort, gpu::algorithm::sample_sort,
                            gpu::algorithm::merge_sort, gpu::algorithm::radix};
constexpr std::array sizes{0, 1, 2, 3, 40, 1000, 4097, 60'001};

/// Sorts by every algorithm, all but radix if there is no natural order.
template <class Place, class Element, class Compare, class Projection, class Less>
void check_forced(const Place& place, const std::vector<Element>& elements, Compare comp, Projection proj, Less less,
                  const std::string& what, bool natural = true) {
  for (const auto how : forced) {
    if (how == gpu::algorithm::radix && !natural) continue;
    const auto chosen = place.using_algorithm(how);
    const auto data = chosen.store(elements);
    gpu::sort(chosen.policy, chosen.view(data), comp, proj);
    expect_none(sort_problem(elements, data.fetch(chosen.name), by(less, proj)), chosen.name + ", " + what);
  }
}

}  // namespace

TEST_CASE("algorithms: forced, 32-bit integers, hard distributions") {
  for (const auto& distribution : all_distributions()) {
    const auto keys = make_keys<std::uint32_t>(distribution, 30'000);
    at_all_places([&](const auto& place) {
      if (place.kind == memory::pageable || place.kind == memory::device)
        check_forced(place, keys, std::ranges::less{}, std::identity{}, natural_less{}, distribution.name);
    });
  }
}

TEST_CASE("algorithms: forced, floats with special values, descending") {
  for (const auto count : sizes) {
    const auto keys = make_special_keys<float>(static_cast<std::size_t>(count));
    at_all_places([&](const auto& place) {
      check_forced(place, keys, std::ranges::greater{}, std::identity{}, natural_greater{}, std::to_string(count));
    });
  }
}

TEST_CASE("algorithms: forced, 64-bit integers") {
  for (const auto count : sizes) {
    const auto keys = make_special_keys<std::int64_t>(static_cast<std::size_t>(count));
    at_all_places([&](const auto& place) {
      check_forced(place, keys, std::ranges::less{}, std::identity{}, natural_less{}, std::to_string(count));
    });
  }
}

TEST_CASE("algorithms: forced, records by a projection") {
  for (const auto count : sizes) {
    const auto records = make_records<record16>(zipf, static_cast<std::size_t>(count));
    at_all_places([&](const auto& place) {
      check_forced(place, records, std::ranges::less{}, &record16::key, natural_less{}, std::to_string(count));
    });
  }
}

TEST_CASE("algorithms: forced, a custom comparator on the host") {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return (a ^ 0x5555) < (b ^ 0x5555); };
  for (const auto count : sizes) {
    const auto keys = make_keys<std::uint64_t>(zipf, static_cast<std::size_t>(count));
    at_host_places([&](const auto& place) {
      check_forced(place, keys, less, std::identity{}, less, std::to_string(count), false);
    });
  }
}
