// Orders by keys of several parts, on the host: integers of the leading bits of the keys' codes, with indices below,
// are sorted first. What these leave together, of keys that are wider or hold strings, is sorted by the bits that
// follow, and at last, if codes do not tell the whole order, by comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "../boundary/dispatch.hpp"
#include "../host/request.hpp"
#include "../host/sort.hpp"

namespace gpu::inline v1::detail {

/// Calls visit(begin, end) for the groups of more than one place with equal code(i), which ascends: several at once.
/// Those that are worth all threads come last, one after the other.
template <class Tuning, class CodeAt, class Visit>
void for_each_group(std::size_t n, const CodeAt& code, const Visit& visit) {
  const host::partition_of parts =
      n < Tuning::pass_grain ? host::partition_of{n, 1} : host::divide<Tuning>(n, Tuning::pass_grain);
  // No group is in two parts.
  std::vector<std::size_t> cuts(parts.count + 1, n);
  cuts[0] = 0;
  for (std::size_t part = 1; part < parts.count; ++part) {
    std::size_t begin = parts.begin(part), end = n;
    for (const auto before = code(begin - 1); begin < end;) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (before == code(middle))
        begin = middle + 1;
      else
        end = middle;
    }
    cuts[part] = begin;
  }
  std::atomic<std::size_t> found{0};
  std::vector<std::pair<std::size_t, std::size_t>> large(n / Tuning::parallel_grain);
  host::for_each_index(parts.count, [&](std::size_t part) {
    for (std::size_t begin = cuts[part]; begin < cuts[part + 1];) {
      std::size_t end = begin + 1;
      while (end < cuts[part + 1] && code(end) == code(begin)) ++end;
      if (end - begin >= Tuning::parallel_grain)
        large[found.fetch_add(1, std::memory_order_relaxed)] = {begin, end};
      else if (end - begin > 1)
        visit(begin, end);
      begin = end;
    }
  });
  large.resize(found);
  for (const auto& [begin, end] : large) visit(begin, end);
}

/// A code, or some bits of one, with the index of its element below. No two are equal: any sort of them is stable.
template <class Bits>
class code_entries {
 public:
  static constexpr unsigned index_bits = 4 * sizeof(Bits);
  using code_type = bits_of_size<sizeof(Bits) / 2>;

  explicit code_entries(std::size_t n) : all_{n} {}

  void set(std::size_t i, code_type code, std::size_t index) {
    all_.data()[i] = static_cast<Bits>(Bits{code} << index_bits | static_cast<code_type>(index));
  }
  void set_index(std::size_t i, std::size_t index) { set(i, code(i), index); }
  [[nodiscard]] code_type code(std::size_t i) const { return static_cast<code_type>(all_.data()[i] >> index_bits); }
  [[nodiscard]] std::size_t index(std::size_t i) const { return static_cast<code_type>(all_.data()[i]); }

  void sort(std::size_t n, algorithm how) {
    constexpr key_format format{key_class::unsigned_integer, sizeof(Bits)};
    host::sort_by_keys({{all_.data(), sizeof(Bits), 0, format}, n, nullptr, 0, false, how});
  }

 private:
  mutable host::few_or_buffer<Bits, 1024 / sizeof(Bits)> all_;
};

/// Sorts groups of elements whose codes agree in their leading bits; equivalents by their indices, in whose order the
/// members of a group come.
template <class Iterator, class Compare, class Projection>
class group_sorter {
 public:
  using element = compared_element<Iterator>;
  using order = ordering<element, Compare, Projection>;
  using traits = typename order::traits;

  group_sorter(const Iterator& first, const Compare& compare, const Projection& projection)
      : first_{first}, compare_{compare}, projection_{projection} {}

  /// A group of n: index_at(i) are their indices, place(i, index) puts another there; `skip` bits are known to agree.
  template <class IndexAt, class Place>
  void operator()(std::size_t n, std::size_t skip, const IndexAt& index_at, const Place& place) const {
    if (n <= few) return compare_all(n, index_at, place);
    code_entries<uint128> entries(n);
    for (;; skip += 64) {
      if (skip > most_bits) return compare_all(n, index_at, place);
      switch (write_codes(entries, n, skip, index_at)) {
        case codes::differ:
          entries.sort(n, algorithm::automatic);
          sort_groups(entries, n, skip + 64);
          for (std::size_t i = 0; i < n; ++i) place(i, entries.index(i));
          return;
        case codes::agree:
          continue;
        case codes::agree_to_the_end:
          if constexpr (!traits::extent.whole) compare_all(n, index_at, place);
          return;
      }
    }
  }

