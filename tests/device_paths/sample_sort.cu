#include "gpu/detail/device/sample_sort.cuh"

#include "device_paths/paths.hpp"

using namespace testing;

TEST_CASE("device paths: sample sort") {
  if (no_device()) return;
  check_rows<float>("sample sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    const auto less = gpu::detail::make_floating_code_less<std::uint32_t>(gpu::detail::format_of<float>());
    device::sample_sort(context, data, n, less, codec);
  });
}
