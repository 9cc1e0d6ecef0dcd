#include "cost.hpp"

#include <gpu/detail/host/executor.hpp>
#include <gpu/detail/host/tuning.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "choice.hpp"
#include "operations.hpp"
#include "staging_rule.hpp"

namespace gpu::inline v1::detail {
namespace {

// Rates of the sorts, measured with 32-bit keys on 16 cores of a Sapphire Rapids server and an H200, rounded in favour
// of the host. Other machines differ by small factors; the decision matters where the two sides differ by large ones.

/// Seconds per element and level of a sort of integers by digits on one core; and how many times longer it takes to
/// call a comparator, to sort by a key within the element, and to fetch such keys from where only the host can reach
/// them.
constexpr double host_step = 0.45e-9;
constexpr double comparator_factor = 3.3, key_within_factor = 1.7, fetched_key_factor = 2;
/// How many times longer an element takes in segments of at most this many, which are sorted by comparisons.
constexpr std::size_t short_segment = 1000;
constexpr double short_segment_factor = 2;
/// Seconds to start the threads, and their speed-up as a fraction of their number.
constexpr double host_start = 2e-4;
constexpr double host_efficiency = 0.45;
/// Seconds per element that is moved by its index, on one core.
constexpr double host_move = 1e-8;

/// Bytes of keys and values that the device sorts in a second.
constexpr double device_rate = 1.5e11;
/// Seconds for the launches of a sort beyond the one that every call has, and for those of a segmented sort.
constexpr double device_launches = 2e-5, segmented_launches = 1e-4;
constexpr std::size_t one_launch_elements = 4096;

/// The number of segments of a segmented call, else one.
std::size_t segments_of(const workload& work) {
  return is_segmented(work) ? std::max<std::size_t>(work.selected, 1) : 1;
}

/// How many times longer sorting such elements on the host takes than sorting 32-bit keys.
double host_factor(const workload& work) {
  double factor = work.element_bytes <= 4 ? 1 : 1.4;
  if (work.key.bytes == 0)
    factor *= comparator_factor;
  else if (!work.key_is_element)
    factor *= key_within_factor;
  else if (is_segmented(work) && work.count / segments_of(work) <= short_segment)
    factor *= short_segment_factor;
  if (work.way == device_way::keys_by_index) factor *= fetched_key_factor;
  return facts_of(work.what).permutes ? 1.7 * factor : factor;
}

/// The number of passes over the elements; for segments, from their average length.
double levels_of(const workload& work) {
  const family of = facts_of(work.what).of;
  if (of == family::merge || of == family::check) return 1;
  return static_cast<double>(std::bit_width(work.count / segments_of(work)));
}

double threads_for(std::size_t count) {
  if (count < host::default_tuning::pass_grain) return 1;
  return std::max(1.0, host_efficiency * static_cast<double>(host::concurrency()));
}

/// Seconds of both transfers, latency aside.
double transfer_seconds(const workload& work, double bytes, const machine_costs& costs) {
  if (work.at.kind == memory_kind::pinned) return 2 * bytes / costs.pinned_speed;
  const double plain = bytes / costs.pageable_speed;
  if (!device::worth_staging(static_cast<std::size_t>(bytes))) return 2 * plain;
  // In addition to the transfer itself: waking the threads, and copying into or out of buffers until all are busy.
  constexpr double threads_start = 1e-4, until_all_are_busy = 5.5e-4;
  const double few_threads = std::min(5.0, static_cast<double>(host::concurrency()));
  const double beside = std::min(threads_start + plain / few_threads, until_all_are_busy);
  return 2 * std::min(plain, bytes / costs.pinned_speed + beside);
}

}  // namespace

bool parse_costs(const char* text, machine_costs& costs) {
  if (text == nullptr) return false;
  const char* const end = text + std::strlen(text);
  const auto read = [&](double& number, bool first = false) {  // whatever the locale's decimal point is
    if (!first && (text == end || *text++ != ',')) return false;
    while (text != end && *text == ' ') ++text;
    const auto [next, problem] = std::from_chars(text, end, number);
    text = next;
    return problem == std::errc{};
  };
  double latency = 0, pageable = 0, pinned = 0;
  if (!read(latency, true) || !read(pageable) || !read(pinned)) return false;
  if (!(latency >= 0 && pageable > 0 && pinned > 0)) return false;
  costs = {latency * 1e-6, pageable * 1e9, pinned * 1e9};
  return true;
}

double host_seconds(const workload& work) {
  const auto n = static_cast<double>(work.count);
  const double threads = threads_for(work.count);
  return n * levels_of(work) * host_step * host_factor(work) / threads + (threads > 1 ? host_start : 0);
}

double device_seconds(const workload& work, const machine_costs& costs) {
  const auto n = static_cast<double>(work.count);
  double moved = n * static_cast<double>(work.element_bytes + work.value_bytes);
  double on_host = 0;
  if (work.way == device_way::keys_by_index) {  // keys there and indices back, then the host moves the elements
    moved = n * static_cast<double>(work.key.bytes + sizeof(std::uint32_t)) / 2;
    on_host = 2 * n * host_move / threads_for(work.count);
  }
  double kernels = moved / device_rate;
  if (is_segmented(work)) {
    kernels += segmented_launches;
    moved += static_cast<double>(segments_of(work) * sizeof(std::int64_t)) / 2;  // their bounds, one way
  } else if (work.count > one_launch_elements) {
    kernels += device_launches;
  }
  return costs.latency + transfer_seconds(work, moved, costs) + kernels + on_host;
}

}  // namespace gpu::inline v1::detail
