// Iterators: all random-access iterators, contiguous or not, of the C++17 or the C++20 kind, including proxies.
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"

namespace {

using namespace testing;

/// Steps through an array with a stride. Has only what C++17 requires of a random-access iterator.
template <class Element>
class strided_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;

  strided_iterator() = default;
  strided_iterator(Element* at, std::ptrdiff_t stride) : at_{at}, stride_{stride} {}

  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  reference operator[](difference_type n) const { return at_[n * stride_]; }
  strided_iterator& operator+=(difference_type n) { return at_ += n * stride_, *this; }
  strided_iterator& operator-=(difference_type n) { return *this += -n; }
  strided_iterator& operator++() { return *this += 1; }
  strided_iterator& operator--() { return *this -= 1; }
  strided_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  strided_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend strided_iterator operator+(strided_iterator it, difference_type n) { return it += n; }
  friend strided_iterator operator+(difference_type n, strided_iterator it) { return it += n; }
  friend strided_iterator operator-(strided_iterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(strided_iterator a, strided_iterator b) { return (a.at_ - b.at_) / a.stride_; }
  friend bool operator==(strided_iterator a, strided_iterator b) { return a.at_ == b.at_; }
  friend auto operator<=>(strided_iterator a, strided_iterator b) { return a - b <=> 0; }

 private:
  Element* at_ = nullptr;
  std::ptrdiff_t stride_ = 1;
};

/// Two arrays as one range of pairs: dereferencing gives a proxy.
class zip_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::tuple<std::uint32_t, std::string>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::tuple<std::uint32_t&, std::string&>;

  zip_iterator() = default;
  zip_iterator(std::uint32_t* first, std::string* second) : first_{first}, second_{second} {}

  reference operator*() const { return {*first_, *second_}; }
  reference operator[](difference_type n) const { return *(*this + n); }
  zip_iterator& operator+=(difference_type n) { return first_ += n, second_ += n, *this; }
  zip_iterator& operator-=(difference_type n) { return *this += -n; }
  zip_iterator& operator++() { return *this += 1; }
  zip_iterator& operator--() { return *this -= 1; }
  zip_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  zip_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend zip_iterator operator+(zip_iterator it, difference_type n) { return it += n; }
  friend zip_iterator operator+(difference_type n, zip_iterator it) { return it += n; }
  friend zip_iterator operator-(zip_iterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(zip_iterator a, zip_iterator b) { return a.first_ - b.first_; }
  friend bool operator==(zip_iterator a, zip_iterator b) { return a.first_ == b.first_; }
  friend auto operator<=>(zip_iterator a, zip_iterator b) { return a - b <=> 0; }

 private:
  std::uint32_t* first_ = nullptr;
  std::string* second_ = nullptr;
};

constexpr std::size_t count = 6000;

}  // namespace

TEST_CASE("iterators: deque and reverse") {
  const auto keys = make_keys<std::uint32_t>(few_values, count);
  at_host_places([&](const auto& place) {
    std::deque<std::uint32_t> deque(keys.begin(), keys.end());
    gpu::sort(place.policy, deque);
    expect_none(sort_problem(keys, {deque.begin(), deque.end()}, natural_less{}), place.name + ": deque");
    gpu::stable_sort(place.policy, deque.rbegin(), deque.rend());
    expect_none(sort_problem(keys, {deque.begin(), deque.end()}, natural_greater{}), place.name + ": reversed deque");
    auto vector = keys;
    gpu::sort(place.policy, vector.rbegin(), vector.rend());
    expect_none(sort_problem(keys, vector, natural_greater{}), place.name + ": reversed vector");
    gpu::sort(place.policy, vector | std::views::reverse, std::ranges::greater{});
    expect_none(sort_problem(keys, vector, natural_less{}), place.name + ": reverse view");
    expect(gpu::is_sorted(place.policy, deque.rbegin(), deque.rend()), place.name + ": is_sorted");
  });
}

TEST_CASE("iterators: strided, of the C++17 kind") {
  const auto keys = make_keys<std::uint32_t>(3 * count);
  at_host_places([&](const auto& place) {
    auto all = keys;
    std::vector<std::uint32_t> before, after, others_before, others_after;
    const strided_iterator<std::uint32_t> first{all.data(), 3};
    gpu::sort(place.policy, first, first + count);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      (i % 3 == 0 ? before : others_before).push_back(keys[i]);
      (i % 3 == 0 ? after : others_after).push_back(all[i]);
    }
    expect_none(sort_problem(before, after, natural_less{}), place.name);
    expect(others_before == others_after, place.name + ": elements between untouched");
    gpu::inplace_merge(place.policy, first, first + count / 2, first + count);
    expect(gpu::is_sorted(place.policy, first, first + count), place.name + ": merged");
  });
}

TEST_CASE("iterators: vector<bool>") {
  at_host_places([&](const auto& place) {
    std::vector<bool> bits;
    for (const auto position : make_positions(uniform, count)) bits.push_back(position % 3 == 0);
    const auto before = bits;
    gpu::sort(place.policy, bits);
    expect_none(sort_problem(before, bits, natural_less{}), place.name + ": range");
    gpu::stable_sort(place.policy, bits.begin(), bits.end(), std::greater<>{});
    expect_none(sort_problem(before, bits, natural_greater{}), place.name + ": iterators");
  });
}

