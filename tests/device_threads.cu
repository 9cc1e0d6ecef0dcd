// Many host threads, each with several streams, all operations at once, every result checked. GPUPAR_TEST_SORTS: how
// many calls in all.
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using namespace testing;

constexpr std::size_t threads = 16, streams = 4, longest = 20'000;

std::size_t wanted() {
  const char* text = std::getenv("GPUPAR_TEST_SORTS");
  return text ? std::strtoull(text, nullptr, 0) : reduced() ? 200 : 4000;
}

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error{cudaGetErrorString(code)};
}

/// A stream of its own with memory for keys, values and a result.
class lane {
 public:
  lane() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (auto& each : memory_) check(cudaMalloc(&each, longest * sizeof(std::uint32_t)));
  }
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane() {
    for (auto* each : memory_) cudaFree(each);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] auto policy() const { return gpu::par_nosync.on(stream_); }
  [[nodiscard]] gpu::device_span<std::uint32_t> put(int array, const std::vector<std::uint32_t>& numbers) const {
    check(cudaMemcpyAsync(memory_[array], numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice, stream_));
    return {memory_[array], numbers.size()};
  }
  [[nodiscard]] std::vector<std::uint32_t> get(int array, std::size_t n) const {
    std::vector<std::uint32_t> numbers(n);
    check(cudaMemcpyAsync(numbers.data(), memory_[array], n * 4, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return numbers;
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::array<std::uint32_t*, 3> memory_{};
};

std::vector<record8> rows(const std::vector<std::uint32_t>& keys, const std::vector<std::uint32_t>& values) {
  std::vector<record8> all(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) all[i] = {keys[i], values[i]};
  return all;
}

std::vector<std::uint32_t> indices(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

/// One call; what is wrong with its result.
std::string call(const lane& here, std::uint64_t what, std::vector<std::uint32_t> keys) {
  const std::size_t n = keys.size(), cut = n / 3;
  const auto less = by(natural_less{}, &record8::key);
  if (what == 0) {
    gpu::sort(here.policy(), here.put(0, keys));
    return sort_problem(keys, here.get(0, n), natural_less{});
  }
  if (what == 1) {
    gpu::stable_sort(here.policy(), here.put(0, keys), std::greater<>{});
    return sort_problem(keys, here.get(0, n), natural_greater{});
  }
  if (what == 2) {
    gpu::stable_sort_by_key(here.policy(), here.put(0, keys), here.put(1, indices(n)));
    return stable_sort_problem(with_index(keys), rows(here.get(0, n), here.get(1, n)), less);
  }
  if (what == 3) {
    const auto out = here.put(1, indices(n));
    gpu::argsort(here.policy(), here.put(0, keys), out);
    const auto order = here.get(1, n);
    auto sorted = keys;
    for (std::size_t i = 0; i < n; ++i) sorted[i] = keys[order[i] % n];
    return stable_sort_problem(with_index(keys), rows(sorted, order), less);
  }
  std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(cut));
  std::sort(keys.begin() + static_cast<std::ptrdiff_t>(cut), keys.end());
  const auto in = here.put(0, keys);
  if (what == 4) {
    gpu::inplace_merge(here.policy(), in, in.begin() + static_cast<std::ptrdiff_t>(cut));
    return sort_problem(keys, here.get(0, n), natural_less{});
  }
  const auto part = [&](std::size_t begin, std::size_t end) {
    return gpu::device_span<std::uint32_t>{in.data() + begin, end - begin};
  };
  const auto out = here.put(2, keys);
  if (what == 5) {
    gpu::merge(here.policy(), part(0, cut), part(cut, n), out.data());
  } else {
    const std::array parts{part(0, cut), part(cut, cut), part(cut, (cut + n) / 2), part((cut + n) / 2, n)};
    gpu::multiway_merge(here.policy(), parts, out.data());
  }
  return sort_problem(keys, here.get(2, n), natural_less{});
}

/// One thread's share, on its streams in turn; also sorts of host data.
void work(std::uint64_t thread, std::size_t calls, std::atomic<std::size_t>& wrong) {
  const std::array<lane, streams> lanes;
  random_source random{seed() + thread};
  const auto& shapes = all_distributions();
  for (std::size_t i = 0; i < calls; ++i) {
    const std::size_t n = 1 + random.below(std::uint64_t{2} << random.below(13));
    const auto& shape = shapes[random.below(shapes.size())];
    const auto keys = make_keys<std::uint32_t>(shape, n, random());
    const std::uint64_t what = random.below(8);
    std::string problem;
    if (what < 7) {
      problem = call(lanes[i % streams], what, keys);
    } else {
      auto data = keys;
      gpu::sort(gpu::par.require_device(), data);
      problem = sort_problem(keys, data, natural_less{});
    }
    if (problem.empty()) continue;
    if (++wrong < 10)
      expect(false,
             "operation " + std::to_string(what) + ", " + shape.name + ", " + std::to_string(n) + ": " + problem);
  }
}

}  // namespace

TEST_CASE("threads: 16 threads with 4 streams each, all operations") {
  if (gpu::device_count() == 0) return skip("threads and streams: no device");
  const std::size_t each = wanted() / threads + 1;
  std::atomic<std::size_t> wrong{0};
  {
    std::vector<std::jthread> all;
    for (std::uint64_t thread = 0; thread < threads; ++thread)
      all.emplace_back([&wrong, thread, each] { work(thread, each, wrong); });
  }
  expect(wrong == 0, std::to_string(wrong) + " wrong results");
  figure("concurrent calls", each * threads);
  figure("concurrent calls wrong", wrong);
}
