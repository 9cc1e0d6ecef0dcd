#include "gpu/detail/device/merge_sort.cuh"

#include "paths.hpp"

using namespace testing;

namespace {

/// A comparator of which nothing is known, so that the kernels must inspect where pieces meet.
struct by_value {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

}  // namespace

TEST_CASE("device paths: merge sort") {
  if (no_device()) return;
  check_rows<std::int32_t>("merge sort", true, [](const auto& context, auto data, std::size_t n, auto codec) {
    device::merge_sort(context, data, n, by_value{}, codec);
  });
}

TEST_CASE("device paths: inplace_merge") {
  if (no_device()) return;
  workplace here;
  with_shapes<std::uint32_t>([&](auto keys, const std::string& shape) {
    const std::size_t middle = keys.size() / 3;
    const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(middle);
    std::sort(keys.begin(), cut);
    std::sort(cut, keys.end());
    const storage<std::uint32_t> data{memory::device, keys};
    device::inplace_merge(here.context(), device::columns<std::uint32_t, device::no_value>{data.data(), nullptr},
                          middle, keys.size(), by_value{}, gpu::detail::identity_codec{});
    expect_none(sort_problem(keys, data.fetch(shape), natural_less{}), "inplace_merge, " + shape);
  });
}
