// sort_by_key, stable_sort_by_key: any number of value columns follow the keys.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "tried.hpp"
#include "values.hpp"

namespace {

using namespace testing;

template <class Index>
std::vector<Index> positions_of(std::size_t count) {
  std::vector<Index> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<Index>(i);
  return all;
}

/// The only value column holds the input positions, which reveals lost rows, torn rows and instability.
template <class Index, class Place, class Key>
void check_by_key(const Place& place, const std::vector<Key>& keys, bool stable, const std::string& what,
                  std::size_t misalignment = 0) {
  const auto indices = positions_of<Index>(keys.size());
  const auto key_data = place.store(keys, misalignment);
  const auto index_data = place.store(indices);
  if (stable)
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(index_data));
  else
    gpu::sort_by_key(place.policy, place.view(key_data), place.view(index_data));
  const auto before = with_index(keys, indices), after = with_index(key_data.fetch(what), index_data.fetch(what));
  const auto less = by(natural_less{}, &indexed<Key, Index>::key);
  expect_none(stable ? stable_sort_problem(before, after, less) : sort_problem(before, after, less),
              place.name + ", " + what);
}

struct wide_value {
  std::uint32_t index, words[5];
};

/// As large as an 8-byte word of the device, but less aligned.
struct two_words {
  std::uint32_t index, same;
};
struct four_bytes {
  unsigned char index[4];
};
struct four_words {
  std::uint32_t index, same[3];
};

template <class Key, class Value, class Place>
void check_loose_values(const Place& place, std::size_t count, bool stable, std::size_t misalignment = 1) {
  const std::string what = place.name + ", " + std::to_string(count) + " values of " + std::to_string(sizeof(Value)) +
                           " bytes aligned to " + std::to_string(alignof(Value)) + ", keys of " +
                           std::to_string(sizeof(Key));
  using index = gpu::detail::bits_of_size<std::max(sizeof(Key), std::size_t{4})>;  // leaves no padding in rows
  const auto keys = make_keys<Key>(few_values, count);
  std::vector<Value> values(count);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::size_t at = 0; at < sizeof(Value); at += sizeof(i))
      std::memcpy(reinterpret_cast<unsigned char*>(&values[i]) + at, &i, sizeof(i));
  const auto key_data = place.store(keys);
  const auto value_data = place.store(values, misalignment);
  if (stable)
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(value_data));
  else
    gpu::sort_by_key(place.policy, place.view(key_data), place.view(value_data));
  std::vector<index> order;
  std::size_t torn = 0;
  for (const Value& moved : value_data.fetch(what)) {
    std::uint32_t i = 0;
    std::memcpy(&i, &moved, sizeof(i));
    torn += i >= count || !same(moved, values[i]);
    order.push_back(i);
  }
  expect(torn == 0, what + ": " + std::to_string(torn) + " torn");
  const auto before = with_index(keys, positions_of<index>(count)), after = with_index(key_data.fetch(what), order);
  const auto less = by(natural_less{}, &indexed<Key, index>::key);
  expect_none(stable ? stable_sort_problem(before, after, less) : sort_problem(before, after, less), what);
}

/// Values that are narrower than the words that kernels move.
template <class Key, class Value, class Place>
void check_narrow_values(const Place& place, std::size_t count, bool stable) {
  const std::string what = place.name + ", " + std::to_string(count) + " values of " + std::to_string(sizeof(Value)) +
                           " bytes" + (stable ? ", stable" : "");
  const auto keys = make_keys<Key>(few_values, count);
  std::vector<Value> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Value>(7 * i + 3);
  const auto key_data = place.store(keys);
  const auto value_data = place.store(values);
  if (stable)
    gpu::stable_sort_by_key(place.policy, place.view(key_data), place.view(value_data));
  else
    gpu::sort_by_key(place.policy, place.view(key_data), place.view(value_data));
  const auto rows_of = [&](const std::vector<Key>& first, const std::vector<Value>& second) {
    std::vector<std::pair<Key, Value>> rows;
    for (std::size_t i = 0; i < count; ++i) rows.emplace_back(first[i], second[i]);
    return rows;
  };
  auto expected = rows_of(keys, values), found = rows_of(key_data.fetch(what), value_data.fetch(what));
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  expect(std::ranges::is_sorted(found, {}, &std::pair<Key, Value>::first), what + ": keys");
  if (!stable) std::sort(expected.begin(), expected.end()), std::sort(found.begin(), found.end());
  expect(found == expected, what);
}

