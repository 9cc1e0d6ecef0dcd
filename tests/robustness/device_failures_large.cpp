// Every call that large sorts make fails in turn: sorts of pairs, of positions, through staging buffers, in runs while
// the data arrive, and in runs of data that exceed the device's memory.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "failing_sorts.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/detail/device/rows/runs.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "support.hpp"

namespace {

using namespace testing;

/// Calls body(place) for device memory.
template <class Body>
void in_device_memory(Body body) {
  at_device_places([&](const auto& place) {
    if (place.kind == memory::device) body(place);
  });
}

/// A sort of host data whose result is known.
template <class Element, class Call>
scenario host_sort(const std::string& name, std::vector<Element>& data, const std::vector<Element>& before,
                   const std::vector<Element>& sorted, Call call) {
  return {name,
          true,
          [&] { data = before; },
          [&data, call] { call(data); },
          [&] { return data == before ? "" : difference(before, data); },
          [&] { return permutation_problem(before, data); },
          [&] { return data == sorted ? "" : difference(sorted, data); }};
}

template <class Element, class Less>
std::vector<Element> stably_sorted(std::vector<Element> elements, Less less) {
  std::stable_sort(elements.begin(), elements.end(), less);
  return elements;
}

}  // namespace

namespace {

using gpu::detail::column;
using gpu::detail::merge_input;
using gpu::detail::device::context;

/// The elements of all pieces in stable order, each with the number of its piece.
std::vector<std::pair<record8, std::size_t>> all_of(const std::vector<merge_input>& pieces) {
  std::vector<std::pair<record8, std::size_t>> all;
  for (std::size_t s = 0; s < pieces.size(); ++s)
    for (std::size_t i = 0; i < pieces[s].count; ++i)
      all.emplace_back(static_cast<const record8*>(pieces[s].data)[i], s);
  std::ranges::stable_sort(all, {}, [](const auto& element) { return element.first.key; });
  return all;
}

/// Sorts records stably in runs, by steps that the host performs in pretended device memory.
bool sort_in_runs(std::vector<record8>& data, const gpu::detail::execution_options& options) {
  const auto sort = [](const context&, const std::vector<column>& columns, std::size_t n) {
    auto* const first = static_cast<record8*>(columns[0].data);
    std::ranges::stable_sort(first, first + n, {}, &record8::key);
  };
  const auto merge = [](const context&, const gpu::detail::device::sorted_pieces& pieces) {
    std::vector<merge_input> inputs;
    for (std::size_t s = 0; s < pieces.counts.size(); ++s) inputs.push_back({pieces.inputs[s], pieces.counts[s]});
    auto* next = static_cast<record8*>(pieces.outputs[0].data);
    for (const auto& element : all_of(inputs)) *next++ = element.first;
  };
  const auto cut = [](const context&, const std::vector<merge_input>& pieces, std::size_t step, std::size_t steps,
                      std::size_t* cuts) {
    const auto all = all_of(pieces);
    std::fill_n(cuts, steps * pieces.size(), std::size_t{0});
    for (std::size_t i = 1; i < steps; ++i)
      for (std::size_t at = 0; at < i * step; ++at) ++cuts[i * pieces.size() + all[at].second];
  };
  const auto no_bytes = [](std::size_t) { return std::size_t{0}; };
  const auto no_bytes_to_merge = [](std::size_t, std::size_t) { return std::size_t{0}; };
  const gpu::detail::device::run_steps steps{sort, merge, cut, no_bytes, no_bytes_to_merge, false};
  return gpu::detail::device::sort_by_runs(options, {{data.data(), sizeof(record8)}}, data.size(), steps);
}

}  // namespace

