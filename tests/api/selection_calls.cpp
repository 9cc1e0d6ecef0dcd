// Calls of selections: what they return for all kinds of ranges, what they reject, and comparators that lie or throw.
#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "support.hpp"
#include "tried.hpp"

using namespace testing;

TEST_CASE("selection: strings, other iterators, and what is returned") {
  std::vector<std::string> names{"pear", "apple", "fig", "quince", "date"};
  std::vector<std::string> two(2), more(9, "none");
  expect(gpu::top_k(gpu::par, names, two) == two.end(), "top_k returns the end of the output");
  expect(two == std::vector<std::string>{"quince", "pear"}, "strings");
  const auto [in, out] = gpu::partial_sort_copy(gpu::par, names, more);
  expect(in == names.end() && out == more.begin() + 5 && more[0] == "apple" && more[5] == "none",
         "partial_sort_copy writes what there is");
  expect(gpu::partial_sort_copy(gpu::par, names.begin(), names.end(), two.begin(), two.end()) == two.end(),
         "iterators");
  expect(two[1] == "date", "of strings, too");
  std::vector<int> places(2);
  expect(gpu::arg_top_k(gpu::par, names, places, std::ranges::less{}, &std::string::size) == places.end() &&
             places == std::vector{2, 0},
         "ties go by their places");
  std::deque<int> numbers(40'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 40'000);
  expect(gpu::nth_element(gpu::par, numbers.begin(), numbers.begin() + 777, numbers.end()) == numbers.end(),
         "nth_element returns the end");
  expect(numbers[777] == 777, "deque");
  expect(gpu::nth_element(gpu::par, numbers, numbers.end()) == numbers.end(), "the end is no element");
  std::deque<long> widened(3);
  gpu::top_k(gpu::par, numbers, widened);
  expect(widened[0] == 39'999 && widened[2] == 39'997, "output of another type");
  std::vector<bool> flags(100), chosen(3);
  flags[50] = true;
  gpu::partial_sort_copy(gpu::par, flags, chosen, std::ranges::greater{});
  expect(chosen[0] && !chosen[1], "bits");
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 30'000; ++i) owners.push_back(std::make_unique<int>(i * 7 % 30'000));
  gpu::partial_sort(gpu::par, owners, owners.begin() + 100, {}, [](const auto& owner) { return *owner; });
  expect(*owners[0] == 0 && *owners[99] == 99, "owners");
}

TEST_CASE("selection: what does not fit is refused") {
  std::vector<int> ten(10, 1), eleven(11, 7);
  const auto both_numbers = [](const std::string& call, auto work) {
    try {
      work();
      expect(false, call + ": refuses nothing");
    } catch (const gpu::error& refused) {
      const std::string words = refused.what();
      expect(refused.code() == gpu::errc::invalid_range, call + ": code");
      expect(words.find(call + " is asked for 11 of 10") != std::string::npos, words);
    }
  };
  both_numbers("top_k", [&] { gpu::top_k(gpu::par, ten, eleven); });
  both_numbers("arg_top_k", [&] { gpu::arg_top_k(gpu::par, ten, eleven); });
  both_numbers("top_k_by_key", [&] { gpu::top_k_by_key(gpu::par, ten, eleven, ten, ten); });
  both_numbers("nth_element", [&] { gpu::nth_element(gpu::par, eleven.begin(), eleven.end(), eleven.end() - 1); });
  both_numbers("partial_sort", [&] { gpu::partial_sort(gpu::par, eleven.begin(), eleven.end(), eleven.end() - 1); });
  expect(eleven == std::vector<int>(11, 7), "nothing written");
  expect_error(gpu::errc::overlapping_ranges, "an output in the input",
               [&] { gpu::top_k(gpu::par, ten, std::span{ten}.first(2)); });
  expect_error(gpu::errc::invalid_range, "short values", [&] {
    std::vector<int> three(3), values(9);
    gpu::top_k_by_key(gpu::par, ten, three, values, eleven);
  });
  std::vector<int> none;
  gpu::top_k(gpu::par, none, none);
  gpu::nth_element(gpu::par, none, none.end());
  gpu::partial_sort(gpu::par, none, none.begin());
}

TEST_CASE("selection: comparators that lie or throw lose nothing") {
  for (const std::size_t n : tried({100, 20'000, 60'000})) {
    const auto keys = make_keys<double>(n);
    for (const lie which : lies) {
      const liar order{which};
      const std::string name = std::string{to_string(which)} + ", " + std::to_string(n);
      auto data = keys;
      gpu::nth_element(gpu::par.require_host(), data, data.begin() + static_cast<std::ptrdiff_t>(n / 3), order);
      expect_none(permutation_problem(keys, data), name + ": nth_element");
      gpu::partial_sort(gpu::par.require_host(), data, data.begin() + static_cast<std::ptrdiff_t>(n / 3), order);
      expect_none(permutation_problem(keys, data), name + ": partial_sort");
      std::vector<std::uint32_t> places(n / 3);
      gpu::arg_top_k(gpu::par.require_host(), keys, places, order);
      std::sort(places.begin(), places.end());
      expect(std::adjacent_find(places.begin(), places.end()) == places.end() && places.back() < n,
             name + ": places are different ones");
    }
    for (const int allowed : {0, 10, 5000}) {
      auto data = keys;
      std::atomic<int> left{allowed};
      const auto throwing = [&left](double a, double b) {
        if (left.fetch_sub(1) <= 0) throw std::runtime_error{"enough"};
        return a < b;
      };
      try {
        gpu::nth_element(gpu::par.require_host(), data, data.begin() + static_cast<std::ptrdiff_t>(n / 2), throwing);
      } catch (const std::runtime_error&) {
      }
      left = allowed;
      try {
        gpu::partial_sort(gpu::par.require_host(), data, data.begin() + static_cast<std::ptrdiff_t>(n / 50), throwing);
      } catch (const std::runtime_error&) {
      }
      expect_none(permutation_problem(keys, data), "throws after " + std::to_string(allowed));
    }
  }
}
