// Prints where a sort of a million numbers would run; CTest sets GPUPAR_COST_MODEL and looks at the answer.
#include <gpu/algorithm.hpp>
#include <iostream>
#include <vector>

int main() {
  const std::vector<int> numbers(1 << 20);
  if (gpu::device_count() == 0) std::cout << "skipped: no device\n";
  std::cout << gpu::explain(gpu::par, numbers) << '\n';
}
