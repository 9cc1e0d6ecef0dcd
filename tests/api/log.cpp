// Calls for the tests of GPUPAR_LOG, which look at what this program prints to stderr.
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"

int main() {
  const auto host = gpu::par.require_host();
  std::vector<int> keys(1000, 1), out(2000), indices(1000);
  std::vector<double> values(1000);
  gpu::sort(host, keys);
  gpu::stable_sort(host, values);
  gpu::sort_by_key(host, keys, values);
  gpu::argsort(host, keys, indices);
  gpu::merge(host, keys, keys, out.begin());
}
