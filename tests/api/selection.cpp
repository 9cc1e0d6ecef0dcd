// Selection: the n-th element and the first k, in place and out of place, compared with prefixes of std::stable_sort.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "misleading.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// The indices of all elements in stable order.
template <class Element, class Less>
std::vector<std::uint32_t> stable_order(const std::vector<Element>& elements, Less less) {
  std::vector<std::uint32_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(elements[a], elements[b]); });
  return order;
}

template <class Element, class Index>
std::vector<Element> gathered(const std::vector<Element>& elements, const std::vector<Index>& order, std::size_t k) {
  std::vector<Element> rows;
  for (std::size_t i = 0; i < k; ++i) rows.push_back(elements[static_cast<std::size_t>(order[i])]);
  return rows;
}

/// What is wrong, if anything: `after` must be partitioned around its element `nth`, which must be equivalent to
/// `expected`.
template <class Element, class Less>
std::string nth_problem(const std::vector<Element>& before, const std::vector<Element>& after, std::size_t nth,
                        const Element& expected, Less less) {
  if (auto problem = permutation_problem(before, after); !problem.empty()) return problem;
  if (nth == after.size()) return {};
  if (less(after[nth], expected) || less(expected, after[nth])) return "another element at " + std::to_string(nth);
  for (std::size_t i = 0; i < after.size(); ++i)
    if (i < nth ? less(after[nth], after[i]) : less(after[i], after[nth]))
      return std::to_string(i) + " is on the wrong side";
  return {};
}

/// Elements, what they are compared by, and their stable order. `less` is the same order as comp, before projection.
template <class Element, class Compare, class Projection, class Less>
struct selected_from {
  selected_from(std::vector<Element> all, Compare compare, Projection projection, Less means, std::string name)
      : elements{std::move(all)},
        comp{compare},
        proj{projection},
        less{means},
        what{std::move(name)},
        order{stable_order(elements, by(less, proj))} {}

  std::vector<Element> elements;
  Compare comp;
  Projection proj;
  Less less;
  std::string what;
  std::vector<std::uint32_t> order;
};

/// Every call on the same elements, for one k.
template <class Place, class Element, class Compare, class Projection, class Less>
void check_selections(const Place& place, const selected_from<Element, Compare, Projection, Less>& from,
                      std::size_t k) {
  const auto& [elements, comp, proj, less, what, order] = from;
  const std::size_t n = elements.size();
  const std::string name = place.name + ", " + what + ", " + std::to_string(k) + " of " + std::to_string(n);
  const auto first = gathered(elements, order, k);
  const std::vector<std::uint32_t> places(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));

  auto input = place.store(elements);
  auto output = place.store(std::vector<Element>(k, elements.front()));
  gpu::top_k(place.policy, place.view(input), place.view(output), comp, proj);
  expect_none(difference(first, output.fetch(name)), name + ": top_k");
  output.refill(std::vector<Element>(k, elements.front()));
  gpu::partial_sort_copy(place.policy, place.view(input), place.view(output), comp, proj);
  expect_none(difference(first, output.fetch(name)), name + ": partial_sort_copy");

  const auto indices = place.store(std::vector<std::uint32_t>(k, 7));
  gpu::arg_top_k(place.policy, place.view(input), place.view(indices), comp, proj);
  expect_none(difference(places, indices.fetch(name)), name + ": arg_top_k");
  const auto wide_indices = place.store(std::vector<std::int64_t>(k, 7));
  gpu::arg_top_k(place.policy, place.view(input), place.view(wide_indices), comp, proj);
  expect_none(difference(std::vector<std::int64_t>(places.begin(), places.end()), wide_indices.fetch(name)),
              name + ": arg_top_k, 64 bits");

  std::vector<record12> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = {{static_cast<std::uint32_t>(i)}, 0.5f, {17}};
  const auto values = place.store(rows);
  const auto values_out = place.store(std::vector<record12>(k));
  output.refill(std::vector<Element>(k, elements.front()));
  gpu::top_k_by_key(place.policy, place.view(input), place.view(output), place.view(values), place.view(values_out),
                    comp, proj);
  expect_none(difference(first, output.fetch(name)), name + ": top_k_by_key, keys");
  expect_none(difference(gathered(rows, order, k), values_out.fetch(name)), name + ": top_k_by_key, values");
  expect_none(difference(elements, input.fetch(name)), name + ": the input changed");

  const auto view = place.view(input);
  gpu::nth_element(place.policy, view, view.begin() + static_cast<std::ptrdiff_t>(k), comp, proj);
  expect_none(nth_problem(elements, input.fetch(name), k, elements[order[k < n ? k : 0]], by(less, proj)),
              name + ": nth_element");
  input.refill(elements);
  gpu::partial_sort(place.policy, view, view.begin() + static_cast<std::ptrdiff_t>(k), comp, proj);
  const auto after = input.fetch(name);
  expect_none(permutation_problem(elements, after), name + ": partial_sort");
  if (k == 0) return;
  const std::vector<Element> front(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(k));
  expect_none(order_problem(front, by(less, proj)), name + ": partial_sort");
  expect_none(nth_problem(elements, after, k - 1, elements[order[k - 1]], by(less, proj)), name + ": partial_sort");
}

