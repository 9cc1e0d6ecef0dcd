// Calls on the device: current device, staging of host data, and the end of the call.
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/launching/launch.cuh>

#include "runtime.hpp"
#include "transfers.hpp"

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

void* call::reach(const location& at, const void* data, std::size_t bytes, access how) {
  if (at.kind == memory_kind::managed) prefetch(context_, data, bytes);
  device_memory_ = device_memory_ && at.kind == memory_kind::device;
  if (bytes == 0 || staging_bytes(at, bytes) == 0) return const_cast<void*>(data);
  staged_.reserve(staged_.size() + 1);
  void* copy = context_.resource->allocate(bytes, staging_alignment, context_.stream);
  staged_.push_back({const_cast<void*>(data), copy, bytes, how != access::read});
  if (how != access::write) bring(copy, data, bytes);
  return copy;
}

void call::bring(void* copy, const void* data, std::size_t bytes) {
  if (!worth_staging(bytes) || !is_pageable(data)) {
    copy_bytes(context_.stream, copy, data, bytes, cudaMemcpyHostToDevice);
    return;
  }
  check(cudaStreamSynchronize(context_.stream));  // work before this call may write the data, and use the copy's memory
  transfers copies;
  copies.upload({{copy, const_cast<void*>(data), bytes}});
  copies.wait();
}

void call::listen() noexcept {
  if (synchronous_ && device_memory_ && context_.device.shares_host_words) context_.end = &end_;
}

void call::finish() {
  if (end_.heard()) return;
  const bool wait = synchronous_ || !staged_.empty();
  std::vector<segment> staging;
  // Nothing is copied back before all work has succeeded.
  if (!staged_.empty()) check(cudaStreamSynchronize(context_.stream));
  for (const staged& copy : staged_) {
    if (!copy.written) continue;
    if (worth_staging_back(copy.bytes) && is_pageable(copy.host))
      staging.push_back({copy.device, copy.host, copy.bytes});
    else
      copy_bytes(context_.stream, copy.host, copy.device, copy.bytes, cudaMemcpyDeviceToHost);
  }
  if (!staging.empty()) {
    transfers copies;
    copies.download(staging);
    copies.wait();
  }
  if (wait) check(cudaStreamSynchronize(context_.stream));
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
