#include "gpu/detail/device/bitonic_sort.cuh"

#include "paths.hpp"

using namespace testing;

namespace {

template <class Bits, class Codec>
void sort_codes(const device::context& context, Bits* keys, std::size_t n, Codec codec) {
  device::bitonic_sort(context, device::columns<Bits, device::no_value>{keys, nullptr}, n, gpu::detail::code_less{},
                       codec);
}

}  // namespace

TEST_CASE("device paths: bitonic sort") {
  if (no_device()) return;
  const auto sort = [](const auto&... arguments) { sort_codes(arguments...); };
  check_keys<std::int32_t>("bitonic", sort);
  check_keys<std::uint64_t>("bitonic, wide", sort);
}

TEST_CASE("device paths: bitonic sort without clusters") {
  if (no_device()) return;
  check_keys<std::int32_t>("bitonic by launches", [](device::context context, auto... arguments) {
    context.device.compute_capability = 80;
    sort_codes(context, arguments...);
  });
}

namespace {

__global__ void architecture_kernel(int* found) {
#if defined(__CUDA_ARCH__)
  *found = __CUDA_ARCH__ / 10;
#endif
}

}  // namespace

TEST_CASE("device paths: what the code is compiled for that the device runs of a kernel") {
  if (no_device()) return;
  const workplace here;
  const storage<int> found{memory::device, {0}};
  device::launch(here.context(), device::shape{1, 1}, architecture_kernel, found.data());
  const int architecture = found.fetch()[0];
  const auto known = [&]() -> const auto& {
    return device::know(here.context(), architecture_kernel, std::source_location{});
  };
  expect(known().architecture == architecture, "as the kernel says: " + std::to_string(architecture));
  expect(&known() == &known(), "asked once");
  auto older = here.context();
  older.device.compute_capability = 80;
  expect(device::runs_code_for_90(here.context(), architecture_kernel) == (architecture >= 90), "for 9.0");
  expect(!device::runs_code_for_90(older, architecture_kernel), "not on older devices");
}

namespace {

/// The order of codes, by a type of which the library knows nothing.
struct some_order {
  __device__ bool operator()(std::uint32_t left, std::uint32_t right) const { return left < right; }
};

}  // namespace

TEST_CASE("device paths: bitonic sort by a comparator") {
  if (no_device()) return;
  check_keys<std::int32_t>(
      "bitonic by a comparator", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
        device::bitonic_sort(context, device::columns<std::uint32_t, device::no_value>{keys, nullptr}, n, some_order{},
                             codec);
      });
}

TEST_CASE("device paths: bitonic sort of keys with values") {
  if (no_device()) return;
  check_rows<std::int32_t>("bitonic with values", false, [](const auto& context, auto data, std::size_t n, auto codec) {
    device::bitonic_sort(context, data, n, gpu::detail::code_less{}, codec);
  });
}

namespace {

struct compare_at {
  std::uint32_t* keys;
  __device__ bool operator()(std::size_t i, std::size_t j) const { return keys[i] < keys[j]; }
};
struct swap_at {
  std::uint32_t* keys;
  __device__ void operator()(std::size_t i, std::size_t j) const {
    const std::uint32_t key = keys[i];
    keys[i] = keys[j];
    keys[j] = key;
  }
};

}  // namespace

TEST_CASE("device paths: bitonic sort by index") {
  if (no_device()) return;
  workplace here;
  with_shapes<std::uint32_t>([&](const auto& keys, const std::string& shape) {
    const storage<std::uint32_t> data{memory::device, keys};
    device::bitonic_sort_indexed(here.context(), keys.size(), compare_at{data.data()}, swap_at{data.data()});
    expect_none(sort_problem(keys, data.fetch(shape), natural_less{}), "by index, " + shape);
  });
}
