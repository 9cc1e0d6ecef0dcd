// sort and stable_sort in place of the standard's: comparators, projections and elements that these take.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sorting.hpp"
#include "support.hpp"

using namespace conformance;
using testing::expect;

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
