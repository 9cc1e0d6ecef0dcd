#include "gpu/detail/device/radix_sort.cuh"

#include "paths.hpp"

using namespace testing;

TEST_CASE("device paths: radix sort") {
  if (no_device()) return;
  check_rows<std::int32_t>("radix sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    device::radix_sort(context, data, n, device::code_rank{}, codec);
  });
}

TEST_CASE("device paths: radix sort of wide keys, of which fewer make a tile") {
  if (no_device()) return;
  check_rows<std::int64_t>("radix sort of wide keys", true,
                           [](const auto& context, auto data, std::size_t n, auto codec) {
                             device::radix_sort(context, data, n, device::code_rank{}, codec);
                           });
}

TEST_CASE("device paths: radix sort by few blocks, of more equal digits than a counter can say") {
  if (no_device()) return;
  constexpr std::size_t n = 2'300'001;
  std::vector<std::uint32_t> keys(n, 0x2a2a2a2a);
  for (std::size_t i = 0; i < n; i += 5) keys[i] = static_cast<std::uint32_t>(i) * 2654435761u;
  workplace here;
  const storage<std::uint32_t> data{memory::device, keys, 3};
  device::radix_sort(by_few_blocks(here.context()),
                     device::columns<std::uint32_t, device::no_value>{data.data(), nullptr}, n, device::code_rank{},
                     codec_of<std::uint32_t>());
  std::sort(keys.begin(), keys.end());
  expect_none(difference(keys, data.fetch("radix sort by few blocks")), "radix sort by few blocks");
}
