// What the algorithm tests of libstdc++ (testsuite/25_algorithms) and libc++ (test/std/algorithms/alg.sorting) ask of
// sorts and merges beyond the other files here, in our own words; each case names the tests that it answers to. Not
// asked: constexpr; lists and single-pass iterators, which these merges refuse; sorting without memory, where
// stable_sort throws std::bad_alloc and leaves the range as it was.
#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "places.hpp"
#include "sorting.hpp"
#include "support.hpp"

namespace {

using namespace conformance;
using testing::at_host_places;
using testing::expect;

/// A row of two columns of move-only things, as views::zip of C++23 makes them.
class rows {
 public:
  using owner = std::unique_ptr<int>;
  struct value {
    int key;
    owner thing;
  };
  struct reference {
    int& key;
    owner& thing;
    const reference& operator=(value&& from) const {
      key = from.key;
      thing = std::move(from.thing);
      return *this;
    }
  };
  class iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = value;
    using difference_type = std::ptrdiff_t;
    using reference = rows::reference;
    using pointer = void;

    iterator() = default;
    iterator(int* keys, owner* things) : keys_{keys}, things_{things} {}
    reference operator*() const { return {*keys_, *things_}; }
    reference operator[](difference_type i) const { return *(*this + i); }
    iterator& operator+=(difference_type i) {
      keys_ += i;
      things_ += i;
      return *this;
    }
    iterator& operator-=(difference_type i) { return *this += -i; }
    iterator& operator++() { return *this += 1; }
    iterator& operator--() { return *this += -1; }
    iterator operator++(int) { return std::exchange(*this, *this + 1); }
    iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend iterator operator+(iterator it, difference_type i) { return it += i; }
    friend iterator operator+(difference_type i, iterator it) { return it += i; }
    friend iterator operator-(iterator it, difference_type i) { return it -= i; }
    friend difference_type operator-(const iterator& a, const iterator& b) { return a.keys_ - b.keys_; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.keys_ == b.keys_; }
    friend auto operator<=>(const iterator& a, const iterator& b) { return a.keys_ <=> b.keys_; }
    friend value iter_move(const iterator& it) { return {*it.keys_, std::move(*it.things_)}; }
    friend void iter_swap(const iterator& a, const iterator& b) {
      std::swap(*a.keys_, *b.keys_);
      a.things_->swap(*b.things_);
    }

   private:
    int* keys_ = nullptr;
    owner* things_ = nullptr;
  };

  explicit rows(std::vector<int>& keys, std::vector<owner>& things)
      : first_{keys.data(), things.data()}, count_{keys.size()} {}
  [[nodiscard]] iterator begin() const { return first_; }
  [[nodiscard]] iterator end() const { return first_ + static_cast<std::ptrdiff_t>(count_); }

 private:
  iterator first_;
  std::size_t count_;
};

/// Knows where it may be.
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

/// Random access with a narrow difference type, and a pointer if asked: `it + std::ptrdiff_t{}` is ambiguous.
class narrow_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = int*;
  using reference = int&;

  narrow_iterator() = default;
  explicit narrow_iterator(int* at) : at_{at} {}
  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  reference operator[](int i) const { return at_[i]; }
  narrow_iterator& operator+=(int i) { return at_ += i, *this; }
  narrow_iterator& operator-=(int i) { return at_ -= i, *this; }
  narrow_iterator& operator++() { return *this += 1; }
  narrow_iterator& operator--() { return *this += -1; }
  narrow_iterator operator++(int) { return narrow_iterator{at_++}; }
  narrow_iterator operator--(int) { return narrow_iterator{at_--}; }
  narrow_iterator operator+(int i) const { return narrow_iterator{at_ + i}; }
  narrow_iterator operator-(int i) const { return narrow_iterator{at_ - i}; }
  friend narrow_iterator operator+(int i, narrow_iterator it) { return it + i; }
  int operator-(narrow_iterator other) const { return static_cast<int>(at_ - other.at_); }
  operator pointer() const { return at_; }
  bool operator==(const narrow_iterator&) const = default;
  auto operator<=>(const narrow_iterator&) const = default;

 private:
  int* at_ = nullptr;
};

