// Sorts next to other kernels that keep running: on all multiprocessors but one, or on all of another green context.
#include <cuda.h>
#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "cuda_stream.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;

__device__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Runs until words[0] is not zero, at most `most` nanoseconds; counts its blocks in words[1].
__global__ void stay_kernel(volatile unsigned* words, long long most) {
  if (threadIdx.x > 0) return;
  atomicAdd_system(const_cast<unsigned*>(words) + 1, 1u);
  const long long begin = nanoseconds();
  while (words[0] == 0 && nanoseconds() - begin < most) __nanosleep(1000);
}

/// A kernel that stays on this number of multiprocessors, each filled by one of its blocks, for 100 seconds at most:
/// whatever waits for it is late, but ends.
class neighbour {
 public:
  neighbour(int multiprocessors, cudaStream_t stream) : stream_{stream} {
    int shared = 0, device = current_device();
    check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    check(cudaFuncSetAttribute(stay_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, 2 * sizeof(unsigned), cudaHostAllocMapped));
    words_ = static_cast<volatile unsigned*>(memory);
    words_[0] = 0;
    words_[1] = 0;
    stay_kernel<<<multiprocessors, 1024, static_cast<std::size_t>(shared), stream>>>(words_, 100'000'000'000);
    check(cudaGetLastError());
    while (words_[1] < static_cast<unsigned>(multiprocessors) && stays()) {
    }
  }
  neighbour(const neighbour&) = delete;
  neighbour& operator=(const neighbour&) = delete;
  ~neighbour() {
    words_[0] = 1;
    cudaStreamSynchronize(stream_);
    cudaFreeHost(const_cast<unsigned*>(words_));
  }

  [[nodiscard]] bool stays() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

 private:
  cudaStream_t stream_;
  volatile unsigned* words_ = nullptr;
};

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device()));
  return count;
}

struct own_less {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

std::uint64_t rounds_beside = 0, bad_rounds_beside = 0;

/// Checks a round of sorts next to a kernel that stays; none of them may have waited for its end.
void expect_beside(const neighbour& kernel, const std::string& problem, const std::string& what) {
  const bool stays = kernel.stays();
  ++rounds_beside, bad_rounds_beside += !problem.empty() || !stays;
  expect_none(problem, what);
  expect(stays, what + " did not wait for it");
}

const std::vector<std::size_t> sizes{100, 4096, 8192, 10'000, 100'000, 1'000'000};

/// Keys that are sorted in every way that may take a single launch. Allocates and frees memory only in its constructor
/// and destructor, as CUDA waits for all kernels when memory is freed.
class sorted_ways {
 public:
  explicit sorted_ways(std::size_t n)
      : keys_{make_keys<std::uint32_t>(n)},
        source_{memory::device, keys_},
        data_{memory::device, keys_},
        values_{memory::device, keys_} {}

  [[nodiscard]] gpu::device_span<std::uint32_t> keys() const { return {data_.data(), keys_.size()}; }

  /// What is wrong, if anything.
  template <class Policy>
  [[nodiscard]] std::string try_all(const Policy& policy) const {
    const gpu::device_span<std::uint32_t> values{values_.data(), keys_.size()};
    const auto stream = policy.options().stream;
    const std::pair<const char*, std::function<void()>> ways[]{
        {"sort", [&] { gpu::sort(policy, keys()); }},
        {"by a comparator", [&] { gpu::sort(policy, keys(), own_less{}); }},
        {"bitonic", [&] { gpu::sort(policy.using_algorithm(gpu::algorithm::bitonic), keys()); }},
        {"stably", [&] { gpu::stable_sort(policy, keys()); }},
        {"with values", [&] { gpu::sort_by_key(policy, keys(), values); }},
        {"argsort", [&] {
           gpu::argsort(policy, keys(), values);
           gpu::sort(policy, keys());
         }}};
    for (const auto& [way, sort] : ways) {
      renew(stream);
      sort();
      if (const std::string problem = this->problem(stream); !problem.empty()) return way + (": " + problem);
    }
    return "";
  }

  void renew(cudaStream_t stream) const {
    check(cudaMemcpyAsync(data_.data(), source_.data(), bytes(), cudaMemcpyDeviceToDevice, stream));
  }

