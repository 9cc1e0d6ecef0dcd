// Many host threads, each with several streams, all operations at once, every result checked: of few elements by the
// host, of up to millions by the device. GPUPAR_TEST_SORTS: the total number of calls of either kind.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "device_digest.cuh"
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

/// A stream with memory for keys, values and a result. Copies go through pinned memory, since copies of pageable memory
/// would make threads wait for each other. Each call ends with get() or get_rows(), which wait for the stream.
class lane {
 public:
  lane() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (auto& each : memory_) check_cuda(cudaMalloc(&each, longest * sizeof(std::uint32_t)));
    for (auto& each : pinned_) check_cuda(cudaMallocHost(&each, longest * sizeof(std::uint32_t)));
  }
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane() {
    for (auto* each : memory_) cudaFree(each);
    for (auto* each : pinned_) cudaFreeHost(each);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] auto policy() const { return gpu::par_nosync.on(stream_); }
  /// Memory for n numbers, with whatever it contains.
  [[nodiscard]] gpu::device_span<std::uint32_t> room(int array, std::size_t n) const { return {memory_[array], n}; }
  [[nodiscard]] gpu::device_span<std::uint32_t> put(int array, const std::vector<std::uint32_t>& numbers) const {
    const std::size_t n = numbers.size();
    std::copy(numbers.begin(), numbers.end(), pinned_[array]);
    check_cuda(cudaMemcpyAsync(memory_[array], pinned_[array], n * 4, cudaMemcpyHostToDevice, stream_));
    return room(array, n);
  }
  [[nodiscard]] std::vector<std::uint32_t> get(int array, std::size_t n) const {
    bring(array, n);
    check_cuda(cudaStreamSynchronize(stream_));
    return {pinned_[array], pinned_[array] + n};
  }
  /// The rows of the first two arrays.
  [[nodiscard]] std::vector<record8> get_rows(std::size_t n) const {
    bring(1, n);
    const std::vector<std::uint32_t> keys = get(0, n);
    return with_index(keys, std::vector<std::uint32_t>(pinned_[1], pinned_[1] + n));
  }

 private:
  void bring(int array, std::size_t n) const {
    check_cuda(cudaMemcpyAsync(pinned_[array], memory_[array], n * 4, cudaMemcpyDeviceToHost, stream_));
  }

  cudaStream_t stream_ = nullptr;
  std::array<std::uint32_t*, 3> memory_{}, pinned_{};
};

