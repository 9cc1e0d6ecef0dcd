// The one place that decides where a call runs and by which algorithm.
#include <gpu/plan.hpp>

#include "choice.hpp"

namespace gpu::inline v1 {

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

}  // namespace detail
}  // namespace gpu::inline v1