  [[nodiscard]] std::string problem(cudaStream_t stream) const {
    std::vector<std::uint32_t> found(keys_.size());
    check(cudaMemcpyAsync(found.data(), data_.data(), bytes(), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return sort_problem(keys_, found, natural_less{});
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return keys_.size() * sizeof(keys_[0]); }

  std::vector<std::uint32_t> keys_;
  storage<std::uint32_t> source_, data_, values_;
};

/// A green context's stream, and how many multiprocessors it has; 0 if the driver makes none.
struct green_part {
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  unsigned multiprocessors = 0;
};

template <class Function>
Function driver(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, 13000, cudaEnableDefault, &found));
  return reinterpret_cast<Function>(entry);
}
#define DRIVER(name) driver<decltype(&name)>(#name)

green_part make_green(CUdevResource resource) {
  green_part made;
  CUdevResourceDesc description{};
  if (DRIVER(cuDevResourceGenerateDesc)(&description, &resource, 1) != CUDA_SUCCESS ||
      DRIVER(cuGreenCtxCreate)(&made.context, description, current_device(), CU_GREEN_CTX_DEFAULT_STREAM) !=
          CUDA_SUCCESS ||
      DRIVER(cuGreenCtxStreamCreate)(&made.stream, made.context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
    return {};
  made.multiprocessors = resource.sm.smCount;
  return made;
}

/// Two green contexts: one of at least `count` multiprocessors, and one of the others.
std::pair<green_part, green_part> divide(unsigned count) {
  check(cudaFree(nullptr));
  CUdevResource all{}, first{}, rest{};
  unsigned groups = 1;
  if (DRIVER(cuDeviceGetDevResource)(current_device(), &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
      DRIVER(cuDevSmResourceSplitByCount)(&first, &groups, &all, &rest, 0, count) != CUDA_SUCCESS)
    return {};
  return {make_green(first), make_green(rest)};
}

void give_back(const green_part& part) {
  if (part.stream) cudaStreamDestroy(part.stream);
  if (part.context) (void)DRIVER(cuGreenCtxDestroy)(part.context);
}

}  // namespace

TEST_CASE("neighbours: kernels that stay on all multiprocessors but one do not keep a sort from its end") {
  if (no_device("neighbours")) return;
  const stream order, others;
  const auto policy = gpu::par.on(order.get()).beside_others();
  for (const std::size_t n : sizes) {
    const sorted_ways ways{n};
    expect_none(ways.try_all(policy), std::to_string(n) + " alone");  // loads the kernels
    for (const int held : {multiprocessors() / 2, multiprocessors() - 1}) {
      const std::string what = std::to_string(n) + " beside a kernel on " + std::to_string(held);
      const neighbour kernel{held, others.get()};
      expect_beside(kernel, ways.try_all(policy), what);
    }
  }
}

TEST_CASE("neighbours: a sort of a green context takes no more than its multiprocessors, also in a graph") {
  if (no_device("neighbours")) return;
  const auto [own, other] = divide(8);
  if (own.multiprocessors == 0 || other.multiprocessors == 0) return skip("neighbours: no green contexts here");
  for (const std::size_t n : sizes) {
    const sorted_ways ways{n};
    expect_none(ways.try_all(gpu::par.on(own.stream)), std::to_string(n) + " alone");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal));
    ways.renew(own.stream);
    gpu::sort(gpu::par_nosync.on(own.stream), ways.keys());
    check(cudaStreamEndCapture(own.stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    {
      const neighbour kernel{static_cast<int>(other.multiprocessors), other.stream};
      expect_beside(kernel, ways.try_all(gpu::par.on(own.stream)), std::to_string(n) + " in a part");
      check(cudaGraphLaunch(executable, own.stream));
      expect_beside(kernel, ways.problem(own.stream), std::to_string(n) + " in a part, in a graph");
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
  give_back(own);
  give_back(other);
}

TEST_CASE("neighbours: figures") {
  if (rounds_beside == 0) return;
  figure("rounds of sorts beside kernels that stay", rounds_beside);
  figure("rounds of sorts beside kernels that stay wrong or late", bad_rounds_beside);
}
