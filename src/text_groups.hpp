// Shared by sorting strings and sorting by codes: codes that combine a number with the index of an element, and groups
// of codes that agree so far.
#pragma once

#include <gpu/detail/boundary/texts.hpp>
#include <gpu/detail/host/parallel.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gpu::inline v1::detail {

/// A number that orders texts (upper half) and the index of its text: codes are distinct, so every sort of them is
/// stable.
using text_code = uint128;
using text_tuning = host::fetching<host::default_tuning>;

inline std::size_t index_of(text_code entry) { return static_cast<std::uint64_t>(entry); }
inline std::uint64_t number_of(text_code entry) { return static_cast<std::uint64_t>(entry >> 64); }
inline text_code make_code(std::uint64_t number, std::size_t index) {
  return text_code{number} << 64 | text_code{index};
}

/// Calls visit(begin, end) for every group of at least two of parts.n sorted elements; same(i, j) returns whether two
/// positions belong to one group. Several groups may be visited at the same time, each by one thread.
template <class Same, class Visit>
void for_each_group(const host::partition_of& parts, const Same& same, const Visit& visit) {
  std::vector<std::size_t> cuts(parts.count + 1, parts.n);
  cuts[0] = 0;
  for (std::size_t part = 1; part < parts.count; ++part) {
    const std::size_t begin = parts.begin(part);
    cuts[part] = partition_index(begin, parts.n, [&](std::size_t i) { return same(begin - 1, i); });
  }
  host::for_each_index(parts.count, [&](std::size_t part) {
    for (std::size_t begin = cuts[part]; begin < cuts[part + 1];) {
      std::size_t end = begin + 1;
      while (end < cuts[part + 1] && same(begin, end)) ++end;
      if (end - begin > 1) visit(begin, end);
      begin = end;
    }
  });
}

/// Codes [begin, end), whose texts agree in their first `depth` bytes and are at least that long.
struct text_group {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;
  unsigned stalls = 0;  ///< how many rounds in a row, up to the last, have left more than half together

  [[nodiscard]] std::size_t size() const { return end - begin; }
  /// Whether the group is large enough for all threads; a smaller one is a task for one thread.
  [[nodiscard]] bool for_all_threads() const { return size() >= text_tuning::parallel_grain; }
};

/// Groups still to be sorted, added by several threads.
class group_list {
 public:
  void add(const text_group& next) {
    const std::lock_guard lock(adding_);
    groups_.push_back(next);
  }
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  text_group take() {
    const text_group last = groups_.back();
    groups_.pop_back();
    return last;
  }

 private:
  std::mutex adding_;
  std::vector<text_group> groups_;
};

/// The length of the common prefix of a[0, n) and b[0, n).
inline std::size_t agreeing_bytes(const unsigned char* a, const unsigned char* b, std::size_t n) {
  const auto agreeing_in_word = [&](std::size_t at) {
    return static_cast<std::size_t>(std::countl_zero(load_word(a + at) ^ load_word(b + at))) / 8;
  };
  std::size_t at = 0;
  for (; at + prefix_bytes <= n; at += prefix_bytes)
    if (const std::size_t agreeing = agreeing_in_word(at); agreeing < prefix_bytes) return at + agreeing;
  if (n >= prefix_bytes) return n - prefix_bytes + agreeing_in_word(n - prefix_bytes);
  while (at < n && a[at] == b[at]) ++at;
  return at;
}

/// The numbers of a round by prefix: eight bytes of each text from the group's depth on.
struct by_prefix {
  static constexpr std::size_t bytes = prefix_bytes;  ///< in which texts of one number agree, or they end within

  [[nodiscard]] std::uint64_t operator()(const text& t, std::size_t depth) const { return prefix_at(t, depth); }
  /// How many bytes behind the group's depth these begin.
  static std::size_t agreement(std::uint64_t) { return 0; }
};

/// The numbers of a round relative to a model, one of the group's texts: first the texts that go before it, ordered by
/// the length of the prefix shared with it, ascending; then the others by that length, descending; ties by the next
/// four bytes. Separates texts that are prefixes of one another, however long they are.
class beside_model {
 public:
  static constexpr std::size_t bytes = 4;

  beside_model(const text& model, std::size_t depth)
      : bytes_{model.bytes + depth}, size_{std::min(model.size - depth, most)} {}

  [[nodiscard]] std::uint64_t operator()(const text& t, std::size_t depth) const {
    const std::size_t size = t.size - depth;
    const std::size_t shared = agreeing_bytes(bytes_, t.bytes + depth, std::min(size, size_));
    const bool before = shared < size_ && (shared == size || t.bytes[depth + shared] < bytes_[shared]);
    const std::uint64_t next = prefix_at(t, depth + shared) >> next_bits;
    return (before ? shared : behind | (most - shared)) << next_bits | next;
  }
  static std::size_t agreement(std::uint64_t number) {
    const std::uint64_t rank = number >> next_bits;
    return rank < behind ? rank : most - (rank - behind);
  }

 private:
  static constexpr unsigned next_bits = 8 * bytes;
  static constexpr std::size_t behind = std::size_t{1} << 31;
  static constexpr std::size_t most = behind - 1;

  const unsigned char* bytes_;
  std::size_t size_;
};

}  // namespace gpu::inline v1::detail
