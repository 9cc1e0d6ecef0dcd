// Iterators like those in the algorithm tests of libstdc++ and Thrust, written anew: to rows of columns, to proxies,
// and with narrow difference types. Each case names the tests that it corresponds to.
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sorting.hpp"
#include "support.hpp"

namespace {

using namespace conformance;
using testing::expect;

/// Rows of two columns, one of them of a move-only type, as C++23's views::zip makes them.
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

/// Random access with a narrow difference type and a conversion to a pointer: `it + std::ptrdiff_t{}` is ambiguous.
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

struct ordered_by_less {
  int key;
  friend bool operator<(const ordered_by_less& a, const ordered_by_less& b) { return a.key < b.key; }
};

/// Iterators to elements that only have operator<, through proxies that have every comparison.
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

TEST_CASE("conformance: narrow differences and pointers in disguise (libstdc++ stable_sort/4)") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    sort(policy, narrow_iterator{v.data()}, narrow_iterator{v.data() + many});
    expect(ascending(v), name);
  });
}
