// Streams, other devices and other libraries' memory: work on device data is ordinary stream-ordered work.
#include <cuda_runtime.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cuda_stream.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

/// Keeps the stream busy, so that what is enqueued next has not run when the call returns.
__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

TEST_CASE("streams: par_nosync is ordered on its stream and does not wait") {
  if (no_device("streams")) return;
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

namespace {

/// Sorts on one stream and reads on another; only the return of the call orders the read after the sort.
template <class T, class Call, class Less>
void check_read_elsewhere(const std::vector<T>& before, const stream& order, const stream& other, Call call,
                          Less less) {
  const storage<T> data{memory::device, before}, result{memory::pinned, before};
  call(gpu::par.on(order.get()), gpu::device_span{data.data(), before.size()});
  check(cudaMemcpyAsync(result.data(), data.data(), before.size() * sizeof(T), cudaMemcpyDefault, other.get()));
  check(cudaStreamSynchronize(other.get()));
  expect_none(sort_problem(before, result.fetch(), less), "read on another stream: " + std::to_string(before.size()));
}

/// Checks keys, and records by their key, for which more kernels follow the sort of keys and positions.
void check_read_elsewhere(std::size_t n, std::uint64_t seed, const stream& order, const stream& other) {
  const auto keys = make_keys<std::uint32_t>(few_values, n, seed);
  check_read_elsewhere(
      keys, order, other, [](const auto& policy, auto view) { gpu::sort(policy, view); }, natural_less{});
  check_read_elsewhere(
      with_index(keys), order, other, [](const auto& policy, auto view) { gpu::sort(policy, view, {}, &record8::key); },
      by(natural_less{}, &record8::key));
}

}  // namespace

TEST_CASE("streams: when par returns, any stream may read") {
  if (no_device("streams")) return;
  const stream order, other;
  std::uint64_t round = 0;
  // How long the stream is busy before the call: less or more than the time for which a call listens for its end. Under
  // tools every call takes longer than that.
  const auto cycles_before = reduced() ? std::vector{0LL} : std::vector{0LL, 10'000LL, 200'000LL};
  for (const long long cycles : cycles_before)
    for (const std::size_t n : tried({2, 10, 256, 257, 1000, 2048, 4096, 4097, 40'000}))
      for (int repeated = 0; repeated < (reduced() ? 1 : 20); ++repeated) {
        spin_kernel<<<1, 1, 0, order.get()>>>(cycles);
        check_read_elsewhere(n, ++round, order, other);
      }
}

TEST_CASE("streams: more threads wait at once than the library has words for") {
  if (no_device("streams")) return;
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < (reduced() ? 4 : 100); ++thread)
    threads.emplace_back([thread] {
      const stream order, other;
      for (std::uint64_t round = 0; round < (reduced() ? 1 : 20); ++round)
        check_read_elsewhere(100 + 37 * thread, 1000 * thread + round, order, other);
    });
}

TEST_CASE("streams: several threads with several streams each") {
  if (no_device("streams")) return;
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

TEST_CASE("streams: scratch of a resource without streams") {
  if (no_device("streams")) return;
  plain_resource resource{[] {}};
  gpu::resource_adapter adapter{resource};
  const stream first, second;
  const std::array streams{&first, &second};
  const std::size_t count = reduced() ? 300'000 : 3'300'000;
  const std::array keys{make_keys<std::uint32_t>(uniform, count, 1), make_keys<std::uint32_t>(uniform, count, 2)};
  std::array<storage<std::uint32_t>, 2> data{{{memory::device, keys[0]}, {memory::device, keys[1]}}};
  for (int round = 0; round < (reduced() ? 1 : 10); ++round) {
    for (std::size_t s = 0; s < 2; ++s) data[s].refill(keys[s]);
    for (std::size_t s = 0; s < 2; ++s)
      gpu::sort(gpu::par_nosync.on(streams[s]->get()).with(adapter), gpu::device_span{data[s].data(), count});
    for (std::size_t s = 0; s < 2; ++s) {
      check(cudaStreamSynchronize(streams[s]->get()));
      expect_none(sort_problem(keys[s], data[s].fetch(), natural_less{}), "round " + std::to_string(round));
    }
  }
  expect(resource.requests() > resource.idle(), "blocks are taken again");

  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(first.get(), cudaStreamCaptureModeThreadLocal));
  expect_error(gpu::errc::device_unsupported, "memory for a graph", [&] {
    gpu::sort(gpu::par_nosync.on(first.get()).with(adapter), gpu::device_span{data[0].data(), count});
  });
  check(cudaStreamEndCapture(first.get(), &graph));
  check(cudaGraphDestroy(graph));
}

namespace {

__global__ void set_late_kernel(unsigned* word) {
  gpu::detail::device::admit_successors();
  const long long begin = clock64();
  while (clock64() - begin < 200'000) {
  }
  *word = 1;
}

/// Reads the word before it waits for the preceding kernel in its stream.
__global__ void look_early_kernel(const volatile unsigned* word, unsigned* seen) {
  *seen = *word;
  gpu::detail::device::await_predecessors();
}

}  // namespace

TEST_CASE("streams: a kernel that starts early does not overtake one two places before it across a merge") {
  if (no_device("streams")) return;
  const stream order;
  gpu::detail::device::context here{order.get(), nullptr, gpu::detail::device::properties(current_device())};
  for (const std::size_t n : tried({4000, 100'000})) {
    auto keys = make_keys<std::uint32_t>(n);
    std::sort(keys.begin(), keys.end());
    const storage<std::uint32_t> in{memory::device, keys}, out{memory::device, std::vector<std::uint32_t>(2 * n)};
    const storage<unsigned> words{memory::device, {0, 0}};
    for (int round = 0; round < (reduced() ? 1 : 20); ++round) {
      check(cudaMemsetAsync(words.data(), 0, 2 * sizeof(unsigned), order.get()));
      gpu::detail::device::launch(here, {1, 1}, set_late_kernel, words.data());
      gpu::merge(gpu::par_nosync.on(order.get()), gpu::device_span{in.data(), n}, gpu::device_span{in.data(), n},
                 out.data());
      gpu::detail::device::launch_early(here, {1, 1}, look_early_kernel, words.data(), words.data() + 1);
      check(cudaStreamSynchronize(order.get()));
      expect(words.fetch()[1] == 1, "the word was set when the kernel after the merge began");
    }
  }
}

TEST_CASE("streams: thrust::device_vector") {
  if (no_device("streams")) return;
  const auto keys = make_keys<std::int64_t>(100'000);
  thrust::device_vector<std::int64_t> data(keys.begin(), keys.end());
  std::int64_t* const first = thrust::raw_pointer_cast(data.data());
  gpu::sort(gpu::par, first, first + data.size());
  std::vector<std::int64_t> sorted(keys.size());
  copy_any(sorted.data(), first, sorted.size() * sizeof(sorted[0]));
  expect_none(sort_problem(keys, sorted, natural_less{}), "raw range");
}

TEST_CASE("streams: the caller's stale error is neither eaten nor blamed on a sort") {
  if (no_device("streams")) return;
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
  const auto rows = with_index(make_keys<std::uint32_t>(few_values, keys.size()));
  set_current_device(1);
  const stream order;
  const storage<std::uint32_t> data{memory::device, keys}, merged{memory::device, keys};
  const storage<record8> records{memory::device, rows};
  const gpu::device_span view{data.data(), data.size()};
  set_current_device(0);
  const auto call = [](const std::string& what, auto body) {
    body();
    expect(current_device() == 0, what + ": the current device is restored");
  };
  call("sort", [&] { gpu::sort(gpu::par, view); });
  call("merge", [&] { gpu::merge(gpu::par, view.first(1000), view.subspan(1000), merged.data()); });
  call("stable_sort on a stream of the other device", [&] {
    gpu::stable_sort(gpu::par_nosync.on(order.get()), gpu::device_span{records.data(), records.size()}, {},
                     &record8::key);
  });
  auto host = keys;
  call("sort of host data", [&] { gpu::sort(gpu::par.require_device(), host); });
  set_current_device(1);
  synchronize_device();
  const auto sorted = data.fetch();
  expect_none(sort_problem(keys, sorted, natural_less{}), "sorted");
  expect_none(difference(sorted, merged.fetch()), "merged");
  expect_none(difference(sorted, host), "host data");
  expect_none(stable_sort_problem(rows, records.fetch(), by(natural_less{}, &record8::key)), "records");
  set_current_device(0);
}
