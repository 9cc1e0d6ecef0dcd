#include "gpu/detail/device/sample_sort.cuh"

#include "paths.hpp"

using namespace testing;

TEST_CASE("device paths: sample sort") {
  if (no_device()) return;
  check_rows<float>("sample sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    const auto less = gpu::detail::make_floating_code_less<std::uint32_t>(gpu::detail::format_of<float>());
    device::sample_sort(context, data, n, less, codec);
  });
}

TEST_CASE("device paths: sample sort by tile_ranges of several tiles") {
  if (no_device()) return;
  if (reduced()) return skip("large inputs: reduced");
  const workplace here;
  constexpr std::size_t n = 2 * 1024 * device::distribution_tile(sizeof(float), sizeof(std::uint32_t)).size() + 77;
  const auto rows = with_index(make_keys<float>(zipf, n));
  std::vector<std::uint32_t> keys, indices;
  for (const auto& row : rows) keys.push_back(std::bit_cast<std::uint32_t>(row.key)), indices.push_back(row.index);
  const storage<std::uint32_t> key_data{memory::device, keys}, index_data{memory::device, indices};
  const auto less = gpu::detail::make_floating_code_less<std::uint32_t>(gpu::detail::format_of<float>());
  device::sample_sort(here.context(), device::columns<std::uint32_t, std::uint32_t>{key_data.data(), index_data.data()},
                      n, less, codec_of<float>());
  keys = key_data.fetch(), indices = index_data.fetch();
  auto after = rows;
  for (std::size_t i = 0; i < n; ++i) after[i] = {std::bit_cast<float>(keys[i]), indices[i]};
  const auto stably = [](const auto& a, const auto& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  };
  expect_none(sort_problem(rows, after, stably), "tile_ranges of several tiles");
}
