// select_splitters and partition_by: building blocks for distributed sorts of one's own.
#include <array>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace testing;

struct pair {
  int key;
  int run;
};

}  // namespace

TEST_CASE("select_splitters: cuts are those of a stable merge, in one process and over ranks") {
  for (const std::size_t k : {1, 2, 5})
    for (const division& sizes : divisions)
      for (const key_shape& keys : key_shapes) {
        const std::string what = std::string{keys.name} + ", " + sizes.name + ", runs " + std::to_string(k);
        auto runs = make_parts(sizes, keys, k, 200, [](std::uint64_t key, std::size_t run, std::size_t) {
          return pair{static_cast<int>(key), static_cast<int>(run)};
        });
        for (auto& run : runs) std::stable_sort(run.begin(), run.end(), by(std::ranges::less{}, &pair::key));
        auto all = joined(runs);
        std::stable_sort(all.begin(), all.end(), by(std::ranges::less{}, &pair::key));
        const std::vector<std::size_t> ranks{0, all.size() / 3, all.size() / 2, all.size()};
        std::vector<std::size_t> expected;
        for (const std::size_t rank : ranks)
          for (std::size_t r = 0; r < k; ++r)
            expected.push_back(static_cast<std::size_t>(
                std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank),
                              [&](const pair& one) { return one.run == static_cast<int>(r); })));

        std::vector<std::size_t> cuts(expected.size());
        const auto end = gpu::select_splitters(gpu::par, runs, ranks, cuts.begin(), {}, &pair::key);
        expect(end == cuts.end() && cuts == expected, what);

        gpu::on_threads(k, [&](gpu::communicator& group) {
          std::array<std::uint32_t, 4> mine{};
          gpu::select_splitters(gpu::par.over(group), runs[group.rank()], ranks, mine.begin(), {}, &pair::key);
          for (std::size_t j = 0; j < mine.size(); ++j)
            expect(mine[j] == expected[j * k + group.rank()], "over ranks, " + what);
        });
      }
  std::vector<std::vector<int>> runs{{1, 2}, {3}};
  std::vector<int> cuts(2);
  expect_error(gpu::errc::invalid_range, "behind the end",
               [&] { gpu::select_splitters(gpu::par, runs, std::vector<int>{4}, cuts.begin()); });
}

TEST_CASE("partition_by: buckets between splitters, equal elements behind theirs") {
  for (const key_shape& keys : key_shapes) {
    std::vector<int> input(5000);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<int>(keys.key(i, input.size()) % 1000);
    auto sorted = input;
    std::sort(sorted.begin(), sorted.end());
    const std::vector<int> splitters{-5, 0, 3, 3, 500, 2000};
    std::vector<int> output(input.size());
    std::vector<std::uint64_t> offsets(splitters.size() + 2);
    const auto end = gpu::partition_by(gpu::par, input, splitters, output, offsets.begin());
    expect(end == offsets.end() && output == sorted, keys.name);
    expect(offsets.front() == 0 && offsets.back() == input.size(), keys.name);
    for (std::size_t i = 0; i < splitters.size(); ++i)
      expect(offsets[i + 1] == static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), splitters[i]) -
                                                          sorted.begin()),
             keys.name);
  }
  std::vector<int> values{3, 1, 2};
  std::vector<int> offsets(3);
  const std::vector<int> splitters{2};
  expect_error(gpu::errc::overlapping_ranges, "in place",
               [&] { gpu::partition_by(gpu::par, values, splitters, values, offsets.begin()); });
}