/// Can be made of any function of two numbers, itself included.
struct greedy_less {
  greedy_less() = default;
  template <class Function, class = std::invoke_result_t<Function&, int, int>>
  greedy_less(Function) {}
  bool operator()(int a, int b) const { return a < b; }
};

/// Counts how often it was copied since it was made.
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

struct ordered_by_less {
  int key;
  friend bool operator<(const ordered_by_less& a, const ordered_by_less& b) { return a.key < b.key; }
};

/// To elements that have < alone, by way of proxies that have every comparison.
class comparing_proxies {
 public:
  class proxy {
   public:
    proxy(ordered_by_less* at) : at_{at} {}
    proxy(const proxy&) = default;
    operator ordered_by_less() const { return *at_; }
    const proxy& operator=(ordered_by_less from) const {
      *at_ = from;
      return *this;
    }
    const proxy& operator=(const proxy& from) const { return *this = *from.at_; }
    friend auto operator<=>(const proxy& a, const proxy& b) { return a.at_->key <=> b.at_->key; }
    friend bool operator==(const proxy& a, const proxy& b) { return a.at_->key == b.at_->key; }
    friend bool operator<(const ordered_by_less& a, const proxy& b) { return a.key < b.at_->key; }
    friend bool operator<(const proxy& a, const ordered_by_less& b) { return a.at_->key < b.key; }

   private:
    ordered_by_less* at_;
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = ordered_by_less;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = proxy;

  comparing_proxies() = default;
  explicit comparing_proxies(ordered_by_less* at) : at_{at} {}
  proxy operator*() const { return at_; }
  proxy operator[](difference_type i) const { return at_ + i; }
  comparing_proxies& operator+=(difference_type i) {
    at_ += i;
    return *this;
  }
  comparing_proxies& operator-=(difference_type i) { return *this += -i; }
  comparing_proxies& operator++() { return *this += 1; }
  comparing_proxies& operator--() { return *this += -1; }
  comparing_proxies operator++(int) { return std::exchange(*this, *this + 1); }
  comparing_proxies operator--(int) { return std::exchange(*this, *this - 1); }
  friend comparing_proxies operator+(comparing_proxies it, difference_type i) { return it += i; }
  friend comparing_proxies operator+(difference_type i, comparing_proxies it) { return it += i; }
  friend comparing_proxies operator-(comparing_proxies it, difference_type i) { return it -= i; }
  friend difference_type operator-(comparing_proxies a, comparing_proxies b) { return a.at_ - b.at_; }
  friend auto operator<=>(const comparing_proxies&, const comparing_proxies&) = default;

 private:
  ordered_by_less* at_ = nullptr;
};

}  // namespace

TEST_CASE("conformance: rows of columns that can only be moved (libstdc++ sort/118209)") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto keys = numbers();
    std::vector<rows::owner> things;
    for (const int key : keys) things.push_back(std::make_unique<int>(key));
    const auto key = [](const auto& row) -> int { return row.key; };
    sort(policy, rows{keys, things}, {}, key);
    bool together = ascending(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) together = together && things[i] != nullptr && *things[i] == keys[i];
    expect(together, name);
  });
}

TEST_CASE("conformance: proxies that compare in more ways than their values (Thrust stable_sort_large)") {
  for (const int count : {3, 100}) {
    std::vector<ordered_by_less> all;
    for (int i = 0; i < count; ++i) all.push_back({i * 37 % 101});
    const comparing_proxies first{all.data()};
    gpu::sort(gpu::par, first, first + count);
    expect(std::is_sorted(all.begin(), all.end()), "sort");
    gpu::stable_sort(gpu::par, first, first + count);
    expect(gpu::is_sorted(gpu::par, first, first + count), "is_sorted");
  }
}

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

TEST_CASE("conformance: narrow differences and pointers in disguise (libstdc++ stable_sort/4)") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    sort(policy, narrow_iterator{v.data()}, narrow_iterator{v.data() + many});
    expect(ascending(v), name);
  });
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
