// The first launch of a call starts early: it must read what the previous launch on the stream writes at its end, even
// though that has already let it begin.
#include <cstddef>

#include "gpu/detail/device/bitonic_sort.cuh"
#include "gpu/detail/device/merge_sort.cuh"
#include "gpu/detail/device/tile_sort.cuh"
#include "late_copy.cuh"
#include "paths.hpp"

using namespace testing;

namespace {

using key = std::uint32_t;
using columns = device::columns<key, device::no_value>;

/// Checks sort(context, keys, n, codec) on keys that arrive late. It is called once before, since a kernel's first
/// launch loads its code, which may take longer than the copy.
template <class Sort>
void check_sort(const std::string& how, std::size_t n, Sort sort) {
  const workplace here;
  const auto keys = make_keys<key>(n);
  const storage<key> source{memory::device, keys}, data{memory::device, std::vector<key>(n)};
  const auto sort_data = [&] { sort(here.context(), columns{data.data(), nullptr}, n, codec_of<key>()); };
  sort_data();
  copy_late(here.context(), source.data(), data.data(), n);
  sort_data();
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), how + " of late keys, " + std::to_string(n));
}

/// The same for a merge of sequences that arrive late.
void check_merge(std::size_t n) {
  const workplace here;
  const std::size_t half = n / 2;
  const auto keys = sorted_halves(make_keys<key>(n), half);
  const storage<key> source{memory::device, keys};
  const storage<key> data{memory::device, std::vector<key>(n)}, merged{memory::device, std::vector<key>(n)};
  const auto merge_data = [&] {
    device::merge<key, device::no_value>(here.context(), {data.data(), nullptr}, half, {data.data() + half, nullptr},
                                         n - half, {merged.data(), nullptr}, gpu::detail::code_less{},
                                         gpu::detail::identity_codec{});
  };
  merge_data();
  copy_late(here.context(), source.data(), data.data(), n);
  merge_data();
  expect_none(sort_problem(keys, merged.fetch(), natural_less{}), "merge of late keys, " + std::to_string(n));
}

}  // namespace

TEST_CASE("device paths: first launches wait for the one before them on the stream") {
  if (no_device()) return;
  for (const std::size_t n : {100, 1000})
    check_sort("sort of a tile", n,
               [](const auto&... arguments) { expect(device::sort_tile(arguments...), "a tile"); });
  for (const std::size_t n : {1000, 20'000})
    check_sort("bitonic sort", n, [](const auto& context, const auto& data, std::size_t count, auto codec) {
      device::bitonic_sort(context, data, count, gpu::detail::code_less{}, codec);
    });
  for (const std::size_t n : {1000, 20'000})
    check_sort("merge sort", n, [](const auto& context, const auto& data, std::size_t count, auto codec) {
      device::merge_sort(context, data, count, gpu::detail::code_less{}, codec);
    });
  check_merge(20'000);
  check_merge(device::few_tiles * device::single_pair<key, device::no_value>::tile.size() + 1);
}
