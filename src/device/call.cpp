// Calls on the device: current device, staging of host data, and the end of the call.
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/launching/launch.cuh>

#include "current_device.hpp"
#include "runtime.hpp"
#include "transfers.hpp"

namespace gpu::inline v1::detail::device {
namespace {

constexpr std::size_t staging_alignment = 256;

}  // namespace

call::call(const execution_options& options, const location& at) : synchronous_{options.synchronous} {
  try {
    check(cudaGetDevice(&former_device_));
    const int ordinal = at.kind == memory_kind::device ? at.device : former_device_;
    // Named explicitly: null would be another stream in units that are compiled with a default stream per thread.
    context_.stream = options.stream ? options.stream : cudaStreamLegacy;
    if (ordinal != former_device_) enter_device(ordinal);
    try {
      context_.resource = options.resource ? options.resource : &default_resource(ordinal);
      context_.device = part_of(properties(ordinal), context_.stream, options.beside_others);
    } catch (...) {
      if (ordinal != former_device_) leave_device(ordinal);
      throw;
    }
  } catch (const std::bad_alloc&) {  // not even CUDA itself finds memory there
    throw no_device_memory{};
  }
}

call::~call() {
  for (const staged& copy : staged_)
    context_.resource->deallocate(copy.device, copy.bytes, staging_alignment, context_.stream);
  if (context_.device.ordinal != former_device_) leave_device(context_.device.ordinal);
}

void* call::reach(const location& at, const void* data, std::size_t bytes, access how) {
  if (at.kind == memory_kind::managed) prefetch(context_, data, bytes);
  device_memory_ = device_memory_ && at.kind == memory_kind::device;
  if (bytes == 0 || kernels_reach(at)) {
    writes_in_place_ = writes_in_place_ || how != access::read;
    managed_ = managed_ || at.kind == memory_kind::managed;
    return const_cast<void*>(data);
  }
  staged_.reserve(staged_.size() + 1);
  void* copy = allocate(context_, bytes, staging_alignment);
  staged_.push_back({const_cast<void*>(data), copy, bytes, how != access::read});
  if (how != access::write) bring(copy, data, bytes);
  return copy;
}

void call::bring(void* copy, const void* data, std::size_t bytes) {
  if (!worth_staging(bytes) || !is_pageable(data)) {
    copy_bytes(context_.stream, copy, data, bytes, cudaMemcpyHostToDevice);
    return;
  }
  device::wait(context_.stream);  // earlier work may still write the data, and use the copy's memory
  transfers copies{context_.stream};
  copies.upload({{copy, const_cast<void*>(data), bytes}});
  copies.wait();
}

void call::listen() noexcept {
  if (synchronous_ && device_memory_ && context_.device.shares_host_words) context_.end = &end_;
}

void call::finish() {
  if (end_.was_raised()) return;
  const bool wait = synchronous_ || !staged_.empty() || (managed_ && !is_captured(context_.stream));
  // Nothing is copied back before all work has succeeded and all memory that copying needs is allocated.
  std::vector<segment> through_buffers;
  std::vector<const staged*> directly;
  through_buffers.reserve(staged_.size());
  directly.reserve(staged_.size());
  if (!staged_.empty()) device::wait(context_.stream);
  for (const staged& copy : staged_) {
    if (!copy.written) continue;
    if (worth_staging(copy.bytes) && is_pageable(copy.host))
      through_buffers.push_back({copy.device, copy.host, copy.bytes});
    else
      directly.push_back(&copy);
  }
  if (!through_buffers.empty()) {
    transfers copies{context_.stream};
    copies.download(through_buffers);
    copies.wait();
  }
  for (const staged* copy : directly)
    copy_bytes(context_.stream, copy->host, copy->device, copy->bytes, cudaMemcpyDeviceToHost);
  if (wait) device::wait(context_.stream);
}

}  // namespace gpu::inline v1::detail::device
