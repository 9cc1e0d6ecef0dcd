// A program without exceptions and char8_t, with the macros min and max, those of complex.h, Qt, X11 and the like, and
// with warnings as errors: gpupar's headers compile there as the standard's do.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char
#define near
#define far
#define emit
#define slots
#define foreach for
#define check(x) x
#define I _Complex_I
#define None 0L
#define Status int
#define Success 0
#define Always 2
#include <gpu/algorithm.hpp>
#include <gpu/explain.hpp>

namespace {

struct row {
  int day = 0;
  std::string text;
};

bool all_work(std::size_t n) {
  std::vector<int> a, b;
  std::vector<row> rows;
  for (std::size_t i = 0; i < n; ++i) {
    a.push_back(static_cast<int>(i * 37 % n));
    b.push_back(static_cast<int>(i * 41 % n));
    rows.push_back({static_cast<int>(i * 53 % n), std::to_string(i)});
  }
  gpu::sort(gpu::par, a);
  gpu::stable_sort(gpu::par, b.begin(), b.end(), [](int x, int y) { return x < y; });
  gpu::sort(gpu::par, rows, {}, &row::day);
  gpu::stable_sort(gpu::par, rows, std::greater{}, &row::text);
  std::vector<int> merged(2 * n), values(2 * n), more(n), order(n);
  gpu::merge(gpu::par, a, b, merged.begin());
  gpu::merge_by_key(gpu::par, a.begin(), a.end(), b.begin(), b.end(), b.begin(), a.begin(), merged.begin(),
                    values.begin());
  gpu::multiway_merge(gpu::par, std::vector<std::vector<int>>{a, {}, b}, merged.begin());
  gpu::sort_by_key(gpu::par, b, more, order, std::greater{});
  gpu::argsort(gpu::par, a, order);
  gpu::inplace_merge(gpu::par, a, a.begin() + static_cast<std::ptrdiff_t>(n / 2));
  (void)gpu::explain(gpu::par, a);
  return gpu::is_sorted(gpu::par, merged) && gpu::is_sorted(gpu::par, a) && gpu::is_sorted(gpu::par, b, std::greater{});
}

}  // namespace

int main() { return all_work(101) && all_work(100'003) ? 0 : 1; }
