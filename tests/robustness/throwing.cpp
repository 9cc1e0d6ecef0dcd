// Comparators and copies that throw, at every call in turn: the exception reaches the caller, and no element is lost.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <new>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "host_algorithms.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "small_pieces.hpp"

namespace {

using namespace testing;

struct thrown {};

/// Has copies but no moves; one of the copies throws.
struct copied {
  static inline long left = 0;
  static inline int alive = 0;
  int key;

  explicit copied(int of) : key{of} { ++alive; }
  copied(const copied& other) : key{other.key} {
    count();
    ++alive;
  }
  copied& operator=(const copied& other) {
    count();
    key = other.key;
    return *this;
  }
  ~copied() { --alive; }

 private:
  static void count() {
    if (left-- == 0) throw thrown{};
  }
};

/// Throws at the k-th call and at every later one.
struct throwing_less {
  std::atomic<std::size_t>* left;
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    const auto before = left->fetch_sub(1);
    if (before == 0 || before > ~std::size_t{0} / 2) throw thrown{};
    return a < b;
  }
};

/// Runs action(elements, less) with a comparator that throws from the k-th call on. Returns whether it threw; fails the
/// test if elements are missing.
template <class Element, class Action>
bool throws_and_keeps(std::vector<Element> elements, std::size_t k, const std::string& what, Action action) {
  const auto before = elements;
  std::atomic<std::size_t> left{k};
  bool threw = false;
  try {
    action(elements, throwing_less{&left});
  } catch (const thrown&) {
    threw = true;
  }
  const auto problem = permutation_problem(before, elements);
  if (!problem.empty())
    expect_none(problem, what + ", n = " + std::to_string(before.size()) + ", k = " + std::to_string(k));
  return threw;
}

