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

/// Sorts keys with their positions out of place, once writing only the keys and once only the positions.
void check_apart(const std::vector<std::uint32_t>& keys, const std::string& what) {
  workplace here;
  const std::size_t n = keys.size();
  const storage<std::uint32_t> source{memory::device, keys}, target{memory::device, std::vector<std::uint32_t>(n, 7)};
  const storage<std::uint64_t> places{memory::device, std::vector<std::uint64_t>(n, 7)};
  const gpu::detail::shared_codes<std::uint32_t> codec{};
  const auto rows = device::indexed_rows(static_cast<const std::uint32_t*>(source.data()), codec, n);
  expect(device::sort_out_of_place(here.context(), rows.written_to(target.data(), nullptr, 0), n) &&
             device::sort_out_of_place(here.context(), rows.written_to(nullptr, places.data(), 8), n),
         what + ": in one launch");
  std::vector<std::uint64_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t i, std::uint64_t j) { return keys[i] < keys[j]; });
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  expect(target.fetch(what) == expected, what);
  expect(places.fetch(what) == order, what + ": places");
  expect(source.fetch(what) == keys, what + ": the source has changed");
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
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
        check_apart(make_keys<std::uint32_t>(shape, n, n), shape.name + ", " + std::to_string(n));
}

TEST_CASE("device paths: codes that come from one place, where a sample misleads") {
  if (no_device()) return;
  for (const std::size_t n : tried({20'000, 200'001})) {
    auto keys = make_keys<std::uint32_t>(uniform, n, 0);
    for (std::uint32_t& key : keys) key |= 1u << 31;
    for (unsigned i = 0; i < device::resident_sample; ++i)
      keys[gpu::detail::random_position(gpu::detail::process_sample_key().word(i), 0, i, n)] = i;
    check_apart(keys, "hidden from the sample, " + std::to_string(n));
  }
}

TEST_CASE("device paths: stable sort of floats") {
  if (no_device()) return;
  check_stable_floats<float>("float");
  check_stable_floats<double>("double");
}
