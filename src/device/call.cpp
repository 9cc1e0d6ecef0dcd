// Calls on the device: current device, staging of host data, and the end of the call.
#include <gpu/detail/device/call.hpp>
#include <gpu/detail/device/launch.cuh>

#include "runtime.hpp"

namespace gpu {
inline namespace v1 {
namespace detail::device {
namespace {

constexpr std::size_t staging_alignment = 256;

}  // namespace

call::call(const execution_options& options, const location& at) : synchronous_{options.synchronous} {
  check(cudaGetDevice(&former_device_));
  const int ordinal = at.kind == memory_kind::device ? at.device : former_device_;
  context_.device = properties(ordinal);
  context_.stream = options.stream;
  context_.resource = options.resource ? options.resource : &default_resource(ordinal);
  if (ordinal != former_device_) check(cudaSetDevice(ordinal));
}

call::~call() {
  for (const staged& copy : staged_)
    context_.resource->deallocate(copy.device, copy.bytes, staging_alignment, context_.stream);
  if (context_.device.ordinal != former_device_) (void)cudaSetDevice(former_device_);
}

void* call::reach(const void* data, std::size_t bytes, access how) {
  if (bytes == 0 || staging_bytes(locate(data), bytes) == 0) return const_cast<void*>(data);
  staged_.reserve(staged_.size() + 1);
  void* copy = context_.resource->allocate(bytes, staging_alignment, context_.stream);
  staged_.push_back({const_cast<void*>(data), copy, bytes, how != access::read});
  if (how != access::write) check(cudaMemcpyAsync(copy, data, bytes, cudaMemcpyHostToDevice, context_.stream));
  return copy;
}

void call::finish() {
  bool wait = synchronous_ || !staged_.empty();
  // Nothing is copied back before all work has succeeded.
  if (!staged_.empty()) check(cudaStreamSynchronize(context_.stream));
  for (const staged& copy : staged_)
    if (copy.written)
      check(cudaMemcpyAsync(copy.host, copy.device, copy.bytes, cudaMemcpyDeviceToHost, context_.stream));
  if (wait) check(cudaStreamSynchronize(context_.stream));
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
