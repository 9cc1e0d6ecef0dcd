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

/// Random access in the sense of C++17 and no more: no contiguity, a class type, operators that must not be used.
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

/// An end that is only known when it is met: the element with this value.
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

/// What a comparator may return if it says whether only when asked.
class explicit_truth {
 public:
  explicit explicit_truth(bool value) : value_{value} {}
  explicit operator bool() const { return value_; }

 private:
  bool value_;
};

/// Appends what is written to it: an output iterator of C++17, without a difference type.
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

/// An output iterator of C++20, which can only be moved.
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

/// Has < and nothing more, of itself and of the numbers that it can be made of; never made of nothing.
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

/// Counts its calls, so it cannot be called when const.
struct counting_less {
  int calls = 0;
  bool operator()(int a, int b) {
    ++calls;
    return a < b;
  }
};

/// Takes references that are not const, as comparators written long ago do.
struct careless_less {
  bool operator()(int& a, int& b) const { return a < b; }
};

}  // namespace conformance
