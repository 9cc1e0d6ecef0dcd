// Data that are generated, sorted and used on the device: nothing is copied to the host before the result, and nothing
// waits in between. The last part captures the pipeline in a CUDA graph and replays it on new data.
#include <gpu/algorithm.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

struct particle {
  float x, y, z;
  float distance;
  std::uint32_t id;
};

// Nearest to the origin first; particles at the same distance are ordered by id.
struct nearer {
  __host__ __device__ bool operator()(const particle& a, const particle& b) const {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  }
};

__device__ float coordinate(std::uint32_t id, std::uint32_t seed) {
  std::uint32_t bits = (id + 1) * 2654435761u ^ seed;
  bits ^= bits >> 15;
  bits *= 2246822519u;
  bits ^= bits >> 13;
  return static_cast<float>(bits >> 8) * 0x1p-24f - 0.5f;
}

__global__ void scatter_kernel(particle* particles, std::uint32_t count, const std::uint32_t* seed) {
  const std::uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  const float x = coordinate(id, *seed), y = coordinate(id, *seed + 1), z = coordinate(id, *seed + 2);
  particles[id] = {x, y, z, sqrtf(x * x + y * y + z * z), id};
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::cerr << cudaGetErrorString(status) << '\n';
  std::exit(EXIT_FAILURE);
}

// Enqueues the work and returns at once.
void enqueue(particle* particles, std::uint32_t count, const std::uint32_t* seed, cudaStream_t stream) {
  scatter_kernel<<<(count + 255) / 256, 256, 0, stream>>>(particles, count, seed);
  require(cudaGetLastError());
  gpu::sort(gpu::par_nosync.on(stream), gpu::device_span{particles, count}, nearer{});
}

bool print_nearest(const particle* particles, std::uint32_t count, cudaStream_t stream) {
  std::vector<particle> host(count);
  require(cudaMemcpyAsync(host.data(), particles, count * sizeof(particle), cudaMemcpyDeviceToHost, stream));
  require(cudaStreamSynchronize(stream));
  std::cout << "nearest: particle " << host[0].id << " at " << host[0].x << ", " << host[0].y << ", " << host[0].z
            << '\n';
  return gpu::is_sorted(gpu::par.require_host(), host, nearer{});
}

}  // namespace

int main() {
  if (gpu::device_count() == 0) {
    std::cout << "skipped: no CUDA device\n";
    return 77;
  }
  constexpr std::uint32_t count = 1u << 20;
  cudaStream_t stream;
  particle* particles;
  std::uint32_t* seed;
  require(cudaStreamCreate(&stream));
  require(cudaMalloc(&particles, count * sizeof(particle)));
  require(cudaMalloc(&seed, sizeof *seed));
  require(cudaMemsetAsync(seed, 1, sizeof *seed, stream));

  enqueue(particles, count, seed, stream);
  bool right = print_nearest(particles, count, stream);

  cudaGraph_t graph;
  cudaGraphExec_t replay;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue(particles, count, seed, stream);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&replay, graph, 0));
  for (int round = 2; round < 5; ++round) {
    require(cudaMemsetAsync(seed, round, sizeof *seed, stream));
    require(cudaGraphLaunch(replay, stream));
    right = print_nearest(particles, count, stream) && right;
  }

  require(cudaGraphExecDestroy(replay));
  require(cudaGraphDestroy(graph));
  require(cudaFree(seed));
  require(cudaFree(particles));
  require(cudaStreamDestroy(stream));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
