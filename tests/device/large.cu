// More elements than one look-back spans; and, only with GPUPAR_TEST_LARGE=1 as they need up to 100 GB of device
// memory, more than 2^31 and 2^32 elements.
#include <algorithm>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "large.hpp"

namespace {

using namespace testing;

/// A random key at every position.
__global__ void fill_kernel(std::uint8_t* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) keys[i] = static_cast<std::uint8_t>(scrambled(i));
}
template <class Key>
__global__ void fill_kernel(Key* keys, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    keys[i] = static_cast<Key>(scrambled(i) * 0x9e3779b97f4a7c15u);
}

/// Values that are computed from their keys, and the number of those that do not match.
template <class Key>
__global__ void fill_values_kernel(const Key* keys, Key* values, std::size_t n) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) values[i] = static_cast<Key>(scrambled(keys[i] + 1));
}
template <class Key>
__global__ void torn_rows_kernel(const Key* keys, const Key* values, std::size_t n, counter* torn) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size())
    if (values[i] != static_cast<Key>(scrambled(keys[i] + 1))) atomicAdd(torn, counter{1});
}

__global__ void count_kernel(const std::uint8_t* keys, std::size_t n, counter* counts) {
  __shared__ counter local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) atomicAdd(&local[keys[i]], counter{1});
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

constexpr std::size_t beyond_portion = (std::size_t{1} << 28) + 12'345;  // more than a pass looks back over
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

/// Wide keys that hardly repeat, of which one part in 2^14 repeats, 40 times each, or that all repeat.
enum class repetition { none, rare, everywhere };
__global__ void fill_wide_kernel(std::uint64_t* keys, std::size_t n, repetition what) {
  for (std::size_t i = grid_rank(); i < n; i += grid_size()) {
    const bool rare = what == repetition::rare && (i >> 10 & 0x3fff) == 7;
    const std::uint64_t key = scrambled(rare ? i / 40 : i) * 0x9e3779b97f4a7c15u;
    keys[i] = what == repetition::everywhere ? key >> 44 : key;
  }
}

/// Counts positions that are out of range or out of order, by their keys and, among equal keys, by themselves. If there
/// are none, no position occurs twice.
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

TEST_CASE("large: figures") {
  if (largest > 0) figure("largest n", largest);
}
