// A rank's elements on a device: scratch, copies, and reads of the few elements that the search for splitters needs.
#include <gpu/detail/device/launching/launch.cuh>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/distributed/memory.hpp>

#include <algorithm>
#include <cstdint>

#include "current_device.hpp"
#include "handles.hpp"
#include "rows.cuh"
#include "runtime.hpp"
#include "transfers.hpp"

namespace gpu::inline v1::detail {
namespace {

using device::ask;
using device::check;
using device::context;
using device::current_device;

constexpr std::size_t scratch_alignment = 256;
constexpr int block_threads = 256;
/// Creating a stream takes as long as copying this many bytes.
constexpr std::size_t worth_a_stream = std::size_t{16} << 20;

cudaStream_t named(stream_handle stream) noexcept { return stream ? stream : cudaStreamLegacy; }

memory_resource& resource_of(const location& at, memory_resource* resource) {
  return resource ? *resource : device::default_resource(at.device);
}

/// Work on a device's memory at `data`, on the policy's stream.
context context_at(const location& at, const execution_options& options) {
  context made;
  made.stream = named(options.stream);
  made.resource = &resource_of(at, options.resource);
  made.device = device::properties(at.device);
  return made;
}

/// The elements to read, as kernel arguments so that no copy has to precede the kernel, and where each group of them
/// goes.
struct strided_reads {
  static constexpr std::size_t most = 64;
  strided_elements of[most];
  std::size_t begins[most];
};

/// Blocks that read the same strided elements: enough for a few thousand elements.
constexpr std::size_t blocks_of_each = 8;

/// Copies elements to consecutive positions, by words of type Word.
template <class Word>
__global__ void read_elements_kernel(const Word* data, std::size_t words, const __grid_constant__ strided_reads reads,
                                     Word* to) {
  const strided_elements& which = reads.of[blockIdx.x / blocks_of_each];
  Word* const first = to + reads.begins[blockIdx.x / blocks_of_each] * words;
  for (std::size_t i = blockIdx.x % blocks_of_each * blockDim.x + threadIdx.x; i < which.count * words;
       i += blocks_of_each * blockDim.x)
    first[i] = data[which.index(i / words) * words + i % words];
}

template <class Word>
void enqueue_reads(const context& work, const void* data, std::size_t element_bytes, array_view<strided_elements> which,
                   std::byte* to) {
  std::size_t begin = 0;
  for (std::size_t first = 0; first < which.size(); first += strided_reads::most) {
    const std::size_t some = (std::min)(which.size() - first, strided_reads::most);
    strided_reads reads{};
    for (std::size_t i = 0; i < some; begin += reads.of[i++].count) {
      reads.of[i] = which[first + i];
      reads.begins[i] = begin;
    }
    device::launch(work, {some * blocks_of_each, block_threads}, read_elements_kernel<Word>,
                   static_cast<const Word*>(data), element_bytes / sizeof(Word), reads, reinterpret_cast<Word*>(to));
  }
}

}  // namespace

void* allocate_device_bytes(const location& at, std::size_t bytes, memory_resource* resource, stream_handle stream) {
  const current_device current{at.device};
  return resource_of(at, resource).allocate(bytes, scratch_alignment, named(stream));
}

void deallocate_device_bytes(const location& at, void* data, std::size_t bytes, memory_resource* resource,
                             stream_handle stream) noexcept {
  resource_of(at, resource).deallocate(data, bytes, scratch_alignment, named(stream));
}

void copy_any_bytes(void* to, const void* from, std::size_t bytes, stream_handle stream) {
  const location to_at = locate(to), from_at = locate(from);
  const bool up = to_at.kind == memory_kind::device, down = from_at.kind == memory_kind::device;
  if (up == down || !device::worth_staging(bytes) || !device::is_pageable(up ? from : to)) {
    device::copy_bytes(named(stream), to, from, bytes, cudaMemcpyDefault);
    device::wait(named(stream));
    return;
  }
  device::wait(named(stream));
  const current_device current{up ? to_at.device : from_at.device};
  device::transfers copies;
  if (up)
    copies.upload({{to, const_cast<void*>(from), bytes}});
  else
    copies.download({{const_cast<void*>(from), to, bytes}});
  copies.wait();
}

void copy_device_bytes(const device_copy& own, array_view<device_copy> others, stream_handle stream) {
  const auto enqueue = [](cudaStream_t where, const device_copy& copy) {
    if (copy.bytes > 0) device::copy_bytes(where, copy.to, copy.from, copy.bytes, cudaMemcpyDefault);
  };
  for (const device_copy& other : others) enqueue(named(stream), other);
  if (own.bytes < worth_a_stream) return enqueue(named(stream), own);
  const device::own_stream beside;
  enqueue(beside.get(), own);
  device::wait(beside.get());
}

void await_device_work(stream_handle stream) { device::wait(named(stream)); }

void read_device_elements(const void* data, std::size_t element_bytes, array_view<strided_elements> which, void* to,
                          const execution_options& options) {
  std::size_t count = 0;
  for (const strided_elements& some : which) count += some.count;
  if (count == 0) return;
  const location at = locate(data);
  const current_device current{at.device};
  const context work = context_at(at, options);
  const device::scratch<device::scratch_array<std::byte>> gathered{work, count * element_bytes};
  const bool has_words = element_bytes % sizeof(std::uint32_t) == 0 &&
                         reinterpret_cast<std::uintptr_t>(data) % alignof(std::uint32_t) == 0;
  if (has_words)
    enqueue_reads<std::uint32_t>(work, data, element_bytes, which, gathered->data);
  else
    enqueue_reads<unsigned char>(work, data, element_bytes, which, gathered->data);
  device::copy_bytes(work.stream, to, gathered->data, count * element_bytes, cudaMemcpyDeviceToHost);
  device::wait(work.stream);
}

void write_device_indices(void* to, std::size_t bytes, std::size_t first, std::size_t count, stream_handle stream) {
  const location at = locate(to);
  const current_device current{at.device};
  execution_options options;
  options.stream = stream;
  const context work = context_at(at, options);
  device::fill_sequence(work, {to, bytes}, count, first);
}

}  // namespace gpu::inline v1::detail