template <class Place>
void check_narrow_values(const Place& place, std::size_t count) {
  for (const bool stable : {false, true}) {
    check_narrow_values<std::uint32_t, std::uint8_t>(place, count, stable);
    check_narrow_values<std::int64_t, std::int16_t>(place, count, stable);
    check_narrow_values<std::uint16_t, std::uint8_t>(place, count, stable);
    check_narrow_values<float, std::int8_t>(place, count, stable);
  }
}

}  // namespace

TEST_CASE("by_key: values of one and two bytes") {
  for (const std::size_t count : tried({2, 50, 3000, 70'000}))
    at_all_places([&](const auto& place) { check_narrow_values(place, count); });
  if (reduced()) return;
  for (const std::size_t count : {(std::size_t{1} << 20) + 77, (std::size_t{1} << 22) + 77})
    at_device_places([&](const auto& place) { check_narrow_values(place, count); });
}

TEST_CASE("by_key: distributions, one column") {
  for (const auto& distribution : {uniform, few_values, zipf})
    for (const std::size_t count : tried({0, 1, 2, 50, 3000, 30'000, 200'000})) {
      const auto keys = make_keys<std::uint32_t>(distribution, count);
      const auto reals = make_special_keys<double>(count);
      const std::string what = distribution.name + ", " + std::to_string(count);
      at_all_places([&](const auto& place) {
        for (const bool stable : {false, true}) {
          check_by_key<std::uint32_t>(place, keys, stable, what);
          check_by_key<std::uint64_t>(place, reals, stable, what + ", doubles");
        }
      });
    }
}

TEST_CASE("by_key: enough rows to be moved as pairs, and columns not aligned to them") {
  if (reduced()) return;
  constexpr std::size_t many_narrow = (1u << 22) + 77, many_wide = (1u << 20) + 77;
  at_device_places([&](const auto& place) {
    for (const auto& distribution : {uniform, few_values, zipf})
      for (const bool stable : {false, true}) {
        const std::string what = distribution.name + (stable ? ", stable" : "");
        const auto wide = make_keys<std::int64_t>(distribution, many_wide);
        check_by_key<std::uint32_t>(place, make_keys<std::int32_t>(distribution, many_narrow), stable, what);
        check_by_key<std::uint64_t>(place, wide, stable, what + ", 64 bits");
        check_by_key<std::uint64_t>(place, wide, stable, what + ", 64 bits, misaligned", 1);
        check_by_key<std::uint64_t>(place, make_special_keys<double>(many_wide), stable, what + ", doubles");
      }
  });
}

TEST_CASE("by_key: several columns of several types, descending") {
  constexpr std::size_t count = 20'000;
  const auto keys = make_keys<std::int32_t>(few_values, count);
  const auto indices = positions_of<std::uint32_t>(count);
  const auto bytes = make_keys<std::uint8_t>(count, 1);
  const auto reals = make_special_keys<double>(count);
  std::vector<wide_value> wide(count);
  for (std::size_t i = 0; i < count; ++i) wide[i] = {indices[i], {1, 2, 3, 4, indices[i]}};
  at_all_places([&](const auto& place) {
    const auto k = place.store(keys);
    const auto i = place.store(indices);
    const auto b = place.store(bytes);
    const auto r = place.store(reals);
    const auto w = place.store(wide);
    gpu::stable_sort_by_key(place.policy, place.view(k), place.view(i), place.view(b), place.view(r), place.view(w),
                            std::greater<>{});
    const auto order = i.fetch("index column");
    const auto less = by(natural_greater{}, &indexed<std::int32_t>::key);
    expect_none(stable_sort_problem(with_index(keys, indices), with_index(k.fetch(), order), less), place.name);
    const auto b2 = b.fetch("byte column");
    const auto r2 = r.fetch("double column");
    const auto w2 = w.fetch("wide column");
    std::size_t torn = 0;
    for (std::size_t row = 0; row < count; ++row)
      torn += b2[row] != bytes[order[row]] || !same(r2[row], reals[order[row]]) || !same(w2[row], wide[order[row]]);
    expect(torn == 0, place.name + ": " + std::to_string(torn) + " rows torn");
  });
}

TEST_CASE("by_key: values aligned to less than their size") {
  for (const std::size_t count : tried({50, 3000, 30'000, 200'000}))
    at_all_places([&](const auto& place) {
      for (const bool stable : {false, true}) {
        check_loose_values<std::uint32_t, two_words>(place, count, stable);
        check_loose_values<std::uint32_t, four_bytes>(place, count, stable);
        check_loose_values<std::uint64_t, two_words>(place, count, stable);
        check_loose_values<float, two_words>(place, count, stable);
      }
    });
}

TEST_CASE("by_key: values of sixteen bytes, which passes move along with short keys if they are aligned") {
  const auto check = [](const auto& place, std::size_t count) {
    for (const bool stable : {false, true})
      for (const std::size_t misalignment : {0, 1}) {
        check_loose_values<std::uint8_t, four_words>(place, count, stable, misalignment);
        check_loose_values<std::int16_t, four_words>(place, count, stable, misalignment);
        check_loose_values<std::uint32_t, four_words>(place, count, stable, misalignment);
        check_loose_values<float, four_words>(place, count, stable, misalignment);
        check_loose_values<std::uint64_t, four_words>(place, count, stable, misalignment);
      }
  };
  for (const std::size_t count : tried({50, 3000})) at_all_places([&](const auto& place) { check(place, count); });
  if (reduced()) return;
  for (const std::size_t count : {140'000, 300'007}) at_device_places([&](const auto& place) { check(place, count); });
}

/// The algorithms that can be forced, and whether each is stable.
constexpr std::pair<gpu::algorithm, bool> algorithms[] = {{gpu::algorithm::bitonic, false},
                                                          {gpu::algorithm::quicksort, false},
                                                          {gpu::algorithm::sample_sort, true},
                                                          {gpu::algorithm::merge_sort, true},
                                                          {gpu::algorithm::radix, true}};

TEST_CASE("by_key: forced algorithms") {
  const auto keys = make_keys<std::uint32_t>(zipf, 40'000);
  at_all_places([&](const auto& place) {
    for (const auto& [how, stable] : algorithms) {
      check_by_key<std::uint32_t>(place.using_algorithm(how), keys, false, "forced");
      if (stable) check_by_key<std::uint32_t>(place.using_algorithm(how), keys, true, "forced, stable");
    }
  });
}

TEST_CASE("by_key: keys of one and two bytes, whatever sorts them") {
  const auto check = [](const auto& place, std::size_t count, bool stable, const std::string& what) {
    check_by_key<std::uint32_t>(place, make_keys<std::int8_t>(uniform, count), stable, what + ", 1 byte");
    check_by_key<std::uint64_t>(place, make_keys<std::uint16_t>(zipf, count), stable, what + ", 2 bytes");
    check_by_key<std::uint32_t>(place, make_keys<std::int16_t>(uniform, count), stable, what + ", misaligned", 1);
  };
  for (const std::size_t count : tried({2, 50, 3000, 70'000, 300'000}))
    at_all_places([&](const auto& place) {
      for (const bool stable : {false, true}) check(place, count, stable, std::to_string(count));
      if (count != 3000) return;
      for (const auto& [how, stable] : algorithms) check(place.using_algorithm(how), count, stable, "forced");
    });
}
