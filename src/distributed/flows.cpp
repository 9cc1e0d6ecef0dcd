// From cuts to what goes where.
#include <gpu/detail/distributed/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace gpu {
inline namespace v1 {
namespace detail {
namespace {

/// Elements of [first, first + count) that are in [other, other + others).
std::size_t common(std::size_t first, std::size_t count, std::size_t other, std::size_t others) {
  const std::size_t begin = (std::max)(first, other);
  const std::size_t end = (std::min)(first + count, other + others);
  return end > begin ? end - begin : 0;
}

/// Every element goes to the rank that has its place in the sequence of all parts.
flows flows_by_place(std::size_t rank, const part_sizes& sizes) {
  const std::size_t count = sizes.before.size();
  const auto first_of = [](const std::vector<std::size_t>& all, std::size_t rank) {
    return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank), std::size_t{0});
  };
  const std::size_t mine = first_of(sizes.before, rank), wanted = first_of(sizes.after, rank);
  flows found;
  for (std::size_t r = 0, before = 0, after = 0; r < count; before += sizes.before[r], after += sizes.after[r], ++r) {
    found.to.push_back(common(mine, sizes.before[rank], after, sizes.after[r]));
    found.from.push_back(common(before, sizes.before[r], wanted, sizes.after[rank]));
  }
  return found;
}

}  // namespace

flows flows_of(communicator& ranks, const part_sizes& sizes, array_view<std::size_t> cuts) {
  const std::size_t count = ranks.size(), rank = ranks.rank();
  std::vector<std::uint64_t> to(count), from(count), fits(count);
  std::size_t first = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t last = r < cuts.size() ? cuts[r] : sizes.before[rank];
    to[r] = last - first;
    first = last;
  }
  ranks.all_to_all(to.data(), sizeof(to[0]), from.data());
  const std::uint64_t fit = std::accumulate(from.begin(), from.end(), std::uint64_t{0}) == sizes.after[rank];
  ranks.all_gather(&fit, sizeof(fit), fits.data());
  if (std::find(fits.begin(), fits.end(), std::uint64_t{0}) != fits.end()) return flows_by_place(rank, sizes);
  return {{to.begin(), to.end()}, {from.begin(), from.end()}};
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
