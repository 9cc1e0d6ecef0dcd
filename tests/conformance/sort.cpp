// sort and stable_sort in place of std::sort, std::stable_sort and their std::ranges forms: everything that these take
// and return, with nothing changed but the namespace and the policy.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "awkward.hpp"
#include "gpu/algorithm.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace conformance;
using testing::at_host_places;
using testing::expect;

constexpr int many = 100;

/// Different values in no order: multiples of a number that has no factor in common with 101.
std::vector<int> numbers(int count = many) {
  std::vector<int> all;
  for (int i = 1; i <= count; ++i) all.push_back(i * 37 % 101);
  return all;
}

template <class Range>
bool ascending(const Range& range) {
  return std::is_sorted(std::begin(range), std::end(range));
}

/// body(sort, name, policy) for both sorts.
template <class Body>
void with_sorts(Body body) {
  at_host_places([&](const auto& place) {
    body(gpu::sort, place.name + ", sort", place.policy);
    body(gpu::stable_sort, place.name + ", stable_sort", place.policy);
  });
}

std::vector<person> people() {
  std::vector<person> all;
  for (const int n : numbers()) all.push_back({std::to_string(n), n, std::make_unique<double>(n / 2.0)});
  return all;
}

}  // namespace

TEST_CASE("conformance: what sorts return") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    expect(sort(policy, v.begin(), v.end()) == v.end(), name + ": iterators");
    expect(sort(policy, v) == v.end(), name + ": a range");
    expect(sort(policy, v.begin() + 5, v.begin() + 5) == v.begin() + 5, name + ": nothing");
    static_assert(std::is_same_v<decltype(sort(policy, std::vector<int>{})), std::ranges::dangling>);
    static_assert(std::is_same_v<decltype(sort(policy, std::span<int>{})), std::span<int>::iterator>);
    (void)sort(policy, numbers());
    expect(sort(policy, std::span{v}.first(3)) == std::span{v}.begin() + 3, name + ": a span that goes");
    int built_in[] = {3, 1, 2};
    expect(sort(policy, built_in) == built_in + 3 && ascending(built_in), name + ": an array");
    expect(sort(policy, std::ranges::subrange{v.begin(), v.begin() + 2}) == v.begin() + 2, name + ": a subrange");
  });
}

TEST_CASE("conformance: every permutation of up to six elements") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    for (int count = 0; count <= 6; ++count) {
      std::vector<int> order(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i / 2;  // pairs of equals
      do {
        auto v = order;
        sort(policy, v.begin(), v.end());
        auto words = std::vector<std::string>(order.size());
        std::transform(order.begin(), order.end(), words.begin(), [](int i) { return std::to_string(i); });
        sort(policy, words.begin(), words.end(), std::greater<>{});
        if (!ascending(v) || !std::is_sorted(words.rbegin(), words.rend())) expect(false, name + ": a permutation");
      } while (std::next_permutation(order.begin(), order.end()));
    }
  });
}

TEST_CASE("conformance: iterators and ranges to sort") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    sort(policy, plain_iterator{v.data()}, plain_iterator{v.data() + many});
    expect(ascending(v), name + ": random access of C++17");
    sort(policy, v.rbegin(), v.rend());
    expect(std::is_sorted(v.rbegin(), v.rend()), name + ": reverse");
    const auto from = numbers();
    std::deque<int> deque(from.begin(), from.end());
    sort(policy, deque);
    expect(ascending(deque), name + ": deque");
    std::vector<bool> bits(many);
    for (int i = 0; i < many; ++i) bits[static_cast<std::size_t>(i)] = i % 3 == 0;
    sort(policy, bits.begin(), bits.end());
    expect(ascending(bits) && std::count(bits.begin(), bits.end(), true) == 34, name + ": vector<bool>");
    std::array<double, 4> array{2.5, -1, 9, 0};
    sort(policy, array);
    expect(ascending(array), name + ": array");

    v = numbers();
    sort(policy, v | std::views::drop(10));
    expect(ascending(v | std::views::drop(10)) && v[9] == numbers()[9], name + ": views::drop");
    sort(policy, std::views::reverse(v));
    expect(std::is_sorted(v.rbegin(), v.rend()), name + ": views::reverse");
    auto all = people();
    sort(policy, all | std::views::transform(&person::age));
    expect(std::ranges::is_sorted(all, {}, &person::age) && all[0].name == "37", name + ": a view of members");
    sort(policy, std::views::counted(v.begin(), 7));
    expect(std::is_sorted(v.begin(), v.begin() + 7), name + ": views::counted");
  });
}

TEST_CASE("conformance: ends of other types") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    v.push_back(-1);
    expect(sort(policy, v.begin(), end_mark<int>{-1}) == v.end() - 1, name + ": what is returned");
    expect(std::is_sorted(v.begin(), v.end() - 1) && v.back() == -1, name + ": an end that has to be looked for");
    v = numbers();
    sort(policy, std::counted_iterator{v.begin(), many}, std::default_sentinel);
    expect(ascending(v), name + ": counted iterator");
    char word[] = "sentinel";
    sort(policy, std::ranges::subrange{+word, end_mark<char>{'\0'}});
    expect(std::string{word} == "eeilnnst", name + ": a string that ends in zero");
  });
}

