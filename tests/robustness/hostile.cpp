// Hostile callers: comparators that are no strict weak order, or that fight quicksort.
// McIlroy, "A killer adversary for quicksort", 1999.
#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "host_algorithms.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "places.hpp"

namespace {

using namespace testing;

/// A liar that counts its calls.
struct counted_liar {
  lie which;
  std::atomic<std::size_t>* calls;
  bool operator()(double a, double b) const {
    calls->fetch_add(1, std::memory_order_relaxed);
    return liar{which}(a, b);
  }
};

/// Calls action(elements, liar) for every kind of lie: all elements must remain, guard zones must be untouched, and
/// there must be no more comparisons than the network takes, with some margin.
template <class Action>
void check_liars(const std::string& what, const std::vector<double>& keys, Action action) {
  for (const lie which : lies) {
    const storage<double> data{memory::pageable, keys};
    std::atomic<std::size_t> calls{0};
    action(std::span{data.data(), keys.size()}, counted_liar{which, &calls});
    const std::string name = what + ", " + to_string(which) + ", " + std::to_string(keys.size());
    expect_none(permutation_problem(keys, data.fetch(name)), name);
    const double steps = static_cast<double>(std::bit_width(keys.size())), n = static_cast<double>(keys.size());
    if (static_cast<double>(calls) > 2 * n * steps * (steps + 1) + 100)
      expect(false, name + ": " + std::to_string(calls) + " comparisons");
  }
}

}  // namespace

TEST_CASE("hostile: comparators that are no strict weak order lose nothing and stay in the range") {
  for (const std::size_t n : {2, 3, 16, 17, 100, 1500, 50'000}) {
    const auto keys = make_keys<double>(n);
    for (const auto how : algorithms)
      check_liars("sort, " + std::string{gpu::to_string(how)}, keys,
                  [&](auto view, auto less) { gpu::sort(gpu::par.require_host().using_algorithm(how), view, less); });
    for (const auto how : stable_algorithms)
      check_liars("stable_sort, " + std::string{gpu::to_string(how)}, keys, [&](auto view, auto less) {
        gpu::stable_sort(gpu::par.require_host().using_algorithm(how), view, less);
      });
    check_liars("inplace_merge", keys, [&](auto view, auto less) {
      gpu::inplace_merge(gpu::par, view, view.begin() + static_cast<std::ptrdiff_t>(n / 3), less);
    });
  }
}

TEST_CASE("hostile: by-key sorts under lying comparators keep their rows, argsort gives a permutation") {
  for (const std::size_t n : {2, 17, 3000, 50'000}) {
    const auto keys = make_keys<double>(n);
    std::vector<std::uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    for (const lie which : lies)
      for (const bool stable : {false, true}) {
        auto sorted = keys;
        auto rows = places, order = places;
        if (stable)
          gpu::stable_sort_by_key(gpu::par, sorted, rows, liar{which});
        else
          gpu::sort_by_key(gpu::par, sorted, rows, liar{which});
        gpu::argsort(gpu::par, keys, order, liar{which});
        std::vector<double> rebuilt(n);
        for (std::size_t i = 0; i < n; ++i) rebuilt[rows[i] % n] = sorted[i];
        std::sort(order.begin(), order.end());
        const std::string name = std::string{to_string(which)} + ", " + std::to_string(n);
        expect(rebuilt == keys, name + ": rows torn or lost");
        expect(order == places, name + ": argsort");
      }
  }
}

TEST_CASE("hostile: merges of unsorted ranges and lying comparators lose nothing") {
  const auto first = make_keys<double>(27'000, 1), second = make_keys<double>(39'000, 2);
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  for (const lie which : lies) {
    const std::string name = to_string(which);
    const storage<double> out{memory::pageable, std::vector<double>(both.size())};
    gpu::merge(gpu::par, first, second, out.data(), liar{which});
    expect_none(permutation_problem(both, out.fetch(name)), name + ", merge");
    const std::vector<std::vector<double>> ranges{first, {}, second};
    gpu::multiway_merge(gpu::par, ranges, out.data(), liar{which});
    expect_none(permutation_problem(both, out.fetch(name)), name + ", multiway_merge of two");
    const std::span all{both};
    const std::vector<std::span<double>> many{all.first(9), all.subspan(9, 40'000), all.subspan(40'009, 1),
                                              all.subspan(40'010)};
    gpu::multiway_merge(gpu::par, many, out.data(), liar{which});
    expect_none(permutation_problem(both, out.fetch(name)), name + ", multiway_merge of four");
  }
}

TEST_CASE("hostile: McIlroy's adversary costs at most four times the comparisons of uniform keys") {
  for (const auto how : {gpu::algorithm::automatic, gpu::algorithm::quicksort, gpu::algorithm::sample_sort})
    for (const std::size_t n : {1000, 20'000, reduced() ? 30'000 : 150'000}) {
      const auto policy = gpu::par.require_host().using_algorithm(how);
      const auto gas = static_cast<std::uint32_t>(n);
      std::vector<std::uint32_t> values(n, gas), items(n), usual = make_keys<std::uint32_t>(n);
      std::iota(items.begin(), items.end(), 0u);
      std::uint32_t solid = 0, candidate = 0;
      std::size_t calls = 0;
      std::mutex mutex;
      gpu::sort(policy, items, [&](std::uint32_t x, std::uint32_t y) {
        const std::lock_guard lock{mutex};
        ++calls;
        if (values[x] == gas && values[y] == gas) values[x == candidate ? x : y] = solid++;
        if (values[x] == gas)
          candidate = x;
        else if (values[y] == gas)
          candidate = y;
        return values[x] < values[y];
      });
      std::atomic<std::size_t> usual_calls{0};
      gpu::sort(policy, usual, [&](std::uint32_t x, std::uint32_t y) {
        usual_calls.fetch_add(1, std::memory_order_relaxed);
        return x < y;
      });
      const std::string name = std::string{gpu::to_string(how)} + ", " + std::to_string(n);
      expect(calls <= 4 * usual_calls,
             name + ": " + std::to_string(calls) + " comparisons, " + std::to_string(usual_calls) + " of uniform keys");

      // The input that the adversary found, for every place.
      if (n != 20'000) continue;
      at_all_places([&](const auto& place) {
        const auto data = place.store(values);
        gpu::sort(place.using_algorithm(how).policy, place.view(data));
        expect_none(sort_problem(values, data.fetch(), natural_less{}), place.name + ", its input, " + name);
      });
    }
}
