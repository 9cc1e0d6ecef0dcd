// Where a pointer points.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/plan.hpp>

#include <unistd.h>

#include <array>
#include <cstdint>

#include "handles.hpp"

namespace gpu::inline v1::detail {
namespace {

/// Whether the host can read from there, by asking the operating system. Takes a few system calls: for the case that
/// CUDA, having lost a device, does not answer, and the pointer may be the device's.
bool host_reads(const void* pointer) noexcept {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return true;
  const bool readable = write(ends[1], pointer, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

/// Whether a pointer unknown to CUDA belongs to a graph, whose memory does not exist until it is launched. Such
/// addresses are reserved far below where the system puts what programs allocate, but above where small programs may
/// lie, and the host cannot read there. Only for such addresses is the system asked, which takes longer than sorting a
/// few elements.
bool is_of_graph(const void* pointer) noexcept {
  constexpr std::uintptr_t least = std::uintptr_t{1} << 32, most = std::uintptr_t{1} << 46;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return least <= address && address < most && !host_reads(pointer);
}

}  // namespace

location locate(const void* pointer) noexcept {
  if (pointer == nullptr || device_count() == 0) return {};
  cudaPointerAttributes attributes{};
  const auto ask = [&] { return device::granted(cudaPointerGetAttributes(&attributes, pointer)); };
  if (!ask() && !ask()) {
    if (host_reads(pointer)) return {};
    return {memory_kind::device, 0};  // which device does not matter: the call will be refused
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {memory_kind::pinned, attributes.device};
    case cudaMemoryTypeDevice:
      return {memory_kind::device, attributes.device};
    case cudaMemoryTypeManaged:
      return {memory_kind::managed, attributes.device};
    default:
      break;
  }
  int current = 0;
  if (!is_of_graph(pointer) || cudaGetDevice(&current) != cudaSuccess) return {};
  return {memory_kind::device, current};
}

}  // namespace gpu::inline v1::detail