TEST_CASE("conformance: comparators") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    const auto is_descending = [&] { return std::is_sorted(v.rbegin(), v.rend()); };
    sort(policy, v.begin(), v.end(), descending);
    expect(is_descending(), name + ": function");
    sort(policy, v.begin(), v.end(), +[](int a, int b) { return a < b; });
    expect(ascending(v), name + ": pointer to function");
    sort(policy, v, [](int a, int b) { return truth{a > b}; });
    expect(is_descending(), name + ": a result that is no bool");
    sort(policy, v, [](auto a, auto b) mutable { return a < b; });
    expect(ascending(v), name + ": generic, mutable");
    sort(policy, v, careless_less{});
    sort(policy, v, std::function<bool(int, int)>{descending});
    expect(is_descending(), name + ": std::function");
    sort(policy, v.begin(), v.end(), careless_less{});
    expect(ascending(v), name + ": arguments that are not const");
    sort(policy, v, [](const int& a, const int& b) { return a > b; });
    expect(is_descending(), name + ": arguments by reference");
    auto few = numbers(7);  // few enough for one thread
    counting_less counted;
    sort(policy, few.begin(), few.end(), std::ref(counted));
    expect(ascending(few) && counted.calls > 0, name + ": by reference");
    auto all = people();
    sort(policy, all, &person::younger);
    expect(std::ranges::is_sorted(all, {}, &person::age), name + ": member function");
    sort(policy, all, std::not_fn(std::less_equal<>{}), &person::age);
    expect(std::ranges::is_sorted(all, std::greater{}, &person::age), name + ": not_fn");
  });
}

TEST_CASE("conformance: projections") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto all = people();
    const auto by_age = [&] { return std::ranges::is_sorted(all, {}, &person::age); };
    const auto by_name = [&] { return std::ranges::is_sorted(all, {}, &person::name); };
    sort(policy, all, {}, &person::age);
    expect(by_age(), name + ": member");
    sort(policy, all, {}, &person::called);
    expect(by_name(), name + ": member function to a reference");
    sort(policy, all, std::less<int>{}, &person::years);
    expect(by_age(), name + ": member function to a value");
    sort(policy, all.begin(), all.end(), std::ranges::less{}, [](const person& one) { return one.name; });
    expect(by_name(), name + ": a new string");
    sort(policy, all, {}, [](const person& one) { return *one.weight; });
    expect(by_age(), name + ": behind a pointer");
    sort(policy, all, {}, [](person& one) -> std::string& { return one.name; });
    expect(by_name(), name + ": an argument that is not const");
    sort(policy, all, {}, [](const person& one) { return std::tuple{one.age % 7, one.name}; });
    expect(std::ranges::is_sorted(all, {}, [](const person& one) { return std::tuple{one.age % 7, one.name}; }),
           name + ": a tuple");
    sort(policy, all, [](const auto& a, const auto& b) { return *a < *b; }, &person::weight);
    expect(by_age(), name + ": a member that can only be moved, by reference");
  });
}

TEST_CASE("conformance: elements of many types") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    const auto sorts = [&](const auto& make, const std::string& what) {
      std::vector<decltype(make(0))> all;
      for (const int n : numbers()) all.push_back(make(n));
      sort(policy, all.begin(), all.end());
      expect(ascending(all), name + ": " + what);
    };
    sorts([](int n) { return std::pair{n % 5, -n}; }, "pairs");
    sorts([](int n) { return std::tuple{n % 3, std::to_string(n)}; }, "tuples");
    sorts([](int n) { return n % 4 == 0 ? std::optional<int>{} : n; }, "optionals");
    sorts([](int n) { return std::vector<int>(static_cast<std::size_t>(n % 9), n); }, "vectors");
    sorts([](int n) { return static_cast<std::byte>(n); }, "bytes");
    sorts([](int n) { return static_cast<std::align_val_t>(n); }, "enumerations");
    sorts([](int n) { return static_cast<long double>(n) / 8; }, "long double");
    sorts([](int n) { return static_cast<wchar_t>(n); }, "wide characters");
    std::vector<int> home(101);
    sorts([&](int n) { return home.data() + n; }, "pointers");

    std::vector<std::unique_ptr<int>> owners;
    for (const int n : numbers()) owners.push_back(std::make_unique<int>(n));
    sort(policy, owners.begin(), owners.end(), [](const auto& a, const auto& b) { return *a < *b; });
    expect(std::is_sorted(owners.begin(), owners.end(), [](const auto& a, const auto& b) { return *a < *b; }),
           name + ": owners");
    sort(policy, owners);
    expect(ascending(owners), name + ": owners by address");
  });
}
