// Calls over ranks other than sorts in place: balanced sorts, permutations, checks, and cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <vector>

#include "calls.hpp"

namespace gpu::inline v1::detail {

/// How many of `total` elements a rank has if all have the same number, or one more.
constexpr std::size_t balanced_size(std::size_t total, std::size_t rank, std::size_t ranks) {
  return total / ranks + (rank < total % ranks ? 1 : 0);
}

/// A container of contiguous elements that can be constructed with a size and be swapped.
template <class Container>
concept balanced_container =
    part_range<Container&> && std::constructible_from<Container, std::size_t> && std::swappable<Container>;

/// The index of this rank's first element, which is the number of elements of the ranks before it; refuses a total that
/// the integer type cannot represent.
template <class Integer>
std::size_t first_index(const communicator& ranks, const part_sizes& sizes) {
  std::size_t total = 0, first = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (r == ranks.rank()) first = total;
    total += sizes.before[r];
  }
  if (total > 0 && total - 1 > static_cast<std::size_t>((std::numeric_limits<Integer>::max)()))
    refuse(errc::invalid_range, "the ranks have more keys together than the index type can count: use 64-bit indices");
  return first;
}

inline namespace GPUPAR_UNIT {

/// Whether each part is sorted, and no part begins with an element that goes before the last one in front of it.
template <residence Memory, placement Where, class T, class Compare, class Projection>
bool is_sorted_over(communicator& ranks, execution_options options, const rank_call& call, T* data,
                    const Compare& compare, const Projection& projection) {
  using element = std::remove_const_t<T>;
  options.progress = {};
  (void)detail::introduce_columns<Compare, Projection>(ranks, options, call, part_column<const element>{data, data});
  bool sorted = false;
  const element_less<element, Compare, Projection> less{compare, projection};
  detail::with_sorted_part(options, static_cast<const element*>(data), call.before, less, [&](const sorted_part& mine) {
    sorted = detail::parts_are_sorted(ranks, mine, [&] {
      return detail::sorted_prefix<Memory, Where>(options, single_keys{data, compare, projection}, call.before) ==
             call.before;
    });
  });
  return sorted;
}

/// Writes, as indices in the sequence of all parts, the elements that this rank would have if all were sorted stably.
template <residence Memory, placement Where, class Key, class Integer, class Compare, class Projection>
void argsort_over(communicator& ranks, const execution_options& options, const rank_call& call, const Key* keys,
                  Integer* indices, const Compare& compare, const Projection& projection) {
  using key = std::remove_const_t<Key>;
  const part_sizes sizes = detail::introduce_columns<Compare, Projection>(
      ranks, options, call, part_column<const key>{keys, keys}, detail::in_place(indices));
  const std::size_t first = detail::first_index<Integer>(ranks, sizes);
  std::unique_ptr<rank_memory> copies;
  detail::agreed(ranks, [&] {
    copies = std::make_unique<rank_memory>(detail::locate(keys), call.before * sizeof(key), alignof(key), options);
    detail::copy_rank_bytes(copies->data(), keys, call.before * sizeof(key), options);
    detail::write_places(indices, sizeof(Integer), first, call.before, options);
  });
  detail::sort_over<true, Memory, Where>(ranks, options, call, compare, projection,
                                         detail::in_place(reinterpret_cast<key*>(copies->data())),
                                         detail::in_place(indices));
}

/// Sorts the elements of all ranks, those of this rank at `data`, to the address that room(count) returns: each rank
/// gets as many elements as any other, or one more.
template <residence Memory, placement Where, class T, class Room, class Compare, class Projection>
void sort_balanced_over(communicator& ranks, const execution_options& options, rank_call call, T* data,
                        const Room& room, const Compare& compare, const Projection& projection) {
  const std::uint64_t mine = call.before;
  std::vector<std::uint64_t> all(ranks.size());
  ranks.all_gather(&mine, sizeof(mine), all.data());
  const std::size_t total = detail::sum_of(all);
  call.after = detail::balanced_size(total, ranks.rank(), ranks.size());
  T* balanced = nullptr;
  GPUPAR_TRY {
    if (!call.refused) balanced = room(call.after);
  }
  GPUPAR_CATCH(...) { call.refused = std::current_exception(); }
  detail::sort_over<false, Memory, Where>(ranks, options, call, compare, projection, part_column<T>{data, balanced});
}

template <class Policy, part_iterator Iterator, end_of<Iterator> Sentinel, class Compare = left_out,
          class Projection = left_out>
  requires ordered_by<Compare, Projection, Iterator, Iterator>
bool over_ranks(std::type_identity<is_sorted_function>, const Policy& policy, communicator& ranks, Iterator first,
                Sentinel last, const Compare& compare = {}, const Projection& projection = {}) {
  auto* const data = detail::address_of(first);
  const auto call =
      detail::enter("is_sorted", [&] { return detail::with_memory(detail::count_of(first, last), data); });
  return detail::is_sorted_over<residence_of<Iterator>, Policy::where>(ranks, policy.options(), call, data,
                                                                       detail::given<default_less<Iterator>>(compare),
                                                                       detail::given<std::identity>(projection));
}

template <class Policy, part_range Range, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Range>, Range>
bool over_ranks(std::type_identity<is_sorted_function>, const Policy& policy, communicator& ranks, Range&& range,
                const Compare& compare = {}, const Projection& projection = {}) {
  auto* const data = detail::address_of(std::ranges::begin(range));
  const auto call = detail::enter("is_sorted", [&] { return detail::with_memory(detail::size_of(range), data); });
  return detail::is_sorted_over<residence_of<Range>, Policy::where>(ranks, policy.options(), call, data,
                                                                    detail::given<default_less<Range>>(compare),
                                                                    detail::given<std::identity>(projection));
}

template <class Policy, part_range Keys, index_range Indices, class Compare = left_out, class Projection = left_out>
  requires part_range<Indices> && ordered_by<Compare, Projection, std::ranges::iterator_t<Keys>, Keys>
std::ranges::borrowed_iterator_t<Indices> over_ranks(std::type_identity<argsort_function>, const Policy& policy,
                                                     communicator& ranks, Keys&& keys, Indices&& indices,
                                                     const Compare& compare = {}, const Projection& projection = {}) {
  const auto* const data = detail::address_of(std::ranges::begin(keys));
  auto* const index_data = detail::address_of(std::ranges::begin(indices));
  const auto call = detail::enter("argsort", [&] {
    const std::size_t count = detail::size_of(keys);
    detail::require_room(detail::size_of(indices), count);
    return detail::with_memory(count, data, index_data);
  });
  detail::argsort_over<residence_of<Keys, Indices>, Policy::where>(ranks, policy.options(), call, data, index_data,
                                                                   detail::given<default_less<Keys>>(compare),
                                                                   detail::given<std::identity>(projection));
  return detail::advanced(std::ranges::begin(indices), call.before);
}

struct sort_balanced_function : delegates<sort_balanced_function> {
  using delegates<sort_balanced_function>::operator();
};

template <class Policy, balanced_container Container, class Compare = left_out, class Projection = left_out>
  requires ordered_by<Compare, Projection, std::ranges::iterator_t<Container&>, Container&>
void over_ranks(std::type_identity<sort_balanced_function>, const Policy& policy, communicator& ranks,
                Container& container, const Compare& compare = {}, const Projection& projection = {}) {
  const auto call = detail::enter("sort_balanced", [&] { return detail::size_of(container); });
  std::optional<Container> balanced;
  const auto room = [&](std::size_t count) { return std::to_address(std::ranges::begin(balanced.emplace(count))); };
  detail::sort_balanced_over<residence_of<Container>, Policy::where>(
      ranks, policy.options(), call, std::to_address(std::ranges::begin(container)), room,
      detail::given<default_less<Container&>>(compare), detail::given<std::identity>(projection));
  std::ranges::swap(container, *balanced);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
