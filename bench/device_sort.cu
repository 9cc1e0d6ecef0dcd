// Sorts of keys in device memory: every algorithm of gpupar beside CUB's, timed by CUDA events.
// Cases are named operation/type/distribution/n/contender. Keys are put back before every iteration, untimed, and the
// first result of every case is checked.
#include <benchmark/benchmark.h>
#include <gpu/algorithm.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace {

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::cerr << "CUDA: " << cudaGetErrorString(status) << '\n';
  std::exit(EXIT_FAILURE);
}

/// Device memory of so many elements.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t count) { require(cudaMalloc(&data_, count * sizeof(T))); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { (void)cudaFree(data_); }
  [[nodiscard]] T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

struct stopwatch {
  cudaEvent_t start, stop;
  stopwatch() { require(cudaEventCreate(&start)), require(cudaEventCreate(&stop)); }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() { (void)cudaEventDestroy(start), (void)cudaEventDestroy(stop); }
};

/// A contender: sorts keys[0, n), perhaps into `other`; returns where the result is.
template <class Key>
using sorter = std::function<Key*(Key* keys, Key* other, std::size_t n)>;

template <class Key>
void measure(benchmark::State& state, std::size_t n, const sorter<Key>& sort) {
  std::vector<Key> host(n);
  std::mt19937_64 random{n};
  for (Key& key : host) key = static_cast<Key>(random());
  const device_array<Key> pristine{n}, keys{n}, other{n};
  require(cudaMemcpy(pristine.get(), host.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
  const stopwatch watch;
  bool checked = false;
  for (auto _ : state) {
    require(cudaMemcpy(keys.get(), pristine.get(), n * sizeof(Key), cudaMemcpyDeviceToDevice));
    require(cudaEventRecord(watch.start));
    const Key* const sorted = sort(keys.get(), other.get(), n);
    require(cudaEventRecord(watch.stop));
    require(cudaEventSynchronize(watch.stop));
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, watch.start, watch.stop));
    state.SetIterationTime(milliseconds / 1e3);
    if (!checked && !gpu::is_sorted(gpu::par, gpu::device_span{sorted, n})) return state.SkipWithError("not sorted");
    checked = true;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}

/// CUB's two-phase calls with memory that is allocated once.
template <class Call>
void with_cub_memory(Call call) {
  std::size_t bytes = 0;
  require(call(nullptr, bytes));
  static device_array<char>* memory = nullptr;
  static std::size_t held = 0;
  if (bytes > held) {
    delete memory;
    memory = new device_array<char>{held = bytes};
  }
  require(call(memory->get(), bytes));
}

template <class Key>
Key* cub_radix(Key* keys, Key* other, std::size_t n) {
  cub::DoubleBuffer<Key> buffers{keys, other};
  with_cub_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, buffers, n);
  });
  return buffers.Current();
}

struct less {
  template <class Key>
  __host__ __device__ bool operator()(const Key& left, const Key& right) const {
    return left < right;
  }
};

template <class Key>
Key* cub_merge_sort(Key* keys, Key*, std::size_t n) {
  with_cub_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeys(memory, bytes, keys, n, less{});
  });
  return keys;
}

template <class Key>
void register_cases(const std::string& type) {
  const auto add = [&](const std::string& operation, std::size_t n, const std::string& contender, sorter<Key> sort) {
    const std::string name = operation + '/' + type + "/uniform/" + std::to_string(n) + '/' + contender;
    benchmark::RegisterBenchmark(name.c_str(), [n, sort](benchmark::State& state) { measure<Key>(state, n, sort); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  const auto ours = [](gpu::algorithm how) {
    return [how](Key* keys, Key*, std::size_t n) {
      gpu::sort(gpu::par_nosync.using_algorithm(how), gpu::device_span{keys, n});
      return keys;
    };
  };
  for (const std::size_t n : {std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 24, std::size_t{1} << 28}) {
    add("sort", n, "gpupar", ours(gpu::algorithm::automatic));
    for (const auto how : {gpu::algorithm::quicksort, gpu::algorithm::sample_sort, gpu::algorithm::merge_sort,
                           gpu::algorithm::radix, gpu::algorithm::bitonic})
      add("sort", n, "gpupar_" + std::string{to_string(how)}, ours(how));
    add("sort", n, "cub_radix", cub_radix<Key>);
    add("sort", n, "cub_merge_sort", cub_merge_sort<Key>);
    add("stable_sort", n, "gpupar", [](Key* keys, Key*, std::size_t count) {
      gpu::stable_sort(gpu::par_nosync, gpu::device_span{keys, count});
      return keys;
    });
    add("sort_comparator", n, "gpupar", [](Key* keys, Key*, std::size_t count) {
      gpu::sort(gpu::par_nosync, gpu::device_span{keys, count}, less{});
      return keys;
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (gpu::device_count() == 0) {
    std::cout << "no CUDA device: nothing to measure\n";
    return EXIT_SUCCESS;
  }
  register_cases<std::uint32_t>("u32");
  register_cases<std::uint64_t>("u64");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
