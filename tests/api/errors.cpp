// Errors: everything that the library rejects, with which code, and that nothing is modified.
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;
using gpu::errc;

}  // namespace

TEST_CASE("errors: categories and codes") {
  static_assert(std::is_error_code_enum_v<gpu::errc>);
  static_assert(std::is_base_of_v<std::system_error, gpu::error>);
  expect(std::string{gpu::error_category().name()} == "gpupar", "name of the category");
  expect(gpu::error_category() != gpu::cuda_category(), "two categories");
  for (const auto code : {errc::no_device, errc::host_unreachable, errc::device_unsupported, errc::unsuitable_algorithm,
                          errc::invalid_range, errc::overlapping_ranges}) {
    const std::error_code made = code;
    expect(made.category() == gpu::error_category() && made.value() == static_cast<int>(code), "code");
    expect(!made.message().empty(), "message");
    expect(made.message() != std::error_code{99, gpu::error_category()}.message(), "a message of its own");
  }
  const gpu::error thrown{make_error_code(errc::no_device), "what to do"};
  expect(std::string{thrown.what()}.find("what to do") != std::string::npos, "what");
}

TEST_CASE("errors: null pointers with elements") {
  int* const null = nullptr;
  std::vector<int> some{3, 2, 1}, out(6);
  at_host_places([&](const auto& place) {
    const auto& policy = place.policy;
    const auto check = [&](const std::string& what, auto action) {
      expect_error(errc::invalid_range, place.name + ", " + what, action);
    };
    check("sort", [&] { gpu::sort(policy, null, null + 3); });
    check("stable_sort", [&] { gpu::stable_sort(policy, std::span<int>{null, 3}); });
    check("is_sorted", [&] { (void)gpu::is_sorted(policy, null, null + 3); });
    check("sort_by_key, keys", [&] { gpu::sort_by_key(policy, null, null + 3, some.begin()); });
    check("sort_by_key, values", [&] { gpu::sort_by_key(policy, some.begin(), some.end(), null); });
    check("argsort, keys", [&] { gpu::argsort(policy, null, null + 3, out.begin()); });
    check("argsort, indices", [&] { gpu::argsort(policy, some.begin(), some.end(), null); });
    check("merge, input", [&] { gpu::merge(policy, null, null + 3, some.begin(), some.end(), out.begin()); });
    check("merge, output", [&] { gpu::merge(policy, some.begin(), some.end(), some.begin(), some.end(), null); });
    check("inplace_merge", [&] { gpu::inplace_merge(policy, null, null + 1, null + 3); });
    check("explain", [&] { (void)gpu::explain(policy, null, null + 3); });
    const std::vector<std::span<int>> ranges{{null, 3}, {some.data(), 3}};
    check("multiway_merge", [&] { gpu::multiway_merge(policy, ranges, out.begin()); });
    expect(some == std::vector{3, 2, 1}, place.name + ": nothing was touched");
  });
}

TEST_CASE("errors: ranges that end before they begin") {
  std::vector<int> v{3, 1, 2}, out(6);
  at_host_places([&](const auto& place) {
    const auto& policy = place.policy;
    const auto check = [&](const std::string& what, auto action) {
      expect_error(errc::invalid_range, place.name + ", " + what, action);
    };
    check("sort", [&] { gpu::sort(policy, v.end(), v.begin()); });
    check("stable_sort", [&] { gpu::stable_sort(policy, v.rend(), v.rbegin()); });
    check("is_sorted_until", [&] { (void)gpu::is_sorted_until(policy, v.end(), v.begin()); });
    check("sort_by_key", [&] { gpu::sort_by_key(policy, v.end(), v.begin(), out.begin()); });
    check("argsort", [&] { gpu::argsort(policy, v.end(), v.begin(), out.begin()); });
    check("merge", [&] { gpu::merge(policy, v.begin(), v.end(), v.end(), v.begin(), out.begin()); });
    check("inplace_merge, middle first", [&] { gpu::inplace_merge(policy, v.begin() + 1, v.begin(), v.end()); });
    check("inplace_merge, middle last", [&] { gpu::inplace_merge(policy, v.begin(), v.end(), v.end() - 1); });
    check("sort_indexed", [&] { gpu::sort_indexed(policy, 5, 2, std::less<>{}, [](int, int) {}); });
    expect(v == std::vector{3, 1, 2}, place.name + ": nothing was touched");
  });
}

