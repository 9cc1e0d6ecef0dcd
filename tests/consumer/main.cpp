// A program outside the project, compiled by a plain C++ compiler against the installed package.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

struct reading {
  std::uint32_t sensor;
  float value;
};

int main() {
  constexpr std::uint32_t count = 5'000;
  std::vector<reading> readings;
  for (std::uint32_t i = 0; i < count; ++i) readings.push_back({i * 2654435761u % 97, static_cast<float>(i)});

  gpu::stable_sort(gpu::par, readings, std::ranges::greater{}, &reading::sensor);
  const auto before = [](const reading& a, const reading& b) {
    return a.sensor != b.sensor ? a.sensor > b.sensor : a.value < b.value;
  };
  const bool right = readings.size() == count && std::ranges::is_sorted(readings, before);
  std::cout << gpu::explain_stable_sort(gpu::par, readings, std::ranges::greater{}, &reading::sensor) << '\n';
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