/// k around every threshold for n elements.
std::vector<std::size_t> parts_of(std::size_t n) {
  std::vector<std::size_t> parts;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{64},
                              std::size_t{65}, n / 100, n / 16 + 1, n / 8, n / 4, n / 4 + 1, n / 2, n - 1, n})
    if (k <= n && std::find(parts.begin(), parts.end(), k) == parts.end()) parts.push_back(k);
  return parts;
}

}  // namespace

TEST_CASE("selection: sizes and parts") {
  for (const std::size_t n : tried({1, 2, 3, 17, 100, 1000, 4096, 4097, 20'000, 70'001})) {
    const selected_from uniform_keys{make_keys<std::uint32_t>(n), std::ranges::greater{}, std::identity{},
                                     natural_greater{}, "uniform"};
    at_all_places([&](const auto& place) {
      for (const std::size_t k : parts_of(n)) check_selections(place, uniform_keys, k);
    });
  }
}

TEST_CASE("selection: distributions that mislead") {
  constexpr std::size_t n = 50'000;
  for (const auto& chosen : all_distributions()) {
    const selected_from keys{make_keys<std::int32_t>(chosen, n), std::ranges::less{}, std::identity{}, natural_less{},
                             chosen.name};
    at_all_places([&](const auto& place) {
      for (const std::size_t k : {std::size_t{1}, std::size_t{60}, std::size_t{500}, n / 2})
        check_selections(place, keys, k);
    });
  }
}

TEST_CASE("selection: keys of every width, zeros and NaNs") {
  constexpr std::size_t n = 12'000;
  at_both_backends([&](const auto& place) {
    const auto check = [&]<class Key>(Key, const std::string& what) {
      const selected_from greatest{make_special_keys<Key>(n), std::ranges::greater{}, std::identity{},
                                   natural_greater{}, what};
      for (const std::size_t k : {std::size_t{10}, std::size_t{1000}, n / 2}) check_selections(place, greatest, k);
      const selected_from least{greatest.elements, std::less<Key>{}, std::identity{}, natural_less{},
                                what + ", ascending"};
      check_selections(place, least, n / 3);
    };
    check(std::uint8_t{}, "8 bits");
    check(std::int16_t{}, "16 bits");
    check(float{}, "float");
    check(double{}, "double");
    check(std::int64_t{}, "64 bits");
    check(gpu::detail::uint128{}, "128 bits");
  });
}

TEST_CASE("selection: records by a member") {
  constexpr std::size_t n = 20'000;
  const selected_from records{make_records<record64>(zipf, n), std::ranges::greater{}, &record64::key,
                              natural_greater{}, "64 bytes"};
  const selected_from narrow{make_records<bytes_record<3>>(zipf, n), std::ranges::less{}, &bytes_record<3>::key,
                             natural_less{}, "3 bytes"};
  at_both_backends([&](const auto& place) {
    for (const std::size_t k : {std::size_t{5}, std::size_t{2000}, n / 2}) {
      check_selections(place, records, k);
      check_selections(place, narrow, k);
    }
  });
}

TEST_CASE("selection: comparators of one's own on the host") {
  const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 64 < b % 64; };
  for (const std::size_t n : tried({1, 30, 1000, 20'000, 150'000})) {
    const selected_from keys{make_keys<std::uint32_t>(n), less, std::identity{}, less, "comparator"};
    at_host_places([&](const auto& place) {
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 50, n / 2, n}) check_selections(place, keys, k);
    });
  }
}

TEST_CASE("selection: samples that mislead, because somebody knows where they look") {
  for (const std::size_t n : tried({200'000, 1'000'000, 5'000'000})) {
    for (const bool too_great : {false, true}) {
      const selected_from keys{misleading_keys(n, too_great), std::ranges::less{}, std::identity{}, natural_less{},
                               too_great ? "sample too great" : "sample too small"};
      at_device_places([&](const auto& place) {
        for (const std::size_t k : {std::size_t{1000}, n / 9, n / 2}) check_selections(place, keys, k);
      });
    }
  }
}
