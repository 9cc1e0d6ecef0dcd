// merge, inplace_merge, is_sorted and is_sorted_until in place of the standard's.
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "awkward.hpp"
#include "gpu/algorithm.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace conformance;
using testing::at_host_places;
using testing::expect;

const std::vector<int> odd{1, 3, 5, 7, 9, 11}, small{0, 1, 2, 3};
const std::vector<int> both{0, 1, 1, 2, 3, 3, 5, 7, 9, 11};

struct priced {
  int price;
  char origin;
};

std::string origins(const std::vector<priced>& all) {
  std::string text;
  for (const priced& each : all) text += each.origin;
  return text;
}

}  // namespace

TEST_CASE("conformance: what merge takes and returns") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    std::vector<int> out(both.size());
    expect(gpu::merge(policy, odd.begin(), odd.end(), small.begin(), small.end(), out.begin()) == out.end(),
           place.name + ": end of the output");
    expect(out == both, place.name + ": merged");
    const auto ends = gpu::merge(policy, odd, small, out.begin());
    expect(ends.in1 == odd.end() && ends.in2 == small.end() && ends.out == out.end(), place.name + ": ranges");
    static_assert(
        std::is_same_v<decltype(gpu::merge(policy, odd, std::vector<int>{}, out.begin()).in2), std::ranges::dangling>);

    std::vector<int> grown;
    gpu::merge(policy, odd.begin(), odd.end(), small.begin(), small.end(), std::back_inserter(grown));
    expect(grown == both, place.name + ": back_inserter");
    std::deque<long> wider(both.size());
    gpu::merge(policy, odd, small, wider.begin());
    expect(std::equal(wider.begin(), wider.end(), both.begin()), place.name + ": wider elements");
    const short shorts[] = {4, 6};
    std::vector<double> doubles(odd.size() + 2);
    gpu::merge(policy, odd, shorts, doubles.begin());
    expect(std::is_sorted(doubles.begin(), doubles.end()) && doubles[2] == 4, place.name + ": different elements");
    gpu::merge(policy, plain_iterator{odd.data()}, plain_iterator{odd.data() + odd.size()}, small.begin(), small.end(),
               plain_iterator{out.data()});
    expect(out == both, place.name + ": random access of C++17");
    gpu::merge(policy, odd.rbegin(), odd.rend(), small.rbegin(), small.rend(), out.rbegin(), std::greater<>{});
    expect(std::is_sorted(out.rbegin(), out.rend(), std::greater<>{}), place.name + ": reverse, descending");
    expect(gpu::merge(policy, small, std::vector<int>{}, out.begin()).out == out.begin() + 4, place.name + ": nothing");
  });
}

TEST_CASE("conformance: what merges write to") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    std::vector<int> out;
    gpu::merge(policy, odd.begin(), odd.end(), small.begin(), small.end(), appender<int>{&out});
    expect(out == both, place.name + ": an output iterator of C++17");
    out.assign(both.size(), 0);
    expect(gpu::merge(policy, odd, small, sink{out.data()}).out.at == out.data() + out.size() && out == both,
           place.name + ": one that can only be moved");
    std::vector<double> wider(both.size());
    gpu::merge(policy, odd, small, sink{wider.data()});
    expect(wider.back() == 11, place.name + ": the same, of other elements");
    out.clear();
    gpu::multiway_merge(policy, std::vector{small, odd, {}}, appender<int>{&out});
    expect(out == both, place.name + ": multiway_merge");
    gpu::multiway_merge(policy, std::vector{odd, small}, sink{out.data()});
    expect(out == both, place.name + ": multiway_merge, moved");

    std::vector<const int*> addresses;
    struct collector {  // of the addresses of what is assigned to it
      std::vector<const int*>* to;
      void operator=(const int& n) { to->push_back(&n); }
      void operator=(int&&) = delete;
      collector& operator*() { return *this; }
      collector& operator++() { return *this; }
    };
    gpu::merge(policy, odd, small, collector{&addresses});
    expect(addresses.size() == both.size() && addresses[0] == small.data() && addresses.back() == &odd.back(),
           place.name + ": addresses of the elements");

    const std::vector<cents> prices{1, 3}, more{0, 2};
    std::vector<cents> all;
    gpu::multiway_merge(policy, std::vector{prices, more, prices}, std::back_inserter(all));
    expect(all.size() == 6 && all[0].count == 0 && all[2].count == 1 && all[5].count == 3,
           place.name + ": elements that are never made of nothing");
  });
}

TEST_CASE("conformance: merge of two types") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    const std::vector<cents> prices{0, 1, 2, 3};
    std::vector<cents> out(both.size(), 99);
    const auto merged = [&] { return std::ranges::equal(out, both, {}, &cents::count); };
    gpu::merge(policy, odd.begin(), odd.end(), prices.begin(), prices.end(), out.begin());
    expect(merged(), place.name + ": < between them and nothing more");
    out.clear();
    gpu::merge(policy, prices, odd, std::back_inserter(out));
    expect(merged(), place.name + ": ranges, the other way round");
    out.clear();
    gpu::merge(policy, odd, prices, std::back_inserter(out),
               [](cents a, cents b) { return explicit_truth{a.count < b.count}; });
    expect(merged(), place.name + ": a result that converts when asked to");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<float> floats{1, 3, std::numeric_limits<float>::quiet_NaN()};
    const std::vector<double> doubles{0, 2, nan};
    std::vector<double> numbers(6);
    gpu::merge(policy, floats, doubles, numbers.begin());
    expect(std::equal(numbers.begin(), numbers.begin() + 4, both.begin(), [](double a, double) { return a == a; }) &&
               std::is_sorted(numbers.begin(), numbers.begin() + 4) && numbers[4] != numbers[4],
           place.name + ": NaN of two types is last");
    std::vector<long double> longer(4);
    gpu::merge(policy, std::vector{9, 4}, std::vector<long double>{nan, 5}, longer.begin(), std::greater<>{});
    expect(longer[0] != longer[0] && longer[1] == 9 && longer[2] == 5 && longer[3] == 4,
           place.name + ": NaN and integers, descending");
  });
}

