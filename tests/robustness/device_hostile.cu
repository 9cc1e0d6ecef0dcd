// Comparators that are no strict weak order, on the device: kernels end, write nowhere else, and lose nothing, not even
// where a comparator contradicts itself and kernels ask a question twice.
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "liars.hpp"
#include "places.hpp"

namespace {

using namespace testing;

std::vector<std::size_t> sizes() {
  if (reduced()) return {100, 5000};
  return {2, 3, 33, 257, 2049, 5000, 40'000, 300'000};
}

std::vector<lie> all_lies() {
  if (reduced()) return {lie::cyclic, lie::mostly_right};
  return {lies.begin(), lies.end()};
}

template <class Action>
void check_liars(const std::string& what, Action action) {
  for (const std::size_t n : sizes()) {
    const auto keys = make_keys<double>(n);
    for (const lie which : all_lies()) {
      const std::string name = what + ", " + to_string(which) + ", " + std::to_string(n);
      const storage<double> data{memory::device, keys};
      action(gpu::device_span{data.data(), n}, liar{which});
      const auto sorted = data.fetch(name);
      expect_none(permutation_problem(keys, sorted), name);
    }
  }
}

}  // namespace

TEST_CASE("device hostile: sorts") {
  if (no_device("lying comparators on the device")) return;
  using how = gpu::algorithm;
  for (const auto algorithm : {how::bitonic, how::quicksort, how::sample_sort, how::merge_sort})
    check_liars("sort, " + std::string{gpu::to_string(algorithm)},
                [&](auto view, liar less) { gpu::sort(gpu::par.using_algorithm(algorithm), view, less); });
  for (const auto algorithm : {how::sample_sort, how::merge_sort})
    check_liars("stable_sort, " + std::string{gpu::to_string(algorithm)},
                [&](auto view, liar less) { gpu::stable_sort(gpu::par.using_algorithm(algorithm), view, less); });
}

TEST_CASE("device hostile: merges") {
  if (no_device("lying comparators on the device")) return;
  check_liars("inplace_merge", [](auto view, liar less) {
    gpu::inplace_merge(gpu::par, view, view.begin() + static_cast<std::ptrdiff_t>(view.size() / 3), less);
  });
  for (const std::size_t n : sizes()) {
    const auto keys = make_keys<double>(n);
    const storage<double> in{memory::device, keys}, out{memory::device, std::vector<double>(n)};
    const gpu::device_span<double> all{in.data(), n};
    const auto part = [&](std::size_t begin, std::size_t end) {
      return gpu::device_span<double>{in.data() + begin, end - begin};
    };
    for (const lie which : all_lies()) {
      const std::string name = std::string{to_string(which)} + ", " + std::to_string(n);
      gpu::merge(gpu::par, part(0, n / 3), part(n / 3, n), out.data(), liar{which});
      expect_none(permutation_problem(keys, out.fetch(name)), "merge, " + name);
      const std::vector<gpu::device_span<double>> parts{part(0, n / 5), part(n / 5, n / 4), part(n / 4, n / 2),
                                                        part(n / 2, n / 2), part(n / 2, n)};
      gpu::multiway_merge(gpu::par, parts, out.data(), liar{which});
      expect_none(permutation_problem(keys, out.fetch(name)), "multiway_merge, " + name);
    }
    expect_none(difference(keys, in.fetch()), "inputs of merges are not written");
  }
}

TEST_CASE("device hostile: rows and permutations") {
  if (no_device("lying comparators on the device")) return;
  for (const std::size_t n : sizes()) {
    const auto keys = make_keys<double>(n);
    std::vector<std::uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    for (const lie which : all_lies()) {
      const std::string name = std::string{to_string(which)} + ", " + std::to_string(n);
      const storage<double> key_data{memory::device, keys};
      const storage<std::uint32_t> row_data{memory::device, places};
      gpu::stable_sort_by_key(gpu::par, gpu::device_span{key_data.data(), n}, gpu::device_span{row_data.data(), n},
                              liar{which});
      const auto sorted = key_data.fetch(name);
      const auto rows = row_data.fetch(name);
      std::vector<double> rebuilt(n);
      for (std::size_t i = 0; i < n; ++i) rebuilt[rows[i] % n] = sorted[i];
      expect(rebuilt == keys, name + ": rows torn or lost");
    }
  }
}