std::vector<std::uint32_t> indices(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

/// Makes one call and returns what is wrong with its result.
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
    return stable_sort_problem(with_index(keys), here.get_rows(n), less);
  }
  if (what == 3) {
    const auto out = here.room(1, n);
    gpu::argsort(here.policy(), here.put(0, keys), out);
    const auto order = here.get(1, n);
    auto sorted = keys;
    for (std::size_t i = 0; i < n; ++i) sorted[i] = keys[order[i] % n];
    return stable_sort_problem(with_index(keys), with_index(sorted, order), less);
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
  const auto out = here.room(2, n);
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

namespace {

constexpr std::size_t mixed_threads = 8, longest_mixed = 6'300'000;

struct own_less {
  template <class Key>
  __host__ __device__ bool operator()(Key a, Key b) const {
    return a < b;
  }
};

template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) { check_cuda(cudaMalloc(&data_, n * sizeof(T))); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

enum class operation { sort, sort_by_comparator, argsort, sort_by_key, stable_sort_by_key, merge, multiway_merge };
constexpr std::uint64_t operations = 7;

constexpr bool has_values(operation what) {
  return what == operation::argsort || what == operation::sort_by_key || what == operation::stable_sort_by_key;
}

/// Rows that never leave the device, on a stream of their own.
template <class Key>
class mixed_lane {
 public:
  mixed_lane() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check_cuda(cudaMallocHost(&seen_, sizeof(*seen_)));
  }
  mixed_lane(const mixed_lane&) = delete;
  mixed_lane& operator=(const mixed_lane&) = delete;
  ~mixed_lane() {
    cudaFreeHost(seen_);
    cudaStreamDestroy(stream_);
  }

  /// Makes one call on n rows and returns what is wrong with its result, or the message of what it threw.
  std::string call(operation what, std::size_t n, std::uint64_t seed) {
    using namespace on_device;
    const std::size_t cut = what == operation::merge || what == operation::multiway_merge ? (n + 2) / 3 : 0;
    const auto distinct = static_cast<Key>(seed % 4 == 0 ? 1000 : ~Key{0});
    check_cuda(cudaMemsetAsync(digests_.data(), 0, sizeof(*seen_), stream_));
    fill_kernel<<<blocks, threads, 0, stream_>>>(keys_.data(), values_.data(), n, cut, distinct, seed);
    const std::uint32_t* const values = has_values(what) ? values_.data() : nullptr;
    digest_kernel<<<blocks, threads, 0, stream_>>>(keys_.data(), values, nullptr, n, false, digests_.data());
    std::string problem;
    try {
      seed % 2 == 0 ? enqueue(gpu::par.on(stream_), what, n, cut) : enqueue(gpu::par_nosync.on(stream_), what, n, cut);
    } catch (const std::exception& thrown) {
      problem = thrown.what();
    }
    const Key* const keys = cut > 0 ? result_.data() : keys_.data();
    const std::uint32_t* const order = what == operation::argsort ? values : nullptr;
    digest_kernel<<<blocks, threads, 0, stream_>>>(keys, values, order, n, what != operation::sort_by_key,
                                                   digests_.data() + 1);
    check_cuda(cudaMemcpyAsync(seen_, digests_.data(), sizeof(*seen_), cudaMemcpyDeviceToHost, stream_));
    check_cuda(cudaStreamSynchronize(stream_));
    return problem.empty() ? (*seen_)[1].problem((*seen_)[0]) : problem;
  }

 private:
  template <class Policy>
  void enqueue(const Policy& policy, operation what, std::size_t n, std::size_t cut) const {
    const gpu::device_span keys{keys_.data(), n};
    const gpu::device_span values{values_.data(), n};
    if (what == operation::sort) gpu::sort(policy, keys);
    if (what == operation::sort_by_comparator) gpu::sort(policy, keys, own_less{});
    if (what == operation::argsort) gpu::argsort(policy, keys, values);
    if (what == operation::sort_by_key) gpu::sort_by_key(policy, keys, values);
    if (what == operation::stable_sort_by_key) gpu::stable_sort_by_key(policy, keys, values);
    if (what == operation::merge) gpu::merge(policy, keys.first(cut), keys.subspan(cut), result_.data());
    if (what == operation::multiway_merge) {
      const std::array parts{keys.first(cut / 2), keys.subspan(cut / 2, cut - cut / 2), keys.subspan(cut)};
      gpu::multiway_merge(policy, parts, result_.data());
    }
  }

  cudaStream_t stream_ = nullptr;
  device_array<Key> keys_{longest_mixed}, result_{longest_mixed};
  device_array<std::uint32_t> values_{longest_mixed};
  device_array<row_digest> digests_{2};
  std::array<row_digest, 2>* seen_ = nullptr;
};

/// Half of the calls sort up to millions of keys, in kernels whose shared memory depends on n. The others are any of
/// the operations, on few rows as often as on thousands and on millions.
void work_mixed(std::uint64_t thread, std::size_t calls, std::atomic<std::size_t>& wrong) {
  mixed_lane<std::uint32_t> narrow;
  mixed_lane<std::uint64_t> wide;
  random_source random{seed() + 1000 + thread};
  const std::size_t longest_here = reduced() ? 50'000 : longest_mixed;
  for (std::size_t i = 0; i < calls; ++i) {
    const bool many = random.below(2) == 1;
    const std::size_t below = many ? longest_here : std::size_t{2} << random.below(bit_length(longest_here) - 1);
    const std::size_t n = std::min(1 + random.below(below), longest_here);
    const auto what = many ? operation::sort : static_cast<operation>(random.below(operations));
    const bool is_wide = random.below(many ? 8 : 2) == 1;
    const std::uint64_t variant = random();
    const std::string problem = is_wide ? wide.call(what, n, variant) : narrow.call(what, n, variant);
    if (problem.empty()) continue;
    if (++wrong < 10)
      expect(false, "operation " + std::to_string(static_cast<int>(what)) + (is_wide ? ", wide, " : ", ") +
                        std::to_string(n) + ": " + problem);
  }
}

}  // namespace

TEST_CASE("threads: sorts and merges of one to some million rows by 8 threads, which do not disturb each other") {
  if (gpu::device_count() == 0) return skip("threads and streams: no device");
  const std::size_t each = wanted() / mixed_threads + 1;
  std::atomic<std::size_t> wrong{0};
  {
    std::vector<std::jthread> all;
    for (std::uint64_t thread = 0; thread < mixed_threads; ++thread)
      all.emplace_back([&wrong, thread, each] { work_mixed(thread, each, wrong); });
  }
  expect(wrong == 0, std::to_string(wrong) + " wrong results, or none");
  figure("concurrent calls of mixed sizes", each * mixed_threads);
  figure("concurrent calls of mixed sizes wrong or refused", wrong);
}