  /// The groups among entries that are sorted by their codes.
  template <class Bits>
  void sort_groups(code_entries<Bits>& entries, std::size_t n, std::size_t skip) const {
    if constexpr (traits::extent.whole && !traits::extent.text)
      if (skip >= traits::extent.bits) return;
    detail::for_each_group<host::fetching<host::default_tuning>>(
        n, [&](std::size_t i) { return entries.code(i); },
        [&](std::size_t begin, std::size_t end) {
          (*this)(
              end - begin, skip, [&](std::size_t i) { return entries.index(begin + i); },
              [&](std::size_t i, std::size_t index) { entries.set_index(begin + i, index); });
        });
  }

 private:
  static constexpr std::size_t few = 8;
  /// What agrees in so many bits, a hundred characters and more, is compared: it may agree in thousands.
  static constexpr std::size_t most_bits = 16 * 64;

  enum class codes { differ, agree, agree_to_the_end };

  template <class IndexAt>
  codes write_codes(code_entries<uint128>& entries, std::size_t n, std::size_t skip, const IndexAt& index_at) const {
    std::atomic<bool> differ{false}, cut{false};
    host::for_each_part<host::fetching<host::default_tuning>>(n, [&](std::size_t begin, std::size_t end) {
      Projection projection = projection_;
      const auto write = [&](std::size_t i) {
        const element& each = *detail::advanced(first_, index_at(i));
        code_writer<std::uint64_t, true> writer{skip};
        operand<typename order::projected> key = detail::call(projection, each);
        traits::write(writer, compare_, key);
        return writer;
      };
      const std::uint64_t some = write(0).code();
      bool differs = false, is_cut = false;
      for (std::size_t i = begin; i < end; ++i) {
        const auto writer = write(i);
        differs |= writer.code() != some;
        is_cut |= writer.is_cut();
        entries.set(i, writer.code(), index_at(i));
      }
      if (differs) differ.store(true, std::memory_order_relaxed);
      if (is_cut) cut.store(true, std::memory_order_relaxed);
    });
    return differ ? codes::differ : cut ? codes::agree : codes::agree_to_the_end;
  }

  template <class IndexAt, class Place>
  void compare_all(std::size_t n, const IndexAt& index_at, const Place& place) const {
    host::few_or_buffer<std::size_t, 2 * few> indices(n);
    for (std::size_t i = 0; i < n; ++i) indices.data()[i] = index_at(i);
    const element_less<element, Compare, Projection> less{compare_, projection_};
    host::sort(indices.data(), n, [&](std::size_t i, std::size_t j) {
      const element& a = *detail::advanced(first_, i);
      const element& b = *detail::advanced(first_, j);
      if (less(a, b)) return true;
      return i < j && !less(b, a);
    });
    for (std::size_t i = 0; i < n; ++i) place(i, indices.data()[i]);
  }

  const Iterator& first_;
  const Compare& compare_;
  const Projection& projection_;
};

/// Calls use(entries) with the stable order of [first, first + count) by a key, or the beginning of one, that becomes a
/// code: entries.index(i) is the index of the element that belongs at i.
template <class Index, class Iterator, class Compare, class Projection, class Use>
void with_order_by_codes(const Iterator& first, std::size_t count, const Compare& compare, const Projection& projection,
                         algorithm how, const Use& use) {
  using sorter = group_sorter<Iterator, Compare, Projection>;
  using order = typename sorter::order;
  constexpr bool narrow = sizeof(typename order::key) <= 4 && sizeof(Index) <= 4;
  using entries_type = code_entries<std::conditional_t<narrow, std::uint64_t, uint128>>;
  entries_type entries(count);
  host::for_each_part<host::fetching<host::default_tuning>>(count, [&](std::size_t begin, std::size_t end) {
    Projection projected = projection;
    for (std::size_t i = begin; i < end; ++i) {
      const typename sorter::element& element = *detail::advanced(first, i);
      code_writer<typename entries_type::code_type> writer;
      operand<typename order::projected> key = detail::call(projected, element);
      order::traits::write(writer, compare, key);
      entries.set(i, writer.code(), i);
    }
  });
  entries.sort(count, how);
  if constexpr (order::led || sizeof(typename order::key) > 8)
    sorter{first, compare, projection}.sort_groups(entries, count, 8 * sizeof(typename entries_type::code_type));
  use(std::as_const(entries));
}

/// Sorts the groups of equal codes in an order of elements by codes; equivalents by their places.
template <class Index, class Code, class Iterator, class Compare, class Projection>
void sort_equal_codes(const Iterator& first, host::buffer<Index>& order, const host::buffer<Code>& codes,
                      const Compare& compare, const Projection& projection) {
  const group_sorter<Iterator, Compare, Projection> sort_group{first, compare, projection};
  detail::for_each_group<host::fetching<host::default_tuning>>(
      order.size(), [&](std::size_t i) { return codes[order[i]]; },
      [&](std::size_t begin, std::size_t end) {
        sort_group(
            end - begin, 8 * sizeof(Code), [&](std::size_t i) { return order[begin + i]; },
            [&](std::size_t i, std::size_t index) { order[begin + i] = static_cast<Index>(index); });
      });
}

}  // namespace gpu::inline v1::detail
