// Chooses the algorithm that sorts, merges or selects: by the key's width and class, what follows the key, and the
// number of elements.
#include <gpu/detail/device/tuning/counting.hpp>
#include <gpu/detail/device/tuning/local_sorts.hpp>
#include <gpu/detail/device/tuning/radix.hpp>
#include <gpu/detail/device/tuning/resident.hpp>
#include <gpu/detail/device/tuning/selection.hpp>
#include <gpu/detail/host/parallel.hpp>

#include <algorithm>
#include <bit>

#include "choice.hpp"

namespace gpu::inline v1::detail {
namespace {

constexpr bool is_floating(const workload& work) { return work.key.kind == key_class::floating_point; }

/// Whether merging takes less time than passes by digits, one per byte of the key: measured at 2, 4 and 8 bytes. Twice
/// as many elements take one more merge.
constexpr bool few_for_radix(const workload& work) {
  const std::size_t unit = work.key.bytes == 2 ? 2048 : 4096;
  return work.count < unit * work.key.bytes * work.key.bytes;
}
/// Number of keys with a value up to which merging takes less time than sorting indices and moving the values by them.
constexpr std::size_t few_for_argsort(std::size_t key_bytes) { return key_bytes <= 4 ? 1536 : 2048; }
/// Number of keys with a value up to which the latter takes less time than passes by digits, one launch each.
constexpr std::size_t many_for_argsort(std::size_t key_bytes) { return key_bytes == 4 ? std::size_t{1} << 16 : 0; }
/// Bytes of a single value as kernels move it: values of less than four bytes are moved as integers of four.
std::size_t moved_bytes(const workload& work) { return work.value_bytes < 4 ? 4 : work.value_bytes; }
/// Number of keys above which passes by digits take less time than rounds from the top, for keys of one or two bytes
/// and for keys of four bytes whose value has eight or sixteen. Rounds move such keys and values in two streams, or
/// wide values by their indices, and take twice as long for skewed keys. A pass by bytes takes less than sorting codes
/// of such keys.
constexpr std::size_t few_for_passes(std::size_t key_bytes) { return std::size_t{1} << (key_bytes <= 2 ? 13 : 16); }
/// Largest input that one block sorts in one launch; the bitonic network needs no scratch and no second kernel for it.
constexpr std::size_t most_for_one_block = 2048;

/// Whether passes by digits are used for the keys, with values of this many bytes, however the keys are distributed.
bool worth_passes(const auto& ranges, const workload& work, std::size_t value_bytes) {
  return device::worth_passes(ranges, work.key.bytes, value_bytes, is_floating(work), work.count);
}

/// For keys that are neither joined with their indices nor sorted into bins: passes by digits, or merging if there are
/// too few.
algorithm merge_or_radix(const workload& work) {
  return few_for_radix(work) ? algorithm::merge_sort : algorithm::radix;
}

/// For keys alone, on the device.
algorithm sort_keys(const workload& work) {
  const bool stable = is_stable(work);
  const bool in_any_order = !stable || !is_floating(work);  // equal integers are identical
  if (device::enough_to_count(work.count, work.key.bytes) && in_any_order) return algorithm::radix;
  if (!in_any_order && work.key.bytes < 4) return few_for_radix(work) ? algorithm::quicksort : algorithm::radix;
  const bool passes = in_any_order ? worth_passes(device::passes_of_rows, work, 0)
                                   : worth_passes(device::passes_of_stable_floats, work, 0);
  return passes ? algorithm::radix : algorithm::quicksort;
}

/// For a stable argsort, on the device.
algorithm argsort_algorithm(const workload& work) {
  if (work.key.bytes == 0) return algorithm::merge_sort;
  if (work.key.bytes <= 2 && work.count > few_for_passes(work.key.bytes)) return algorithm::radix;
  if (worth_passes(device::passes_of_argsort, work, 0)) return algorithm::radix;
  return joins_index(work.key.bytes) ? algorithm::quicksort : merge_or_radix(work);
}

/// For keys and what follows them, stably, on the device.
algorithm sort_stably_by_key(const workload& work) {
  if (work.key.bytes == 0) return algorithm::merge_sort;
  const std::size_t bytes = work.key.bytes;
  const bool one_value = work.key_is_element && work.value_columns == 1, few = work.count <= few_for_argsort(bytes);
  if (!one_value) return argsort_algorithm(work);
  if (bytes > 4) {  // few by merging; many with a narrow value by passes that move it along, or as pairs; else by index
    constexpr std::size_t few_for_rows = std::size_t{1} << 17;
    const std::size_t moved = moved_bytes(work);
    if (few) return algorithm::merge_sort;
    const bool moves = bytes == 8 && (moved == 4 || moved == 8) && work.count > few_for_rows;
    if (!moves) return argsort_algorithm(work);
    const bool passes = moved == 4 || is_floating(work) || worth_passes(device::passes_of_rows, work, moved);
    return passes ? algorithm::radix : algorithm::quicksort;
  }
  const bool by_index = !few && work.count <= many_for_argsort(bytes) && !is_floating(work);
  return by_index ? algorithm::quicksort : merge_or_radix(work);  // whose passes move the value along
}

/// For keys and what follows them, equivalent ones in any order, on the device.
algorithm sort_by_key(const workload& work) {
  const std::size_t bytes = work.key.bytes, n = work.count;
  const bool narrow = bytes == 1 || bytes == 2, one_value = work.key_is_element && work.value_columns == 1;
  const std::size_t value_bytes = one_value ? moved_bytes(work) : 0;
  if (n > few_for_passes(bytes)) {
    if (bytes == 4 && value_bytes == 8) return algorithm::radix;
    if (narrow || (bytes == 4 && value_bytes == 16)) return sort_stably_by_key(work);
  }
  const bool moves = one_value && value_bytes <= 8;
  const bool passes = moves ? worth_passes(device::passes_of_rows, work, value_bytes)
                            : worth_passes(device::passes_of_argsort, work, 0);
  if (passes) return algorithm::radix;
  return !joins_index(bytes) && work.count <= most_for_one_block ? algorithm::bitonic : algorithm::quicksort;
}

/// Bytes of the integers that quicksort makes of keys and the value or index that follows them or breaks ties; 0 if it
/// makes none.
std::size_t sorted_bytes(const workload& work) {
  if (work.key.bytes == 0 || work.way == device_way::instantiated) return 0;
  const bool alone = work.key_is_element && work.value_columns == 0 && work.way == device_way::precompiled;
  if (alone && !(is_stable(work) && is_floating(work))) return work.key.bytes;
  const bool value_moves = work.key_is_element && work.value_columns == 1 && work.value_bytes == 8;
  const std::size_t bytes = std::bit_ceil(work.key.bytes + (value_moves ? work.value_bytes : sizeof(std::uint32_t)));
  return bytes <= 16 ? bytes : 0;
}

/// Whether the call only copies keys, and these are integers, of which equal ones are identical.
bool copies_keys(const workload& work) {
  const bool copies = work.what == operation::top_k || work.what == operation::partial_sort_copy;
  return copies && work.key_is_element && !is_floating(work);
}

/// How the device selects if it can hold all keys at once; empty if it cannot.
std::string_view held_variant(const workload& work) {
  const std::size_t n = work.count, selected = work.selected, bytes = work.key.bytes;
  if (!work.key_is_element || bytes > 8 || n > device::most_held(bytes)) return {};
  if (work.what == operation::nth_element)
    return "all are read once and counted by their digits; each goes to its side";
  if (work.what == operation::partial_sort)
    return "all are read once and counted by their digits; each goes to its side, and a part is sorted";
  const bool by_sample = bytes <= 4 ? device::takes_one_launch<std::uint64_t>(n, selected)
                                    : device::takes_one_launch<uint128>(n, selected);
  const bool held =
      copies_keys(work) ? device::copies_from_held(n, selected, bytes) : device::ranks_from_held(n, selected, bytes);
  return held && !by_sample ? "all are read once and counted by their digits, and a part is sorted"
                            : std::string_view{};
}

/// How the device selects: what bounds the wanted element, and how often all elements are read.
std::string_view selection_variant(const workload& work) {
  constexpr std::string_view all_sorted = "all are sorted";
  const std::size_t n = work.count, selected = work.selected;
  const bool in_place = work.what == operation::nth_element || work.what == operation::partial_sort;
  if (work.way == device_way::keys_by_index || (in_place && work.shape.parts > 0)) return all_sorted;
  if (work.way == device_way::instantiated) {
    const bool forward = device::brings_forward(n, selected, work.element_bytes);
    const std::size_t sorted = work.what == operation::partial_sort ? selected : 0;
    if (in_place && !forward && device::parts_by_comparing(n, sorted, work.element_bytes))
      return sorted > 0 ? "two bounds from samples that comparing sorts; all are read twice and written once, and a "
                          "part is sorted"
                        : "two bounds from samples that comparing sorts; all are read twice and written once";
    if (in_place ? !forward : !device::selects_by_comparing(n, selected)) return all_sorted;
    return in_place ? "a bound from a sample that comparing sorts; all are read once, and a part is sorted"
                    : "a bound from a sample that comparing sorts; all are read once";
  }
  if (work.what == operation::partial_sort &&
      (selected == n || (work.key_is_element && device::sorts_all_sooner(n, selected, work.key.bytes))))
    return all_sorted;
  if (const std::string_view held = held_variant(work); !held.empty()) return held;
  if (n <= device::most_kept_whole) return "so few are compared with each other; all are read once";
  if (work.what == operation::nth_element)
    return device::moves_by_lists(n, std::min(selected, n - selected), 1)
               ? "two bounds from a sample; all are read twice, and those on the wrong side change places"
               : "two bounds from a sample; all are read twice and written once";
  if (in_place)
    return "two bounds from a sample; all are read twice, those on the wrong side change places, and a part is sorted";
  const bool keys_alone = copies_keys(work);
  if (keys_alone && device::wants_many(n, selected))
    return "two bounds from a sample; all are read twice, and copies of a part are sorted";
  if (!keys_alone && device::wants_most(n, selected)) return all_sorted;
  return "a bound from a sample; all are read once";
}

}  // namespace

algorithm choose_algorithm(const workload& work, backend where) {
  switch (facts_of(work.what).of) {
    case family::indexed:
      return algorithm::bitonic;
    case family::merge:
    case family::check:
      return algorithm::merge_sort;
    case family::selection:
      return algorithm::quicksort;  // which continues with one part only
    case family::movement:
      return algorithm::automatic;
    case family::sort:
    case family::segmented:
      break;
  }
  if (is_segmented(work) && where == backend::device)
    return work.key.bytes != 0 && work.key.bytes <= 8 ? algorithm::quicksort : algorithm::merge_sort;
  if (where == backend::host) {
    if (work.key.bytes != 0) return algorithm::radix;  // of codes, whatever the elements are
    using tuning = host::default_tuning;
    if (!is_stable(work)) return algorithm::quicksort;
    const bool many = work.count >= tuning::parallel_grain || host::pays_to_sort_together<tuning>(work.count);
    return many ? algorithm::sample_sort : algorithm::merge_sort;
  }
  if (work.way == device_way::keys_by_index || work.what == operation::argsort) return argsort_algorithm(work);
  const bool keys_alone = work.key_is_element && work.value_columns == 0 && work.key.bytes != 0;
  if (keys_alone) return sort_keys(work);
  return is_stable(work) ? sort_stably_by_key(work) : sort_by_key(work);
}

std::string_view variant(const workload& work, algorithm how) {
  if (is_in(family::selection, work)) return selection_variant(work);
  if (!is_sort(work) || how != algorithm::quicksort) return {};
  const std::size_t few = static_cast<std::size_t>(device::few_codes);
  if (work.count <= few && sorted_bytes(work) > 0) return "so few are ranked: each key is compared with each";
  const bool followed = work.value_columns > 0;
  const bool stable_floats = !followed && is_stable(work) && is_floating(work);
  if (stable_floats || work.count < device::enough_to_analyze(work.key.bytes, followed ? 4 : 0)) return {};
  return "passes by digits instead where a sample of the keys promises that they take less time";
}

}  // namespace gpu::inline v1::detail
