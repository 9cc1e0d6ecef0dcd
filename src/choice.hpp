// The parts of a decision: where a call runs, and by which algorithm.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/error.hpp>
#include <gpu/plan.hpp>

#include <string_view>

#include "operations.hpp"

namespace gpu::inline v1::detail {

inline bool is_in(family of, const workload& work) { return facts_of(work.what).of == of; }
inline bool is_sort(const workload& work) { return is_in(family::sort, work); }
inline bool is_segmented(const workload& work) { return is_in(family::segmented, work); }
inline bool is_stable(const workload& work) { return facts_of(work.what).stable; }

/// Where a call runs and why, with the estimated times if they decided.
struct placed {
  backend where;
  std::string_view reason;
  double host_seconds = 0;
  double device_seconds = 0;
  std::string_view remark = {};
};

/// Throws gpu::error if the policy requires a backend that the data rule out.
[[nodiscard]] placed place(const workload& work, const execution_options& options);

/// The algorithm for calls that force none.
[[nodiscard]] algorithm choose_algorithm(const workload& work, backend where);

/// Describes the variant of the algorithm that the device uses for these elements, or may switch to after sampling
/// them; mostly empty.
[[nodiscard]] std::string_view variant(const workload& work, algorithm how);

}  // namespace gpu::inline v1::detail
