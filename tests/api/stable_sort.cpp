// stable_sort: equal elements keep their order, shown by the index that each element carries.
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

/// Sorts records by their key at a place and compares with std::stable_sort.
template <class Place, class Record, class Compare, class Less>
void check_stable(const Place& place, const std::vector<Record>& records, Compare comp, Less less,
                  const std::string& what) {
  const auto data = place.store(records);
  gpu::stable_sort(place.policy, place.view(data), comp, &Record::key);
  expect_none(stable_sort_problem(records, data.fetch(what), by(less, &Record::key)), place.name + ", " + what);
}

}  // namespace

TEST_CASE("stable_sort: every distribution") {
  for (const auto& distribution : all_distributions()) {
    const auto records = with_index(make_keys<std::uint32_t>(distribution, 20'000));
    at_all_places([&](const auto& place) {
      check_stable(place, records, std::ranges::less{}, natural_less{}, distribution.name);
      check_stable(place, records, std::ranges::greater{}, natural_greater{}, distribution.name + ", descending");
    });
  }
}

TEST_CASE("stable_sort: byte keys, many duplicates") {
  for (const std::size_t count : {300, 9000, 500'000}) {
    const auto records = make_records<bytes_record<8>>(uniform, count);
    const auto keys = with_index(make_keys<std::uint32_t>(few_values, count));
    at_all_places([&](const auto& place) {
      check_stable(place, keys, std::ranges::less{}, natural_less{}, std::to_string(count));
      const auto data = place.store(records);
      gpu::stable_sort(place.policy, place.view(data), {}, &bytes_record<8>::key);
      expect_none(stable_sort_problem(records, data.fetch(), by(natural_less{}, &bytes_record<8>::key)),
                  place.name + ", byte keys, " + std::to_string(count));
    });
  }
}

TEST_CASE("stable_sort: plain keys are what std::stable_sort makes of them") {
  const auto special = make_special_keys<double>(30'000);
  at_all_places([&](const auto& place) {
    const auto data = place.store(special);
    const auto view = place.view(data);
    gpu::stable_sort(place.policy, view.begin(), view.end());
    expect_none(stable_sort_problem(special, data.fetch(), natural_less{}), place.name + ", ascending");
    const auto again = data.fetch();
    gpu::stable_sort(place.policy, place.view(data), std::greater<>{});
    expect_none(stable_sort_problem(again, data.fetch(), natural_greater{}), place.name + ", descending");
  });
}

TEST_CASE("stable_sort: forced algorithms") {
  for (const std::size_t count : {2, 100, 5000, 120'000}) {
    const auto records = with_index(make_keys<std::uint32_t>(few_values, count));
    at_all_places([&](const auto& place) {
      for (const auto how : {gpu::algorithm::sample_sort, gpu::algorithm::merge_sort, gpu::algorithm::radix})
        check_stable(place.using_algorithm(how), records, std::ranges::less{}, natural_less{}, std::to_string(count));
    });
  }
}

TEST_CASE("stable_sort: custom comparators on the host") {
  const auto records = with_index(make_keys<std::uint32_t>(100'000));
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 100 < b % 100; };
  at_host_places([&](const auto& place) {
    check_stable(place, records, less, less, "comparator");
    for (const auto how : {gpu::algorithm::sample_sort, gpu::algorithm::merge_sort})
      check_stable(place.using_algorithm(how), records, less, less, "forced");
  });
}

TEST_CASE("stable_sort: reruns are byte-identical") {
  const auto records = with_index(make_keys<std::uint32_t>(few_values, 300'000));
  at_all_places([&](const auto& place) {
    const auto first = place.store(records), second = place.store(records);
    gpu::stable_sort(place.policy, place.view(first), {}, &record8::key);
    gpu::stable_sort(place.policy, place.view(second), {}, &record8::key);
    expect_none(difference(first.fetch(), second.fetch()), place.name);
  });
}
