// More elements than one look-back spans; and, only with GPUPAR_TEST_LARGE=1, for they need up to 100 GB of the device
// and 35 GB of the host, more than 2^31 and 2^32 of them, and all 2^32 floats.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "device_memory.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using counter = unsigned long long;

/// Whether a large case can run here; skips aloud if not. All but small ones have to be asked for.
bool can_run(std::size_t bytes) {
  constexpr std::size_t small = std::size_t{12} << 30;
  const char* wanted = std::getenv("GPUPAR_TEST_LARGE");
  if (bytes > small && (wanted == nullptr || std::string_view{wanted} != "1"))
    skip("GPUPAR_TEST_LARGE is not 1");
  else if (gpu::device_count() == 0)
    skip("no device");
  else if (free_device_bytes() < bytes)
    skip("too little device memory");
  else
    return true;
  return false;
}

template <class Key>
struct device_array {
  explicit device_array(std::size_t n) : data{static_cast<Key*>(allocate_device(n * sizeof(Key)))}, size{n} {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { deallocate_device(data); }
  Key* data;
  std::size_t size;
};

__device__ std::size_t grid_rank() { return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; }
__device__ std::size_t grid_size() { return gridDim.x * std::size_t{blockDim.x}; }

__device__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
  return x ^ (x >> 29);
}

/// Bytes: a random one at every position. Words: every 32-bit pattern once, by an odd multiplier.
__global__ void fill_kernel(std::uint8_t* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = static_cast<std::uint8_t>(mixed(i));
}
__host__ __device__ float pattern_at(std::size_t i) {
  const std::uint32_t bits = static_cast<std::uint32_t>(i) * 2654435761u;
  float key;
  memcpy(&key, &bits, sizeof(key));
  return key;
}
__global__ void fill_kernel(float* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = pattern_at(i);
}
/// The same in host memory, by all threads.
void fill(float* keys, std::size_t n) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> all;
  for (std::size_t thread = 0; thread < threads; ++thread)
    all.emplace_back([=] {
      for (std::size_t i = n / threads * thread; i < (thread + 1 == threads ? n : n / threads * (thread + 1)); ++i)
        keys[i] = pattern_at(i);
    });
}

/// Counts where bits differ.
__global__ void differences_kernel(const float* a, const float* b, std::size_t n, counter* differences) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    if (__float_as_uint(a[i]) != __float_as_uint(b[i])) atomicAdd(differences, counter{1});
}

template <class Key>
__global__ void fill_kernel(Key* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = static_cast<Key>(mixed(i) * 0x9e3779b97f4a7c15u);
}

/// Values that tell their keys, and how many do not.
template <class Key>
__global__ void fill_values_kernel(const Key* keys, Key* values, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) values[i] = static_cast<Key>(mixed(keys[i] + 1));
}
template <class Key>
__global__ void torn_rows_kernel(const Key* keys, const Key* values, std::size_t n, counter* torn) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    if (values[i] != static_cast<Key>(mixed(keys[i] + 1))) atomicAdd(torn, counter{1});
}

__global__ void count_kernel(const std::uint8_t* keys, std::size_t n, counter* counts) {
  __shared__ counter local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) atomicAdd(&local[keys[i]], counter{1});
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

/// Descents of neighbours and a sum and a mix of all bits.
template <class Key, class Bits>
__global__ void survey_kernel(const Key* keys, std::size_t n, counter* result) {
  counter descents = 0, sum = 0, mix = 0;
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    const Key key = keys[i];
    const bool unordered = key != key;
    if (i > 0) descents += unordered ? 0 : key < keys[i - 1] || keys[i - 1] != keys[i - 1];
    Bits bits;
    memcpy(&bits, &key, sizeof(bits));
    sum += bits;
    mix += mixed(bits + 1);
  }
  atomicAdd(&result[0], descents);
  atomicAdd(&result[1], sum);
  atomicAdd(&result[2], mix);
}

template <class Key, class Bits>
std::vector<counter> survey(const device_array<Key>& keys) {
  const storage<counter> result{memory::device, std::vector<counter>(3)};
  survey_kernel<Key, Bits><<<2048, 256>>>(keys.data, keys.size, result.data());
  return result.fetch();
}

constexpr std::size_t beyond_portion = (std::size_t{1} << 28) + 12'345;  // that a pass looks back over
constexpr std::size_t beyond_31 = (std::size_t{1} << 31) + 12'345, beyond_32 = (std::size_t{1} << 32) + 12'345;
std::size_t largest = 0;

