// Two columns as rows, like those of a zip: references are proxies, values own their parts.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace conformance {

/// A name that counts how often it is copied.
struct counted_name {
  int number = 0;
  int* copies = nullptr;

  counted_name() = default;
  counted_name(int n, int* counter) : number{n}, copies{counter} {}
  counted_name(const counted_name& other) : number{other.number}, copies{other.copies} { ++*copies; }
  counted_name(counted_name&&) noexcept = default;
  counted_name& operator=(const counted_name& other) {
    number = other.number;
    copies = other.copies;
    ++*copies;
    return *this;
  }
  counted_name& operator=(counted_name&&) noexcept = default;
  ~counted_name() = default;
  friend bool operator<(const counted_name& a, const counted_name& b) { return a.number < b.number; }
};

template <class Key, class Value>
class row_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::pair<Key, Value>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    Key& first;
    Value& second;
    operator value_type() const
      requires std::copy_constructible<value_type>
    {
      return {first, second};
    }
    const reference& operator=(value_type&& row) const {
      first = std::move(row.first);
      second = std::move(row.second);
      return *this;
    }
    friend bool operator<(const reference& a, const reference& b) { return a.first < b.first; }
  };

  row_iterator() = default;
  row_iterator(Key* keys, Value* values) : keys_{keys}, values_{values} {}

  reference operator*() const { return {*keys_, *values_}; }
  reference operator[](difference_type i) const { return {keys_[i], values_[i]}; }
  row_iterator& operator+=(difference_type i) {
    keys_ += i;
    values_ += i;
    return *this;
  }
  row_iterator& operator-=(difference_type i) { return *this += -i; }
  row_iterator& operator++() { return *this += 1; }
  row_iterator& operator--() { return *this += -1; }
  row_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  row_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend row_iterator operator+(row_iterator it, difference_type i) { return it += i; }
  friend row_iterator operator+(difference_type i, row_iterator it) { return it += i; }
  friend row_iterator operator-(row_iterator it, difference_type i) { return it -= i; }
  friend difference_type operator-(row_iterator a, row_iterator b) { return a.keys_ - b.keys_; }
  friend bool operator==(row_iterator a, row_iterator b) { return a.keys_ == b.keys_; }
  friend auto operator<=>(row_iterator a, row_iterator b) { return a.keys_ <=> b.keys_; }
  friend value_type iter_move(const row_iterator& it) { return {std::move(*it.keys_), std::move(*it.values_)}; }

 private:
  Key* keys_ = nullptr;
  Value* values_ = nullptr;
};

template <class Key, class Value>
class rows_of {
 public:
  rows_of(std::vector<Key>& keys, std::vector<Value>& values)
      : first_{keys.data(), values.data()}, last_{first_ + static_cast<std::ptrdiff_t>(keys.size())} {}
  [[nodiscard]] auto begin() const { return first_; }
  [[nodiscard]] auto end() const { return last_; }

 private:
  row_iterator<Key, Value> first_, last_;
};

}  // namespace conformance