TEST_CASE("device failures: runs are merged in parts and windows that fit the memory") {
  if (cannot_run()) return;
  if (!cuda_is_pretended) return skip("a sort in runs by the host in memory that is pretended");
  for (const std::size_t n : {600, 5000, 40'000})
    for (const auto& shape : {uniform, few_values, all_distributions()[0], all_distributions()[5]})
      for (const std::size_t limit : {1, 8'000, 20'000, 60'000}) {
        if (limit >= n * sizeof(record8)) continue;
        const std::string name = shape.name + ", " + std::to_string(n) + " within " + std::to_string(limit);
        const auto before = with_index(make_keys<std::uint32_t>(shape, n));
        auto data = before;
        counting_resource resource;
        expect(sort_in_runs(data, gpu::par.with(resource).with_memory_limit(limit).options()), name + ": in runs");
        expect_none(stable_sort_problem(before, data, by(natural_less{}, &record8::key)), name);
        expect(resource.take_peak() <= std::max<std::size_t>(limit, 8000), name + ": memory");
      }
}

TEST_CASE("device failures: limits of a few MiB hold for large records, and explain says what is taken") {
  if (cannot_run()) return;
  const auto before = make_records<record1000>(uniform, 16'000);
  for (const std::size_t limit : {1, 2, 4, 15}) {
    const std::size_t bytes = limit << 20;
    const std::string name = std::to_string(limit) + " MiB: ";
    auto data = before;
    counting_resource resource;
    const auto policy = gpu::par.require_device().with_memory_limit(bytes).with(resource);
    const auto said = gpu::explain_stable_sort(policy, data, {}, &record1000::key).scratch_bytes;
    gpu::stable_sort(policy, data, {}, &record1000::key);
    const auto taken = resource.take_peak();
    expect(taken <= bytes, name + std::to_string(taken) + " bytes are taken");
    expect(taken <= said && said <= taken + taken / 8,
           name + std::to_string(said) + " bytes said, " + std::to_string(taken) + " taken");
    if (!cuda_is_pretended)
      expect_none(stable_sort_problem(before, data, by(natural_less{}, &record1000::key)), name + "sorted");
  }
}

TEST_CASE("device failures: rows that are moved as pairs") {
  if (cannot_run()) return;
  in_device_memory([](const auto& place) {
    const auto rows = with_index<std::uint64_t, std::uint64_t>(make_keys<std::uint64_t>(std::size_t{1} << 20));
    const auto less = by(natural_less{}, &indexed<std::uint64_t, std::uint64_t>::key);
    check_rows(
        place, "sort_by_key as pairs", rows,
        [&](auto keys, auto values) { gpu::sort_by_key(place.policy, keys, values); }, less, 3);
    check_rows(
        place, "stable_sort_by_key as pairs", rows,
        [&](auto keys, auto values) { gpu::stable_sort_by_key(place.policy, keys, values); }, less, 3);
  });
}

TEST_CASE("device failures: keys that are sorted with their places") {
  if (cannot_run()) return;
  in_device_memory([]<class Place>(const Place& place) {
    const auto check = [&]<class Key>(const std::vector<Key>& keys) {
      const storage<Key> data = place.store(keys);
      const std::vector<std::uint32_t> blank(keys.size());
      storage<std::uint32_t> order = place.store(blank);
      const auto untouched = [&] { return changed(keys, data); };
      const auto disorder = [&] {
        const auto places = order.fetch();
        return order_problem(places, [&](auto i, auto j) { return keys[i] != keys[j] ? keys[i] < keys[j] : i < j; });
      };
      fail_everything({place.name + ", argsort, " + std::to_string(sizeof(Key)), true, [&] { order.refill(blank); },
                       [&] { gpu::argsort(place.policy, place.view(data), place.view(order)); }, untouched, untouched,
                       disorder, false, false, 5});
    };
    check(make_keys<std::uint32_t>(std::size_t{1} << 21));
    check(make_keys<std::uint64_t>(std::size_t{1} << 20));
  });
}

TEST_CASE("device failures: a stable sort of floats by ranks") {
  if (cannot_run()) return;
  in_device_memory([](const auto& place) {
    const auto before = make_keys<float>(std::size_t{1} << 21);
    const auto sorted = stably_sorted(before, natural_less{});
    storage<float> data = place.store(before);
    fail_everything({place.name + ", floats", false, [&] { data.refill(before); },
                     [&] { gpu::stable_sort(place.policy, place.view(data)); }, [&] { return changed(before, data); },
                     [&] { return missing(before, data); }, [&] { return changed(sorted, data); }});
  });
}

TEST_CASE("device failures: host data through staging buffers, and in runs while they come in") {
  if (cannot_run()) return;
  const auto check = [](const std::string& name, std::size_t bytes, bool in_parts, std::size_t every) {
    const auto before = make_keys<std::uint64_t>(bytes / sizeof(std::uint64_t));
    const auto sorted = stably_sorted(before, natural_less{});
    auto data = before;
    scenario one =
        host_sort(name, data, before, sorted, [](auto& keys) { gpu::sort(gpu::par.require_device(), keys); });
    one.in_parts = in_parts;
    one.every = every;
    fail_everything(one);
  };
  check("at once", std::size_t{3} << 20, false, 1);
  check("staging", std::size_t{9} << 20, true, 1);
  check("overlapped", std::size_t{128} << 20, true, 211);
}

TEST_CASE("device failures: host data that exceed the memory limit") {
  if (cannot_run()) return;
  if (cuda_is_pretended) return skip("kernels that do nothing give no permutation");
  const auto before = with_index(make_keys<std::uint32_t>(few_values, 17'000));
  const auto sorted = stably_sorted(before, by(natural_less{}, &record8::key));
  auto data = before;
  const auto check = [&](const std::string& name, std::size_t limit, bool in_two_levels) {
    const auto policy = gpu::par.require_device().with_memory_limit(limit);
    scenario one = host_sort(name, data, before, sorted,
                             [=](auto& records) { gpu::stable_sort(policy, records, {}, &record8::key); });
    one.on_host = false;  // complete, but in another order
    one.kept_for_good = !in_two_levels;
    one.every = in_two_levels ? 2003 : 3;
    fail_everything(one);
  };
  check("external, a few runs", 300'000, false);
  check("external, more runs than are merged at once", 1, true);
}
