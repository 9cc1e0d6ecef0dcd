// Rows reordered by indices on the device: gathered from elsewhere, or permuted in place.
#include <gpu/detail/boundary/gather_request.hpp>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/device/rows/packed_columns.cuh>
#include <gpu/detail/device/rows/permute.cuh>
#include <gpu/detail/device/rows/sorted.cuh>

#include <vector>

#include "rows.cuh"
#include "runtime.hpp"

namespace gpu::inline v1::detail {
namespace {

using namespace device;

enum index_problem : std::size_t { out_of_range = 1, comes_twice = 2 };

/// Adds to *found what is wrong with n indices that should be below `limit`. `seen`: a bit for each element, all zero;
/// null if indices may repeat.
__global__ void __launch_bounds__(permute_threads)
    check_indices_kernel(index_reader indices, std::size_t n, std::size_t limit, unsigned* seen,
                         unsigned long long* found) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= n) return;
  const std::size_t index = indices[i];
  if (index >= limit) {
    atomicOr(found, static_cast<unsigned long long>(out_of_range));
  } else if (seen != nullptr) {
    const unsigned bit = 1u << index % 32;
    if ((atomicOr(seen + index / 32, bit) & bit) != 0) atomicOr(found, static_cast<unsigned long long>(comes_twice));
  }
}

struct check_memory {
  std::size_t* found;
  unsigned* seen;
  std::size_t bytes;

  check_memory(carver& carve, std::size_t elements)
      : found{carve.take<std::size_t>(1)}, seen{carve.take<unsigned>((elements + 31) / 32)}, bytes{carve.bytes()} {}
};

/// Refuses indices that are not below `limit` or, if `once`, occur twice; only where the caller can be told: not if the
/// call is asynchronous or the stream is being captured.
void check_indices(const context& context, const execution_options& options, index_reader indices, std::size_t n,
                   std::size_t limit, bool once) {
  if (!options.synchronous || is_captured(context.stream)) return;
  const scratch<check_memory> memory{context, once ? limit : 0};
  check(cudaMemsetAsync(memory->found, 0, memory->bytes, context.stream));
  device::launch(context, {divide_up(n, permute_threads), permute_threads}, check_indices_kernel, indices, n, limit,
                 once ? memory->seen : nullptr, reinterpret_cast<unsigned long long*>(memory->found));
  const std::size_t found = fetch(context, memory->found);
  if ((found & out_of_range) != 0) refuse_index();
  if ((found & comes_twice) != 0) refuse_repeated_index();
}

/// Makes the indices accessible to kernels, as unsigned integers.
index_reader reach_indices(call& here, const row_indices& indices) {
  const std::size_t bytes = indices.integers.element_bytes;
  return {here.reach(indices.integers.data, indices.count * bytes, access::read), bytes};
}

location ruling_of(const row_indices& indices, array_view<column> columns, array_view<column> others) {
  std::vector<location> locations{locate(indices.integers.data)};
  for (const column& each : columns) locations.push_back(locate(each.data));
  for (const column& each : others) locations.push_back(locate(each.data));
  return ruling_location(locations);
}

}  // namespace

void device_gather(const row_indices& indices, array_view<column> sources, std::size_t source_count,
                   array_view<column> targets, const execution_options& options) {
  call here{options, ruling_of(indices, sources, targets)};
  const std::size_t n = indices.count;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const column& each : sources)
    from.push_back(here.reach(each.data, source_count * each.element_bytes, access::read));
  for (const column& each : targets) to.push_back(here.reach(each.data, n * each.element_bytes, access::write));
  const index_reader order = reach_indices(here, indices);
  check_indices(here.work(), options, order, n, source_count, false);
  for (std::size_t c = 0; c < from.size(); ++c)
    gather_rows(here.work(), from[c], to[c], sources[c].element_bytes, listed_order{order, source_count - 1}, n);
  here.finish();
}

void device_permute(const row_indices& indices, array_view<column> columns, const execution_options& options) {
  call here{options, ruling_of(indices, columns, {})};
  const std::size_t n = indices.count;
  std::vector<column> all{columns.begin(), columns.end()};
  for (column& each : all) each.data = here.reach(each.data, n * each.element_bytes, access::read_write);
  const index_reader order = reach_indices(here, indices);
  check_indices(here.work(), options, order, n, n, true);
  {
    const scratch<scratch_array<std::byte>> spare{here.work(), n * most_packed_bytes(all)};
    reorder_columns(here.work(), pack_columns(all), listed_order{order, n - 1}, spare->data, n);
  }
  here.finish();
}

}  // namespace gpu::inline v1::detail
