// Stand-ins for the device backend in a build without CUDA. A call that choose() has placed reaches none of those that
// refuse.
#include <gpu/detail/boundary/gather_request.hpp>
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/distributed/devices.hpp>
#include <gpu/detail/distributed/division.hpp>
#include <gpu/detail/distributed/memory.hpp>
#include <gpu/error.hpp>
#include <gpu/memory.hpp>

#include <new>

#include "../cost.hpp"

namespace gpu::inline v1 {

int device_count() noexcept { return 0; }

void limit_staging(std::size_t) noexcept {}
void release_staging() noexcept {}
std::size_t staging_bytes() noexcept { return 0; }
void release_memory() noexcept {}

namespace detail {
namespace {

[[noreturn]] void refuse_device() { refuse(errc::no_device, device_problem()); }

// Alignment strict enough for every element type, like that of page-locked memory.
constexpr std::align_val_t page{4096};

}  // namespace

const char* device_problem() noexcept { return "this build of gpupar has no CUDA: configure it with GPUPAR_CUDA=ON"; }

const machine_costs& costs_of_machine() { refuse_device(); }
location locate(const void*) noexcept { return {}; }
void refuse_capture(stream_handle) {}
bool wait_for_work(stream_handle) noexcept { return true; }
void await_stream(const location&, const execution_options&) noexcept {}

void device_sort(const sort_request&, const execution_options&) { refuse_device(); }
std::size_t device_sort_scratch_bytes(const sort_request&) { refuse_device(); }
std::size_t device_sort_host_data_bytes(const sort_request&, const execution_options&) { refuse_device(); }
void device_argsort(const argsort_request&, const execution_options&) { refuse_device(); }
std::size_t device_argsort_scratch_bytes(const argsort_request&) { refuse_device(); }
void device_sort_segments(const segmented_request&, const execution_options&) { refuse_device(); }
void device_merge(const merge_request&, const execution_options&) { refuse_device(); }
std::size_t device_merge_scratch_bytes(const merge_request&) { refuse_device(); }
void device_inplace_merge(const keyed_elements&, std::size_t, std::size_t, const execution_options&) {
  refuse_device();
}
void device_select(const selection_request&, const execution_options&) { refuse_device(); }
void device_partition(const partition_request&, const execution_options&) { refuse_device(); }
void device_gather(const row_indices&, array_view<column>, std::size_t, array_view<column>, const execution_options&) {
  refuse_device();
}
void device_permute(const row_indices&, array_view<column>, const execution_options&) { refuse_device(); }
std::size_t device_sorted_prefix(const keyed_elements&, std::size_t, const execution_options&) { refuse_device(); }

void* allocate_device_bytes(const location&, std::size_t, memory_resource*, stream_handle) { refuse_device(); }
void deallocate_device_bytes(const location&, void*, std::size_t, memory_resource*, stream_handle) noexcept {}
void copy_any_bytes(void*, const void*, std::size_t, stream_handle) { refuse_device(); }
void copy_device_bytes(const device_copy&, array_view<device_copy>, stream_handle) { refuse_device(); }
void write_device_indices(void*, std::size_t, std::size_t, std::size_t, stream_handle) { refuse_device(); }
void await_device_work(stream_handle) {}
void read_device_elements(const void*, std::size_t, array_view<strided_elements>, void*, const execution_options&) {
  refuse_device();
}

void run_on_devices(array_view<int>, function_ref<void(communicator&, stream_handle)>) { refuse_device(); }
bool sort_by_division(communicator&, const execution_options&, const part_sizes&, const divided_keys&,
                      function_ref<void(void*, std::size_t, const execution_options&)>, function_ref<void()>) {
  return false;
}
memory_resource& memory_for_peers() { refuse_device(); }
void require_on_devices(array_view<int>, array_view<const void*>) { refuse_device(); }

void* allocate_pinned(std::size_t bytes) { return ::operator new(bytes, page); }
void deallocate_pinned(void* pointer) noexcept { ::operator delete(pointer, page); }
void* allocate_managed(std::size_t bytes) { return ::operator new(bytes, page); }
void deallocate_managed(void* pointer) noexcept { ::operator delete(pointer, page); }

}  // namespace detail
}  // namespace gpu::inline v1
