// Comparators whose answers to the same question differ: sorts that first count and then move must lose no element, in
// whichever round the answers differ, and neither must the network.
#include "gpu/detail/device/bitonic_sort.cuh"
#include "gpu/detail/device/guessed_sort.cuh"
#include "gpu/detail/device/quicksort.cuh"
#include "gpu/detail/device/sample_sort.cuh"
#include "liars.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using keys_alone = device::columns<double, device::no_value>;

/// Checks sort(context, data, n, liar). The largest size takes three rounds of distribution: the first one counts and
/// moves; the second one, the only one that lie::confused_in_part confuses, groups and gathers.
template <class Sort>
void check_contradictions(const std::string& name, Sort sort) {
  if (no_device()) return;
  workplace here;
  const auto check = [&](std::size_t n, lie which, std::uint64_t variant, const distribution& shape = uniform) {
    const auto keys = make_keys<double>(shape, n, variant);
    const storage<double> data{memory::device, keys};
    sort(here.context(), keys_alone{data.data(), nullptr}, n, liar{which});
    const std::string what = name + ", " + to_string(which) + ", " + std::to_string(n);
    expect_none(permutation_problem(keys, data.fetch(what)), what);
  };
  for (const std::size_t n : tried({33, 5000, 70'000}))
    for (const lie which : {lie::always, lie::random, lie::mostly_right}) {
      if (reduced() && which == lie::always) continue;
      check(n, which, 0);
      check(n, which, 0, few_values);
    }
  for (const std::size_t n : tried({6'000'000})) {
    check(n, lie::mostly_right, 0);
    for (std::uint64_t variant = 0; variant < 4; ++variant) check(n, lie::confused_in_part, variant);
  }
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

}  // namespace

TEST_CASE("device paths: quicksort by a comparator that contradicts itself") {
  check_contradictions("quicksort", [](const auto& context, keys_alone data, std::size_t n, liar less) {
    device::quicksort(context, data, n, less, gpu::detail::identity_codec{});
  });
}

TEST_CASE("device paths: sort by a guess at a comparator that contradicts itself") {
  check_contradictions("guessed sort", [](const auto& context, keys_alone data, std::size_t n, liar less) {
    device::guessed_sort(context, data.keys, n, less);
  });
}

TEST_CASE("device paths: sample sort by a comparator that contradicts itself") {
  check_contradictions("sample sort", [](const auto& context, keys_alone data, std::size_t n, liar less) {
    device::sample_sort(context, data, n, less, gpu::detail::identity_codec{});
  });
}

TEST_CASE("device paths: bitonic sort by a comparator that contradicts itself") {
  check_contradictions("bitonic", [](const auto& context, keys_alone data, std::size_t n, liar less) {
    device::bitonic_sort(context, data, n, less, gpu::detail::identity_codec{});
  });
}
