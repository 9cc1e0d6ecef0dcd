#include "gpu/detail/device/block/heavy_codes.cuh"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu/detail/device/block/bin_sort.cuh"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

constexpr int threads = 256, items = 16;
constexpr unsigned room = threads * items;

/// Writes to `answer` whether there are heavy codes, and the number of other codes.
template <class Code, class Codec>
__global__ void sort_but_heavy_kernel(const Code* source, Code* rest, Code* target, std::size_t n, Codec codec,
                                      unsigned* answer) {
  using heavy_codes = device::block::heavy_codes<Code, threads>;
  using bins = device::block::bin_sort<Code, threads, items>;
  __shared__ typename heavy_codes::storage shared;
  __shared__ typename bins::storage shared_bins;
  heavy_codes heavy{shared};
  const bool any = heavy.look(source, n, codec);
  if (threadIdx.x == 0) answer[0] = any;
  if (!any) return;
  const unsigned others = heavy.set_aside(source, n, rest);
  if (threadIdx.x == 0) answer[1] = others;
  if (others > room) return;
  bins tile{shared_bins};
  if (!tile.sort(rest, others, codec)) tile.merge(others);
  heavy.store(tile, others, target, codec);
}

struct found {
  bool any;
  unsigned others;
};

/// Sorts keys if some are heavy and the others fit in a tile.
template <class Key>
found check(const std::vector<Key>& keys, bool sorted, const std::string& name, bool descending = false) {
  const std::string what = std::to_string(sizeof(Key)) + " bytes, " + std::to_string(keys.size()) + ", " + name;
  const storage<bits_of<Key>> source{memory::device, raw(keys)};
  const std::vector<bits_of<Key>> untouched(std::max<std::size_t>(keys.size(), room) + 1, 77);
  const storage<bits_of<Key>> rest{memory::device, untouched}, target{memory::device, untouched};
  const storage<unsigned> answer{memory::device, std::vector<unsigned>{2, 0}};
  sort_but_heavy_kernel<<<1, threads>>>(source.data(), rest.data(), target.data(), keys.size(),
                                        codec_of<Key>(descending), answer.data());
  expect(cudaGetLastError() == cudaSuccess, what + ": launched");
  const auto answers = answer.fetch(what);
  auto result = target.fetch(what);
  expect(rest.fetch(what)[answers[1]] == 77, what + ": the others, and nothing beyond");
  if (!sorted) {
    expect(result == untouched, what + ": nothing is written");
  } else {
    expect(result[keys.size()] == 77, what + ": nothing beyond the keys");
    result.resize(keys.size());
    expect_none(descending ? sort_problem(keys, cooked<Key>(result), natural_greater{})
                           : sort_problem(keys, cooked<Key>(result), natural_less{}),
                what);
  }
  return {answers[0] == 1, answers[1]};
}

/// `others` random keys, and copies[h] copies of the h-th heavy key: the least key, the greatest, and some between.
template <class Key>
std::vector<Key> keys_and_heavy_ones(std::size_t others, const std::vector<std::size_t>& copies) {
  auto keys = make_keys<Key>(uniform, others, 0);
  for (std::size_t h = 0; h < copies.size(); ++h) {
    const Key heavy = h == 0   ? std::numeric_limits<Key>::min()
                      : h == 1 ? std::numeric_limits<Key>::max()
                               : static_cast<Key>(random_at(3, h));
    keys.insert(keys.end(), copies[h], heavy);
  }
  for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random_at(4, i) % i]);
  return keys;
}

template <class Key>
void check_heavy() {
  for (const std::size_t others : tried({3000, 0, 1, 4096}))
    for (const std::vector<std::size_t>& copies :
         {std::vector<std::size_t>{20'000, 30'000}, {20'000}, {0, 50'000}, {30'000, 29'999, 30'001}}) {
      const auto keys = keys_and_heavy_ones<Key>(others, copies);
      const std::string name = std::to_string(copies.size()) + " heavy among " + std::to_string(others);
      for (const bool descending : {false, true}) {
        const found seen = check(keys, true, name, descending);
        expect(seen.any && seen.others >= others && seen.others <= room, name + ": what is set aside");
      }
    }
  const auto crowd = keys_and_heavy_ones<Key>(5000, {30'000});
  expect(check(crowd, false, "too many others").others > room, "too many others");
  expect(!check(make_keys<Key>(uniform, 40'000, 0), false, "nothing heavy").any, "nothing heavy");
  expect(check(std::vector<Key>(33, 5), true, "all equal, hardly more than are looked at").others == 0, "all equal");
}

}  // namespace

TEST_CASE("device paths: heavy codes are counted, the others sorted") {
  if (no_device()) return;
  check_heavy<std::int32_t>();
  check_heavy<std::int64_t>();
}
