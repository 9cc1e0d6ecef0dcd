// Calls over the ranks of a communicator, whose ranks are threads: order, sizes, stability, columns, every division.
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace testing;

struct record {
  int key;
  std::uint16_t rank;
  std::uint16_t spare;
  std::uint32_t place;
  int minus() const { return -key; }
};

record make_record(std::uint64_t key, std::size_t rank, std::size_t place) {
  return {static_cast<int>(key), static_cast<std::uint16_t>(rank), 0, static_cast<std::uint32_t>(place)};
}

struct by_key_descending {
  bool operator()(const record& a, const record& b) const { return a.key > b.key; }
};

/// Calls check(division, shape, ranks, n, what) for every combination.
template <class Check>
void for_every_input(const Check& check) {
  for (const std::size_t ranks : {1, 2, 3, 8})
    for (const std::size_t n : {5, 1000})
      for (const division& sizes : divisions)
        for (const key_shape& keys : key_shapes)
          check(sizes, keys, ranks, n,
                std::string{keys.name} + ", " + sizes.name + ", " + std::to_string(ranks) + " ranks, n " +
                    std::to_string(n));
}

template <class T>
void expect_sorts_keys() {
  for_every_input([](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n,
                     const std::string& what) {
    auto parts =
        make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t, std::size_t) { return static_cast<T>(key); });
    auto all = joined(parts);
    std::stable_sort(all.begin(), all.end(), natural_less{});
    const auto expected = divided(all, parts);
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      auto& mine = parts[ranks.rank()];
      const auto end = gpu::sort(gpu::par.over(ranks), mine);
      expect(end == mine.end(), "end: " + what);
    });
    expect_none(difference(parts, expected), what);
  });
}

}  // namespace

TEST_CASE("distributed: sort leaves every rank as many elements as it had, in the order of ranks") {
  expect_sorts_keys<int>();
  expect_sorts_keys<std::uint64_t>();
  expect_sorts_keys<double>();
  expect_sorts_keys<std::uint8_t>();
}

TEST_CASE("distributed: stable_sort keeps the order of ranks and of places") {
  for_every_input([](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n,
                     const std::string& what) {
    const auto parts = make_parts(sizes, keys, p, n, make_record);
    const auto check = [&](const auto& order, const auto& sort) {
      auto all = joined(parts);
      std::stable_sort(all.begin(), all.end(), order);
      auto sorted = parts;
      gpu::on_threads(p, [&](gpu::communicator& ranks) { sort(gpu::par.over(ranks), sorted[ranks.rank()]); });
      expect_none(difference(sorted, divided(all, parts)), what);
    };
    check(by_key_descending{},
          [](const auto& policy, auto& mine) { gpu::stable_sort(policy, mine, by_key_descending{}); });
    check(by(std::ranges::less{}, &record::key),
          [](const auto& policy, auto& mine) { gpu::stable_sort(policy, mine.begin(), mine.end(), {}, &record::key); });
    check(by(std::ranges::greater{}, &record::minus), [](const auto& policy, auto& mine) {
      gpu::stable_sort(policy, mine, std::ranges::greater{}, &record::minus);
    });
  });
}

TEST_CASE("distributed: value columns follow their keys") {
  for_every_input(
      [](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n, const std::string& what) {
        const auto parts = make_parts(sizes, keys, p, n, make_record);
        auto all = joined(parts);
        std::stable_sort(all.begin(), all.end(), by(std::ranges::less{}, &record::key));
        const auto expected = divided(all, parts);
        parts_of<record> got(p);
        gpu::on_threads(p, [&](gpu::communicator& ranks) {
          const auto& mine = parts[ranks.rank()];
          std::vector<int> key;
          std::vector<std::uint16_t> rank;
          std::vector<std::uint32_t> place;
          for (const record& one : mine) key.push_back(one.key), rank.push_back(one.rank), place.push_back(one.place);
          gpu::stable_sort_by_key(gpu::par.over(ranks), key, rank, place);
          for (std::size_t i = 0; i < key.size(); ++i) got[ranks.rank()].push_back({key[i], rank[i], 0, place[i]});

          // With iterators and a custom comparator.
          auto others = mine;
          std::vector<std::size_t> order(mine.size());
          for (std::size_t i = 0; i < order.size(); ++i) order[i] = i + mine.size() * ranks.rank();
          gpu::sort_by_key(gpu::par.over(ranks), others.begin(), others.end(), order.begin(), by_key_descending{});
          expect(gpu::is_sorted(gpu::par.over(ranks), others, by_key_descending{}), what);
        });
        expect_none(difference(got, expected), what);
      });
}

TEST_CASE("distributed: rows of several key columns, each in its direction") {
  for_every_input(
      [](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n, const std::string& what) {
        const auto parts = make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t rank, std::size_t place) {
          return record{static_cast<int>(key % 5), static_cast<std::uint16_t>(rank),
                        static_cast<std::uint16_t>(key / 7 % 11), static_cast<std::uint32_t>(place)};
        });
        auto all = joined(parts);
        std::stable_sort(all.begin(), all.end(), [](const record& a, const record& b) {
          return a.key != b.key ? a.key > b.key : a.spare < b.spare;
        });
        auto rising = joined(parts);
        std::stable_sort(rising.begin(), rising.end(), [](const record& a, const record& b) {
          return a.spare != b.spare ? a.spare < b.spare : a.key < b.key;
        });
        const auto rising_parts = divided(rising, parts);
        parts_of<record> got(p);
        gpu::on_threads(p, [&](gpu::communicator& ranks) {
          const std::size_t r = ranks.rank();
          std::vector<int> key;
          std::vector<std::uint16_t> rank, spare;
          std::vector<std::uint32_t> place;
          for (const record& one : parts[r])
            key.push_back(one.key), rank.push_back(one.rank), spare.push_back(one.spare), place.push_back(one.place);
          auto keys_alone = key;
          auto spares_alone = spare;
          gpu::stable_sort_by_key(gpu::par.over(ranks), std::tie(key, spare), gpu::by(gpu::descending, gpu::ascending),
                                  rank, place);
          for (std::size_t i = 0; i < key.size(); ++i) got[r].push_back({key[i], rank[i], spare[i], place[i]});
          gpu::sort_by_key(gpu::par.over(ranks), std::tie(spares_alone, keys_alone));
          bool right = true;
          for (std::size_t i = 0; i < key.size(); ++i)
            right = right && keys_alone[i] == rising_parts[r][i].key && spares_alone[i] == rising_parts[r][i].spare;
          expect(right, "without values, " + what);
        });
        expect_none(difference(got, divided(all, parts)), what);
      });
}

