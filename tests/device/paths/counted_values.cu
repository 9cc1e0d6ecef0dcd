#include "gpu/detail/device/block/counted_values.cuh"

#include <limits>
#include <string>

#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

constexpr int threads = 256, items = 16;
template <class Code>
using tile_sort = device::block::counted_values<Code, threads, items>;

template <class Code, class Codec>
__global__ void sort_tile_kernel(const Code* source, Code* target, unsigned n, Codec codec, unsigned* answer) {
  __shared__ typename tile_sort<Code>::storage shared;
  const bool sorted = tile_sort<Code>{shared}.sort(source, target, n, codec, codec);
  if (threadIdx.x == 0) *answer = sorted ? 1 : 0;
}

/// Sorts one tile, or checks that it is declined and nothing is written.
template <class Key>
void check(const std::vector<Key>& keys, bool expected, const std::string& name, bool descending = false) {
  const std::string what = std::to_string(sizeof(Key)) + " bytes, " + std::to_string(keys.size()) + ", " + name;
  const storage<bits_of<Key>> source{memory::device, raw(keys)};
  const std::vector<bits_of<Key>> untouched(keys.size(), 77);
  const storage<bits_of<Key>> target{memory::device, untouched};
  const storage<unsigned> answer{memory::device, std::vector<unsigned>{2}};
  sort_tile_kernel<<<1, threads>>>(source.data(), target.data(), static_cast<unsigned>(keys.size()),
                                   codec_of<Key>(descending), answer.data());
  expect(cudaGetLastError() == cudaSuccess, what + ": launched");
  expect(answer.fetch(what)[0] == (expected ? 1u : 0u), what + ": sorted, or declined");
  const auto found = target.fetch(what);
  if (!expected)
    expect(found == untouched, what + ": nothing is written");
  else
    expect_none(descending ? sort_problem(keys, cooked<Key>(found), natural_greater{})
                           : sort_problem(keys, cooked<Key>(found), natural_less{}),
                what);
}

/// Keys that each occur about `times` times, in a range that has `fewer_bits` bits less than the whole.
template <class Key>
std::vector<Key> keys_within(std::size_t n, std::size_t times, int fewer_bits) {
  auto keys = repeated_keys<Key>(n, times);
  for (Key& key : keys) key = static_cast<Key>(key >> fewer_bits);
  return keys;
}

/// Keys at `places` values far apart; one of `every` keys, on average, is one of `values` values next to these.
template <class Key>
std::vector<Key> neighbours(std::size_t n, std::size_t places, std::size_t values, std::size_t every) {
  const Key apart = std::numeric_limits<Key>::max() / static_cast<Key>(2 * places);
  std::vector<Key> keys;
  for (const std::uint64_t random : make_keys<std::uint64_t>(uniform, n, 0)) {
    const std::uint64_t beside = (random >> 32) % every == 0 ? (random >> 40) % values : 0;
    keys.push_back(static_cast<Key>(random % places) * apart + static_cast<Key>(beside));
  }
  return keys;
}

template <class Key>
void check_tiles() {
  constexpr int bits = 8 * sizeof(Key);
  for (const std::size_t n : tried({4096, 2, 33, 1000, 3071, 3072, 4095}))
    for (const std::size_t times : {7, 12, 50, 500})
      for (const int fewer : {1, 10, bits - 20, bits - 4}) {
        auto keys = keys_within<Key>(n, times, fewer);
        keys[0] = 1, keys[n - 1] = 0;  // not all equal
        const std::string name = std::to_string(times) + " times, " + std::to_string(fewer) + " bits fewer";
        check(keys, true, name);
        check(keys, true, name + ", descending", true);
      }
  for (const std::size_t values : {2, 5, 12}) check(neighbours<Key>(4096, 400, values, 16), true, "neighbours");
}

template <class Key>
void check_declined() {
  check(keys_within<Key>(4096, 1, 4), false, "all different");
  check(keys_within<Key>(4096, 2, 4), false, "twice, which bins take less time for");
  check(neighbours<Key>(4096, 400, 1000, 1), false, "too many neighbours");
  check(neighbours<Key>(4096, 2, 200, 16), false, "too many about few places");
  check(std::vector<Key>(4096, 5), false, "all equal");
  check(std::vector<Key>{std::numeric_limits<Key>::max(), 0, std::numeric_limits<Key>::min()}, false, "all bits");
}

}  // namespace

TEST_CASE("device paths: tiles of values that occur several times") {
  if (no_device()) return;
  check_tiles<std::int32_t>();
  check_tiles<std::int64_t>();
}

TEST_CASE("device paths: tiles where counting values does not pay are declined") {
  if (no_device()) return;
  check_declined<std::int32_t>();
  check_declined<std::int64_t>();
}
