// Derives the numbers of elements that go from rank to rank from cuts.
#include <gpu/detail/distributed/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace gpu::inline v1::detail {
namespace {

/// The number of elements common to [first, first + count) and [other, other + others).
std::size_t common(std::size_t first, std::size_t count, std::size_t other, std::size_t others) {
  const std::size_t begin = (std::max)(first, other);
  const std::size_t end = (std::min)(first + count, other + others);
  return end > begin ? end - begin : 0;
}

/// Every element goes to the rank that owns its position in the sequence of the first runs of all ranks, then of the
/// second ones, and so on.
std::vector<flows> flows_by_position(communicator& ranks, array_view<std::size_t> after, array_view<std::size_t> mine) {
  const std::size_t p = ranks.size(), rank = ranks.rank(), runs = mine.size();
  const std::vector<std::uint64_t> own(mine.begin(), mine.end());
  std::vector<std::uint64_t> sizes(p * runs), ends(after.begin(), after.end());
  ranks.all_gather(own.data(), runs * sizeof(own[0]), sizes.data());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<flows> found(runs);
  std::size_t begin = 0;  // of a rank's run in the sequence
  for (std::size_t i = 0; i < runs; ++i)
    for (std::size_t r = 0; r < p; ++r) {
      const std::size_t count = sizes[r * runs + i];
      found[i].from.push_back(common(begin, count, ends[rank] - after[rank], after[rank]));
      for (std::size_t to = 0; r == rank && to < p; ++to)
        found[i].to.push_back(common(begin, count, ends[to] - after[to], after[to]));
      begin += count;
    }
  return found;
}

}  // namespace

std::vector<flows> flows_of(communicator& ranks, array_view<std::size_t> after, array_view<std::size_t> mine,
                            array_view<std::size_t> cuts) {
  const std::size_t p = ranks.size(), runs = mine.size(), targets = cuts.size() / runs;
  std::vector<std::uint64_t> to(p * runs), from(p * runs), fits(p);
  for (std::size_t i = 0; i < runs; ++i)
    for (std::size_t r = 0, first = 0; r < p; ++r) {
      const std::size_t last = r < targets ? cuts[i * targets + r] : mine[i];
      to[r * runs + i] = last - first;
      first = last;
    }
  ranks.all_to_all(to.data(), runs * sizeof(to[0]), from.data());
  const std::uint64_t fit = sum_of(from) == after[ranks.rank()];
  ranks.all_gather(&fit, sizeof(fit), fits.data());
  if (std::find(fits.begin(), fits.end(), std::uint64_t{0}) != fits.end()) return flows_by_position(ranks, after, mine);
  std::vector<flows> found(runs);
  for (std::size_t i = 0; i < to.size(); ++i) {
    found[i % runs].to.push_back(to[i]);
    found[i % runs].from.push_back(from[i]);
  }
  return found;
}

}  // namespace gpu::inline v1::detail
