// Streams, graphs, other devices and other libraries' memory: work on device data is ordinary stream-ordered work.
#include <cuda_runtime.h>
#include <thrust/device_vector.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error{cudaGetErrorString(code)};
}

/// A stream that does not wait for the legacy default stream.
class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { cudaStreamDestroy(handle_); }
  [[nodiscard]] cudaStream_t get() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

bool no_device() {
  if (gpu::device_count() > 0) return false;
  skip("streams: no device");
  return true;
}

/// Keeps the stream busy, so that what is enqueued next has not run when the call returns.
__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

TEST_CASE("streams: par_nosync is ordered on its stream and does not wait") {
  if (no_device()) return;
  const stream order;
  const auto keys = make_keys<std::uint32_t>(reduced() ? 50'000 : 1'000'000);
  const storage<std::uint32_t> data{memory::device, std::vector<std::uint32_t>(keys.size())};
  const storage<std::uint32_t> source{memory::pinned, keys}, result{memory::pinned, keys};
  const gpu::device_span view{data.data(), data.size()};
  const auto policy = gpu::par_nosync.on(order.get());
  gpu::sort(policy, view);  // loads kernels and fills the pool, which may wait
  check(cudaStreamSynchronize(order.get()));
  spin_kernel<<<1, 1, 0, order.get()>>>(500'000'000);
  const std::size_t bytes = keys.size() * sizeof(keys[0]);
  check(cudaMemcpyAsync(data.data(), source.data(), bytes, cudaMemcpyHostToDevice, order.get()));
  gpu::sort(policy, view);
  expect(cudaStreamQuery(order.get()) == cudaErrorNotReady, "the call waited for the stream");
  check(cudaMemcpyAsync(result.data(), data.data(), bytes, cudaMemcpyDeviceToHost, order.get()));
  check(cudaStreamSynchronize(order.get()));
  expect_none(sort_problem(keys, result.fetch(), natural_less{}), "copied in, sorted and out again on one stream");
}

TEST_CASE("streams: several threads with several streams each") {
  if (no_device()) return;
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < (reduced() ? 2 : 16); ++thread)
    threads.emplace_back([thread] {
      for (std::uint64_t round = 0; round < (reduced() ? 1 : 4); ++round) {
        const stream order;
        const auto records = with_index(make_keys<std::uint32_t>(few_values, 50'000 + thread, 4 * thread + round));
        const storage<record8> data{memory::device, records};
        gpu::stable_sort(gpu::par.on(order.get()), gpu::device_span{data.data(), data.size()}, {}, &record8::key);
        expect_none(stable_sort_problem(records, data.fetch(), by(natural_less{}, &record8::key)),
                    "thread " + std::to_string(thread));
      }
    });
}

TEST_CASE("streams: a sort captured in a graph sorts new data at every launch") {
  if (no_device()) return;
  for (const std::size_t count : tried({1000, 40'000, 300'000})) {
    const stream order;
    storage<std::uint32_t> data{memory::device, make_keys<std::uint32_t>(count)};
    storage<record8> records{memory::device, with_index(make_keys<std::uint32_t>(few_values, count))};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(order.get(), cudaStreamCaptureModeThreadLocal));
    gpu::sort(gpu::par_nosync.on(order.get()), gpu::device_span{data.data(), count}, std::greater<>{});
    gpu::stable_sort(gpu::par_nosync.on(order.get()), gpu::device_span{records.data(), count}, {}, &record8::key);
    check(cudaStreamEndCapture(order.get(), &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (std::uint64_t round = 0; round < 4; ++round) {
      const auto& distribution = all_distributions()[round * 5];
      const auto keys = make_keys<std::uint32_t>(distribution, count, round);
      const auto rows = with_index(keys);
      data.refill(keys);
      records.refill(rows);
      check(cudaGraphLaunch(executable, order.get()));
      check(cudaStreamSynchronize(order.get()));
      expect_none(sort_problem(keys, data.fetch(), natural_greater{}), distribution.name);
      expect_none(stable_sort_problem(rows, records.fetch(), by(natural_less{}, &record8::key)), distribution.name);
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
}

TEST_CASE("streams: thrust::device_vector") {
  if (no_device()) return;
  const auto keys = make_keys<std::int64_t>(100'000);
  thrust::device_vector<std::int64_t> data(keys.begin(), keys.end());
  std::int64_t* const first = thrust::raw_pointer_cast(data.data());
  gpu::sort(gpu::par, first, first + data.size());
  std::vector<std::int64_t> sorted(keys.size());
  copy_any(sorted.data(), first, sorted.size() * sizeof(sorted[0]));
  expect_none(sort_problem(keys, sorted, natural_less{}), "raw range");
}

TEST_CASE("streams: the caller's stale error is neither eaten nor blamed on a sort") {
  if (no_device()) return;
  if (reduced()) return skip("reduced: a tool would count the caller's error");
  const auto keys = make_keys<std::uint32_t>(100'000);
  const storage<std::uint32_t> data{memory::device, keys};
  expect(cudaSetDevice(100'000) == cudaErrorInvalidDevice, "an error of the caller's");
  gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()});
  expect(cudaGetLastError() == cudaErrorInvalidDevice, "still there");
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "sorted");
}

TEST_CASE("streams: work follows the data to a device that is not current") {
  if (gpu::device_count() < 2) return skip("two devices: there are fewer");
  const auto keys = make_keys<std::uint32_t>(300'000);
  set_current_device(1);
  const storage<std::uint32_t> data{memory::device, keys};
  set_current_device(0);
  gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()});
  expect(current_device() == 0, "the current device is restored");
  set_current_device(1);
  synchronize_device();
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "sorted");
  set_current_device(0);
}
