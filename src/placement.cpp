// Decides where a call runs: where its data are, where the policy requires it, or where it costs less.
#include <string>

#include "choice.hpp"
#include "cost.hpp"

namespace gpu::inline v1::detail {
namespace {

/// If the host takes less time than this, in which no device could respond, the cost on a device is not estimated.
constexpr double least_seconds_worth_asking = 1e-5;
/// The device must be expected to be this much faster, since both times are estimates.
constexpr double device_margin = 1.1;

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

/// What would happen to a sort of host data if there were a device, and how much memory it would take.
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

}  // namespace

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

}  // namespace gpu::inline v1::detail
