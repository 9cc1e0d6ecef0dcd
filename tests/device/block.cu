// What users' kernels call: gpu::block::sort; and sort_indexed with callables on the device.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "device_order.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/block.cuh"
#include "inputs.hpp"
#include "places.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

constexpr int threads = 128, items = 7, tile = threads * items;

/// Each block sorts the first n keys of its tile with their values.
__global__ void sort_tiles_kernel(std::uint32_t* keys, std::uint32_t* values, int n) {
  __shared__ gpu::block::sort_storage<std::uint32_t, threads, items, std::uint32_t> storage;
  const int begin = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x) * items;
  std::uint32_t key[items], value[items];
  for (int i = 0; i < items; ++i) {
    key[i] = keys[begin + i];
    value[i] = values[begin + i];
  }
  gpu::block::sort_by_key(storage, key, value, by_last_digits{}, n);
  for (int i = 0; i < items; ++i) {
    if (static_cast<int>(threadIdx.x) * items + i >= n) break;
    keys[begin + i] = key[i];
    values[begin + i] = value[i];
  }
}

/// One block sorts n keys through shared memory alone.
__global__ void sort_shared_kernel(std::uint32_t* keys, int n) {
  __shared__ gpu::block::sort_storage<std::uint32_t, threads, items> storage;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) storage.keys[i] = keys[i];
  gpu::block::sort(storage, n, by_last_digits{});
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) keys[i] = storage.keys[i];
}

struct greater_at {
  const std::uint32_t* keys;
  __host__ __device__ bool operator()(std::size_t i, std::size_t j) const { return keys[i] > keys[j]; }
};

struct swap_at {
  std::uint32_t* keys;
  std::uint32_t* values;
  __host__ __device__ void operator()(std::size_t i, std::size_t j) const {
    const std::uint32_t key = keys[i], value = values[i];
    keys[i] = keys[j], values[i] = values[j];
    keys[j] = key, values[j] = value;
  }
};

}  // namespace

TEST_CASE("block sort: tiles, whole and in part, stable") {
  if (gpu::device_count() == 0) return skip("kernels: no device");
  constexpr int blocks = 5;
  for (const int n : {0, 1, 2, 31, 32, 33, 200, tile - 1, tile}) {
    const auto rows = with_index(make_keys<std::uint32_t>(tile * blocks));
    std::vector<std::uint32_t> keys, indices;
    for (const auto& row : rows) {
      keys.push_back(row.key);
      indices.push_back(row.index);
    }
    const storage<std::uint32_t> k{memory::device, keys}, v{memory::device, indices};
    sort_tiles_kernel<<<blocks, threads>>>(k.data(), v.data(), n);
    const auto sorted = k.fetch(), moved = v.fetch();
    auto expected = rows;
    std::vector<record8> after;
    for (std::size_t i = 0; i < sorted.size(); ++i) after.push_back({sorted[i], moved[i]});
    for (int block = 0; block < blocks; ++block)
      std::stable_sort(expected.begin() + block * tile, expected.begin() + block * tile + n,
                       by(by_last_digits{}, &record8::key));
    expect_none(difference(expected, after), "n = " + std::to_string(n));
  }
}

TEST_CASE("block sort: in shared memory") {
  if (gpu::device_count() == 0) return skip("kernels: no device");
  for (const int n : {0, 1, 2, 100, tile - 1, tile}) {
    const auto keys = make_keys<std::uint32_t>(static_cast<std::size_t>(n));
    const storage<std::uint32_t> data{memory::device, keys};
    sort_shared_kernel<<<1, threads>>>(data.data(), n);
    expect_none(stable_sort_problem(keys, data.fetch(), by_last_digits{}), "n = " + std::to_string(n));
  }
}

TEST_CASE("sort_indexed: on the device") {
  if (gpu::device_count() == 0) return skip("kernels: no device");
  for (const std::size_t count : tried({0, 1, 2, 3, 100, 1025, 70'000})) {
    const auto keys = make_keys<std::uint32_t>(count);
    const storage<std::uint32_t> k{memory::device, keys}, v{memory::device, keys};
    gpu::sort_indexed(gpu::par.require_device(), std::size_t{0}, count, greater_at{k.data()},
                      swap_at{k.data(), v.data()});
    synchronize_device();
    const auto what = std::to_string(count);
    expect_none(sort_problem(keys, k.fetch(what), natural_greater{}), what);
    expect_none(difference(k.fetch(), v.fetch()), what + ": swapped together");
  }
}
