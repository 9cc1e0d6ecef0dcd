// The one place that decides where a call runs and by which algorithm.
#include <gpu/detail/device/tuning/counting.hpp>
#include <gpu/detail/device/tuning/local_sorts.hpp>
#include <gpu/detail/device/tuning/radix.hpp>
#include <gpu/detail/device/tuning/resident.hpp>
#include <gpu/detail/host/parallel.hpp>
#include <gpu/detail/key_remark.hpp>
#include <gpu/detail/request.hpp>
#include <gpu/error.hpp>
#include <gpu/plan.hpp>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "cost.hpp"
#include "operations.hpp"

namespace gpu {
inline namespace v1 {

std::string_view to_string(backend where) noexcept { return where == backend::device ? "device" : "host"; }

std::string_view to_string(algorithm how) noexcept {
  switch (how) {
    case algorithm::automatic:
      return "automatic";
    case algorithm::bitonic:
      return "bitonic";
    case algorithm::quicksort:
      return "quicksort";
    case algorithm::sample_sort:
      return "sample_sort";
    case algorithm::merge_sort:
      return "merge_sort";
    case algorithm::radix:
      return "radix";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, const plan& decided) {
  out << to_string(decided.where) << ", " << to_string(decided.how) << ", " << decided.scratch_bytes
      << " bytes of scratch: " << decided.reason;
  if (!decided.remark.empty()) out << "; " << decided.remark;
  if (decided.device_seconds > 0)
    out << " (about " << decided.device_seconds << " s there, " << decided.host_seconds << " s on the host)";
  return out;
}

namespace detail {
namespace {

/// What the host does in less time than any device needs to answer is not worth asking what a device would need.
constexpr double least_seconds_worth_asking = 1e-5;
/// The device must promise to be this much faster, for both times are estimates.
constexpr double device_margin = 1.25;

/// Floating-point keys from which on it pays to look whether a stable sort has anything to keep apart: both sorts are
/// enqueued, which costs about 25 launches of nothing.
constexpr std::size_t enough_to_look_for_equivalents = std::size_t{1} << 21;

/// Whether merging takes less time than passes by digits, of which there are as many as the key has bytes: measured at
/// 4 and 8 bytes. Twice as many elements take one more merge. To compare floating-point keys takes longer.
constexpr bool few_for_radix(const workload& work) {
  const std::size_t bytes = work.key.bytes, unit = work.key.kind == key_class::floating_point ? 4096 : 8192;
  return work.count < unit * bytes * bytes;
}
/// Keys with a value that merging takes less time for than sorting their places and bringing values there.
constexpr std::size_t few_for_places(std::size_t key_bytes) { return key_bytes <= 4 ? 1536 : 2048; }
/// Integers of up to 4 bytes with a value for which that takes less time than passes by digits, a launch each: the more
/// passes there are, the longer. Of keys that lie evenly it would up to 2^20, of others not.
constexpr std::size_t many_for_places(std::size_t key_bytes) {
  return key_bytes == 4 ? std::size_t{1} << 18 : key_bytes == 2 ? std::size_t{1} << 17 : 0;
}
/// Keys of one or two bytes, and keys of four whose value takes eight, from which on passes by digits take less time
/// than rounds from the top, which move such keys and values in two streams: measured on uniform keys; on skewed ones
/// from half as many on. Their places go as whole words, from twice as many on.
constexpr std::size_t few_for_passes = std::size_t{1} << 17;
constexpr std::size_t few_places_for_passes = std::size_t{1} << 18;
/// Inputs that one block sorts in one launch; the bitonic network needs no scratch and no second kernel for them.
constexpr std::size_t most_for_one_block = 2048;

bool is_in(family of, const workload& work) { return facts_of(work.what).of == of; }
bool is_sort(const workload& work) { return is_in(family::sort, work); }
bool is_segmented(const workload& work) { return is_in(family::segmented, work); }
bool is_stable(const workload& work) { return facts_of(work.what).stable; }

[[noreturn]] void refuse(errc code, const char* what) { detail::refuse(static_cast<int>(code), what); }

void require_suitable(const workload& work, algorithm forced) {
  if (is_segmented(work) && forced != algorithm::automatic)
    refuse(errc::unsuitable_algorithm,
           "segmented sorts choose an algorithm for each segment by its length: call them without using_algorithm()");
  if (!is_sort(work)) return;
  if (is_stable(work) && (forced == algorithm::bitonic || forced == algorithm::quicksort))
    refuse(errc::unsuitable_algorithm,
           "bitonic and quicksort are not stable: force sample_sort, merge_sort or radix for stable sorts and argsort");
  if (forced == algorithm::radix && work.key.bytes == 0)
    refuse(
        errc::unsuitable_algorithm,
        "radix needs arithmetic keys in natural order: use std::less or std::greater and a projection to such a key");
}

struct placed {
  backend where;
  std::string_view reason;
  double host_seconds = 0;
  double device_seconds = 0;
  std::string_view remark = {};
};

/// For host data that either side could sort.
placed place_by_cost(const workload& work) {
  constexpr std::string_view too_few = "too few elements to pay for the transfer to a device";
  const double on_host = host_seconds(work);
  if (on_host < least_seconds_worth_asking) return {backend::host, too_few, on_host};
  const double on_device = device_seconds(work, costs_of_machine());
  if (device_margin * on_device < on_host)
    return {backend::device, "enough elements to pay for the transfer to a device", on_host, on_device};
  return {backend::host, too_few, on_host, on_device};
}

/// What would become of a sort of host data if there were a device, and what it would take.
std::string_view with_a_device(const workload& work) {
  if (work.way == device_way::keys_by_index)
    return "with a device: if there are enough elements, their keys are sorted there, and the host moves them";
  return "with a device: if there are enough elements, they are sorted there, in about twice their memory";
}

[[noreturn]] void refuse_without_device(const char* wish, const char* instead) {
  const std::string words = std::string{wish} + device_problem() + instead;
  refuse(errc::no_device, words.c_str());
}

placed place_required(const workload& work) {
  if (device_count() == 0) refuse_without_device("the policy requires a device, but ", ". Or drop .require_device()");
  if (work.way == device_way::none)
    refuse(errc::device_unsupported,
           "the policy requires the device, but no kernel can do this: use contiguous, "
           "trivially copyable elements, or drop .require_device()");
  return {backend::device, "the policy requires the device"};
}

placed place_device_data(const workload& work, const execution_options& options) {
  if (work.typed_device && device_count() == 0) refuse_without_device("a device_span holds device memory, but ", "");
  if (options.where == placement::host_only)
    refuse(errc::host_unreachable, "the data are in device memory, but the policy requires the host");
  if (work.way == device_way::none || work.way == device_way::keys_by_index)
    refuse(errc::host_unreachable,
           "the data are in device memory, but only the host could do this: use a natural "
           "order of an arithmetic member, or compile the call with nvcc, a lambda as [] __host__ __device__");
  return {backend::device, "the data are in device memory"};
}

placed place(const workload& work, const execution_options& options) {
  if (work.typed_device || !host_reaches(work.at)) return place_device_data(work, options);
  if (options.where == placement::host_only) return {backend::host, "the policy requires the host"};
  if (options.where == placement::device_only) return place_required(work);
  if (work.way == device_way::none)
    return {backend::host, work.what == operation::sort_indexed
                               ? "compare and swap are called on the host unless the policy requires the device"
                               : "the comparator, the projection or the elements can only be handled by the host"};
  if (!is_sort(work) && !is_segmented(work) && work.at.kind != memory_kind::managed)
    return {backend::host, "for host data this costs less than the transfer to a device"};
  if (device_count() == 0) return {backend::host, device_problem(), 0, 0, with_a_device(work)};
  return place_by_cost(work);
}

/// Where neither keys join their places nor bins take them: passes by digits, unless there are too few of them.
algorithm merge_or_radix(const workload& work) {
  return few_for_radix(work) ? algorithm::merge_sort : algorithm::radix;
}

/// On the device, keys alone.
algorithm sort_keys(const workload& work) {
  const bool stable = is_stable(work);
  const bool equal_look_alike = work.key.kind != key_class::floating_point;  // so that every sort is stable
  if (device::enough_to_count(work.count, work.key.bytes) && (!stable || equal_look_alike)) return algorithm::radix;
  if (!stable || equal_look_alike || work.count <= device::most_placed(work.key.bytes)) return algorithm::quicksort;
  return work.count < enough_to_look_for_equivalents ? merge_or_radix(work) : algorithm::quicksort;
}

/// On the device, the places of elements by their keys, stably.
algorithm sort_places(const workload& work) {
  if (work.key.bytes == 0) return algorithm::merge_sort;
  if (work.key.bytes <= 2 && work.count > few_places_for_passes) return algorithm::radix;
  return joins_place(work.key.bytes) ? algorithm::quicksort : merge_or_radix(work);
}

/// On the device, stably, keys and what follows them.
algorithm sort_stably_by_key(const workload& work) {
  if (work.key.bytes == 0) return algorithm::merge_sort;
  const std::size_t bytes = work.key.bytes;
  const bool one_value = work.key_is_element && work.value_columns == 1, few = work.count <= few_for_places(bytes);
  if (!one_value) return sort_places(work);
  if (bytes > 4) return few ? algorithm::merge_sort : sort_places(work);
  const bool by_place = !few && work.count <= many_for_places(bytes) && work.key.kind != key_class::floating_point;
  return by_place ? algorithm::quicksort : merge_or_radix(work);  // whose passes move such a key's value along
}

/// On the device, keys and what follows them, equivalent ones in any order.
algorithm sort_by_key(const workload& work) {
  const std::size_t bytes = work.key.bytes;
  const bool narrow = bytes == 1 || bytes == 2;
  const bool value_is_wider = bytes == 4 && work.key_is_element && work.value_columns == 1 && work.value_bytes == 8;
  if ((narrow || value_is_wider) && work.count > few_for_passes) return sort_stably_by_key(work);
  return !joins_place(bytes) && work.count <= most_for_one_block ? algorithm::bitonic : algorithm::quicksort;
}

/// The algorithm where the caller forces none.
algorithm choose_algorithm(const workload& work, backend where) {
  switch (facts_of(work.what).of) {
    case family::indexed:
      return algorithm::bitonic;
    case family::merge:
    case family::check:
      return algorithm::merge_sort;
    case family::selection:
      return algorithm::quicksort;  // that goes on with one part alone
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
  if (work.way == device_way::keys_by_index || work.what == operation::argsort) return sort_places(work);
  const bool keys_alone = work.key_is_element && work.value_columns == 0 && work.key.bytes != 0;
  if (keys_alone) return sort_keys(work);
  return is_stable(work) ? sort_stably_by_key(work) : sort_by_key(work);
}

/// Bytes of the integers that quicksort makes of keys, with what has to follow them or to decide between equivalent
/// ones; 0 if it makes none.
std::size_t sorted_bytes(const workload& work) {
  if (work.key.bytes == 0 || work.way == device_way::instantiated) return 0;
  const bool alone = work.key_is_element && work.value_columns == 0 && work.way == device_way::precompiled;
  if (alone && !(is_stable(work) && work.key.kind == key_class::floating_point)) return work.key.bytes;
  const bool value_moves = work.key_is_element && work.value_columns == 1 && work.value_bytes == 8;
  const std::size_t bytes = std::bit_ceil(work.key.bytes + (value_moves ? work.value_bytes : sizeof(std::uint32_t)));
  return bytes <= 16 ? bytes : 0;
}

/// What quicksort on the device is for these elements, or may become when it looks at them.
std::string_view variant(const workload& work, algorithm how) {
  if (!is_sort(work) || how != algorithm::quicksort) return {};
  const std::size_t few = static_cast<std::size_t>(device::few_codes);
  if (work.count <= few && sorted_bytes(work) > 0) return "so few are ranked: each key is compared with each";
  const bool followed = work.what == operation::argsort || work.value_columns > 0 || !work.key_is_element;
  const bool analyzed = (work.key.bytes == 4 || work.key.bytes == 8) && work.count >= device::enough_to_analyze;
  if (!followed || !analyzed) return {};
  return "passes by digits instead where a sample of the keys promises that they take less time";
}

}  // namespace

plan choose(const workload& work, const execution_options& options) {
  require_suitable(work, options.forced);
  const placed at = place(work, options);
  plan decided;
  decided.where = at.where;
  decided.reason = at.reason;
  decided.host_seconds = at.host_seconds;
  decided.device_seconds = at.device_seconds;
  decided.remark = at.remark;
  const bool forced = is_sort(work) && options.forced != algorithm::automatic;
  decided.how = forced ? options.forced : choose_algorithm(work, at.where);
  if (at.where == backend::device) decided.remark = variant(work, decided.how);
  return decided;
}

bool announces() noexcept {
  static const bool wanted = [] {
    const char* value = std::getenv("GPUPAR_LOG");
    return value != nullptr && *value != '\0' && std::string_view{value} != "0";
  }();
  return wanted;
}

void tell_of_key(const workload& work, plan& decided) {
  if (work.shape.parts == 0) return;
  static std::mutex adding;
  static auto& told = *new std::set<std::string>;  // for as long as plans may be looked at
  std::ostringstream words;
  if (!decided.remark.empty()) words << decided.remark << "; ";
  words << "key: " << work.shape.parts << (work.shape.parts == 1 ? " part, " : " parts, ")
        << unsigned{work.shape.code_bits} << " bits";
  if (work.shape.leads) words << ", then what follows";
  const std::lock_guard lock{adding};
  decided.remark = *told.insert(words.str()).first;
}

void announce(const workload& work, const plan& told) {
  if (!announces()) return;
  plan decided = told;
  tell_of_key(work, decided);
  std::ostringstream line;
  line << "gpupar: " << facts_of(work.what).name << " of ";
  if (is_in(family::selection, work)) line << work.selected << " of ";
  line << work.count << " x " << work.element_bytes + work.value_bytes << " bytes on the " << decided << '\n';
  std::fputs(line.str().c_str(), stderr);
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
