#include "gpu/detail/device/sort_out_of_place.cuh"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/detail/device/stable_floats.cuh"
#include "paths.hpp"
#include "tried.hpp"
#include "values.hpp"

using namespace testing;

namespace {

/// Sorts different codes from one array to another.
template <class Bits>
void check_apart(const std::vector<Bits>& codes, const std::string& what) {
  workplace here;
  const std::size_t n = codes.size();
  const storage<Bits> source{memory::device, codes}, target{memory::device, std::vector<Bits>(n, Bits{7})};
  const bool sorted =
      device::sort_out_of_place<Bits>(here.context(), static_cast<const Bits*>(source.data()), target.data(), n);
  expect(sorted, what + ": in one launch");
  auto expected = codes;
  std::sort(expected.begin(), expected.end());
  expect(target.fetch(what) == expected, what);
  expect(source.fetch(what) == codes, what + ": the source has changed");
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
}

/// Codes of 32 bits with their places below them.
std::vector<std::uint64_t> with_places(const std::vector<std::uint32_t>& codes) {
  std::vector<std::uint64_t> joined;
  for (const std::uint32_t code : codes) joined.push_back(std::uint64_t{code} << 32 | joined.size());
  return joined;
}

/// Sorts keys stably and compares bit by bit.
template <class Key>
void check_stable(const device::context& context, const std::vector<Key>& keys, bool descending,
                  const std::string& what) {
  using bits = bits_of<Key>;
  const auto format = gpu::detail::format_of<Key>(descending);
  const auto codec = codec_of<Key>(descending);
  const auto order = gpu::detail::make_floating_code_less<bits>(format);
  auto expected = raw(keys);
  const storage<bits> data{memory::device, expected};
  device::sort_floats_stably(context, data.data(), keys.size(), order, codec);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](bits left, bits right) { return order(codec.encode(left), codec.encode(right)); });
  expect(data.fetch(what) == expected, what + (descending ? ", descending" : ""));
}

template <class Key>
void check_stable_floats(const std::string& name) {
  workplace here;
  device::context alone = here.context();
  alone.device.compute_capability = 80;
  for (const std::size_t n : tried({2, 100, 129, 1000, 2048, 2049, 4096, 4097, 20'000, 150'001, 600'000, 1'100'000}))
    for (const bool descending : {false, true}) {
      const std::string what = name + ", " + std::to_string(n);
      const auto special = make_special_keys<Key>(n, n);
      check_stable(here.context(), special, descending, what);
      check_stable(alone, special, descending, what + ", without clusters");
      check_stable(by_rounds(here.context()), special, descending, what + ", by rounds");
      check_stable(here.context(), make_keys<Key>(uniform, n, n), descending, what + ", uniform");
      check_stable(here.context(), make_keys<Key>(few_values, n, n), descending, what + ", few values");
    }
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

}  // namespace

TEST_CASE("device paths: codes that come from one place and go to another") {
  if (no_device()) return;
  for (const std::size_t n : tried({1, 100, 700, 4096, 4097, 20'000, 131'072, 131'073, 1'000'000}))
    for (const auto& shape : all_distributions())
      if (n <= 20'000 || shape.name == uniform.name)
        check_apart(with_places(make_keys<std::uint32_t>(shape, n, n)), shape.name + ", " + std::to_string(n));
}

TEST_CASE("device paths: codes that come from one place, where a sample misleads") {
  if (no_device()) return;
  for (const std::size_t n : tried({20'000, 200'001})) {
    auto codes = with_places(make_keys<std::uint32_t>(uniform, n, 0));
    for (std::uint64_t& code : codes) code |= std::uint64_t{1} << 63;
    for (unsigned i = 0; i < device::resident_sample; ++i)
      codes[gpu::detail::random_position(gpu::detail::process_sample_key().word(i), 0, i, n)] = i;
    check_apart(codes, "hidden from the sample, " + std::to_string(n));
  }
}

TEST_CASE("device paths: stable sort of floats") {
  if (no_device()) return;
  check_stable_floats<float>("float");
  check_stable_floats<double>("double");
}