/// Sorts, stably or not, n keys; with values of their own type if `pairs`.
template <class Key>
void check_large(std::size_t n, bool pairs, bool stable, const std::string& type) {
  const std::size_t columns = pairs ? 2 : 1;
  if (!can_run(columns * n * sizeof(Key) * 21 / 10)) return;
  const device_array<Key> keys{n}, values{pairs ? n : 1};
  fill_kernel<<<2048, 256>>>(keys.data, n);
  if (pairs) fill_values_kernel<<<2048, 256>>>(keys.data, values.data, n);
  const auto before = survey<Key, Key>(keys);
  const gpu::device_span key_span{keys.data, n}, value_span{values.data, n};
  if (pairs && stable)
    gpu::stable_sort_by_key(gpu::par, key_span, value_span);
  else if (pairs)
    gpu::sort_by_key(gpu::par, key_span, value_span);
  else if (stable)
    gpu::stable_sort(gpu::par, key_span);
  else
    gpu::sort(gpu::par, key_span);
  const auto after = survey<Key, Key>(keys);
  const std::string what = type + (pairs ? ", pairs" : "") + (stable ? ", stable, " : ", ") + std::to_string(n);
  expect(before[0] > 0 && after[0] == 0, what + ": " + std::to_string(after[0]) + " descents");
  expect(before[1] == after[1] && before[2] == after[2], what + ": keys lost or altered");
  if (pairs) {
    const storage<counter> torn{memory::device, std::vector<counter>(1)};
    torn_rows_kernel<<<2048, 256>>>(keys.data, values.data, n, torn.data());
    expect(torn.fetch().front() == 0, what + ": torn rows");
  }
  largest = std::max(largest, n);
}

/// Wide keys that hardly repeat, of which one part in 2^14 does, 40 times each, or that all repeat.
enum class repetition { none, rare, everywhere };
__global__ void fill_wide_kernel(std::uint64_t* keys, std::size_t n, repetition what) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    const bool rare = what == repetition::rare && (i >> 10 & 0x3fff) == 7;
    const std::uint64_t key = mixed(rare ? i / 40 : i) * 0x9e3779b97f4a7c15u;
    keys[i] = what == repetition::everywhere ? key >> 44 : key;
  }
}

/// Places that are none, or not in the order of their keys and, where these are equal, of themselves: then none occurs
/// twice.
template <class Index>
__global__ void misplaced_kernel(const std::uint64_t* keys, const Index* places, std::size_t n, counter* misplaced) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    const std::size_t own = places[i], before = i > 0 ? places[i - 1] : own;
    bool wrong = own >= n || before >= n;
    if (!wrong && i > 0) wrong = keys[before] > keys[own] || (keys[before] == keys[own] && before >= own);
    if (wrong) atomicAdd(misplaced, counter{1});
  }
}

template <class Index>
void check_places(std::size_t n, repetition what) {
  if (!can_run(n * (sizeof(std::uint64_t) + sizeof(Index) + 35))) return;
  const device_array<std::uint64_t> keys{n};
  const device_array<Index> places{n};
  fill_wide_kernel<<<2048, 256>>>(keys.data, n, what);
  gpu::argsort(gpu::par, gpu::device_span{keys.data, n}, gpu::device_span{places.data, n});
  const storage<counter> misplaced{memory::device, std::vector<counter>(1)};
  misplaced_kernel<<<2048, 256>>>(keys.data, places.data, n, misplaced.data());
  expect(misplaced.fetch().front() == 0, "places of " + std::to_string(n) + " keys, repetition " +
                                             std::to_string(static_cast<int>(what)) + ", " +
                                             std::to_string(8 * sizeof(Index)) + " bits");
  largest = std::max(largest, n);
}

}  // namespace

TEST_CASE("large: rows in more than one portion of a pass") {
  for (const bool stable : {false, true}) {
    check_large<std::uint32_t>(beyond_portion, true, stable, "32 bits");
    check_large<std::uint64_t>(beyond_portion, true, stable, "64 bits");
  }
  check_places<std::uint32_t>(beyond_portion, repetition::everywhere);
}

TEST_CASE("large: keys beyond 2^31 and 2^32 (cccl#744, cccl#1951, thrust#1453)") {
  for (const std::size_t n : {beyond_31, beyond_32})
    for (const bool stable : {false, true}) {
      check_large<std::uint8_t>(n, false, stable, "8 bits");
      check_large<std::uint32_t>(n, false, stable, "32 bits");
      check_large<std::uint64_t>(n, false, stable, "64 bits");
    }
}

TEST_CASE("large: rows beyond 2^31 and 2^32") {
  for (const std::size_t n : {beyond_31, beyond_32})
    for (const bool stable : {false, true}) check_large<std::uint32_t>(n, true, stable, "32 bits");
  for (const bool stable : {false, true}) check_large<std::uint64_t>(beyond_31, true, stable, "64 bits");
}

