// This file is compiled without optimisation, like programs that are being debugged: what the headers add to each
// comparison must cost little there, too.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "support.hpp"

namespace {

using namespace testing;

/// The least processor time of `work` in a few runs, each with fresh data.
template <class Element, class Work>
double processor_seconds(const std::vector<Element>& elements, const Work& work) {
  double least = (std::numeric_limits<double>::max)();
  for (int repetition = 0; repetition < 5; ++repetition) {
    auto data = elements;
    const std::clock_t begin = std::clock();
    work(data);
    least = (std::min)(least, static_cast<double>(std::clock() - begin));
  }
  return least / CLOCKS_PER_SEC;
}

template <class Element, class Less>
void check(const std::string& what, const std::vector<Element>& elements, Less less) {
  constexpr double most = 2.5;
  const auto policy = gpu::par.require_host();
  const double standard = processor_seconds(elements, [&](auto& data) { std::sort(data.begin(), data.end(), less); });
  const double ours = processor_seconds(elements, [&](auto& data) { gpu::sort(policy, data, less); });
  const double stable = processor_seconds(elements, [&](auto& data) { gpu::stable_sort(policy, data, less); });
  expect(ours <= most * standard, what + ": " + std::to_string(ours / standard) + " times std::sort");
  expect(stable <= most * standard, what + ", stable: " + std::to_string(stable / standard) + " times std::sort");
}

struct record {
  std::uint32_t key;
  double value;
};

}  // namespace

TEST_CASE("comparators in a program without optimisation") {
  for (const std::size_t count : {1000u, 3000u, 100'000u}) {
    const auto keys = make_keys<std::uint32_t>(count);
    const std::string name = std::to_string(count);
    check(name + " integers", keys, [](std::uint32_t left, std::uint32_t right) { return left > right; });
    std::vector<record> records;
    for (const auto key : keys) records.push_back({key, 0});
    check(name + " records", records, [](const record& left, const record& right) { return left.key < right.key; });
  }
}