TEST_CASE("iterators: vector<bool> as a column and as an output, whose neighbours share words") {
  const std::size_t many = 300'000;  // enough for several threads
  const auto keys = make_keys<std::uint32_t>(many);
  at_host_places([&](const auto& place) {
    auto sorted = keys;
    std::vector<bool> odd;
    for (const auto key : keys) odd.push_back(key % 2 != 0);
    gpu::sort_by_key(place.policy, sorted, odd);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < many; ++i) wrong += odd[i] != (sorted[i] % 2 != 0);
    expect(wrong == 0, place.name + ": column");

    std::vector<bool> zeros(many), ones(many / 3, true), merged(many + many / 3), merged_bits(2 * many);
    gpu::merge(place.policy, zeros, ones, merged.begin());
    expect(static_cast<std::size_t>(std::count(merged.begin(), merged.end(), true)) == many / 3 &&
               std::is_sorted(merged.begin(), merged.end()),
           place.name + ": merge");
    std::vector<std::uint32_t> merged_keys(2 * many);
    gpu::merge_by_key(place.policy, sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), odd.begin(),
                      odd.begin(), merged_keys.begin(), merged_bits.begin());
    wrong = 0;
    for (std::size_t i = 0; i < 2 * many; ++i) wrong += merged_bits[i] != (merged_keys[i] % 2 != 0);
    expect(wrong == 0, place.name + ": merge_by_key");
  });
}

TEST_CASE("iterators: a zip of two arrays") {
  const auto keys = make_keys<std::uint32_t>(few_values, count);
  at_host_places([&](const auto& place) {
    auto first = keys;
    std::vector<std::string> second;
    for (std::size_t i = 0; i < count; ++i)
      second.push_back(std::to_string(keys[i]) + '/' + std::to_string(100'000 + i));
    const zip_iterator begin{first.data(), second.data()};
    gpu::stable_sort(place.policy, begin, begin + count, std::ranges::less{},
                     [](const auto& row) { return std::get<0>(row); });
    expect_none(sort_problem(keys, first, natural_less{}), place.name);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += second[i].substr(0, second[i].find('/')) != std::to_string(first[i]);
      wrong += i > 0 && first[i] == first[i - 1] && second[i] < second[i - 1];
    }
    expect(wrong == 0, place.name + ": " + std::to_string(wrong) + " rows torn or out of their order");
  });
}

TEST_CASE("iterators: pointers, arrays, spans, subranges, counted ends") {
  at_host_places([&](const auto& place) {
    int raw[] = {3, 1, 2};
    gpu::sort(place.policy, raw, raw + 3);
    expect(raw[0] == 1 && raw[1] == 2 && raw[2] == 3, place.name + ": pointers");
    gpu::sort(place.policy, raw, std::greater<>{});
    expect(raw[0] == 3 && raw[1] == 2 && raw[2] == 1, place.name + ": built-in array");
    std::array array{2.5, 0.5, 1.5};
    gpu::sort(place.policy, std::span{array}.first(2));
    expect(array == std::array{0.5, 2.5, 1.5}, place.name + ": span");
    gpu::sort(place.policy, std::ranges::subrange{array.begin() + 1, array.end()});
    expect(array == std::array{0.5, 1.5, 2.5}, place.name + ": subrange");
    std::string text = "gpupar";
    gpu::sort(place.policy, text);
    expect(text == "agppru", place.name + ": string");
  });
}

TEST_CASE("iterators: two types, or elements that are not made from nothing, merged to what is written one by one") {
  const std::vector<int> ints{1, 3, 5};
  const std::vector<double> reals{1.5, 2.5, 4.25};
  std::vector<double> merged;
  gpu::merge(gpu::par, ints.begin(), ints.end(), reals.begin(), reals.end(), std::back_inserter(merged));
  expect(merged == std::vector{1.0, 1.5, 2.5, 3.0, 4.25, 5.0}, "ints and doubles");
  const std::vector<bool> bits{false, true};
  std::vector<int> numbers;
  gpu::merge(gpu::par, bits, std::vector<int>{5, 7}, std::back_inserter(numbers));
  expect(numbers == std::vector{0, 1, 5, 7}, "bits and ints");

  struct made_of_a_number {
    explicit made_of_a_number(int n) : number{n} {}
    int number;
  };
  const std::vector<made_of_a_number> a{made_of_a_number{1}, made_of_a_number{3}}, b{made_of_a_number{2}};
  std::vector<made_of_a_number> all;
  gpu::merge(gpu::par, a, b, std::back_inserter(all), {}, &made_of_a_number::number, &made_of_a_number::number);
  expect(all.size() == 3 && all[0].number == 1 && all[1].number == 2 && all[2].number == 3, "without a default");
}

TEST_CASE("iterators: keys that are strings made anew each time") {
  const std::vector<std::string> words{"b", "c", "a", "b"};
  const auto marked = words | std::views::transform([](const std::string& word) { return word + "!"; });
  std::vector<std::uint32_t> order(words.size());
  gpu::argsort(gpu::par, marked, order);
  expect(order == std::vector<std::uint32_t>{2, 0, 3, 1}, "argsort");
}

TEST_CASE("iterators: empty ranges, null pointers among them") {
  at_all_places([&](const auto& place) {
    int* const null = nullptr;
    gpu::sort(place.policy, null, null);
    gpu::stable_sort(place.policy, std::span<int>{});
    gpu::sort_by_key(place.policy, null, null, null);
    gpu::argsort(place.policy, null, null, null);
    gpu::inplace_merge(place.policy, null, null, null);
    expect(gpu::merge(place.policy, null, null, null, null, null) == null, place.name + ": merge");
    expect(gpu::is_sorted(place.policy, null, null), place.name + ": is_sorted");
    expect(gpu::is_sorted_until(place.policy, null, null) == null, place.name + ": is_sorted_until");
  });
}