TEST_CASE("large: places of 64-bit keys, which are looked at before") {
  for (const auto what : {repetition::none, repetition::rare, repetition::everywhere}) {
    check_places<std::uint32_t>((std::size_t{1} << 24) + 12'345, what);
    check_places<std::uint64_t>((std::size_t{1} << 26) + 12'345, what);
    check_places<std::uint32_t>(beyond_31, what);
  }
}

TEST_CASE("large: merges beyond 2^32") {
  const std::size_t half = (std::size_t{1} << 31) + 99;
  if (!can_run(4 * half * sizeof(std::uint32_t) + (std::size_t{1} << 30))) return;
  const device_array<std::uint32_t> in{2 * half}, out{2 * half};
  fill_kernel<<<2048, 256>>>(in.data, in.size);
  const gpu::device_span first{in.data, half}, second{in.data + half, half};
  gpu::sort(gpu::par, first);
  gpu::sort(gpu::par, second);
  const auto before = survey<std::uint32_t, std::uint32_t>(in);
  gpu::merge(gpu::par, first, second, out.data);
  const auto after = survey<std::uint32_t, std::uint32_t>(out);
  expect(after[0] == 0 && before[1] == after[1] && before[2] == after[2], "merge beyond 2^32");
}

TEST_CASE("large: a multiway merge of so many tiles that their borders are selected in two steps") {
  const std::size_t longest = std::size_t{1} << 25;
  if (!can_run(8 * longest * 3 * sizeof(std::uint32_t))) return;
  const device_array<std::uint32_t> keys{8 * longest}, merged{8 * longest};
  fill_kernel<<<2048, 256>>>(keys.data, keys.size);
  std::vector<gpu::device_span<std::uint32_t>> runs;  // ragged: the last takes what the others leave
  std::size_t begin = 0;
  for (std::size_t run = 0; run < 8; ++run) {
    const std::size_t end = run == 7 ? keys.size : begin + longest - 99'999 * run;
    runs.push_back({keys.data + begin, end - begin});
    gpu::sort(gpu::par, runs.back());
    begin = end;
  }
  const auto before = survey<std::uint32_t, std::uint32_t>(keys);
  gpu::multiway_merge(gpu::par, runs, merged.data);
  const auto after = survey<std::uint32_t, std::uint32_t>(merged);
  expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
  expect(before[1] == after[1] && before[2] == after[2], "keys lost or altered");
}

TEST_CASE("large: more than 2^32 bytes") {
  const std::size_t n = (std::size_t{1} << 32) + 12'345;
  if (!can_run(3 * n + (std::size_t{1} << 30))) return;
  const device_array<std::uint8_t> keys{n};
  fill_kernel<<<2048, 256>>>(keys.data, n);
  const auto before = survey<std::uint8_t, std::uint8_t>(keys);
  const storage<counter> first{memory::device, std::vector<counter>(256)}, second{memory::device, first.fetch()};
  count_kernel<<<2048, 256>>>(keys.data, n, first.data());
  gpu::sort(gpu::par, gpu::device_span{keys.data, n});
  const auto after = survey<std::uint8_t, std::uint8_t>(keys);
  count_kernel<<<2048, 256>>>(keys.data, n, second.data());
  expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
  expect(first.fetch() == second.fetch() && before[2] == after[2], "bytes lost or altered");
}

TEST_CASE("large: all 2^32 floats") {
  const std::size_t n = std::size_t{1} << 32;
  if (!can_run(3 * n * sizeof(float))) return;
  const device_array<float> keys{n};
  for (const bool stable : {false, true}) {
    fill_kernel<<<2048, 256>>>(keys.data, n);
    const auto before = survey<float, std::uint32_t>(keys);
    if (stable)
      gpu::stable_sort(gpu::par, gpu::device_span{keys.data, n});
    else
      gpu::sort(gpu::par, gpu::device_span{keys.data, n});
    const auto after = survey<float, std::uint32_t>(keys);
    expect(before[0] > 0 && after[0] == 0, std::to_string(after[0]) + " descents");
    expect(before[1] == after[1] && before[2] == after[2], "floats lost or altered");
  }
}

TEST_CASE("large: all 2^32 floats, stably, by both backends alike") {
  const std::size_t n = std::size_t{1} << 32;
  if (!can_run(3 * n * sizeof(float))) return;
  const auto by_host = std::make_unique_for_overwrite<float[]>(n);
  fill(by_host.get(), n);
  gpu::stable_sort(gpu::par.require_host(), std::span{by_host.get(), n});
  const device_array<float> by_device{n};
  fill_kernel<<<2048, 256>>>(by_device.data, n);
  gpu::stable_sort(gpu::par, gpu::device_span{by_device.data, n});
  const device_array<float> copied{n};
  copy_any(copied.data, by_host.get(), n * sizeof(float));
  const storage<counter> differences{memory::device, std::vector<counter>(1)};
  differences_kernel<<<2048, 256>>>(by_device.data, copied.data, n, differences.data());
  expect(differences.fetch().front() == 0, "device and host differ");
}

TEST_CASE("large: figures") {
  if (largest > 0) figure("largest n", largest);
}
