// Calls over ranks that are threads: is_sorted, elements of odd sizes, comparators that contradict themselves, progress
// listeners.
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ranks.hpp"

using namespace testing;

TEST_CASE("distributed: is_sorted looks at the parts, and from one to the next that has elements") {
  const auto sorted = [](parts_of<int> parts) {
    bool first = false;
    gpu::on_threads(parts.size(), [&](gpu::communicator& ranks) {
      const bool mine = gpu::is_sorted(gpu::par.over(ranks), parts[ranks.rank()]);
      const std::uint8_t said = mine;
      std::vector<std::uint8_t> all(ranks.size());
      ranks.all_gather(&said, 1, all.data());
      expect(std::count(all.begin(), all.end(), said) == static_cast<int>(ranks.size()), "all say the same");
      if (ranks.rank() == 0) first = mine;
    });
    return first;
  };
  expect(sorted({{1, 2}, {2, 2}, {3}}), "sorted");
  expect(sorted({{}, {1, 2}, {}, {2, 5}, {}}), "empty parts");
  expect(!sorted({{1, 3}, {2, 4}}), "seam");
  expect(!sorted({{1, 3}, {}, {2, 4}}), "seam over an empty part");
  expect(!sorted({{1, 3}, {4, 4}, {6, 5}}), "within a part");
  expect(sorted({{}, {}}), "nothing");
}

TEST_CASE("distributed: elements of odd sizes, and more ranks than elements") {
  struct odd {
    std::array<unsigned char, 13> bytes;
    bool operator<(const odd& other) const { return bytes < other.bytes; }
  };
  struct alignas(64) wide {
    double key;
  };
  const auto check = [](auto make, auto less) {
    auto parts = make_parts(divisions[6], key_shapes[4], 12, 40, make);
    auto all = joined(parts);
    std::stable_sort(all.begin(), all.end(), less);
    const auto expected = divided(all, parts);
    gpu::on_threads(12, [&](gpu::communicator& ranks) { gpu::sort(gpu::par.over(ranks), parts[ranks.rank()], less); });
    for (std::size_t r = 0; r < parts.size(); ++r)
      expect(std::equal(parts[r].begin(), parts[r].end(), expected[r].begin(), expected[r].end(),
                        [&](const auto& a, const auto& b) { return !less(a, b) && !less(b, a); }),
             "rank " + std::to_string(r));
  };
  check(
      [](std::uint64_t key, std::size_t, std::size_t) {
        odd made{};
        made.bytes[12] = static_cast<unsigned char>(key);
        return made;
      },
      std::less<>{});
  check([](std::uint64_t key, std::size_t, std::size_t) { return wide{static_cast<double>(key)}; },
        [](const wide& a, const wide& b) { return a.key < b.key; });
}

TEST_CASE("distributed: a comparator that contradicts itself costs the order, and no element") {
  for (const std::size_t p : {2, 5}) {
    auto parts = make_parts(divisions[6], key_shapes[0], p, 3000,
                            [](std::uint64_t key, std::size_t, std::size_t) { return key; });
    auto all = joined(parts);
    const auto sizes = parts;
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      std::uint64_t calls = ranks.rank();
      const auto policy = gpu::par.require_host().over(ranks);
      gpu::stable_sort(policy, parts[ranks.rank()], [calls](std::uint64_t a, std::uint64_t b) mutable {
        return random_at(a ^ b, ++calls) % 2 == 0;
      });
    });
    auto got = joined(parts);
    std::sort(all.begin(), all.end());
    std::sort(got.begin(), got.end());
    expect(got == all, "a permutation");
    for (std::size_t r = 0; r < p; ++r) expect(parts[r].size() == sizes[r].size(), "sizes");
  }
}

TEST_CASE("distributed: one group for many calls, a policy's listener, and spans") {
  std::vector<double> heard;
  gpu::on_threads(3, [&](gpu::communicator& ranks) {
    std::vector<int> values{5, 1, static_cast<int>(ranks.rank())};
    const auto listen = [&](double fraction) {
      if (ranks.rank() == 0) heard.push_back(fraction);
    };
    gpu::sort(gpu::par.on_progress(listen).over(ranks), std::span<int>{values});
    gpu::sort(gpu::par_nosync.require_host().over(ranks), values.data(), values.data() + values.size(),
              std::ranges::greater{});
    expect(gpu::is_sorted(gpu::par.over(ranks), values.begin(), values.end(), std::ranges::greater{}), "descending");
  });
  expect(heard == std::vector<double>{0, 1}, "the listener hears of one call");
}
