// Gathers by an order unrelated to that of the elements: gpupar, and Thrust.
#include <gpu/algorithm.hpp>

#include <thrust/execution_policy.h>
#include <thrust/gather.h>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

using index = std::uint32_t;

/// Writes each number below n once, so that neighbouring numbers lie far apart. n is a power of two.
__global__ void scatter_kernel(index* out, std::size_t n) {
  constexpr std::size_t odd = 2654435761;  // 2^32 divided by the golden ratio: Knuth's multiplicative hash
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += gridDim.x * std::size_t{blockDim.x})
    out[i] = static_cast<index>(i * odd % n);
}

/// A contender that calls gather(indices, source, target, n).
template <class Key, class Gather>
prepared gather_keys(std::size_t n, Gather gather) {
  const auto indices = std::make_shared<block>(place::device, n * sizeof(index));
  scatter_kernel<<<1024, 256>>>(static_cast<index*>(indices->data()), n);
  check(cudaGetLastError());
  const auto run = [n, indices, gather](const arrays& on) {
    gather(static_cast<const index*>(indices->data()), static_cast<const Key*>(on.keys),
           static_cast<Key*>(on.other_keys), n);
    return outcome{on.other_keys, nullptr};
  };
  return {run, {}, false};
}

template <class Gather>
preparation offer(const problem& asked, Gather gather) {
  using elements = element_list<element<std::uint32_t>, element<std::uint64_t>>;
  if (asked.what != operation::gather) return {};
  return with_element<preparation>(asked.element(), elements{}, [&](auto e) -> preparation {
    return [n = asked.n, gather] { return gather_keys<typename decltype(e)::key_type>(n, gather); };
  });
}

const registered gpupar{"gpupar", true, [](const problem& asked) {
                          return offer(asked, [](auto* indices, auto* source, auto* target, std::size_t n) {
                            gpu::gather(gpu::par_nosync, gpu::device_span{indices, n}, gpu::device_span{source, n},
                                        gpu::device_span{target, n});
                          });
                        }};
const registered thrust_gather{"thrust", true, [](const problem& asked) {
                                 return offer(asked, [](auto* indices, auto* source, auto* target, std::size_t n) {
                                   thrust::gather(thrust::device, indices, indices + n, source, target);
                                 });
                               }};

}  // namespace
}  // namespace bench
