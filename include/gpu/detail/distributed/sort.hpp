// Sorting over ranks, each with a part of the elements. Every rank sorts its own part; multiway selection determines
// exactly which elements belong to which rank; one exchange sends them there; every rank merges the runs that it has
// received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../communicator.hpp"
#include "../boundary/array_view.hpp"
#include "../calls/by_key.hpp"
#include "agreement.hpp"
#include "division.hpp"
#include "memory.hpp"
#include "merge.hpp"
#include "received_column.hpp"
#include "selection.hpp"

namespace gpu::inline v1::detail {

/// For each rank but the first, how many elements come before those that it will have.
inline std::vector<std::size_t> targets_of(const part_sizes& sizes) {
  std::vector<std::size_t> targets;
  std::size_t sum = 0;
  for (std::size_t r = 0; r + 1 < sizes.after.size(); ++r) targets.push_back(sum += sizes.after[r]);
  return targets;
}

/// The name of a type, without the text that compilers append.
template <class T>
std::string_view plain_type_name() {
  std::string_view name = detail::type_name<T>();
  name = name.substr(0, name.find("; std::string_view"));
  if (name.ends_with(']') && name.find('[') == name.npos) name.remove_suffix(1);
  return name;
}

/// A description, as text, of everything that must be the same on all ranks of a call.
template <class Key, class Compare, class Projection, class... Values>
std::string describe_call(std::string_view name, const execution_options& options) {
  std::string words{name};
  const auto add = [&](std::string_view before, std::string_view type, std::size_t bytes) {
    words.append(before).append(type);
    if (bytes > 0) words.append(" (").append(std::to_string(bytes)).append(" bytes)");
  };
  add(" of ", detail::plain_type_name<Key>(), sizeof(Key));
  (add(" with ", detail::plain_type_name<Values>(), sizeof(Values)), ...);
  add(" by ", detail::plain_type_name<Compare>(), 0);
  if constexpr (!is_identity_v<Projection>) add(" of ", detail::plain_type_name<Projection>(), 0);
  if (options.forced != algorithm::automatic) words.append(" using ").append(to_string(options.forced));
  if (options.where == placement::host_only) words.append(" on the host");
  if (options.where == placement::device_only) words.append(" on the device");
  return words;
}

/// Compares copies of elements at any alignment.
template <class T, class Less>
bool less_of_copies(const Less& less, const std::byte* left, const std::byte* right) {
  alignas(T) std::byte left_bytes[sizeof(T)];
  alignas(T) std::byte right_bytes[sizeof(T)];
  std::memcpy(left_bytes, left, sizeof(T));
  std::memcpy(right_bytes, right, sizeof(T));
  return less(*reinterpret_cast<const T*>(left_bytes), *reinterpret_cast<const T*>(right_bytes));
}

/// How many elements one step of a search reads at once from a device: two steps find one of a million.
inline constexpr std::size_t device_probes = 1023;

/// Copies elements of an array in host or device memory to consecutive places.
template <class T>
void read_elements(const T* data, bool on_device, array_view<strided_elements> which, std::byte* to,
                   const execution_options& options) {
  if (on_device) return detail::read_device_elements(data, sizeof(T), which, to, options);
  for (const strided_elements& some : which)
    for (std::size_t i = 0; i < some.count; ++i, to += sizeof(T))
      std::memcpy(to, static_cast<const void*>(data + some.index(i)), sizeof(T));
}

/// Calls work(sorted_part) for sorted elements in host or device memory.
template <class T, class Less, class Work>
void with_sorted_part(const execution_options& options, const T* data, std::size_t count, const Less& less,
                      const Work& work) {
  const bool on_device = !detail::host_reaches(detail::locate(data));
  const auto read = [&](array_view<strided_elements> which, std::byte* to) {
    detail::read_elements(data, on_device, which, to, options);
  };
  const auto less_of = [&](const std::byte* left, const std::byte* right) {
    return detail::less_of_copies<T>(less, left, right);
  };
  work(sorted_part{count, sizeof(T), on_device ? device_probes : 1, read, less_of});
}

/// Cuts of this rank's sorted elements for the targets, which are the same on all ranks.
template <class T, class Less>
std::vector<std::size_t> cut_among_ranks(communicator& ranks, const execution_options& options, const T* data,
                                         std::size_t count, const std::vector<std::size_t>& parts,
                                         const std::vector<std::size_t>& targets, const Less& less) {
  std::vector<std::size_t> cuts(targets.size());
  const std::size_t total = detail::sum_of(parts);
  detail::with_sorted_part(options, data, count, less, [&](const sorted_part& part) {
    detail::select_among_ranks(ranks, {&part, 1}, total, targets, cuts.data());
  });
  return cuts;
}

inline namespace GPUPAR_UNIT {

/// Sorts one rank's elements and the value columns with them.
template <bool Stable, residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void sort_part(const execution_options& options, std::size_t count, const Compare& compare,
               const Projection& projection, Key* keys, Values*... values) {
  using terms = call_terms<Memory, Where, Stable>;
  if constexpr (sizeof...(Values) == 0)
    detail::run_call(options, sort_call{terms{}, keys, count, compare, projection});
  else
    detail::run_call(options, sort_by_key_call{terms{}, single_keys{keys, compare, projection}, count, values...});
}

/// The name and sizes of a rank's call, and the exception with which the rank refuses it, if any.
struct rank_call {
  std::string_view name;
  std::size_t before = 0;
  std::size_t after = 0;
  std::exception_ptr refused;
};

/// A rank's call that keeps its number of elements, which counting() returns; an exception from counting() is reported
/// to all ranks.
template <class Counting>
rank_call enter(std::string_view name, const Counting& counting) {
  rank_call call{name, 0, 0, nullptr};
  GPUPAR_TRY { call.before = call.after = counting(); }
  GPUPAR_CATCH(...) { call.refused = std::current_exception(); }
  return call;
}

/// The elements of a column and its number, which is its bit in the masks of columns.
struct column_memory {
  std::size_t column;
  const void* data;
  std::size_t count;
};

/// Notifies the listener that a call begins; an exception from it is reported to all ranks. Afterwards `options` are
/// those of the phases of the call, which are synchronous and do not report to the listener; returns the listener.
inline progress_listener begin_phases(rank_call& call, execution_options& options) {
  GPUPAR_TRY {
    if (!call.refused) options.progress(0);
  }
  GPUPAR_CATCH(...) { call.refused = std::current_exception(); }
  options.synchronous = true;
  return std::exchange(options.progress, {});
}

/// introduce() for elements and columns of these types in this memory.
template <class Compare, class Projection, class Key, class... Values>
part_sizes introduce_memory(communicator& ranks, const execution_options& options, const rank_call& call,
                            const std::vector<column_memory>& memory) {
  static_assert(std::is_trivially_copyable_v<Key> && (std::is_trivially_copyable_v<Values> && ...),
                "gpu: elements travel between ranks as bytes: they must be trivially copyable. Sort keys that are, or "
                "keys with places (gpu::argsort), and send the rest yourself.");
  static_assert(!is_device_lambda_v<Compare> && !is_device_lambda_v<Projection>,
                "gpu: samples are compared on the host: comparator and projection must be __host__ __device__");
  static_assert(sizeof...(Values) < 32, "gpu: over ranks there may be at most 31 value columns");
  const std::string words =
      detail::describe_call<std::remove_const_t<Key>, Compare, Projection, std::remove_const_t<Values>...>(call.name,
                                                                                                           options);
  introduction mine{words, call.before, call.after, 0, 0, call.refused};
  if (!call.refused)
    for (const auto& [column, data, count] : memory)
      if (count > 0)
        (detail::host_reaches(detail::locate(data)) ? mine.on_host : mine.on_device) |= std::uint32_t{1} << column;
  return detail::introduce(ranks, mine);
}

/// introduce() for columns that consist of one array before and one after the call.
template <class Compare, class Projection, class Key, class... Values>
part_sizes introduce_columns(communicator& ranks, const execution_options& options, const rank_call& call,
                             const part_column<Key>& keys, const part_column<Values>&... values) {
  std::vector<column_memory> memory;
  const auto add = [&](std::size_t column, const void* before, const void* after) {
    memory.push_back({column, before, call.before});
    memory.push_back({column, after, call.after});
  };
  std::size_t column = 0;
  add(column, keys.before, keys.after);
  (add(++column, values.before, values.after), ...);
  return detail::introduce_memory<Compare, Projection, Key, Values...>(ranks, options, call, memory);
}

/// Exchanges columns one after the other; bit i of `on_device` is set if column i is in device memory.
template <class Found, class... Columns>
void exchange_columns(communicator& ranks, const Found& found, std::uint64_t on_device,
                      const execution_options& options, Columns&... columns) {
  std::uint64_t bit = 1;
  const auto exchange = [&](auto& column) {
    column.exchange(ranks, found, (on_device & bit) != 0, options);
    bit <<= 1;
  };
  (exchange(columns), ...);
}

/// Whether keys may be sent to their ranks before they are sorted: the library's kernels support their codes, and
/// equivalent keys are indistinguishable, or their order does not matter.
template <bool Stable, class Key, class Compare, class Projection, placement Where>
inline constexpr bool may_divide_v =
    detail::way_of<Key, Compare, Projection, Where>() == device_way::precompiled && alignof(Key) == sizeof(Key) &&
    !(Stable && ordering<Key, Compare, Projection>::format.kind == key_class::floating_point);

/// The phases of sort_over() in which elements are sent, starting from sorted parts.
template <residence Memory, placement Where, class Key, class Compare, class Projection, class... Columns>
void send_and_merge(communicator& ranks, const execution_options& options, const progress_listener& done,
                    const part_sizes& sizes, std::size_t count, const Compare& compare, const Projection& projection,
                    const Key* keys, Columns&... columns) {
  const element_less<Key, Compare, Projection> less{compare, projection};
  const auto cuts = detail::cut_among_ranks(ranks, options, keys, count, sizes.before, detail::targets_of(sizes), less);
  const flows found = detail::flows_of(ranks, sizes.after, {&count, 1}, cuts)[0];
  detail::exchange_columns(ranks, found, sizes.on_device, options, columns...);
  detail::agreed(ranks, [&] {
    GPUPAR_TRY { detail::merge_runs<Memory, Where>(options, found.from, compare, projection, columns.merged()...); }
    GPUPAR_CATCH(...) {
      (columns.keep(options), ...);
      GPUPAR_RETHROW;
    }
    done(1);
  });
}

/// Sorts the elements of all ranks: this rank's keys are before[0, call.before), and after the call after[0,
/// call.after), with their values in the other columns. A failure before the exchange leaves every rank its elements,
/// and a later one a permutation of the elements of all ranks.
template <bool Stable, residence Memory, placement Where, class Key, class Compare, class Projection, class... Values>
void sort_over(communicator& ranks, execution_options options, rank_call call, const Compare& compare,
               const Projection& projection, const part_column<Key>& keys, const part_column<Values>&... values) {
  const progress_listener done = detail::begin_phases(call, options);
  const part_sizes sizes = detail::introduce_columns<Compare, Projection>(ranks, options, call, keys, values...);
  const auto sort_mine = [&] {
    detail::sort_part<Stable, Memory, Where>(options, call.before, compare, projection, keys.before, values.before...);
  };
  if (keys.before == keys.after && sizes.are_of_one_rank())
    return detail::agreed(ranks, [&] {
      sort_mine();
      done(1);
    });
  if constexpr (sizeof...(Values) == 0 && may_divide_v<Stable, Key, Compare, Projection, Where>) {
    const auto sort = [&](void* some, std::size_t count, const execution_options& own) {
      detail::sort_part<Stable, Memory, Where>(own, count, compare, projection, static_cast<Key*>(some));
    };
    const keyed_elements elements = detail::keyed(keys.after, compare, projection);
    if (elements.fills() && options.forced == algorithm::automatic &&
        detail::sort_by_division(ranks, options, sizes, {elements.key, keys.before, keys.after}, sort,
                                 [&] { done(1); }))
      return;
  }

  const auto with_room = [&](auto... columns) {
    detail::agreed(ranks, [&] {
      (columns.make_room(call.after, options), ...);
      sort_mine();
    });
    detail::send_and_merge<Memory, Where>(ranks, options, done, sizes, call.before, compare, projection, keys.before,
                                          columns...);
  };
  with_room(received_column<Key>{keys}, received_column<Values>{values}...);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
