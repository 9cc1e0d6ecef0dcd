#include "gpu/detail/device/merging/multiway_merge.cuh"

#include "device_paths/paths.hpp"

using namespace testing;

namespace {

/// k sorted runs of ragged lengths, one after the other, each element knowing where it came from.
std::vector<record8> ragged_runs(const std::vector<std::uint32_t>& keys, std::size_t k,
                                 std::vector<std::size_t>& ends) {
  auto rows = with_index(keys);
  ends.clear();
  std::size_t begin = 0;
  for (std::size_t run = 0; run < k; ++run) {
    const std::size_t left = rows.size() - begin;
    const std::size_t end = run + 1 == k ? rows.size() : begin + left * (run * 7 % 5) / 8;
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end),
                     by(natural_less{}, &record8::key));
    ends.push_back(end);
    begin = end;
  }
  return rows;
}

}  // namespace

TEST_CASE("device paths: multiway merge") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t k : {3, 8, 64, 100})
    with_shapes<std::uint32_t>([&](const auto& unsorted, const std::string& shape) {
      std::vector<std::size_t> ends;
      const auto rows = ragged_runs(unsorted, k, ends);
      std::vector<std::uint32_t> keys, indices;
      for (const auto& row : rows) keys.push_back(row.key), indices.push_back(row.index);
      const storage<std::uint32_t> key_data{memory::device, keys}, value_data{memory::device, indices};
      const storage<std::uint32_t> merged_keys{memory::device, keys}, merged_values{memory::device, indices};
      std::vector<device::sequence<std::uint32_t, std::uint32_t>> runs;
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        runs.push_back({{key_data.data() + begin, value_data.data() + begin}, end - begin});
        begin = end;
      }
      device::multiway_merge(here.context(), runs.data(), k,
                             device::columns<std::uint32_t, std::uint32_t>{merged_keys.data(), merged_values.data()},
                             gpu::detail::code_less{}, gpu::detail::identity_codec{});
      const auto out_keys = merged_keys.fetch(shape), out_values = merged_values.fetch(shape);
      std::vector<record8> after(rows.size());
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = {out_keys[i], out_values[i]};
      expect_none(stable_sort_problem(rows, after, by(natural_less{}, &record8::key)),
                  std::to_string(k) + " runs, " + shape);
    });
}
