// sort and stable_sort in place of std::sort, std::stable_sort and their std::ranges forms: the ranges that they accept
// and what they return, where only the namespace is changed and a policy added.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "sorting.hpp"
#include "support.hpp"

using namespace conformance;
using testing::expect;

TEST_CASE("conformance: what sorts return") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    expect(sort(policy, v.begin(), v.end()) == v.end(), name + ": iterators");
    expect(sort(policy, v) == v.end(), name + ": a range");
    expect(sort(policy, v.begin() + 5, v.begin() + 5) == v.begin() + 5, name + ": nothing");
    static_assert(std::is_same_v<decltype(sort(policy, std::vector<int>{})), std::ranges::dangling>);
    static_assert(std::is_same_v<decltype(sort(policy, std::span<int>{})), std::span<int>::iterator>);
    (void)sort(policy, numbers());
    expect(sort(policy, std::span{v}.first(3)) == std::span{v}.begin() + 3, name + ": a span that goes");
    int built_in[] = {3, 1, 2};
    expect(sort(policy, built_in) == built_in + 3 && ascending(built_in), name + ": an array");
    expect(sort(policy, std::ranges::subrange{v.begin(), v.begin() + 2}) == v.begin() + 2, name + ": a subrange");
  });
}

TEST_CASE("conformance: every permutation of up to six elements") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    for (int count = 0; count <= 6; ++count) {
      std::vector<int> order(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i / 2;  // pairs of equals
      do {
        auto v = order;
        sort(policy, v.begin(), v.end());
        auto words = std::vector<std::string>(order.size());
        std::transform(order.begin(), order.end(), words.begin(), [](int i) { return std::to_string(i); });
        sort(policy, words.begin(), words.end(), std::greater<>{});
        if (!ascending(v) || !std::is_sorted(words.rbegin(), words.rend())) expect(false, name + ": a permutation");
      } while (std::next_permutation(order.begin(), order.end()));
    }
  });
}

TEST_CASE("conformance: iterators and ranges to sort") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    sort(policy, plain_iterator{v.data()}, plain_iterator{v.data() + many});
    expect(ascending(v), name + ": random access of C++17");
    sort(policy, v.rbegin(), v.rend());
    expect(std::is_sorted(v.rbegin(), v.rend()), name + ": reverse");
    const auto from = numbers();
    std::deque<int> deque(from.begin(), from.end());
    sort(policy, deque);
    expect(ascending(deque), name + ": deque");
    std::vector<bool> bits(many);
    for (int i = 0; i < many; ++i) bits[static_cast<std::size_t>(i)] = i % 3 == 0;
    sort(policy, bits.begin(), bits.end());
    expect(ascending(bits) && std::count(bits.begin(), bits.end(), true) == 34, name + ": vector<bool>");
    std::array<double, 4> array{2.5, -1, 9, 0};
    sort(policy, array);
    expect(ascending(array), name + ": array");

    v = numbers();
    sort(policy, v | std::views::drop(10));
    expect(ascending(v | std::views::drop(10)) && v[9] == numbers()[9], name + ": views::drop");
    sort(policy, std::views::reverse(v));
    expect(std::is_sorted(v.rbegin(), v.rend()), name + ": views::reverse");
    auto all = people();
    sort(policy, all | std::views::transform(&person::age));
    expect(std::ranges::is_sorted(all, {}, &person::age) && all[0].name == "37", name + ": a view of members");
    sort(policy, std::views::counted(v.begin(), 7));
    expect(std::is_sorted(v.begin(), v.begin() + 7), name + ": views::counted");
  });
}

TEST_CASE("conformance: ends of other types") {
  with_sorts([](const auto& sort, const std::string& name, const auto& policy) {
    auto v = numbers();
    v.push_back(-1);
    expect(sort(policy, v.begin(), end_mark<int>{-1}) == v.end() - 1, name + ": what is returned");
    expect(std::is_sorted(v.begin(), v.end() - 1) && v.back() == -1, name + ": an end that has to be looked for");
    v = numbers();
    sort(policy, std::counted_iterator{v.begin(), many}, std::default_sentinel);
    expect(ascending(v), name + ": counted iterator");
    char word[] = "sentinel";
    sort(policy, std::ranges::subrange{+word, end_mark<char>{'\0'}});
    expect(std::string{word} == "eeilnnst", name + ": a string that ends in zero");
  });
}
