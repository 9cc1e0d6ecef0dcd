// What the algorithm tests of libstdc++ (testsuite/25_algorithms) and libc++ (test/std/algorithms/alg.sorting) require
// of sorts and merges beyond the other files here, written anew; each case names the tests that it corresponds to. Not
// tested: constexpr; lists and single-pass iterators, which these merges reject; sorting without memory, where
// stable_sort throws std::bad_alloc and leaves the range as it was.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "places.hpp"
#include "sorting.hpp"
#include "support.hpp"

namespace {

using namespace conformance;
using testing::at_host_places;
using testing::expect;

/// Counts misaligned objects.
struct alignas(128) overaligned {
  int key = 0;

  overaligned() = default;
  explicit overaligned(int k) : key{k} {}
  overaligned(const overaligned& other) : key{other.key} { check(); }
  overaligned& operator=(const overaligned& other) {
    key = other.key;
    check();
    return *this;
  }
  ~overaligned() { check(); }
  void check() {
    if (reinterpret_cast<std::uintptr_t>(this) % alignof(overaligned) != 0) ++misplaced;
  }
  static inline int misplaced = 0;
  friend bool operator<(const overaligned& a, const overaligned& b) { return a.key < b.key; }
};

/// Converts from any function of two numbers, itself included.
struct greedy_less {
  greedy_less() = default;
  template <class Function, class = std::invoke_result_t<Function&, int, int>>
  greedy_less(Function) {}
  bool operator()(int a, int b) const { return a < b; }
};

/// Counts how often its value has been copied.
struct traced {
  int key = 0;
  int copies = 0;

  traced() = default;
  explicit traced(int k) : key{k} {}
  traced(const traced& other) : key{other.key}, copies{other.copies + 1} {}
  traced& operator=(const traced& other) {
    key = other.key;
    copies = other.copies + 1;
    return *this;
  }
  friend bool operator<(const traced& a, const traced& b) { return a.key < b.key; }
};

}  // namespace

TEST_CASE("conformance: overaligned elements stay aligned (libstdc++ stable_sort/overaligned)") {
  overaligned::misplaced = 0;
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    std::vector<overaligned> all;
    for (const int n : numbers()) all.emplace_back(n);
    sort(policy, all.begin(), all.end());
    expect(ascending(all), name);
    std::vector<overaligned> merged(2 * all.size());
    gpu::merge(policy, all, all, merged.begin(), std::less<overaligned>{});
    expect(ascending(merged), name + ", merged");
  });
  expect(overaligned::misplaced == 0, "alignment");
}

TEST_CASE("conformance: comparators that take anything (libstdc++ sort/78991, sort/35588, check_compare_by_value)") {
  using namespace std::placeholders;
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    sort(policy, v.begin(), v.end(), greedy_less{});
    expect(ascending(v), name + ": made of any function");
    sort(policy, v.begin(), v.end(), std::bind(std::less<int>{}, _2, _1));
    expect(std::is_sorted(v.rbegin(), v.rend()), name + ": bound");
    std::vector<std::string> words;
    for (const int n : numbers()) words.push_back("word " + std::to_string(n));
    sort(policy, words.begin(), words.end(), [](std::string a, std::string b) { return std::move(a) > std::move(b); });
    expect(std::is_sorted(words.rbegin(), words.rend()) && words[0].starts_with("word"), name + ": by value");
  });
}

TEST_CASE("conformance: results of the ranges forms to the letter (libc++ ranges_sort, ranges_merge)") {
  const auto policy = gpu::par;
  std::vector<int> v = numbers(), w(v.size() + 3);
  const std::array few{1, 2, 3};
  using iterator = std::vector<int>::iterator;
  static_assert(std::same_as<decltype(gpu::sort(policy, v)), iterator>);
  static_assert(std::same_as<decltype(gpu::stable_sort(policy, v, std::ranges::greater{}, std::negate<>{})), iterator>);
  using merged = decltype(gpu::merge(policy, v, few, w.begin()));
  static_assert(
      std::same_as<merged, std::ranges::merge_result<iterator, std::array<int, 3>::const_iterator, iterator>>);
  using dangling = decltype(gpu::merge(policy, std::vector<int>{}, few, w.begin()).in1);
  static_assert(std::same_as<dangling, std::ranges::dangling>);
  gpu::sort(policy, v);
  const auto ends = gpu::merge(policy, v, few, w.begin());
  expect(ends.in1 == v.end() && ends.in2 == few.end() && ends.out == w.end() && ascending(w), "ends");
}

TEST_CASE("conformance: merge copies every element once (libc++ ranges_merge)") {
  at_host_places([](const auto& place) {
    std::vector<traced> a, b;
    a.reserve(50);
    b.reserve(30);
    for (int i = 0; i < 50; ++i) a.emplace_back(3 * i);
    for (int i = 0; i < 30; ++i) b.emplace_back(4 * i);
    std::vector<traced> out(80);
    gpu::merge(place.policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    expect(ascending(out) && std::ranges::all_of(out, [](const traced& one) { return one.copies == 1; }), place.name);
  });
}

TEST_CASE(
    "conformance: inplace_merge at every middle, of equals and in order (libstdc++ inplace_merge/49559, moveable2)") {
  at_host_places([](const auto& place) {
    for (std::size_t count = 0; count <= 7; ++count)
      for (std::size_t middle = 0; middle <= count; ++middle)
        for (const int step : {0, 1, 2}) {
          std::vector<std::unique_ptr<int>> owners;
          for (std::size_t i = 0; i < count; ++i)
            owners.push_back(std::make_unique<int>(step * static_cast<int>(i < middle ? i : i - middle)));
          const auto value = [](const auto& owner) { return *owner; };
          gpu::inplace_merge(place.policy, owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(middle),
                             owners.end(), [](const auto& a, const auto& b) { return *a < *b; });
          if (!std::ranges::is_sorted(owners, {}, value)) expect(false, place.name);
        }
  });
}
