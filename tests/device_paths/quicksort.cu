#include "gpu/detail/device/quicksort.cuh"

#include "device_paths/paths.hpp"

using namespace testing;

TEST_CASE("device paths: quicksort of codes") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(context, device::columns<std::uint32_t, device::no_value>{keys, nullptr}, n,
                      gpu::detail::code_less{}, codec);
  });
}