TEST_CASE("errors: outputs that overlap an input") {
  at_host_places([&](const auto& place) {
    const auto& policy = place.policy;
    std::vector<int> v{1, 3, 2, 4, 0, 0, 0, 0};
    const auto before = v;
    const auto check = [&](const std::string& what, auto action) {
      expect_error(errc::overlapping_ranges, place.name + ", " + what, action);
    };
    const std::span all{v};
    check("merge, same begin", [&] { gpu::merge(policy, all.first(2), all.subspan(2, 2), all.begin()); });
    check("merge, second", [&] { gpu::merge(policy, all.subspan(6, 2), all.first(2), all.begin() + 1); });
    check("merge, last element", [&] { gpu::merge(policy, all.subspan(4, 2), all.subspan(2, 1), all.begin()); });
    const std::vector<std::span<int>> ranges{all.first(2), all.subspan(2, 2)};
    check("multiway_merge", [&] { gpu::multiway_merge(policy, ranges, v.begin() + 3); });
    std::vector<char> values(8);
    check("merge_by_key, keys", [&] {
      gpu::merge_by_key(policy, v.begin(), v.begin() + 2, v.begin() + 2, v.begin() + 4, values.begin(),
                        values.begin() + 2, v.begin() + 2, values.begin() + 4);
    });
    check("merge_by_key, values", [&] {
      gpu::merge_by_key(policy, v.begin(), v.begin() + 2, v.begin() + 2, v.begin() + 4, values.begin(),
                        values.begin() + 2, v.begin() + 4, values.begin() + 3);
    });
    expect(v == before, place.name + ": nothing was touched");
    gpu::merge(policy, all.first(2), all.subspan(2, 2), all.begin() + 4);
    expect(v == std::vector{1, 3, 2, 4, 1, 2, 3, 4}, place.name + ": neighbours do not overlap");
  });
}

TEST_CASE("errors: algorithms that cannot do it") {
  std::vector<int> v{3, 1, 2}, values(3);
  const auto custom = [](int a, int b) { return a % 2 < b % 2; };
  at_host_places([&](const auto& place) {
    for (const auto how : {gpu::algorithm::bitonic, gpu::algorithm::quicksort}) {
      const auto policy = place.policy.using_algorithm(how);
      const std::string name = place.name + ", " + std::string{gpu::to_string(how)};
      expect_error(errc::unsuitable_algorithm, name, [&] { gpu::stable_sort(policy, v); });
      expect_error(errc::unsuitable_algorithm, name, [&] { gpu::stable_sort_by_key(policy, v, values); });
      expect_error(errc::unsuitable_algorithm, name, [&] { (void)gpu::explain_stable_sort(policy, v); });
    }
    const auto radix = place.policy.using_algorithm(gpu::algorithm::radix);
    expect_error(errc::unsuitable_algorithm, place.name + ", radix", [&] { gpu::sort(radix, v, custom); });
    expect_error(errc::unsuitable_algorithm, place.name + ", radix, stable",
                 [&] { gpu::stable_sort(radix, v, custom); });
    std::vector<std::wstring> words{L"b", L"a"};
    expect_error(errc::unsuitable_algorithm, place.name + ", radix of wide strings", [&] { gpu::sort(radix, words); });
    expect(v == std::vector{3, 1, 2} && words.front() == L"b", place.name + ": nothing was touched");
  });
}

TEST_CASE("errors: a device is required and there is none") {
  if (gpu::device_count() > 0) return skip("programs without a device: there is one");
  std::vector<int> v{3, 1, 2}, out(6), indices(3);
  const auto policy = gpu::par.require_device();
  expect_error(errc::no_device, "sort", [&] { gpu::sort(policy, v); });
  expect_error(errc::no_device, "stable_sort", [&] { gpu::stable_sort(policy, v); });
  expect_error(errc::no_device, "sort_by_key", [&] { gpu::sort_by_key(policy, v, out); });
  expect_error(errc::no_device, "argsort", [&] { gpu::argsort(policy, v, indices); });
  expect_error(errc::no_device, "merge", [&] { gpu::merge(policy, v, v, out.begin()); });
  expect_error(errc::no_device, "inplace_merge", [&] { gpu::inplace_merge(policy, v, v.begin() + 1); });
  expect_error(errc::no_device, "is_sorted", [&] { (void)gpu::is_sorted(policy, v); });
  expect_error(errc::no_device, "explain", [&] { (void)gpu::explain(policy, v); });
  expect_error(errc::no_device, "device_span", [&] { gpu::sort(gpu::par, gpu::device_span{v.data(), v.size()}); });
  expect_error(errc::no_device, "device_span, stable",
               [&] { gpu::stable_sort(gpu::par, gpu::device_span{v.data(), v.size()}); });
  expect(v == std::vector{3, 1, 2}, "nothing was touched");
}

TEST_CASE("errors: data in device memory that only the host could sort") {
  if (gpu::device_count() == 0) return skip("device memory: no device");
  const auto keys = make_keys<std::uint32_t>(1000);
  const storage<std::uint32_t> data{memory::device, keys};
  const std::span view{data.data(), data.size()};
  const auto custom = [](std::uint32_t a, std::uint32_t b) { return a % 10 < b % 10; };
  expect_error(errc::host_unreachable, "host required", [&] { gpu::sort(gpu::par.require_host(), view); });
  expect_error(errc::host_unreachable, "a lambda in a .cpp", [&] { gpu::sort(gpu::par, view, custom); });
  expect_error(errc::host_unreachable, "stable", [&] { gpu::stable_sort(gpu::par, view, custom); });
  expect_none(difference(keys, data.fetch()), "nothing was touched");
  gpu::sort(gpu::par, view);
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "device memory in an ordinary span");
}
