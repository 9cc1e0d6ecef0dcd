// Partition in place by a comparator, in tiles and by lists of positions, of elements whose sample is misleading, and
// by comparators that are no order.
#include "gpu/detail/device/selection/comparison_partition.cuh"
#include "gpu/detail/sample_key.hpp"
#include "liars.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;
using namespace std::string_literals;

namespace {

/// Larger than elements that are moved in tiles.
struct large_record {
  std::uint32_t key;
  std::uint32_t rest[17];
};
static_assert(!device::moves_in_tiles_v<large_record>);

struct by_low_bits {
  GPUPAR_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 4096 < b % 4096; }
  GPUPAR_HOST_DEVICE bool operator()(gpu::detail::uint128 a, gpu::detail::uint128 b) const {
    return a % 4096 < b % 4096;
  }
  GPUPAR_HOST_DEVICE bool operator()(const large_record& a, const large_record& b) const {
    return (*this)(a.key, b.key);
  }
};

template <class Element>
void check_partition(workplace& here, const std::vector<Element>& elements, std::size_t wanted,
                     const std::string& what) {
  const std::size_t n = elements.size();
  const std::string name = what + ", " + std::to_string(wanted) + " of " + std::to_string(n);
  const by_low_bits less;
  auto expected = elements;
  const auto nth = expected.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
  std::nth_element(expected.begin(), nth, expected.end(), less);
  const storage<Element> data{memory::device, elements};
  device::partition_by_comparing(here.context(), data.data(), n, wanted, less);
  const auto parted = data.fetch(name);
  expect_none(permutation_problem(elements, parted), name);
  expect(!less(parted[wanted - 1], *nth) && !less(*nth, parted[wanted - 1]), name + ": another element");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += i < wanted ? less(*nth, parted[i]) : less(parted[i], *nth);
  expect(wrong == 0, name + ": " + std::to_string(wrong) + " on the wrong side");
}

/// Ranks at either end, and ranks for which elements are moved by lists of positions or in tiles.
std::vector<std::size_t> parts_of(std::size_t n) { return {1, n / 130, n / 60, n / 8, n / 2, n - n / 60, n - 1, n}; }

std::vector<large_record> large_records(const std::vector<std::uint32_t>& keys) {
  std::vector<large_record> records(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    records[i].key = keys[i];
    std::fill(std::begin(records[i].rest), std::end(records[i].rest), static_cast<std::uint32_t>(i));
  }
  return records;
}

}  // namespace

TEST_CASE("device paths: partition by a comparator") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({5000, 140'003, 1'000'003})) {
    for (const auto& shape : all_distributions())
      check_partition(here, make_keys<std::uint32_t>(shape, n), n / 2, shape.name);
    for (const std::size_t wanted : parts_of(n)) {
      check_partition(here, make_keys<std::uint32_t>(few_values, n), wanted, "32 bits");
      check_partition(here, make_keys<gpu::detail::uint128>(n), wanted, "128 bits");
      check_partition(here, large_records(make_keys<std::uint32_t>(n)), wanted, "large records");
    }
  }
  expect(here.resource().outstanding() == 0, "scratch is given back");
}

TEST_CASE("device paths: partition by a comparator where the sample misleads") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({300'007}))
    for (const std::uint32_t drawn : {0u, 4095u}) {
      auto keys = make_keys<std::uint32_t>(n);
      for (auto& key : keys) key = key % 4094 + 1;
      const std::size_t sampled = device::plan_comparison(n, n / 2, false).levels.front().sampled;
      for (std::size_t i = 0; i < sampled; ++i)
        keys[gpu::detail::random_position(gpu::detail::process_sample_key().second, 0, i, n)] = drawn;
      check_partition(here, keys, n / 2, "drawn " + std::to_string(drawn));
    }
}

TEST_CASE("device paths: partition by what is no order") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({5000, 140'003}))
    for (const lie which : lies)
      for (const std::size_t wanted : {n / 130, n / 2}) {
        const auto keys = make_keys<double>(n);
        const storage<double> data{memory::device, keys};
        device::partition_by_comparing(here.context(), data.data(), n, wanted, liar{which});
        const std::string what = to_string(which) + ", "s + std::to_string(wanted) + " of " + std::to_string(n);
        expect_none(permutation_problem(keys, data.fetch(what)), what);
      }
  expect(here.resource().outstanding() == 0, "scratch is given back");
}
