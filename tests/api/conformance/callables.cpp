// sort and stable_sort in place of the standard's: the comparators, projections and elements that the latter accept.
#include <algorithm>
#include <any>
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

namespace {

enum class garment : unsigned char { small, large, medium };
struct task {
  int urgency;
};
int rank_of(garment size) { return size == garment::small ? 0 : size == garment::medium ? 1 : 2; }

}  // namespace

// A program may specialise std::less and std::greater for its own types.
template <>
struct std::less<garment> {
  bool operator()(garment a, garment b) const { return rank_of(a) < rank_of(b); }
};
template <>
struct std::greater<garment> {
  bool operator()(garment a, garment b) const { return rank_of(a) > rank_of(b); }
};
template <>
struct std::less<task*> {
  bool operator()(const task* a, const task* b) const { return a->urgency < b->urgency; }
};

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
    sort(policy, v, [](int a, int b) { return explicit_truth{a > b}; });
    expect(is_descending() && gpu::is_sorted(policy, v, [](int a, int b) { return explicit_truth{a > b}; }),
           name + ": a result that converts to bool when asked to");
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

TEST_CASE("conformance: std::less and std::greater of the program's own types") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    std::vector<garment> sizes;
    for (const int n : numbers()) sizes.push_back(static_cast<garment>(n % 3));
    sort(policy, sizes.begin(), sizes.end(), std::less<garment>{});
    expect(std::ranges::is_sorted(sizes, {}, rank_of), name + ": specialised for an enumeration");
    sort(policy, sizes, std::greater<garment>{});
    expect(std::ranges::is_sorted(sizes, std::greater{}, rank_of), name + ": greater, too");
    sort(policy, sizes, std::less<>{});
    expect(ascending(sizes), name + ": std::less<> asks for <");
    std::vector<task> tasks;
    std::vector<task*> order;
    for (const int n : numbers()) tasks.push_back({n});
    for (task& one : tasks) order.push_back(&one);
    sort(policy, order.begin(), order.end(), std::less<task*>{});
    expect(std::ranges::is_sorted(order, {}, &task::urgency), name + ": specialised for a pointer");
    sort(policy, order);
    expect(order.front() == tasks.data() && order.back() == &tasks.back(), name + ": by address");
  });
}

TEST_CASE("conformance: members of what elements point to") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    std::vector<task> tasks;
    std::vector<task*> pointers;
    std::vector<std::unique_ptr<task>> owners;
    std::vector<std::shared_ptr<task>> sharers;
    for (const int n : numbers()) {
      tasks.push_back({n});
      owners.push_back(std::make_unique<task>(n));
      sharers.push_back(std::make_shared<task>(n));
    }
    for (task& one : tasks) pointers.push_back(&one);
    std::vector<std::reference_wrapper<task>> references(tasks.begin(), tasks.end());
    sort(policy, pointers, {}, &task::urgency);
    sort(policy, owners, std::ranges::greater{}, &task::urgency);
    sort(policy, sharers.begin(), sharers.end(), std::less<int>{}, &task::urgency);
    sort(policy, references, {}, &task::urgency);
    expect(std::ranges::is_sorted(pointers, {}, &task::urgency), name + ": pointers");
    expect(std::ranges::is_sorted(owners, std::ranges::greater{}, &task::urgency), name + ": unique_ptr");
    expect(std::ranges::is_sorted(sharers, {}, &task::urgency), name + ": shared_ptr");
    expect(std::ranges::is_sorted(references, {}, &task::urgency), name + ": reference_wrapper");
  });
}

TEST_CASE("conformance: arrays with functions") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    int array[] = {1, 3, 2};
    sort(policy, array, [](int a, int b) { return a > b; });
    expect(array[0] == 3 && array[2] == 1, name + ": a lambda");
    sort(policy, array, [](auto a, auto b) { return a < b; });
    expect(array[0] == 1 && array[2] == 3, name + ": a generic lambda");
    sort(policy, array, descending);
    expect(gpu::is_sorted(policy, array, descending), name + ": a function");
    expect(gpu::is_sorted_until(policy, array, &descending) == array + 3, name + ": its address");
  });
}

TEST_CASE("conformance: elements that a list of themselves would make") {
  using row = std::vector<std::any>;
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    for (const int count : {3, 100, 1000}) {
      std::vector<row> rows;
      for (int i = 0; i < count; ++i) rows.push_back(row{i * 37 % 1009, 'c'});
      const auto number = [](const row& one) { return one.size() == 2 ? std::any_cast<int>(one[0]) : -1; };
      sort(policy, rows, {}, number);
      expect(std::ranges::is_sorted(rows, {}, number) && number(rows[0]) == 0, name + ": by a number");
      sort(policy, rows, [&](const row& a, const row& b) { return number(a) > number(b); });
      expect(std::ranges::is_sorted(rows, std::greater{}, number) && number(rows.back()) == 0,
             name + ": by a comparator");
    }
  });
}

TEST_CASE("conformance: generic callables that need elements which are not const") {
  struct worker {
    int number;
    int& rank() { return number; }
  };
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    std::vector<worker> all;
    for (const int n : numbers()) all.push_back({n});
    sort(policy, all, {}, [](auto& one) { return one.rank(); });
    expect(std::ranges::is_sorted(all, {}, &worker::number), name + ": projection");
    sort(policy, all.begin(), all.end(), [](auto& a, auto& b) { return a.rank() > b.rank(); });
    expect(std::ranges::is_sorted(all, std::greater{}, &worker::number), name + ": comparator");
  });
}

TEST_CASE("conformance: volatile elements and members") {
  struct reading {
    volatile int value;
    reading(int n) : value{n} {}
    reading(const reading& other) : value{other.value} {}
    reading& operator=(const reading& other) {
      value = static_cast<int>(other.value);
      return *this;
    }
  };
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    const auto some = numbers();
    std::vector<reading> all(some.begin(), some.end());
    sort(policy, all, std::ranges::greater{}, &reading::value);
    expect(std::ranges::is_sorted(all, std::greater{}, &reading::value), name + ": members");
    volatile int array[many];
    for (int i = 0; i < many; ++i) array[i] = some[static_cast<std::size_t>(i)];
    sort(policy, array, array + many);
    expect(std::is_sorted(array, array + many), name + ": elements");
    volatile int merged[2 * many];
    gpu::merge(policy, array, array + many, array, array + many, merged, std::less<>{});
    gpu::inplace_merge(policy, merged, merged + many, merged + 2 * many);
    expect(gpu::is_sorted(policy, merged, merged + 2 * many), name + ": elements, merged");
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
