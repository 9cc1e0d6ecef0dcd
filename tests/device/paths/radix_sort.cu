#include "gpu/detail/device/radix_sort.cuh"

#include "paths.hpp"

using namespace testing;

TEST_CASE("device paths: radix sort") {
  if (no_device()) return;
  check_rows<std::int32_t>("radix sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    device::radix_sort(context, data, n, device::code_rank{}, codec);
  });
}

TEST_CASE("device paths: radix sort of many elements, in long tiles if blocks may have the shared memory") {
  if (no_device()) return;
  for (const std::size_t kilobytes : {64u, 1024u})  // as of compute capability 7.5, or enough
    check_rows<std::int64_t>(
        "radix sort of many", true, [kilobytes](device::context context, auto data, std::size_t n, auto codec) {
          auto& limits = context.device;
          limits.multiprocessors = 1;  // to which a few tiles are many
          limits.shared_bytes_per_block = std::min(limits.shared_bytes_per_block, kilobytes * 1024);
          device::radix_sort(context, data, n, device::code_rank{}, codec);
        });
}
