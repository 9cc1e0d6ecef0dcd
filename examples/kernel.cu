// A sort inside a user's kernel: each block sorts one row of measurements in shared memory and keeps its three
// quartiles, all in one launch.
#include <gpu/block.cuh>
#include <gpu/plan.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace {

constexpr int threads = 128;
constexpr int items = 9;
constexpr int row_length = 1'000;  // at most threads * items
constexpr int quantiles = 3;

__host__ __device__ constexpr int rank_of(int quantile) { return (quantile + 1) * row_length / (quantiles + 1); }

__global__ void quantiles_kernel(const float* rows, float* result) {
  __shared__ gpu::block::sort_storage<float, threads, items> storage;
  const float* row = rows + static_cast<std::size_t>(blockIdx.x) * row_length;
  for (int i = threadIdx.x; i < row_length; i += threads) storage.keys[i] = row[i];

  gpu::block::sort(storage, row_length, [](float a, float b) { return a < b; });

  if (threadIdx.x < quantiles) result[blockIdx.x * quantiles + threadIdx.x] = storage.keys[rank_of(threadIdx.x)];
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::cerr << cudaGetErrorString(status) << '\n';
  std::exit(EXIT_FAILURE);
}

bool right(std::vector<float> row, const float* found) {
  std::ranges::sort(row);
  for (int q = 0; q < quantiles; ++q)
    if (found[q] != row[rank_of(q)]) return false;
  return true;
}

}  // namespace

int main() {
  if (gpu::device_count() == 0) {
    std::cout << "skipped: no CUDA device\n";
    return 77;
  }
  constexpr int row_count = 2'000;
  std::mt19937 random{5};
  std::vector<float> rows(static_cast<std::size_t>(row_count) * row_length);
  for (float& value : rows) value = std::normal_distribution<float>{}(random);
  std::vector<float> found(row_count * quantiles);

  float *device_rows, *device_found;
  require(cudaMalloc(&device_rows, rows.size() * sizeof(float)));
  require(cudaMalloc(&device_found, found.size() * sizeof(float)));
  require(cudaMemcpy(device_rows, rows.data(), rows.size() * sizeof(float), cudaMemcpyHostToDevice));
  quantiles_kernel<<<row_count, threads>>>(device_rows, device_found);
  require(cudaGetLastError());
  require(cudaMemcpy(found.data(), device_found, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  require(cudaFree(device_rows));
  require(cudaFree(device_found));

  std::cout << "quartiles of the first row: " << found[0] << ' ' << found[1] << ' ' << found[2] << '\n';
  for (int row = 0; row < row_count; ++row) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row) * row_length;
    if (!right({first, first + row_length}, &found[row * quantiles])) {
      std::cerr << "row " << row << " is wrong\n";
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