TEST_CASE("conformance: merge is stable and takes projections of both") {
  at_host_places([](const auto& place) {
    const std::vector<priced> a{{1, 'a'}, {2, 'a'}, {2, 'a'}}, b{{1, 'b'}, {2, 'b'}, {3, 'b'}};
    std::vector<priced> out(6);
    gpu::merge(place.policy, a, b, out.begin(), {}, &priced::price, &priced::price);
    expect(origins(out) == "abaabb", place.name + ": members");
    gpu::merge(place.policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
               [](const priced& x, const priced& y) { return x.price < y.price; });
    expect(origins(out) == "abaabb", place.name + ": comparator");
    const std::vector<std::string> words{"1", "22", "333"};
    const std::vector<std::string> more{"4444", "55555"};
    std::vector<std::string> merged;
    gpu::merge(place.policy, words, more, std::back_inserter(merged), std::less<>{}, &std::string::size,
               [](const std::string& word) { return word.length(); });
    expect(merged.size() == 5 && merged[4] == "55555", place.name + ": member functions");
  });
}

TEST_CASE("conformance: merge of what can only be moved") {
  at_host_places([](const auto& place) {
    std::vector<std::unique_ptr<int>> a, b, out(both.size());
    for (const int n : odd) a.push_back(std::make_unique<int>(n));
    for (const int n : small) b.push_back(std::make_unique<int>(n));
    gpu::merge(place.policy, std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()),
               std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()), out.begin(),
               [](const auto& x, const auto& y) { return *x < *y; });
    const auto right = [](const std::unique_ptr<int>& owner, int n) { return owner != nullptr && *owner == n; };
    expect(std::ranges::equal(out, both, right), place.name);
  });
}

TEST_CASE("conformance: inplace_merge") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    auto joined = odd;
    joined.insert(joined.end(), small.begin(), small.end());
    const auto middle = static_cast<std::ptrdiff_t>(odd.size());
    auto v = joined;
    expect(gpu::inplace_merge(policy, v.begin(), v.begin() + middle, v.end()) == v.end() && v == both,
           place.name + ": iterators");
    v = joined;
    expect(gpu::inplace_merge(policy, v, v.begin() + middle, std::ranges::less{}) == v.end() && v == both,
           place.name + ": a range");
    expect(gpu::inplace_merge(policy, v, v.begin()) == v.end() && v == both, place.name + ": nothing before");
    std::deque<int> deque(joined.begin(), joined.end());
    gpu::inplace_merge(policy, deque.begin(), deque.begin() + middle, deque.end());
    expect(std::is_sorted(deque.begin(), deque.end()), place.name + ": deque");
    std::vector<std::unique_ptr<int>> owners;
    for (const int n : joined) owners.push_back(std::make_unique<int>(n));
    gpu::inplace_merge(policy, owners, owners.begin() + middle, {}, [](const auto& owner) { return *owner; });
    expect(std::ranges::is_sorted(owners, {}, [](const auto& owner) { return *owner; }), place.name + ": owners");
    std::vector<priced> goods{{1, 'a'}, {2, 'a'}, {1, 'b'}, {2, 'b'}};
    gpu::inplace_merge(policy, goods, goods.begin() + 2, {}, &priced::price);
    expect(origins(goods) == "abab", place.name + ": stable");
  });
}

TEST_CASE("conformance: is_sorted and is_sorted_until") {
  at_host_places([](const auto& place) {
    const auto& policy = place.policy;
    const std::vector<int> bent{1, 2, 2, 5, 4, 6};
    expect(gpu::is_sorted_until(policy, bent.begin(), bent.end()) == bent.begin() + 4, place.name + ": iterators");
    expect(gpu::is_sorted_until(policy, bent) == bent.begin() + 4, place.name + ": a range");
    expect(!gpu::is_sorted(policy, bent) && gpu::is_sorted(policy, both.begin(), both.end()), place.name + ": sorted");
    expect(gpu::is_sorted(policy, both.rbegin(), both.rend(), std::greater<>{}), place.name + ": descending");
    expect(gpu::is_sorted(policy, std::vector<int>{}) && gpu::is_sorted(policy, std::vector{1}), place.name + ": few");
    static_assert(std::is_same_v<decltype(gpu::is_sorted_until(policy, std::vector<int>{})), std::ranges::dangling>);
    expect(gpu::is_sorted_until(policy, std::span{bent}) == std::span{bent}.begin() + 4, place.name + ": a span");
    expect(gpu::is_sorted(policy, std::views::iota(0, 1000)), place.name + ": values that are made when asked for");
    expect(gpu::is_sorted(policy, bent | std::views::transform([](int n) { return n / 6; })), place.name + ": a view");
    const char word[] = "abccz";
    expect(gpu::is_sorted(policy, +word, end_mark<char>{'\0'}), place.name + ": an end that has to be looked for");
    std::vector<person> all;
    for (const int n : both) all.push_back({std::to_string(n), n, nullptr});
    expect(gpu::is_sorted(policy, all, {}, &person::age) && !gpu::is_sorted(policy, all, {}, &person::name),
           place.name + ": projections");
    expect(gpu::is_sorted(policy, all, &person::younger), place.name + ": member function");
    const std::vector<bool> bits{false, false, true, false};
    expect(gpu::is_sorted_until(policy, bits) == bits.begin() + 3, place.name + ": vector<bool>");
  });
}
