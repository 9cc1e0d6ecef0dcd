// Segmented sorts in kernels: the scratch that they take, and their capture in a graph.
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "kernels.hpp"
#include "resources.hpp"

using namespace testing;

namespace {

using key = std::uint32_t;

}  // namespace

TEST_CASE("segmented, device: scratch of 1.06 of the elements and 16 bytes per segment, whatever their length") {
  if (no_device("segments") || reduced()) return;
  const std::size_t count = std::size_t{1} << 22;
  const auto check = [&]<class Key>(Key, std::size_t length) {
    const storage<Key> data{memory::device, make_keys<Key>(count)};
    const segment_shape shape{"of " + std::to_string(length), std::vector<std::size_t>(count / length, length)};
    const storage<std::uint32_t> offsets{memory::device, shape.offsets<std::uint32_t>()};
    counting_resource resource;
    gpu::segmented_sort(gpu::par.with(resource), gpu::device_span<Key>{data.data(), count},
                        gpu::device_span<const std::uint32_t>{offsets.data(), offsets.size()});
    const std::size_t most = count * sizeof(Key) / 100 * 106 + 16 * shape.lengths.size();
    expect(resource.take_peak() <= most, shape.name + ", " + std::to_string(sizeof(Key)) + " bytes");
  };
  for (const std::size_t length : {1, 33, 100, 128, 256, 600, 5000, 20'000}) {
    check(std::uint32_t{}, length);
    check(std::int64_t{}, length);
  }
}

TEST_CASE("segmented, device: a graph sorts new data by new offsets") {
  if (no_device("segments")) return;
  const segment_shape first{"of 700", std::vector<std::size_t>(100, 700)};
  segment_shape second{"one long", std::vector<std::size_t>(99, 3)};
  second.lengths.push_back(70'000 - 99 * 3);
  const auto keys = make_keys<key>(70'000);
  storage<key> data{memory::device, keys};
  storage<std::int32_t> offsets{memory::device, first.offsets<std::int32_t>()};
  const auto check = [](cudaError_t answer) { expect(answer == cudaSuccess, cudaGetErrorString(answer)); };
  cudaStream_t order = nullptr;
  check(cudaStreamCreateWithFlags(&order, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(order, cudaStreamCaptureModeThreadLocal));
  gpu::segmented_sort(gpu::par_nosync.on(order), gpu::device_span<key>{data.data(), keys.size()},
                      gpu::device_span<std::int32_t>{offsets.data(), 101});
  check(cudaStreamEndCapture(order, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (const segment_shape& shape : {first, second}) {
    data.refill(keys);
    offsets.refill(shape.offsets<std::int32_t>());
    check(cudaGraphLaunch(executable, order));
    check(cudaStreamSynchronize(order));
    expect_none(difference(sorted_segments(keys, shape, natural_less{}), data.fetch()), "graph, " + shape.name);
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(order));
}
