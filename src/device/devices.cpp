// Several devices as ranks: one thread per device, each on a stream of its own, with access to each other's memory.
#include <gpu/detail/device/launching/wait.cuh>
#include <gpu/detail/distributed/devices.hpp>
#include <gpu/error.hpp>
#include <gpu/plan.hpp>
#include <gpu/threads.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "handles.hpp"
#include "staging.hpp"

namespace gpu::inline v1::detail {
namespace {

using device::check;

[[noreturn]] void refuse_device(int id, const std::string& why) {
  refuse(errc::no_device, ("device " + std::to_string(id) + ": " + why).c_str());
}

/// GPUPAR_REPEAT_DEVICES=1, for tests: a device may serve as several ranks.
bool may_repeat() noexcept {
  const char* const value = std::getenv("GPUPAR_REPEAT_DEVICES");
  return value != nullptr && std::string_view{value} == "1";
}

void require_devices(array_view<int> ids) {
  const int count = device_count();
  if (count == 0) refuse(errc::no_device, device_problem());
  if (ids.empty()) refuse(errc::no_device, "a policy on devices has none: name one or more");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int id = ids[i];
    if (id < 0 || id >= count)
      refuse_device(id,
                    "there are " + std::to_string(count) + " devices, from 0 on; CUDA_VISIBLE_DEVICES may hide some");
    if (std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), id) !=
            ids.begin() + static_cast<std::ptrdiff_t>(i) &&
        !may_repeat())
      refuse_device(id, "is listed twice: name each device once");
  }
}

/// Lets the current device read the others' memory. Where it cannot, CUDA's copies go through the host.
void reach_peers(array_view<int> ids, int own) {
  for (const int peer : ids) {
    int reaches = 0;
    if (peer == own) continue;
    check(cudaDeviceCanAccessPeer(&reaches, own, peer));
    if (!reaches) continue;
    const cudaError_t answer = cudaDeviceEnablePeerAccess(peer, 0);
    if (answer == cudaErrorPeerAccessAlreadyEnabled)
      (void)cudaGetLastError();
    else
      check(answer);
  }
}

/// Rethrows the error with its device named in the message.
[[noreturn]] void throw_with_device(array_view<int> ids, const rank_error& failure) {
  std::string words = failure.what();
  const std::string meaning = ": " + failure.code().message();
  if (words.ends_with(meaning)) words.resize(words.size() - meaning.size());
  std::throw_with_nested(
      rank_error{failure.rank(), failure.code(), words + ", on device " + std::to_string(ids[failure.rank()])});
}

}  // namespace

void run_on_devices(array_view<int> ids, function_ref<void(communicator&, stream_handle)> body) {
  require_devices(ids);
  const device::shared_staging buffers{ids.size()};
  try {
    run_on_threads(ids.size(), [&](communicator& ranks) {
      const int own = ids[ranks.rank()];
      std::optional<device::own_stream> stream;
      agreed(ranks, [&] {
        check(cudaSetDevice(own));
        reach_peers(ids, own);
        device::wait(cudaStreamLegacy);
        stream.emplace();
      });
      body(ranks, stream->get());
      device::wait(stream->get());
    });
  } catch (const rank_error& failure) {
    throw_with_device(ids, failure);
  }
}

void require_on_devices(array_view<int> ids, array_view<const void*> pointers) {
  require_devices(ids);
  if (ids.size() != pointers.size())
    refuse(errc::invalid_range, ("there are " + std::to_string(pointers.size()) + " spans for " +
                                 std::to_string(ids.size()) + " devices: one for each")
                                    .c_str());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (pointers[i] == nullptr) continue;
    const location at = locate(pointers[i]);
    if (at.kind != memory_kind::device || at.device != ids[i])
      refuse(errc::invalid_range,
             ("span " + std::to_string(i) + " is not in the memory of device " + std::to_string(ids[i])).c_str());
  }
}

}  // namespace gpu::inline v1::detail
