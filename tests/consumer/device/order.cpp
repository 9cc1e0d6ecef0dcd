// The half of the program that a plain C++ compiler compiles.
#include <gpu/algorithm.hpp>

#include <vector>

bool is_ascending(const std::vector<int>& numbers) { return gpu::is_sorted(gpu::par, numbers); }