/// Tries every k until the comparator is called less often; then larger sizes and random k.
template <class Element, class Make, class Action>
void check_throwing(const std::string& what, Make make, Action action) {
  for (const std::size_t n : {2, 3, 5, 8, 13, 17, 33, 60})
    for (std::size_t k = 0; throws_and_keeps<Element>(make(n), k, what, action); ++k) {
    }
  random_source random{seed()};
  for (const std::size_t n : {500, 3000, 40'000})
    for (int repeat = 0; repeat < 6; ++repeat) throws_and_keeps<Element>(make(n), random.below(n * 12), what, action);
  expect(throws_and_keeps<Element>(make(40'000), 1000, what, action), what + ": the exception arrives");
}

std::vector<std::uint32_t> numbers(std::size_t n) { return make_keys<std::uint32_t>(n, n); }

std::vector<std::string> strings(std::size_t n) {
  std::vector<std::string> all;
  for (const auto key : numbers(n)) all.push_back("long enough to live on the heap " + std::to_string(key));
  return all;
}

}  // namespace

TEST_CASE("throwing: sort with a throwing comparator") {
  for (const auto how : algorithms) {
    const auto policy = gpu::par.require_host().using_algorithm(how);
    const auto sort = [&](auto& elements, auto less) { gpu::sort(policy, elements, less); };
    check_throwing<std::uint32_t>("numbers, " + std::string{gpu::to_string(how)}, numbers, sort);
    check_throwing<std::string>("strings, " + std::string{gpu::to_string(how)}, strings, sort);
  }
}

TEST_CASE("throwing: stable_sort and inplace_merge with a throwing comparator") {
  for (const auto how : stable_algorithms) {
    const auto policy = gpu::par.require_host().using_algorithm(how);
    const auto sort = [&](auto& elements, auto less) { gpu::stable_sort(policy, elements, less); };
    check_throwing<std::uint32_t>("numbers, " + std::string{gpu::to_string(how)}, numbers, sort);
    check_throwing<std::string>("strings, " + std::string{gpu::to_string(how)}, strings, sort);
  }
  const auto halves = [](auto make) {
    return [=](std::size_t n) {
      auto elements = make(n);
      const auto middle = elements.begin() + static_cast<std::ptrdiff_t>(n / 2);
      std::sort(elements.begin(), middle);
      std::sort(middle, elements.end());
      return elements;
    };
  };
  const auto merge = [](auto& elements, auto less) {
    gpu::inplace_merge(gpu::par, elements, elements.begin() + static_cast<std::ptrdiff_t>(elements.size() / 2), less);
  };
  check_throwing<std::uint32_t>("inplace_merge of numbers", halves(numbers), merge);
  check_throwing<std::string>("inplace_merge of strings", halves(strings), merge);
}

TEST_CASE("throwing: a throwing comparator leaves the input of what writes elsewhere, or nothing") {
  const auto policy = gpu::par.require_host();
  const auto check = [&]<class Element>(std::vector<Element> in, const std::string& what) {
    const std::size_t n = in.size();
    std::sort(in.begin(), in.end());
    const auto before = in;
    const std::span first{in.data(), n / 3}, second{in.data() + n / 3, n - n / 3};
    std::vector<Element> out(2 * n);
    std::vector<std::uint32_t> places(n), moved(n);
    const auto fail = [&](const std::string& name, auto call) {
      const std::size_t step = n <= 60 ? 1 : 1 + n / 3;
      for (std::size_t k = 0, threw = 1; threw != 0; k += step) {
        std::atomic<std::size_t> left{k};
        try {
          call(throwing_less{&left});
          threw = 0;
        } catch (const thrown&) {
        }
        if (in != before || (threw == 0 && k == 0))
          expect(false, name + " of " + what + ", n = " + std::to_string(n) + ", k = " + std::to_string(k));
      }
    };
    fail("merge", [&](auto less) { gpu::merge(policy, first, second, out.begin(), less); });
    fail("merge_by_key", [&](auto less) {
      gpu::merge_by_key(policy, first.begin(), first.end(), second.begin(), second.end(), places.begin(),
                        places.begin(), out.begin(), moved.begin(), less);
    });
    fail("multiway_merge", [&](auto less) {
      gpu::multiway_merge(policy, std::array{first, second, second.first(0), first}, out.begin(), less);
    });
    fail("argsort", [&](auto less) { gpu::argsort(policy, in, places, less); });
    fail("is_sorted", [&](auto less) { (void)gpu::is_sorted(policy, in, less); });
  };
  for (const std::size_t n : {6, 30, 60, 3000, 40'000}) {
    check(numbers(n), "numbers");
    check(strings(n), "strings");
  }
}

/// The step from one call that throws to the next: under the thread sanitizer, where each sort starts its own threads,
/// the calls between are left to programs without it.
#ifdef __SANITIZE_THREAD__
constexpr std::size_t between_throws = 7;
#else
constexpr std::size_t between_throws = 1;
#endif

TEST_CASE("throwing: every call of a comparator throws in turn, on every level of every sort") {
  namespace host = gpu::detail::host;
  const auto check = [](const std::string& what, auto sort) {
    for (const std::size_t n : {40, 150})
      for (std::size_t k = 0; throws_and_keeps<std::uint32_t>(
               numbers(n), k, what, [&](auto& elements, auto less) { sort(elements.data(), elements.size(), less); });
           k += between_throws) {
      }
  };
  const auto runs = [](std::uint32_t* first, std::size_t n, auto less) {
    std::sort(first, first + n / 2);
    std::sort(first + n / 2, first + n, std::greater<>{});
    host::quicksort<small_pieces>(first, n, less);
  };
  check("two runs", runs);
  check("quicksort", [](auto... all) { host::quicksort<small_pieces>(all...); });
  check("quicksort by blocks", [](auto... all) { host::quicksort<small_blocks>(all...); });
  check("sample sort", [](auto... all) { host::sample_sort<small_pieces>(all...); });
  check("merge sort", [](auto... all) { host::merge_sort<small_pieces>(all...); });
  check("bitonic sort", [](auto... all) { host::bitonic_sort<small_pieces>(all...); });
  check("sample sort, one thread", [](auto... all) { host::sample_sort<small_pieces_alone>(all...); });
  check("merge sort, one thread", [](auto... all) { host::merge_sort<small_pieces_alone>(all...); });
}

TEST_CASE("throwing: what a comparator throws is not taken for a lack of memory") {
  for (const std::size_t n : {1000, 200'000}) {
    auto elements = numbers(n);
    std::sort(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(n / 2));
    std::sort(elements.begin() + static_cast<std::ptrdiff_t>(n / 2), elements.end());
    const auto before = elements;
    std::atomic<std::size_t> left{n + n / 2};
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      if (left.fetch_sub(1) == 0) throw std::bad_alloc{};
      return a < b;
    };
    bool arrived = false;
    try {
      gpu::sort(gpu::par.require_host(), elements, less);
    } catch (const std::bad_alloc&) {
      arrived = true;
    }
    expect(arrived, "two runs: the exception arrives, n = " + std::to_string(n));
    expect_none(permutation_problem(before, elements), "two runs, n = " + std::to_string(n));
  }
}

TEST_CASE("throwing: sort_by_key with a throwing comparator keeps every row") {
  for (const bool stable : {false, true})
    for (const std::size_t n : {3, 20, 3000, 30'000})
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 2, n, 5 * n}) {
        const auto keys = numbers(n);
        auto sorted = keys;
        std::vector<std::uint32_t> rows(n);
        std::iota(rows.begin(), rows.end(), 0u);
        std::atomic<std::size_t> left{k};
        try {
          if (stable)
            gpu::stable_sort_by_key(gpu::par, sorted, rows, throwing_less{&left});
          else
            gpu::sort_by_key(gpu::par, sorted, rows, throwing_less{&left});
        } catch (const thrown&) {
        }
        std::vector<std::uint32_t> rebuilt(n);
        for (std::size_t i = 0; i < n; ++i) rebuilt[rows[i] % n] = sorted[i];
        expect(rebuilt == keys, "rows torn or lost, n = " + std::to_string(n) + ", k = " + std::to_string(k));
      }
}

TEST_CASE("throwing: a copy that throws as few elements are inserted reaches the caller, and all are still there") {
  constexpr long never = 1L << 40;
  const auto sort_when = [](int n, long copies) {
    std::vector<copied> elements;
    elements.reserve(static_cast<std::size_t>(n));
    copied::left = never;
    for (int i = 0; i < n; ++i) elements.emplace_back(n - i);
    copied::left = copies;
    bool threw = false;
    try {
      gpu::stable_sort(gpu::par.require_host(), elements,
                       [](const copied& a, const copied& b) { return a.key < b.key; });
    } catch (const thrown&) {
      threw = true;
    }
    const long made = copies - copied::left;
    copied::left = never;
    const std::string name = std::to_string(n) + " elements, copy " + std::to_string(copies);
    expect(threw == (copies != never), name + " throws");
    std::set<int> keys;
    for (const copied& element : elements) keys.insert(element.key);
    expect(keys.size() == elements.size(), name + ": all keys are there");
    return made;
  };
  for (const int n : {2, 7, 20})
    for (long copies = sort_when(n, never) - 1; copies >= 0; --copies) sort_when(n, copies);
}

TEST_CASE("throwing: elements whose copies throw on their way into contiguous memory and back are all still there") {
  constexpr int n = 100;
  constexpr long never = 1L << 40;
  const auto sort_when = [](long copies) {  // the k-th copy throws
    std::deque<copied> elements;
    copied::left = never;
    for (int i = 0; i < n; ++i) elements.emplace_back(i * 37 % n);
    copied::left = copies;
    bool threw = false;
    try {
      gpu::sort(gpu::par.require_host(), elements.begin(), elements.end(), std::less<>{}, &copied::key);
    } catch (const thrown&) {
      threw = true;
    }
    const long made = copies - copied::left;
    copied::left = never;
    expect(threw == (copies != never), "copy " + std::to_string(copies) + " throws");
    expect(copied::alive == n, "copy " + std::to_string(copies) + ": nothing is leaked");
    std::set<int> keys;
    for (const copied& element : elements) keys.insert(element.key);
    expect(keys.size() == n, "copy " + std::to_string(copies) + ": all keys are there");
    return made;
  };
  const long all = sort_when(never);
  expect(all >= 2 * n, "elements are copied there and back");
  for (long copies = 0; copies < n; ++copies) {
    sort_when(copies);
    sort_when(all - 1 - copies);
  }
}
