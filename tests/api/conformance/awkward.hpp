// Iterators, ends and callables that the standard allows and that generic code trips over.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace conformance {

/// A C++17 random-access iterator and nothing more: a class type that is not contiguous, with a deleted comma operator.
template <class T>
class plain_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  plain_iterator() = default;
  explicit plain_iterator(T* at) : at_{at} {}

  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }
  T& operator[](difference_type i) const { return at_[i]; }
  plain_iterator& operator+=(difference_type i) {
    at_ += i;
    return *this;
  }
  plain_iterator& operator-=(difference_type i) { return *this += -i; }
  plain_iterator& operator++() { return *this += 1; }
  plain_iterator& operator--() { return *this += -1; }
  plain_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  plain_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend plain_iterator operator+(plain_iterator it, difference_type i) { return it += i; }
  friend plain_iterator operator+(difference_type i, plain_iterator it) { return it += i; }
  friend plain_iterator operator-(plain_iterator it, difference_type i) { return it -= i; }
  friend difference_type operator-(plain_iterator a, plain_iterator b) { return a.at_ - b.at_; }
  friend bool operator==(plain_iterator, plain_iterator) = default;
  friend auto operator<=>(plain_iterator, plain_iterator) = default;
  template <class Other>
  void operator,(Other&&) const = delete;

 private:
  T* at_ = nullptr;
};

/// A sentinel that is recognised only when it is reached: the element with this value.
template <class T>
struct end_mark {
  T value;
  template <class Iterator>
  friend bool operator==(const Iterator& at, const end_mark& end) {
    return *at == end.value;
  }
};

/// What a comparator may return instead of bool.
class truth {
 public:
  explicit truth(bool value) : value_{value} {}
  operator bool() const { return value_; }

 private:
  bool value_;
};

/// What a comparator may also return: it converts to bool only explicitly.
class explicit_truth {
 public:
  explicit explicit_truth(bool value) : value_{value} {}
  explicit operator bool() const { return value_; }

 private:
  bool value_;
};

/// A C++17 output iterator, without a difference type, that appends to a vector.
template <class T>
struct appender {
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = void;
  using pointer = void;
  using reference = void;

  std::vector<T>* to;
  appender& operator=(const T& element) {
    to->push_back(element);
    return *this;
  }
  appender& operator*() { return *this; }
  appender& operator++() { return *this; }
  appender operator++(int) { return *this; }
};

/// A move-only C++20 output iterator.
template <class T>
struct sink {
  using difference_type = std::ptrdiff_t;

  T* at;
  explicit sink(T* first) : at{first} {}
  sink(sink&&) = default;
  sink& operator=(sink&&) = default;
  T& operator*() const { return *at; }
  sink& operator++() {
    ++at;
    return *this;
  }
  void operator++(int) { ++at; }
};

/// Only has operator<, also with the numbers that convert to it; not default-constructible.
struct cents {
  int count;
  cents(int n) : count{n} {}
  friend bool operator<(cents a, cents b) { return a.count < b.count; }
};

struct person {
  std::string name;
  int age = 0;
  std::unique_ptr<double> weight;

  [[nodiscard]] int years() const noexcept { return age; }
  [[nodiscard]] const std::string& called() const { return name; }
  [[nodiscard]] bool younger(const person& other) const { return age < other.age; }
};

inline bool descending(int a, int b) { return a > b; }

/// Counts its calls, so its call operator is not const.
struct counting_less {
  int calls = 0;
  bool operator()(int a, int b) {
    ++calls;
    return a < b;
  }
};

/// Takes non-const references, as old comparators do.
struct careless_less {
  bool operator()(int& a, int& b) const { return a < b; }
};

}  // namespace conformance
