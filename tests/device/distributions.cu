// Host and device make the same inputs.
#include "device_memory.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "support.hpp"

namespace {

using namespace testing;

__global__ void fill_kernel(std::uint64_t* out, std::size_t n, shape chosen, std::uint64_t start) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = chosen.position(i, n, start);
}

}  // namespace

TEST_CASE("device distributions: the same as on the host") {
  if (gpu::device_count() == 0) return skip("no device");
  for (const auto& distribution : all_distributions())
    for (const std::size_t n : {1, 300, 70'001}) {
      const storage<std::uint64_t> made{memory::device, std::vector<std::uint64_t>(n)};
      fill_kernel<<<static_cast<unsigned>(n / 256 + 1), 256>>>(made.data(), n, distribution, seed());
      expect(made.fetch() == make_positions(distribution, n), distribution.name + ", " + std::to_string(n));
    }
}
