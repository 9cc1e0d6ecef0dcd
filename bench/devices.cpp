// Sorts on several devices of this machine: strong and weak scaling in device memory, thrust::sort on one of them, an
// array of the host, and the exchange alone. A table on standard output; medians of five runs, results checked.
//   gpupar_bench_devices [LOG2_N [RANKS]]
// With RANKS, that many ranks share the devices there are: GPUPAR_REPEAT_DEVICES=1 must allow it, and only what the
// ranks themselves cost is measured.
#include <cuda_runtime_api.h>
#include <gpu/distributed.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "devices_thrust.hpp"
#include "scaling.hpp"

namespace {

using bench::check;
using bench::print_row;

double median_seconds(const std::function<void()>& prepare, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int run = 0; run < bench::runs; ++run) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return bench::median(seconds);
}

/// An array on a device, and what it is set to before every run.
template <class Key>
class device_keys {
 public:
  device_keys(int device, std::span<const Key> keys) : device_{device}, count_{keys.size()} {
    check(cudaSetDevice(device_));
    for (Key** data : {&data_, &source_})
      check(cudaMalloc(reinterpret_cast<void**>(data), (std::max)(count_, std::size_t{1}) * sizeof(Key)));
    check(cudaMemcpy(source_, keys.data(), keys.size_bytes(), cudaMemcpyDefault));
  }
  device_keys(const device_keys&) = delete;
  device_keys& operator=(const device_keys&) = delete;
  ~device_keys() {
    (void)cudaSetDevice(device_);
    (void)cudaFree(data_);
    (void)cudaFree(source_);
  }

  void reset() const {
    check(cudaSetDevice(device_));
    check(cudaMemcpy(data_, source_, count_ * sizeof(Key), cudaMemcpyDefault));
    check(cudaDeviceSynchronize());
  }
  [[nodiscard]] gpu::device_span<Key> span() const { return {data_, count_}; }
  [[nodiscard]] gpu::device_span<Key> source() const { return {source_, count_}; }

 private:
  int device_;
  std::size_t count_;
  Key* data_ = nullptr;
  Key* source_ = nullptr;
};

/// Whether spans are sorted, one after the other.
template <class Key>
bool is_sorted(const gpu::partitioned<Key>& parts) {
  Key before{};
  for (const auto& span : parts.spans) {
    if (span.empty()) continue;
    std::array<Key, 2> ends{};
    check(cudaMemcpy(&ends[0], span.data(), sizeof(Key), cudaMemcpyDefault));
    check(cudaMemcpy(&ends[1], span.data() + span.size() - 1, sizeof(Key), cudaMemcpyDefault));
    if (ends[0] < before || !gpu::is_sorted(gpu::par, span)) return false;
    before = ends[1];
  }
  return true;
}

/// Sorts n keys that the devices have in equal parts.
template <class Key>
bool measure_parts(const char* what, const std::vector<int>& ids, const std::vector<Key>& keys, std::size_t n) {
  std::vector<std::unique_ptr<device_keys<Key>>> arrays;
  gpu::partitioned<Key> parts;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    const std::size_t some = n / ids.size(), first = r * some % (keys.size() - some + 1);
    arrays.push_back(std::make_unique<device_keys<Key>>(ids[r], std::span{keys}.subspan(first, some)));
    parts.spans.push_back(arrays.back()->span());
  }
  const auto reset = [&] {
    for (const auto& array : arrays) array->reset();
  };
  const double seconds = median_seconds(reset, [&] {
    if (ids.size() == 1) {
      check(cudaSetDevice(ids[0]));
      gpu::sort(gpu::par, parts.spans[0]);
    } else {
      gpu::sort(gpu::par.on_devices(ids), parts);
    }
  });
  print_row(what, ids.size(), sizeof(Key), n, seconds, "G keys/s", static_cast<double>(n));
  if (ids.size() == 1) {
    const double by_thrust = median_seconds(reset, [&] {
      bench::thrust_sort(parts.spans[0].data(), parts.spans[0].size());
      check(cudaDeviceSynchronize());
    });
    print_row("thrust::sort", 1, sizeof(Key), n, by_thrust, "G keys/s", static_cast<double>(n));
  }

  // Every device sends every other as many bytes.
  if (ids.size() > 1)
    gpu::detail::run_on_devices(ids, [&](gpu::communicator& ranks, gpu::stream_handle stream) {
      const auto& mine = *arrays[ranks.rank()];
      const std::size_t bytes = mine.span().size_bytes() / ids.size();
      const std::vector<std::size_t> each(ids.size(), bytes);
      const gpu::exchanged_bytes all{mine.source().data(), each.data(), mine.span().data(), each.data(), true, stream};
      const auto meet = [&] {
        char here = 0;
        std::vector<char> others(ranks.size());
        ranks.all_gather(&here, 1, others.data());
      };
      const double exchange = median_seconds(meet, [&] { ranks.exchange(all); });
      if (ranks.rank() == 0)
        print_row("exchange alone", ids.size(), sizeof(Key), n, exchange, "GB/s and device",
                  static_cast<double>(bytes * (ids.size() - 1)));
    });
  reset();
  gpu::sort(gpu::par.on_devices(ids), parts);
  return is_sorted(parts);
}

template <class Key>
bool measure_host(const std::vector<int>& ids, const std::vector<Key>& keys) {
  std::vector<Key> values;
  const double seconds = median_seconds([&] { values = keys; }, [&] { gpu::sort(gpu::par.on_devices(ids), values); });
  print_row("array of the host", ids.size(), sizeof(Key), keys.size(), seconds, "G keys/s",
            static_cast<double>(keys.size()));
  return std::is_sorted(values.begin(), values.end());
}

template <class Key>
bool measure(std::size_t n, const std::vector<std::vector<int>>& groups) {
  const auto keys = bench::random_keys<Key>(n);
  bool right = true;
  for (const auto& ids : groups) {
    right = measure_parts("strong", ids, keys, n) && right;
    if (ids.size() > 1) right = measure_parts("weak", ids, keys, n * ids.size()) && right;
    right = measure_host(ids, keys) && right;
  }
  return right;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int log2_n = argument_count > 1 ? std::atoi(arguments[1]) : 28;
  const int devices = gpu::device_count();
  const int ranks = argument_count > 2 ? std::atoi(arguments[2]) : devices;
  if (devices == 0 || log2_n < 10 || log2_n > 32 || ranks < 1) {
    std::fprintf(stderr, "gpupar_bench_devices [LOG2_N [RANKS]]: %s\n", devices == 0 ? "no device" : "wrong argument");
    return devices == 0 ? 77 : 2;
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("%d x %s\n\n| what | on | bits | n | ms | throughput |\n|---|---|---|---|---|---|\n", devices,
              properties.name);
  std::vector<std::vector<int>> groups;
  for (int count = 1; count <= ranks; count *= 2) {
    groups.emplace_back();
    for (int r = 0; r < count; ++r) groups.back().push_back(r % devices);
  }
  const std::size_t n = std::size_t{1} << log2_n;
  const bool right = measure<std::uint32_t>(n, groups) & measure<std::uint64_t>(n, groups);
  if (!right) std::fprintf(stderr, "a result is not sorted\n");
  return right ? 0 : 1;
}
