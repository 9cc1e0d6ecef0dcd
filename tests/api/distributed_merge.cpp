// Stable merges over ranks of two sequences divided into parts of any sizes, into parts of any sizes.
#include <cstdint>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace testing;

struct item {
  int key;
  std::uint32_t from;  ///< sequence and position, which tell equal items apart
};

/// Parts of a sorted sequence, divided as given by `sizes`.
parts_of<item> sorted_parts(const division& sizes, const key_shape& keys, std::size_t p, std::size_t n,
                            std::uint32_t sequence) {
  const auto parts = make_parts(sizes, keys, p, n, [](std::uint64_t key, std::size_t, std::size_t) {
    return item{static_cast<int>(key % 1000), 0};
  });
  auto all = joined(parts);
  std::stable_sort(all.begin(), all.end(), by(std::ranges::less{}, &item::key));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].from = sequence + static_cast<std::uint32_t>(i);
  return divided(all, parts);
}

/// Parts of `total` elements in all, the same number on each rank or one more on the first ranks.
template <class T>
parts_of<T> balanced_parts(std::size_t p, std::size_t total) {
  parts_of<T> parts(p);
  for (std::size_t r = 0; r < p; ++r) parts[r].resize(total / p + (r < total % p ? 1 : 0));
  return parts;
}

template <class Check>
void for_every_pair(const Check& check) {
  for (const std::size_t p : {1, 2, 3, 8})
    for (const division& sizes : divisions)
      for (const division& others : {divisions[0], divisions[1], divisions[6]})
        for (const key_shape& keys : key_shapes) {
          const std::string what =
              std::string{keys.name} + ", " + sizes.name + " and " + others.name + ", " + std::to_string(p) + " ranks";
          const auto a = sorted_parts(sizes, keys, p, 300, 0), b = sorted_parts(others, keys, p, 77, 1u << 30);
          auto expected = joined(a);
          const auto middle = expected.size();
          for (const item& one : joined(b)) expected.push_back(one);
          std::inplace_merge(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(middle), expected.end(),
                             by(std::ranges::less{}, &item::key));
          check(a, b, expected, p, what);
        }
}

}  // namespace

TEST_CASE("distributed: merge is stable, and its parts are as large as their ranges, or as both inputs") {
  for_every_pair([](const parts_of<item>& a, const parts_of<item>& b, const std::vector<item>& expected, std::size_t p,
                    const std::string& what) {
    auto got = balanced_parts<item>(p, expected.size());
    parts_of<item> local(p);
    for (std::size_t r = 0; r < p; ++r) local[r].resize(a[r].size() + b[r].size());
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      const std::size_t r = ranks.rank();
      const auto policy = gpu::par.over(ranks);
      const auto end = gpu::merge(policy, a[r], b[r], got[r], {}, &item::key);
      expect(end == got[r].end(), "end, " + what);
      const auto last = gpu::merge(policy, a[r].begin(), a[r].end(), b[r].begin(), b[r].end(), local[r].begin(),
                                   by(std::ranges::less{}, &item::key));
      expect(last == local[r].end(), "end by iterators, " + what);
    });
    expect_none(difference(got, divided(expected, got)), "balanced, " + what);
    expect_none(difference(local, divided(expected, local)), "as many as before, " + what);
  });
}

TEST_CASE("distributed: merge_by_key moves values with their keys") {
  for_every_pair([](const parts_of<item>& a, const parts_of<item>& b, const std::vector<item>& expected, std::size_t p,
                    const std::string& what) {
    auto keys = balanced_parts<int>(p, expected.size());
    auto values = balanced_parts<std::uint32_t>(p, expected.size());
    const auto of = [](const std::vector<item>& items, auto member) {
      std::vector<std::remove_cvref_t<decltype(items[0].*member)>> column;
      for (const item& one : items) column.push_back(one.*member);
      return column;
    };
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      const std::size_t r = ranks.rank();
      const auto a_keys = of(a[r], &item::key), b_keys = of(b[r], &item::key);
      const auto a_values = of(a[r], &item::from), b_values = of(b[r], &item::from);
      gpu::merge_by_key(gpu::par.over(ranks), a_keys.begin(), a_keys.end(), b_keys.begin(), b_keys.end(),
                        a_values.begin(), b_values.begin(), keys[r], values[r]);
    });
    parts_of<item> got(p);
    for (std::size_t r = 0; r < p; ++r)
      for (std::size_t i = 0; i < keys[r].size(); ++i) got[r].push_back({keys[r][i], values[r][i]});
    expect_none(difference(got, divided(expected, got)), what);
  });
}

TEST_CASE("distributed: merges that cannot be are refused on all ranks") {
  const auto refused = [](std::error_code code, const std::string& words, const auto& call) {
    std::atomic<std::size_t> thrown = 0;
    gpu::on_threads(3, [&](gpu::communicator& ranks) {
      std::vector<int> a{1, 3, 5}, b{2, 4}, output(5);
      try {
        call(ranks, a, b, output);
      } catch (const gpu::rank_error& caught) {
        ++thrown;
        expect(caught.code() == code && std::string{caught.what()}.find(words) != std::string::npos, caught.what());
      }
    });
    expect(thrown == 3, words);
  };
  refused(gpu::make_error_code(gpu::errc::invalid_range), "have 15 elements together and room for 14",
          [](auto& ranks, auto& a, auto& b, auto& output) {
            if (ranks.rank() == 1) output.pop_back();
            gpu::merge(gpu::par.over(ranks), a, b, output);
          });
  refused(gpu::make_error_code(gpu::errc::overlapping_ranges), "rank 2 of 3",
          [](auto& ranks, auto& a, auto& b, auto& output) {
            const auto first = ranks.rank() == 2 ? a.data() : output.data();
            gpu::merge(gpu::par.over(ranks), a, b, first);
          });
  refused(gpu::make_error_code(gpu::errc::rank_failed), "rank 1 of 3: enough",
          [](auto& ranks, auto& a, auto& b, auto& output) {
            gpu::merge(gpu::par.require_host().over(ranks), a, b, output, [&](int x, int y) {
              if (ranks.rank() == 1) throw std::runtime_error{"enough"};
              return x < y;
            });
          });
}

TEST_CASE("distributed: sequences that are not sorted lose no element in a merge") {
  constexpr std::size_t p = 4;
  const auto a = make_parts(divisions[6], key_shapes[0], p, 500, [](auto key, auto, auto) { return key; });
  const auto b = make_parts(divisions[1], key_shapes[3], p, 100, [](auto key, auto, auto) { return key; });
  auto expected = joined(a);
  for (const std::uint64_t one : joined(b)) expected.push_back(one);
  auto got = balanced_parts<std::uint64_t>(p, expected.size());
  gpu::on_threads(p, [&](gpu::communicator& ranks) {
    gpu::merge(gpu::par.over(ranks), a[ranks.rank()], b[ranks.rank()], got[ranks.rank()]);
  });
  auto all = joined(got);
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  expect(all == expected, "a permutation");
}
