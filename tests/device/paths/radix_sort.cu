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