TEST_CASE("distributed: the order of rows of several key columns, and whether they are in it") {
  for (const key_shape& keys : key_shapes)
    for (const division& sizes : divisions) {
      constexpr std::size_t p = 3, n = 700;
      const std::string what = std::string{keys.name} + ", " + sizes.name;
      const auto firsts = make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t, std::size_t) {
        return static_cast<std::int16_t>(key % 7);
      });
      const auto seconds = make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t rank, std::size_t i) {
        return static_cast<double>(key % 5) + static_cast<double>((rank + i) % 3);
      });
      const auto a = joined(firsts);
      const auto b = joined(seconds);
      std::vector<std::uint64_t> order(a.size());
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      const auto goes_before = [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[j] < a[i] : b[i] < b[j]; };
      const bool in_order = std::is_sorted(order.begin(), order.end(), goes_before);
      std::stable_sort(order.begin(), order.end(), goes_before);
      auto sorted_firsts = firsts;
      auto sorted_seconds = seconds;
      parts_of<std::uint64_t> places(p);
      std::vector<int> said(p), said_of_sorted(p);
      gpu::on_threads(p, [&](gpu::communicator& ranks) {
        const std::size_t r = ranks.rank();
        const auto policy = gpu::par.over(ranks);
        const auto directions = gpu::by(gpu::descending, gpu::ascending);
        places[r].resize(firsts[r].size());
        const auto end = gpu::argsort(policy, std::tie(firsts[r], seconds[r]), directions, places[r]);
        expect(end == places[r].end(), what);
        said[r] = gpu::is_sorted(policy, std::tie(firsts[r], seconds[r]), directions);
        gpu::sort_by_key(policy, std::tie(sorted_firsts[r], sorted_seconds[r]), directions);
        said_of_sorted[r] = gpu::is_sorted(policy, std::tie(sorted_firsts[r], sorted_seconds[r]), directions);
        gpu::sort_by_key(policy, std::tie(sorted_seconds[r], sorted_firsts[r]));
      });
      expect_none(difference(places, divided(order, firsts)), "argsort, " + what);
      expect(said == std::vector<int>(p, in_order), "is_sorted, " + what);
      expect(said_of_sorted == std::vector<int>(p, 1), "is_sorted once sorted, " + what);
      gpu::on_threads(p, [&](gpu::communicator& ranks) {
        const std::size_t r = ranks.rank();
        gpu::argsort(gpu::par.over(ranks), std::tie(sorted_seconds[r], sorted_firsts[r]), places[r]);
        said[r] = gpu::is_sorted(gpu::par.over(ranks), std::tie(sorted_seconds[r], sorted_firsts[r]));
      });
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      expect_none(difference(places, divided(order, firsts)), "argsort of what is sorted, " + what);
      expect(said == std::vector<int>(p, 1), "is_sorted, both ascending, " + what);
    }
}

TEST_CASE("distributed: argsort writes places in the sequence of all parts") {
  for_every_input(
      [](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n, const std::string& what) {
        const auto parts = make_parts(sizes, keys, p, n, make_record);
        const auto all = joined(parts);
        std::vector<std::uint32_t> order(all.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return all[i].key < all[j].key; });
        parts_of<std::uint32_t> narrow(p);
        parts_of<std::uint64_t> wide(p);
        const auto before = parts;
        gpu::on_threads(p, [&](gpu::communicator& ranks) {
          const std::size_t r = ranks.rank();
          narrow[r].resize(parts[r].size());
          wide[r].resize(parts[r].size());
          gpu::argsort(gpu::par.over(ranks), parts[r], narrow[r], {}, &record::key);
          gpu::argsort(gpu::par.over(ranks), parts[r], wide[r], {}, &record::key);
        });
        expect_none(difference(parts, before), "keys stay, " + what);
        expect_none(difference(narrow, divided(order, parts)), what);
        expect_none(difference(wide, divided(std::vector<std::uint64_t>(order.begin(), order.end()), parts)), what);
      });
}

TEST_CASE("distributed: sort_balanced gives every rank as many elements") {
  for_every_input(
      [](const division& sizes, const key_shape& keys, std::size_t p, std::size_t n, const std::string& what) {
        auto parts = make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t, std::size_t) { return key; });
        auto all = joined(parts);
        std::sort(all.begin(), all.end(), std::greater{});
        gpu::on_threads(p, [&](gpu::communicator& ranks) {
          gpu::sort_balanced(gpu::par.over(ranks), parts[ranks.rank()], std::ranges::greater{});
        });
        expect(joined(parts) == all, what);
        for (std::size_t r = 0; r < p; ++r)
          expect(parts[r].size() == all.size() / p + (r < all.size() % p ? 1 : 0), "size, " + what);
      });
}
