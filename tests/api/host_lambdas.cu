// Callables that only the host can call, in a translation unit compiled by nvcc: lambdas that are not extended,
// std::function, references. Host data are sorted on the host, and no kernels are compiled for such callables.
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "device_memory.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using gpu::detail::is_of_the_host_v;

struct on_both_sides {
  __host__ __device__ bool operator()(int left, int right) const { return left > right; }
};
template <class Callable>
struct with_callable {
  Callable callable;
  __host__ __device__ bool operator()(int left, int right) const { return callable(right, left); }
};

/// A lambda within a template; its mangled name contains the template's types.
template <class T>
constexpr bool lambda_of_template_is_of_the_host(const T&) {
  const auto lambda = [](const T&, std::less<T> (*)(const std::vector<T>&)) { return true; };
  return is_of_the_host_v<std::remove_const_t<decltype(lambda)>>;
}
static_assert(lambda_of_template_is_of_the_host(1) && lambda_of_template_is_of_the_host(std::less<>{}));
static_assert(!is_of_the_host_v<on_both_sides> && !is_of_the_host_v<std::less<>>);
static_assert(is_of_the_host_v<bool (*)(int, int)> && is_of_the_host_v<std::function<bool(int, int)>>);
static_assert(is_of_the_host_v<std::reference_wrapper<on_both_sides>>);

}  // namespace

TEST_CASE("lambdas and functions of the host in a unit of nvcc") {
  const auto keys = make_keys<int>(20'000);
  const auto check = [&](const std::string& what, auto compare) {
    static_assert(is_of_the_host_v<decltype(compare)>);
    auto sorted = keys;
    gpu::sort(gpu::par, sorted, compare);
    expect_none(sort_problem(keys, sorted, compare), what);
    sorted = keys;
    gpu::stable_sort(gpu::par, sorted, compare);
    expect_none(stable_sort_problem(keys, sorted, compare), what + ", stable");
    expect(gpu::explain(gpu::par, keys, compare).where == gpu::backend::host, what + ": explain");
  };
  std::size_t least = 0;
  check("a lambda", [](int left, int right) { return left > right; });
  check("a generic lambda", [](auto left, auto right) { return left > right; });
  check("a lambda with a reference", [&least](int left, int right) { return left % 7 + least < right % 7 + least; });
  check("std::function", std::function<bool(int, int)>{on_both_sides{}});
  auto projected = keys;
  gpu::stable_sort(gpu::par, projected, {}, [](int key) { return -(key / 2); });
  expect_none(stable_sort_problem(keys, projected, [](int left, int right) { return left / 2 > right / 2; }),
              "a projection");
}

TEST_CASE("extended lambdas are not of the host") {
  const auto ascending = [] __host__ __device__(int left, int right) { return left < right; };
  static_assert(!is_of_the_host_v<std::remove_const_t<decltype(ascending)>>);
  static_assert(!is_of_the_host_v<with_callable<std::remove_const_t<decltype(ascending)>>>);
  const auto keys = make_keys<int>(1000);
  auto sorted = keys;
  gpu::sort(gpu::par, sorted, ascending);
  expect_none(sort_problem(keys, sorted, ascending), "on both sides");
}

TEST_CASE("device: lambdas of the host are refused for device data") {
  if (gpu::device_count() == 0) return skip("there is no device");
  auto* const data = static_cast<int*>(allocate_device(100 * sizeof(int)));
  expect_error(gpu::errc::host_unreachable, "a lambda of the host",
               [&] { gpu::sort(gpu::par, data, data + 100, [](int left, int right) { return left > right; }); });
  deallocate_device(data);
}
