// Where segments begin, and how their order is checked.
#include "../segments.hpp"

#include <algorithm>
#include <vector>

#include "../recipe.hpp"
#include "support.hpp"

namespace {

using namespace bench;

problem segments_of(segment_lengths lengths, std::size_t ways, std::size_t n) {
  return {operation::segmented_sort, ways, "u32", {"uniform", testing::form::uniform}, n, lengths};
}

std::size_t disordered(const std::vector<std::uint32_t>& keys, const problem& asked) {
  const auto heads = heads_of(asked);
  using element = element<std::uint32_t>;
  const rows<element> sorted{keys.data(), nullptr, keys.size(), false, false, heads.data()};
  tally sum;
  for (std::size_t i = 0; i < keys.size(); ++i) sorted.add(i, sum);
  return sum.disordered;
}

}  // namespace

TEST_CASE("bench segments: cover all elements, the same at every call, as long as they are called") {
  constexpr std::size_t n = 1 << 20;
  const struct {
    segment_lengths lengths;
    std::size_t ways;
    double mean, longest;
  } shapes[] = {{segment_lengths::alike, 100, 100, 100},
                {segment_lengths::geometric, 16, 16, 300},
                {segment_lengths::even, 64, 32, 64},
                {segment_lengths::log_normal, 20, 33, 3000},
                {segment_lengths::power_law, 1000, 10.7, 1000}};
  for (const auto& shape : shapes) {
    const problem asked = segments_of(shape.lengths, shape.ways, n);
    CAPTURE(asked.name());
    const auto offsets = offsets_of(asked);
    CHECK(offsets == offsets_of(asked));
    CHECK(std::ranges::is_sorted(offsets));
    CHECK(offsets.front() == 0);
    CHECK(offsets.back() == n);
    CHECK(n / double(offsets.size() - 1) == doctest::Approx(shape.mean).epsilon(0.05));
    std::uint32_t longest = 0;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) longest = std::max(longest, offsets[i + 1] - offsets[i]);
    CHECK(longest <= shape.longest);
    CHECK(longest > shape.longest / 4);
  }
}

TEST_CASE("bench segments: order is asked for within segments alone") {
  const problem asked = segments_of(segment_lengths::alike, 3, 8);
  CHECK(disordered({7, 8, 9, 4, 5, 6, 1, 2}, asked) == 0);
  CHECK(disordered({7, 9, 8, 4, 5, 6, 2, 1}, asked) == 2);
}

TEST_CASE("bench segments: names tell lengths") {
  CHECK(segments_of(segment_lengths::alike, 32, 64).name() == "segmented_sort_32/u32/uniform/64");
  CHECK(segments_of(segment_lengths::log_normal, 20, 64).name() == "segmented_sort_log_normal_20/u32/uniform/64");
}
