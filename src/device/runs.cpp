// How host data are sorted on the device: as a whole, overlapped with the transfers, or in as many runs as the memory
// requires.
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/runs.hpp>

#include <algorithm>

#include "device_rows.hpp"
#include "external_sort.hpp"
#include "overlapped_sort.hpp"
#include "runtime.hpp"

namespace gpu::inline v1::detail::device {
namespace {

/// Runs pay where the time that they hide, that of sorting, is long compared to that of their launches.
constexpr std::size_t worth_overlapping = std::size_t{128} << 20;

enum class strategy : unsigned char { whole, overlapped, external };

bool all_on_host(const std::vector<column>& columns) {
  return std::none_of(columns.begin(), columns.end(),
                      [](const column& each) { return kernels_reach(locate(each.data)); });
}

struct decision {
  strategy how;
  std::size_t memory;
  std::size_t bytes;
};

decision decide(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                const run_steps& steps) {
  const std::size_t whole = device_rows::bytes_for(columns, n) + steps.sort_bytes(n);
  if (!all_on_host(columns)) return {strategy::whole, 0, whole};
  const std::size_t overlapped = overlapped_sort_bytes(columns, n, steps);
  const std::size_t memory = memory_for(options, std::max(whole, overlapped));
  if (whole > memory) return {strategy::external, memory, external_sort_bytes(columns, n, steps, memory)};
  if (steps.merges_fast && n * row_bytes(columns) >= worth_overlapping && overlapped <= memory)
    return {strategy::overlapped, memory, std::max(whole, overlapped)};
  return {strategy::whole, memory, whole};
}

}  // namespace

bool sort_by_runs(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                  const run_steps& steps) {
  const decision made = decide(options, columns, n, steps);
  if (made.how == strategy::whole) return false;
  if (made.how == strategy::overlapped) return overlapped_sort(options, columns, n, steps);
  external_sort(options, columns, n, steps, made.memory);
  return true;
}

std::size_t host_data_bytes(const execution_options& options, const std::vector<column>& columns, std::size_t n,
                            const run_steps& steps) {
  return decide(options, columns, n, steps).bytes;
}

}  // namespace gpu::inline v1::detail::device
