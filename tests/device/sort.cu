// Sorts on the device by comparators and projections that this unit compiles into kernels.
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "device_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

template <class Place, class Element, class Less>
void check_custom(const Place& place, const std::vector<Element>& elements, Less less, const std::string& what) {
  const std::string name = place.name + ", " + what + ", " + std::to_string(elements.size());
  auto data = place.store(elements);
  gpu::sort(place.policy, place.view(data), less);
  expect_none(sort_problem(elements, data.fetch(name), less), name);
  data.refill(elements);
  gpu::stable_sort(place.policy, place.view(data), less);
  expect_none(stable_sort_problem(elements, data.fetch(name), less), name + ", stable");
}

}  // namespace

TEST_CASE("device: custom comparators, sizes") {
  for (const std::size_t count : tried({0, 1, 2, 33, 2000, 4097, 30'000, 100'000, 1'000'003}))
    at_all_places([&](const auto& place) {
      check_custom(place, make_keys<std::uint32_t>(count), by_last_digits{}, "integers");
      check_custom(place, make_records<record24>(uniform, count), by_distance{1000}, "records");
    });
}

TEST_CASE("device: custom comparators, every distribution") {
  for (const auto& distribution : reduced() ? std::vector{uniform, few_values} : all_distributions())
    at_all_places([&](const auto& place) {
      if (place.kind != memory::device && (!place.on_host || reduced())) return;
      check_custom(place, make_keys<std::uint32_t>(distribution, reduced() ? 9000 : 60'000), by_last_digits{},
                   distribution.name);
      check_custom(place, make_records<record24>(distribution, 9000), by_distance{-5}, distribution.name);
    });
}

TEST_CASE("device: comparators that may be the natural order of many numbers") {
  for (const std::size_t count : tried({gpu::detail::device::enough_to_guess + 5}))
    at_device_places([&](const auto& place) {
      if (place.kind != memory::device) return;
      const auto check = [&](const std::string& what, const auto& keys, auto less) {
        counting_resource resource;
        const auto policy = place.policy.with(resource);
        const auto data = place.store(keys);
        const auto said = gpu::explain(policy, place.view(data), less);
        gpu::sort(policy, place.view(data), less);
        expect_none(sort_problem(keys, data.fetch(what), less), place.name + ", " + what);
        expect(resource.take_peak() <= said.scratch_bytes, what + ": no more memory than explain says");
        expect(said.scratch_bytes < count * sizeof(keys[0]) / 100 * 106, what + ": scratch");
        expect(!said.remark.empty(), what + ": explain tells what may happen");
      };
      const auto keys = make_keys<std::uint32_t>(count);
      check("descending", keys, later{});
      check("by last digits", keys, by_last_digits{});
      check("wide", make_keys<double>(count), later{});
    });
}

TEST_CASE("device: custom comparators, forced algorithms") {
  for (const std::size_t count : tried({2, 700, 5000, 250'000})) {
    const auto records = make_records<record24>(zipf, count);
    at_device_places([&](const auto& place) {
      for (const auto how : {gpu::algorithm::bitonic, gpu::algorithm::quicksort, gpu::algorithm::sample_sort,
                             gpu::algorithm::merge_sort}) {
        const auto chosen = place.using_algorithm(how);
        const auto data = chosen.store(records);
        gpu::sort(chosen.policy, chosen.view(data), by_distance{7});
        expect_none(sort_problem(records, data.fetch(chosen.name), by_distance{7}), chosen.name);
      }
      expect_error(gpu::errc::unsuitable_algorithm, place.name, [&] {
        const auto data = place.store(records);
        gpu::sort(place.policy.using_algorithm(gpu::algorithm::radix), place.view(data), by_distance{7});
      });
    });
  }
}

TEST_CASE("device: projections, to members and by functors") {
  const auto records = make_records<record64>(few_values, 70'000);
  const auto keys = make_keys<std::uint32_t>(70'000);
  at_all_places([&](const auto& place) {
    const auto first = place.store(records);
    gpu::stable_sort(place.policy, place.view(first), {}, &record64::key);
    expect_none(stable_sort_problem(records, first.fetch(), by(natural_less{}, &record64::key)),
                place.name + ", member");
    const auto second = place.store(keys);
    gpu::stable_sort(place.policy, place.view(second), std::greater<>{}, last_digits{});
    expect_none(stable_sort_problem(keys, second.fetch(), by(natural_greater{}, last_digits{})),
                place.name + ", functor");
  });
}

TEST_CASE("device: by key and argsort with a custom comparator") {
  for (const std::size_t count : tried({3, 3000, 200'000})) {
    const auto keys = make_keys<std::uint32_t>(count);
    const auto rows = with_index(keys);
    std::vector<std::uint32_t> indices(count);
    for (std::size_t i = 0; i < count; ++i) indices[i] = rows[i].index;
    at_all_places([&](const auto& place) {
      const std::string what = place.name + ", " + std::to_string(count);
      const auto k = place.store(keys);
      const auto v = place.store(indices);
      const auto p = place.store(std::vector<std::uint32_t>(count, ~0u));
      gpu::argsort(place.policy, place.view(k), place.view(p), by_last_digits{});
      gpu::stable_sort_by_key(place.policy, place.view(k), place.view(v), by_last_digits{});
      const auto sorted = k.fetch(what), moved = v.fetch(what), order = p.fetch(what);
      std::vector<record8> after(count), ordered(count);
      for (std::size_t i = 0; i < count; ++i) {
        after[i] = {sorted[i], moved[i]};
        ordered[i] = rows[order[i] % count];
      }
      const auto less = by(by_last_digits{}, &record8::key);
      expect_none(stable_sort_problem(rows, after, less), what + ", by key");
      expect_none(sort_problem(rows, ordered, less), what + ", argsort");
    });
  }
}

TEST_CASE("device: host lambdas are welcome where the host is required") {
  const auto keys = make_keys<std::uint32_t>(10'000);
  auto sorted = keys;
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 7 < b % 7; };
  gpu::stable_sort(gpu::par.require_host(), sorted, less);
  expect_none(stable_sort_problem(keys, sorted, less), "host lambda in a .cu");
}
