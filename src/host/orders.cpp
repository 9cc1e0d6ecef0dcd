// Sorting indices by functions of the caller. Groups that agree in the leading bits of their codes are sorted by the
// bits that follow, and finally, if codes do not decide the whole order, by comparison.
#include <gpu/detail/host/orders.hpp>
#include <gpu/detail/host/request.hpp>
#include <gpu/detail/host/sort.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "../text_groups.hpp"

namespace gpu::inline v1::detail::host {
namespace {

using detail::number_of;
using tuning = text_tuning;

/// Sorts entries of a code (upper half) and an index (lower half). No two are equal, so any sort of them is stable.
template <class Entry>
void sort_different(Entry* entries, std::size_t n, algorithm how) {
  constexpr key_format format{key_class::unsigned_integer, sizeof(Entry)};
  sort_by_keys({{entries, sizeof(Entry), 0, format}, n, nullptr, 0, false, how});
}

/// Calls visit(begin, end) for the groups of at least two of n elements, as for_each_group() does, except that groups
/// large enough for all threads come last, one after the other.
template <class Same, class Visit>
void for_each_group_by_size(std::size_t n, const Same& same, const Visit& visit) {
  std::atomic<std::size_t> found{0};
  std::vector<std::pair<std::size_t, std::size_t>> large(n / tuning::parallel_grain);
  const partition_of parts = n < tuning::pass_grain ? partition_of{n, 1} : divide<tuning>(n, tuning::pass_grain);
  for_each_group(parts, same, [&](std::size_t begin, std::size_t end) {
    if (end - begin >= tuning::parallel_grain)
      large[found.fetch_add(1, std::memory_order_relaxed)] = {begin, end};
    else
      visit(begin, end);
  });
  large.resize(found);
  for (const auto& [begin, end] : large) visit(begin, end);
}

class group_sorter {
 public:
  explicit group_sorter(const coded_elements& elements, algorithm how = algorithm::automatic)
      : elements_{elements}, how_{how} {}

  /// Sorts entries that are in ascending order of their indices and whose elements' codes agree in the first `skip`
  /// bits.
  void sort(uint128* entries, std::size_t n, std::size_t skip) const {
    for (; n > few && skip <= most_bits; skip += 64) {
      const rest found = rewrite(entries, n, skip);
      if (found == rest::differs) {
        sort_different(entries, n, how_);
        if (skip + 64 >= elements_.bits) return;
        return for_each_group_by_size(
            n, [&](std::size_t i, std::size_t j) { return number_of(entries[i]) == number_of(entries[j]); },
            [&](std::size_t begin, std::size_t end) { sort(entries + begin, end - begin, skip + 64); });
      }
      if (found == rest::is_none && elements_.whole) return;
      if (found == rest::is_none) break;
    }
    elements_.sort(entries, n);
  }

 private:
  static constexpr std::size_t few = 8;
  /// Elements that agree in more bits than this, over a hundred characters, are compared: they may agree in thousands.
  static constexpr std::size_t most_bits = 16 * 64;

  /// How the codes of a group continue: with different bits, with equal bits and more behind them, or with no more.
  enum class rest { differs, agrees, is_none };

  rest rewrite(uint128* entries, std::size_t n, std::size_t skip) const {
    uint128 first = entries[0];
    elements_.rewrite(&first, 1, skip);
    std::atomic<bool> differ{false}, go_on{false};
    for_each_part<tuning>(n, [&](std::size_t begin, std::size_t end) {
      if (elements_.rewrite(entries + begin, end - begin, skip)) go_on.store(true, std::memory_order_relaxed);
      bool some_differ = false;
      for (std::size_t i = begin; i < end; ++i) some_differ |= number_of(entries[i]) != number_of(first);
      if (some_differ) differ.store(true, std::memory_order_relaxed);
    });
    return differ ? rest::differs : go_on ? rest::agrees : rest::is_none;
  }

  const coded_elements& elements_;
  algorithm how_;
};

/// argsort_by_codes() for codes and indices of at most 32 bits.
void argsort_by_short_codes(const coded_elements& elements, permutation& order, algorithm how) {
  few_or_buffer<std::uint64_t, 128> memory(order.size());
  std::uint64_t* const entries = memory.data();
  for_each_part<tuning>(order.size(), [&](std::size_t begin, std::size_t end) {
    std::array<uint128, 128> some;
    for (std::size_t n; begin < end; begin += n) {
      n = std::min(end - begin, some.size());
      for (std::size_t i = 0; i < n; ++i) some[i] = begin + i;
      elements.rewrite(some.data(), n, 0);
      for (std::size_t i = 0; i < n; ++i) entries[begin + i] = number_of(some[i]) | index_of(some[i]);
    }
  });
  sort_different(entries, order.size(), how);
  for_each_part<default_tuning>(order.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) order.set(i, static_cast<std::uint32_t>(entries[i]));
  });
}

}  // namespace

void sort_indices(std::uint64_t* indices, std::size_t n, function_ref<bool(std::size_t, std::size_t)> less, bool stable,
                  algorithm how) {
  if (stable)
    stable_sort(indices, n, less, how);
  else
    sort(indices, n, less, how);
}

void sort_entries(uint128* entries, std::size_t n, function_ref<bool(std::size_t, std::size_t)> less) {
  stable_sort(entries, n, [&](uint128 a, uint128 b) { return less(index_of(a), index_of(b)); });
}

void argsort_by_codes(const coded_elements& elements, permutation& order, algorithm how) {
  if (elements.bits <= 32 && index_bytes(order.size()) <= 4) return argsort_by_short_codes(elements, order, how);
  few_or_buffer<uint128, 64> memory(order.size());
  uint128* const entries = memory.data();
  for_each_part<default_tuning>(order.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) entries[i] = i;
  });
  group_sorter{elements, how}.sort(entries, order.size(), 0);
  for_each_part<default_tuning>(order.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) order.set(i, index_of(entries[i]));
  });
}

void sort_equal_codes(const coded_elements& elements, permutation& order, const column& codes) {
  const index_view indices = order.view();
  const auto code_at = [&](std::size_t i) {
    return static_cast<const std::byte*>(codes.data) + indices[i] * codes.element_bytes;
  };
  const auto same = [&](std::size_t i, std::size_t j) {
    return std::memcmp(code_at(i), code_at(j), codes.element_bytes) == 0;
  };
  for_each_group_by_size(order.size(), same, [&](std::size_t begin, std::size_t end) {
    few_or_buffer<uint128, 64> entries(end - begin);
    for (std::size_t i = begin; i < end; ++i) entries.data()[i - begin] = indices[i];
    group_sorter{elements}.sort(entries.data(), end - begin, 8 * codes.element_bytes);
    for (std::size_t i = begin; i < end; ++i) order.set(i, index_of(entries.data()[i - begin]));
  });
}

}  // namespace gpu::inline v1::detail::host
