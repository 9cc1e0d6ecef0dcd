#include "gpu/detail/device/pairs/pair_sort.cuh"

#include "gpu/detail/device/argsort.cuh"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// Distributions whose base cases are long, overflowing, ordered, and shared by few chunks; all sizes exceed a base
/// case, and few are multiples of a chunk.
template <class Body>
void with_pair_shapes(Body body) {
  const auto sizes =
      reduced() ? std::vector<std::size_t>{10'001} : std::vector<std::size_t>{4097, 8192, 40'001, 300'007, 1'300'000};
  for (const std::size_t n : sizes) {
    std::size_t number = 0;
    for (const auto& shape : all_distributions())
      if ((n <= 10'001 && !reduced()) || number++ % 4 == n % 4) body(shape, n, shape.name + ", " + std::to_string(n));
  }
}

/// Sorts keys with the input positions as values, which reveals lost pairs, torn pairs and instability.
template <bool Stable, class Key>
void check_pairs_of(const workplace& here, const std::vector<Key>& keys, const std::string& what) {
  using bits = bits_of<Key>;
  const std::size_t n = keys.size();
  std::vector<bits> positions(n);
  for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<bits>(i);
  const storage<bits> key_data{memory::device, raw(keys)};
  const storage<bits> value_data{memory::device, positions};
  device::sort_by_pairs<Stable>(here.context(), device::columns<bits, bits>{key_data.data(), value_data.data()}, n,
                                codec_of<Key>());
  const auto sorted = cooked<Key>(key_data.fetch(what));
  const auto values = value_data.fetch(what);
  std::vector<indexed<Key, bits>> before(n), after(n);
  for (std::size_t i = 0; i < n; ++i) before[i] = {keys[i], positions[i]}, after[i] = {sorted[i], values[i]};
  const auto order = [](const auto& a, const auto& b) {
    return a.key < b.key || (Stable && a.key == b.key && a.index < b.index);
  };
  expect_none(sort_problem(before, after, order), what);
}

template <bool Stable, class Key>
void check_pairs(const std::string& name) {
  workplace here;
  with_pair_shapes([&](const auto& distribution, std::size_t n, const std::string& shape) {
    check_pairs_of<Stable>(here, make_keys<Key>(distribution, n, n), name + ", " + shape);
  });
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Sorts the positions of keys, many of which are equal, and checks that the keys are unchanged.
template <class Key, class Index>
void check_places_of(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  const std::size_t n = keys.size();
  const storage<bits_of<Key>> key_data{memory::device, raw(keys)};
  const storage<Index> place_data{memory::device, std::vector<Index>(n, Index{7})};
  device::argsort_keys(context, key_data.data(), place_data.data(), n, shared_codes_of<Key>());
  const auto places = place_data.fetch(what);
  std::vector<Index> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<Index>(i);
  std::stable_sort(expected.begin(), expected.end(), [&](Index a, Index b) { return keys[a] < keys[b]; });
  expect_none(difference(expected, places), what);
  expect_none(difference(raw(keys), key_data.fetch(what)), what + ": keys changed");
}

template <class Key, class Index>
void check_places(const std::string& name) {
  workplace here;
  with_pair_shapes([&](const auto& distribution, std::size_t n, const std::string& shape) {
    const auto keys = make_keys<Key>(distribution, n, n);
    check_places_of<Key, Index>(here.context(), keys, name + ", " + shape);
    check_places_of<Key, Index>(by_rounds(here.context()), keys, name + ", " + shape + ", by rounds");
  });
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Sizes that one launch sorts, with and without a cluster of blocks, and one that exceeds a base case.
template <class Key, class Index>
void check_few_places(const std::string& name) {
  constexpr std::size_t few = device::few_codes, most = device::bin_tile(sizeof(device::indexed_bits<Key>)).size();
  static_assert(device::sure_tile<device::indexed_bits<Key>> == most);
  const std::size_t base_case = std::max(most, device::pair_base_case_tile(sizeof(device::key_value<Key>)).size());
  workplace here;
  device::context alone = here.context();
  alone.device.compute_capability = 80;
  for (const std::size_t n : tried({1, 2, 33, 100, few, few + 1, 700, most - 1, most, base_case + 1}))
    for (const auto& shape : {uniform, few_values}) {
      const auto keys = make_keys<Key>(shape, n, n);
      const std::string what = name + ", " + shape.name + ", " + std::to_string(n);
      check_places_of<Key, Index>(here.context(), keys, what);
      check_places_of<Key, Index>(alone, keys, what + ", by one block");
    }
}

}  // namespace

TEST_CASE("device paths: pairs") {
  if (no_device()) return;
  check_pairs<false, std::int32_t>("pairs, 32 bits");
  check_pairs<true, std::int32_t>("pairs, 32 bits, stable");
  check_pairs<false, std::int64_t>("pairs, 64 bits");
  check_pairs<true, std::int64_t>("pairs, 64 bits, stable");
}

TEST_CASE("device paths: pairs by tile_ranges of several tiles") {
  if (no_device()) return;
  if (reduced()) return skip("large inputs: reduced");
  const workplace here;
  constexpr std::size_t n = 2 * 1024 * device::pair_tile(2 * sizeof(std::int64_t)).size() + 77;
  check_pairs_of<true>(here, make_keys<std::int64_t>(zipf, n), "tile_ranges of several tiles, stable");
  check_pairs_of<false>(here, make_keys<std::int64_t>(zipf, n), "tile_ranges of several tiles");
}

TEST_CASE("device paths: pairs whose keys share their low bits, all of them or all but few") {
  if (no_device()) return;
  const workplace here;
  const std::size_t n = reduced() ? 10'001 : 300'007;
  for (const unsigned shared_bits : {1, 13, 43})
    for (const std::size_t strangers_apart : {n + 1, std::size_t{1009}}) {
      auto keys = make_keys<std::int64_t>(uniform, n);
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = 77'777 + ((keys[i] & 0x3ff) << shared_bits) + (i % strangers_apart == strangers_apart - 1);
      check_pairs_of<true>(here, keys,
                           "pairs that share " + std::to_string(shared_bits) + " bits, strangers " +
                               std::to_string(strangers_apart) + " apart");
    }
}

TEST_CASE("device paths: pairs whose keys cluster") {
  // Nested clusters: bins of equal width overflow however narrow they are. What distinguishes the keys of a base case
  // fits in words of 32 or of 64 bits, or in none if keys far away share the base case.
  if (no_device()) return;
  const workplace here;
  const std::size_t n = reduced() ? 10'001 : 200'003;
  random_source random{seed()};
  const auto check = [&]<class Key>(Key, unsigned levels, bool outliers, const std::string& what) {
    constexpr unsigned bits = 8 * sizeof(Key);
    std::vector<Key> keys(n);
    for (auto& key : keys) {
      Key place = 0;
      for (unsigned level = 0; level < levels; ++level)
        place = static_cast<Key>(place << bits / levels | (random() % 8 == 0 ? random() % 16 : random() % 3));
      key = outliers && random() % 64 == 0 ? static_cast<Key>(random()) : place;
    }
    check_pairs_of<true>(here, keys, what + ", stably");
    check_pairs_of<false>(here, keys, what);
  };
  check(std::uint32_t{}, 4, false, "clusters of 32 bits");
  check(std::uint32_t{}, 2, true, "clusters of 32 bits and others");
  check(std::uint64_t{}, 8, false, "clusters of 64 bits");
  check(std::uint64_t{}, 4, true, "clusters of 64 bits and others");
}

TEST_CASE("device paths: pairs whose keys occur several times") {
  if (no_device()) return;
  const workplace here;
  const std::size_t n = reduced() ? 10'001 : 300'007;
  for (const std::size_t times : {3, 7, 30, 100, 600}) {
    const std::string what = "keys that occur " + std::to_string(times) + " times";
    check_pairs_of<true>(here, repeated_keys<std::int32_t>(n, times), what + ", 32 bits");
    check_pairs_of<true>(here, repeated_keys<std::int64_t>(n, times), what + ", 64 bits");
  }
}

TEST_CASE("device paths: places of keys") {
  if (no_device()) return;
  const workplace here;
  check_places_of<std::int32_t, std::uint32_t>(here.context(), repeated_keys<std::int32_t>(40'001, 50),
                                               "repeated keys");
  check_places<std::int32_t, std::uint64_t>("places, 32 bits");
  check_places<std::int64_t, std::uint32_t>("places, 64 bits");
  if (reduced()) return skip("large inputs: reduced");
  for (const std::size_t times : {2, 100}) {  // leading digits may be enough
    const auto keys = repeated_keys<std::int64_t>(device::least_for_leading_digits + 7, times);
    check_places_of<std::int64_t, std::uint64_t>(here.context(), keys, "each " + std::to_string(times) + " times");
  }
  auto about_zero = make_keys<std::int64_t>(uniform, device::least_for_leading_digits + 7);
  for (auto& key : about_zero) key %= 100;
  about_zero[1'234'567] = std::int64_t{1} << 60;  // no sample contains it
  check_places_of<std::int64_t, std::uint32_t>(here.context(), about_zero, "about zero, and one far away");
}

TEST_CASE("device paths: places of a few keys") {
  if (no_device()) return;
  check_few_places<std::int32_t, std::uint32_t>("few places, 32 bits");
  check_few_places<std::int64_t, std::uint64_t>("few places, 64 bits");
}
