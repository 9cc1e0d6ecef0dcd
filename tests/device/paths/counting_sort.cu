#include "gpu/detail/device/counting_sort.cuh"

#include <algorithm>

#include "paths.hpp"

using namespace testing;

TEST_CASE("device paths: sorting by counting") {
  if (no_device()) return;
  const auto sort = [](const auto& context, auto* keys, std::size_t n, auto codec) {
    device::counting_sort(context, keys, n, codec);
  };
  check_keys<std::int8_t>("counting, 8 bits", sort);
  check_keys<std::int16_t>("counting, 16 bits", sort);
}

TEST_CASE("device paths: counters of keys that repeat") {
  if (no_device()) return;
  const workplace here;
  device::context by_few_blocks = here.context();
  by_few_blocks.device.multiprocessors = 1;  // so that a block counts more keys than a counter holds
  constexpr std::size_t apart = 3;           // keys from the beginning of a quad
  const std::size_t n = reduced() ? 200'003 : 1'000'003;
  const auto check = [&](const std::string& name, auto key_of) {
    std::vector<std::int16_t> keys(apart + n);
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = static_cast<std::int16_t>(key_of(i, random_at(seed(), i) >> 16));
    const storage<std::uint16_t> data{memory::device, raw(keys)};
    device::counting_sort(by_few_blocks, data.data() + apart, n, codec_of<std::int16_t>());
    std::sort(keys.begin() + apart, keys.end());
    expect_none(difference(raw(keys), data.fetch(name)), name);
  };
  check("one value", [](std::size_t, std::uint64_t) { return 7; });
  check("all equal but one", [](std::size_t i, std::uint64_t) { return i == 5000 ? 40'000 : 7; });
  check("two values", [](std::size_t, std::uint64_t random) { return random % 2 == 0 ? 7 : 4711; });
  check("two values that share a word", [](std::size_t, std::uint64_t random) { return 7 + random % 2 * 32'768; });
  check("two values in turn", [](std::size_t i, std::uint64_t) { return i % 2 * 32'768; });
  check("five values", [](std::size_t, std::uint64_t random) { return random % 5 * 10'000; });
  check("nine of ten", [](std::size_t, std::uint64_t random) { return random % 10 == 0 ? random >> 8 : 40'007; });
  check("one value for a while", [](std::size_t i, std::uint64_t) { return i / 1000 * 64; });
}

TEST_CASE("device paths: scans of every length") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : path_sizes()) {
    std::vector<unsigned long long> terms(n + 1);
    for (std::size_t i = 0; i < n; ++i) terms[i] = random_at(seed(), i) % 1000;
    terms[n] = n;  // the number of terms, which the scan reads from device memory
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
