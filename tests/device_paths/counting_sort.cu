#include "gpu/detail/device/counting_sort.cuh"

#include "device_paths/paths.hpp"

using namespace testing;

TEST_CASE("device paths: sorting by counting") {
  if (no_device()) return;
  const auto sort = [](const auto& context, auto* keys, std::size_t n, auto codec) {
    device::counting_sort(context, keys, n, codec);
  };
  check_keys<std::int8_t>("counting, 8 bits", sort);
  check_keys<std::int16_t>("counting, 16 bits", sort);
}

TEST_CASE("device paths: scans of every length") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : path_sizes()) {
    std::vector<unsigned long long> terms(n + 1);
    for (std::size_t i = 0; i < n; ++i) terms[i] = random_at(seed(), i) % 1000;
    terms[n] = n;  // their number, as the scan reads it from device memory
    const storage<unsigned long long> data{memory::device, terms};
    if (n == 0) continue;
    const device::scratch<device::scan_scratch> memory{here.context(), n};
    memory->clear(here.context());
    device::exclusive_scan(here.context(), data.data(), data.data() + n, *memory);
    const auto sums = data.fetch("scan");
    unsigned long long sum = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong += sums[i] != sum;
      sum += terms[i];
    }
    expect(wrong == 0, std::to_string(wrong) + " of " + std::to_string(n) + " sums");
  }
}
