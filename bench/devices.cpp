// Sorts on several devices of this machine: strong and weak scaling in device memory for uniform keys, also with
// values, and for other distributions of keys; for comparison thrust::sort on one device, an array in host memory, and
// the exchange alone. Prints a table to standard output: medians of five runs, results checked.
//   gpupar_bench_devices [LOG2_N [RANKS]]
// With RANKS, that many ranks share the available devices: GPUPAR_REPEAT_DEVICES=1 must allow it, and only the overhead
// of the ranks themselves is measured.
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
#include <tuple>
#include <vector>

#include "cuda_check.hpp"
#include "devices_thrust.hpp"
#include "scaling.hpp"

namespace {

using bench::check;
using bench::print_row;

double median_seconds(const std::function<void()>& prepare, const std::function<void()>& work) {
  prepare();
  work();  // kernels are loaded, and clocks are up
  std::vector<double> seconds;
  for (int run = 0; run < bench::runs; ++run) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return bench::median(seconds);
}

/// An array on a device, and the contents to which it is reset before every run.
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

/// How keys are distributed over the devices: equally, except for the last kind, where the first device has all.
enum class lie { uniform, all_equal, sorted, one_has_all };

/// The part of n keys on `ranks` devices that one device holds. `random` is repeated as often as needed, each time with
/// a different number added, so that the repetitions add no duplicate keys.
template <class Key>
std::vector<Key> part_of(lie how, const std::vector<Key>& random, std::size_t rank, std::size_t ranks, std::size_t n) {
  const std::size_t count = how != lie::one_has_all ? n / ranks : rank == 0 ? n : 0;
  std::vector<Key> part(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = rank * count + i;
    const Key added = static_cast<Key>(at / random.size() * 0x9e3779b97f4a7c15u);
    part[i] = how == lie::all_equal ? Key{7}
              : how == lie::sorted  ? static_cast<Key>(at)
                                    : static_cast<Key>(random[at % random.size()] + added);
  }
  return part;
}

/// A column on the devices.
template <class T>
struct column_parts {
  std::vector<std::unique_ptr<device_keys<T>>> arrays;
  gpu::partitioned<T> parts;

  column_parts(lie how, const std::vector<int>& ids, const std::vector<T>& random, std::size_t n) {
    for (std::size_t r = 0; r < ids.size(); ++r) {
      arrays.push_back(std::make_unique<device_keys<T>>(ids[r], part_of(how, random, r, ids.size(), n)));
      parts.spans.push_back(arrays.back()->span());
    }
  }
  void reset() const {
    for (const auto& array : arrays) array->reset();
  }
};

/// Sorts n keys that are distributed over the devices, with columns of values.
template <class Key, class... Values>
bool measure_sort(const std::string& what, lie how, const std::vector<int>& ids, const std::vector<Key>& random,
                  std::size_t n, const std::vector<Values>&... values) {
  const column_parts<Key> keys{how, ids, random, n};
  const std::tuple columns{column_parts<Values>{how, ids, values, n}...};
  const auto reset = [&] {
    keys.reset();
    std::apply([](const auto&... each) { (each.reset(), ...); }, columns);
  };
  const auto sort = [&] {
    std::apply(
        [&](const auto&... each) {
          if (ids.size() == 1) {
            check(cudaSetDevice(ids[0]));
            if constexpr (sizeof...(Values) == 0)
              gpu::sort(gpu::par, keys.parts.spans[0]);
            else
              gpu::sort_by_key(gpu::par, keys.parts.spans[0], each.parts.spans[0]...);
          } else if constexpr (sizeof...(Values) == 0) {
            gpu::sort(gpu::par.on_devices(ids), keys.parts);
          } else {
            gpu::sort_by_key(gpu::par.on_devices(ids), keys.parts, each.parts...);
          }
        },
        columns);
  };
  const double seconds = median_seconds(reset, sort);
  print_row(what.c_str(), ids.size(), sizeof(Key), n, seconds, "G keys/s", static_cast<double>(n));
  return is_sorted(keys.parts);
}

/// thrust::sort on one device, or the exchange between several.
template <class Key>
void measure_peers(const std::vector<int>& ids, const std::vector<Key>& random, std::size_t n) {
  const column_parts<Key> keys{lie::uniform, ids, random, n};
  const auto& arrays = keys.arrays;
  if (ids.size() == 1) {
    const double by_thrust =
        median_seconds([&] { keys.reset(); },
                       [&] {
                         bench::thrust_sort(keys.parts.spans[0].data(), keys.parts.spans[0].size());
                         check(cudaDeviceSynchronize());
                       });
    print_row("thrust::sort", 1, sizeof(Key), n, by_thrust, "G keys/s", static_cast<double>(n));
    return;
  }
  // Every device sends the same number of bytes to every other.
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
  const auto random = bench::random_keys<Key>(n);
  bool right = true;
  for (const auto& ids : groups) {
    right = measure_sort("strong", lie::uniform, ids, random, n) && right;
    measure_peers(ids, random, n);
    if (ids.size() > 1) {
      const std::size_t many = n * ids.size();
      right = measure_sort("weak", lie::uniform, ids, random, many) && right;
      measure_peers(ids, random, many);
    }
    right = measure_sort("all equal", lie::all_equal, ids, random, n) && right;
    right = measure_sort("sorted", lie::sorted, ids, random, n) && right;
    right = measure_sort("one device has all", lie::one_has_all, ids, random, n) && right;
    if constexpr (sizeof(Key) == 4) {
      right = measure_sort("strong, with values", lie::uniform, ids, random, n, random) && right;
      if (ids.size() > 1)
        right = measure_sort("weak, with values", lie::uniform, ids, random, n * ids.size(), random) && right;
    }
    right = measure_host(ids, random) && right;
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
