// A program outside the project, compiled by nvcc against the installed package; it needs no device to run.
#include <gpu/algorithm.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

bool is_ascending(const std::vector<int>& numbers);

int main() {
  std::vector<int> numbers;
  for (int i = 0; i < 5'000; ++i) numbers.push_back(i * 7919 % 5'003 - 2'500);

  const int pivot = 100;
  const auto nearer = [=] __host__ __device__(int a, int b) {
    return (a - pivot) * (a - pivot) < (b - pivot) * (b - pivot);
  };
  gpu::sort(gpu::par, numbers);
  const bool ascending = is_ascending(numbers);
  const bool unordered = !gpu::is_sorted(gpu::par, numbers, nearer);

  std::cout << gpu::device_count() << " devices\n";
  return ascending && unordered ? EXIT_SUCCESS : EXIT_FAILURE;
}
