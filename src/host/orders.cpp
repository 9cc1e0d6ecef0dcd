// Orders by code of the caller's: what leading bits of codes leave together is sorted by the bits that follow, and at
// last, if codes do not tell the whole order, by comparison.
#include <gpu/detail/host/orders.hpp>
#include <gpu/detail/host/sort.hpp>

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

namespace gpu::inline v1::detail::host {
namespace {

using tuning = fetching<default_tuning>;

std::uint64_t code_of(uint128 entry) { return static_cast<std::uint64_t>(entry >> 64); }
std::size_t index_of(uint128 entry) { return static_cast<std::uint64_t>(entry); }

/// Calls visit(begin, end) for the groups of more than one of n places, in an order of which same(i, j) says whether
/// two places are of one group: several at once. Those that are worth all threads come last, one after the other.
template <class Same, class Visit>
void for_each_group(std::size_t n, const Same& same, const Visit& visit) {
  const partition_of parts = n < tuning::pass_grain ? partition_of{n, 1} : divide<tuning>(n, tuning::pass_grain);
  // No group is in two parts.
  std::vector<std::size_t> cuts(parts.count + 1, n);
  cuts[0] = 0;
  for (std::size_t part = 1; part < parts.count; ++part) {
    const std::size_t last = parts.begin(part) - 1;
    std::size_t begin = last + 1, end = n;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (same(last, middle))
        begin = middle + 1;
      else
        end = middle;
    }
    cuts[part] = begin;
  }
  std::atomic<std::size_t> found{0};
  std::vector<std::pair<std::size_t, std::size_t>> large(n / tuning::parallel_grain);
  for_each_index(parts.count, [&](std::size_t part) {
    for (std::size_t begin = cuts[part]; begin < cuts[part + 1];) {
      std::size_t end = begin + 1;
      while (end < cuts[part + 1] && same(begin, end)) ++end;
      if (end - begin >= tuning::parallel_grain)
        large[found.fetch_add(1, std::memory_order_relaxed)] = {begin, end};
      else if (end - begin > 1)
        visit(begin, end);
      begin = end;
    }
  });
  large.resize(found);
  for (const auto& [begin, end] : large) visit(begin, end);
}

class group_sorter {
 public:
  explicit group_sorter(const coded_elements& elements) : elements_{elements} {}

  /// Sorts the groups among entries that are sorted by their codes.
  void sort_groups(uint128* entries, std::size_t n, std::size_t skip) const {
    if (skip >= elements_.bits) return;
    for_each_group(
        n, [&](std::size_t i, std::size_t j) { return code_of(entries[i]) == code_of(entries[j]); },
        [&](std::size_t begin, std::size_t end) { sort(entries + begin, end - begin, skip); });
  }

  /// The same of a list of indices: index_at(i) is read, and place(i, index) puts another there.
  template <class Same, class IndexAt, class Place>
  void sort_groups(std::size_t n, std::size_t skip, const Same& same, const IndexAt& index_at,
                   const Place& place) const {
    for_each_group(n, same, [&](std::size_t begin, std::size_t end) {
      few_or_buffer<uint128, few> entries(end - begin);
      for (std::size_t i = begin; i < end; ++i) entries.data()[i - begin] = index_at(i);
      sort(entries.data(), end - begin, skip);
      for (std::size_t i = begin; i < end; ++i) place(i, index_of(entries.data()[i - begin]));
    });
  }

 private:
  static constexpr std::size_t few = 8;
  /// What agrees in so many bits, a hundred characters and more, is compared: it may agree in thousands.
  static constexpr std::size_t most_bits = 16 * 64;

  /// What the codes of a group go on with.
  enum class rest { differs, agrees, is_none };

  /// Sorts entries with ascending indices of elements whose codes agree in `skip` bits.
  void sort(uint128* entries, std::size_t n, std::size_t skip) const {
    for (; n > few && skip <= most_bits; skip += 64) {
      const rest found = rewrite(entries, n, skip);
      if (found == rest::differs) {
        constexpr key_format format{key_class::unsigned_integer, sizeof(uint128)};
        sort_by_keys({{entries, sizeof(uint128), 0, format}, n, nullptr, 0, false, algorithm::automatic});
        return sort_groups(entries, n, skip + 64);
      }
      if (found == rest::is_none && elements_.whole) return;
      if (found == rest::is_none) break;
    }
    quicksort<default_tuning>(entries, n, [&](uint128 a, uint128 b) {
      const std::size_t i = index_of(a), j = index_of(b);
      return elements_.less(i, j) || (i < j && !elements_.less(j, i));
    });
  }

  rest rewrite(uint128* entries, std::size_t n, std::size_t skip) const {
    uint128 first = entries[0];
    elements_.rewrite(&first, 1, skip);
    std::atomic<bool> differ{false}, go_on{false};
    for_each_part<tuning>(n, [&](std::size_t begin, std::size_t end) {
      if (elements_.rewrite(entries + begin, end - begin, skip)) go_on.store(true, std::memory_order_relaxed);
      bool some_differ = false;
      for (std::size_t i = begin; i < end; ++i) some_differ |= code_of(entries[i]) != code_of(first);
      if (some_differ) differ.store(true, std::memory_order_relaxed);
    });
    return differ ? rest::differs : go_on ? rest::agrees : rest::is_none;
  }

  const coded_elements& elements_;
};

}  // namespace

void sort_indices(std::uint64_t* indices, std::size_t n, function_ref<bool(std::size_t, std::size_t)> less, bool stable,
                  algorithm how) {
  if (stable)
    stable_sort(indices, n, less, how);
  else
    sort(indices, n, less, how);
}

void sort_equal_codes(const coded_elements& elements, code_entries& sorted, std::size_t skip) {
  const group_sorter sorter{elements};
  if (!sorted.is_narrow()) return sorter.sort_groups(sorted.wide(), sorted.size(), skip);
  sorter.sort_groups(
      sorted.size(), skip,
      [all = sorted.narrow()](std::size_t i, std::size_t j) { return all[i] >> 32 == all[j] >> 32; },
      [&](std::size_t i) { return sorted.index(i); },
      [&](std::size_t i, std::size_t index) { sorted.set(i, 0, index); });
}

void sort_equal_codes(const coded_elements& elements, permutation& order, const column& codes) {
  const index_view indices = order.view();
  const auto code_at = [&](std::size_t i) {
    return static_cast<const std::byte*>(codes.data) + indices[i] * codes.element_bytes;
  };
  group_sorter{elements}.sort_groups(
      order.size(), 8 * codes.element_bytes,
      [&](std::size_t i, std::size_t j) { return std::memcmp(code_at(i), code_at(j), codes.element_bytes) == 0; },
      [&](std::size_t i) { return indices[i]; }, [&](std::size_t i, std::size_t index) { order.set(i, index); });
}

}  // namespace gpu::inline v1::detail::host
