// Namespaces of a program with functions named like the library's, operators that must not be called, and templates
// that cannot be instantiated: the library must use none of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"
#include "support.hpp"

namespace shop {

#include "greedy_neighbours.inc"

/// Its address-of and comma operators are deleted.
struct item {
  int price = 0;
  int number = 0;

  friend bool operator<(const item& a, const item& b) { return a.price < b.price; }
  void operator&() const = delete;
  template <class Other>
  void operator,(Other&&) const = delete;
};

struct labelled {
  std::string label;
  int price = 0;

  void operator&() const = delete;
  template <class Other>
  void operator,(Other&&) const = delete;
};

struct cheaper {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a.price < b.price;
  }
  void operator&() const = delete;
  template <class Other>
  void operator,(Other&&) const = delete;
};

struct price_of {
  template <class T>
  int operator()(const T& one) const {
    return one.price;
  }
  void operator&() const = delete;
  template <class Other>
  void operator,(Other&&) const = delete;
};

template <class T>
T made_of(int n) {
  if constexpr (std::is_same_v<T, item>)
    return {n, n};
  else
    return {std::to_string(1000 + n), n};
}

}  // namespace shop

using testing::expect;

namespace {

struct incomplete;
template <class T>
struct holder {
  T value;
};
template <class Tag>
struct tagged_less {
  bool operator()(int a, int b) const { return a < b; }
};
template <class Tag>
struct tagged_negation {
  int operator()(int a) const { return -a; }
};

template <class Container>
Container make(int count) {
  Container all;
  for (int i = 1; i <= count; ++i) all.push_back(shop::made_of<typename Container::value_type>(i * 37 % 1009));
  return all;
}

/// Every public function on these elements.
template <class Container, class Policy, class Compare, class Projection = std::identity>
void call_all(const std::string& name, const Policy& policy, Compare compare, Projection projection = {}) {
  const auto is_sorted = [&](const auto& range) { return std::is_sorted(range.begin(), range.end(), shop::cheaper{}); };
  for (const int count : {6, 40, 1000}) {
    const auto size = static_cast<std::size_t>(count);
    auto a = make<Container>(count), b = make<Container>(count), c = make<Container>(count);
    gpu::sort(policy, a.begin(), a.end(), compare, projection);
    gpu::stable_sort(policy, b, compare, projection);
    expect(is_sorted(a) && is_sorted(b) && gpu::is_sorted(policy, a, compare, projection), name);
    expect(gpu::is_sorted_until(policy, b.begin(), b.end(), compare, projection) == b.end(), name);
    Container out(2 * size);
    gpu::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), compare, projection, projection);
    expect(is_sorted(out), name + ": merge");
    std::vector<Container> parts{a, b, make<Container>(1)};
    out.resize(2 * size + 1);
    gpu::multiway_merge(policy, parts, out.begin(), compare, projection);
    expect(is_sorted(out), name + ": multiway_merge");
    gpu::sort(policy, out.begin(), out.begin() + count, compare, projection);
    gpu::inplace_merge(policy, out.begin(), out.begin() + count, out.end(), compare, projection);
    expect(is_sorted(out), name + ": inplace_merge");
    std::vector<std::uint32_t> indices(size);
    gpu::argsort(policy, c, indices, compare, projection);
    expect(c[indices[0]].price == a[0].price, name + ": argsort");
    Container values = c;
    gpu::sort_by_key(policy, c, values, compare, projection);
    expect(is_sorted(c) && is_sorted(values), name + ": sort_by_key");
    c = make<Container>(count);
    values = c;
    gpu::stable_sort_by_key(policy, c.begin(), c.end(), values.begin(), compare, projection);
    expect(is_sorted(c) && is_sorted(values), name + ": stable_sort_by_key");
    Container keys_out(2 * size), values_out(2 * size);
    gpu::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(), keys_out.begin(),
                      values_out.begin(), compare, projection);
    expect(is_sorted(keys_out) && is_sorted(values_out), name + ": merge_by_key");
    (void)gpu::explain(policy, a, compare, projection);
  }
}

}  // namespace

TEST_CASE("conformance: functions beside the elements that have the names of the library's") {
  using items = std::vector<shop::item>;
  call_all<items>("items by <", gpu::par, std::less<>{});
  call_all<items>("items by a comparator", gpu::par.require_host(), shop::cheaper{});
  call_all<std::deque<shop::item>>("items in a deque by a projection", gpu::par, std::ranges::less{}, shop::price_of{});
  call_all<items>("items by a member", gpu::par, std::ranges::less{}, &shop::item::price);
  call_all<std::vector<shop::labelled>>("labelled by a comparator", gpu::par, shop::cheaper{});
  call_all<std::vector<shop::labelled>>("labelled by a string", gpu::par.require_host(), std::less<>{},
                                        &shop::labelled::label);
}

TEST_CASE("conformance: callables and elements of templates that cannot be instantiated") {
  using tag = holder<incomplete>;
  const tagged_less<tag> less;
  for (const std::size_t count : {3, 1000}) {
    std::vector<int> v(count), out(2 * count);
    for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<int>(i * 37 % 1009);
    gpu::sort(gpu::par, v.data(), v.data() + count, less);
    gpu::stable_sort(gpu::par, v.begin(), v.end(), less);
    gpu::merge(gpu::par, v.begin(), v.end(), v.begin(), v.end(), out.begin(), less);
    expect(gpu::is_sorted(gpu::par, out.begin(), out.end(), less), "comparator");
    gpu::merge(gpu::par, v, v, out.begin(), less);
    gpu::inplace_merge(gpu::par, v, v.begin() + 1, less);
    gpu::multiway_merge(gpu::par, std::vector{v, v}, out.begin(), less);
    expect(gpu::is_sorted(gpu::par, out, less), "comparator of ranges");
    gpu::sort(gpu::par, v, less, tagged_negation<tag>{});
    expect(std::is_sorted(v.rbegin(), v.rend()), "projection");
    static holder<tag>* pointers[1000];
    static char memory[1000];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = reinterpret_cast<holder<tag>*>(&memory[i * 37 % count]);
    holder<tag>** const first = pointers;
    gpu::sort(gpu::par, first, first + count);
    gpu::stable_sort(gpu::par, first, first + count, std::less<>{});
    expect(std::is_sorted(first, first + count), "pointers");
  }
}
