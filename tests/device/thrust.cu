// Thrust's vectors, iterators and pointers as arguments: elements are sorted where they are; those on the device that
// cannot be sorted there are rejected with a named mistake.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/universal_vector.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "device_order.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "support.hpp"
#include "tried.hpp"

namespace {

using namespace testing;

template <class T>
using on_device = thrust::device_vector<T>;
using keys = on_device<std::uint32_t>;

template <class... Arguments>
concept is_sorted_by_us = requires(Arguments... arguments) { gpu::sort(gpu::par, arguments...); };
static_assert(is_sorted_by_us<keys&> && is_sorted_by_us<keys::iterator, keys::iterator>);
static_assert(is_sorted_by_us<keys::pointer, keys::pointer> && !is_sorted_by_us<const keys&>);
static_assert(!is_sorted_by_us<keys::const_iterator, keys::const_iterator>);

// What the types tell about where elements are.
using gpu::detail::residence;
using gpu::detail::residence_of;
static_assert(residence_of<keys&> == residence::device && residence_of<keys::const_iterator> == residence::device);
static_assert(residence_of<std::uint32_t*, keys::pointer> == residence::device);
static_assert(residence_of<thrust::universal_vector<int>&> == residence::ask);
static_assert(residence_of<thrust::host_vector<int>::iterator> == residence::ask);
static_assert(gpu::detail::is_contiguous_v<thrust::host_vector<int>::iterator>);
static_assert(gpu::detail::is_contiguous_v<thrust::universal_vector<int>::const_iterator>);

// Elements that no pointer refers to.
struct next {
  __host__ __device__ std::uint32_t operator()(std::uint32_t key) const { return key + 1; }
};
using zip = thrust::zip_iterator<thrust::tuple<keys::iterator, keys::iterator>>;
using backwards = std::reverse_iterator<keys::iterator>;
using transformed = thrust::transform_iterator<next, keys::iterator>;
template <class Misuse, class... Arguments>
inline constexpr bool names_mistake =
    std::is_same_v<gpu::detail::mistake_in<Misuse, decltype(gpu::par), Arguments...>,
                   gpu::detail::misuse::elements_on_the_device_must_lie_side_by_side_as_in_a_device_vector>;
using none = gpu::detail::misuse::none;
static_assert(!is_sorted_by_us<zip, zip> && !is_sorted_by_us<backwards, backwards>);
static_assert(names_mistake<gpu::detail::misuse_of_sort<true>, zip, zip, none, none>);
static_assert(names_mistake<gpu::detail::misuse_of_sort<false>, transformed, transformed, none, none>);
static_assert(names_mistake<gpu::detail::misuse_of_sort_by_key, keys::iterator, keys::iterator, backwards>);
static_assert(names_mistake<gpu::detail::misuse_of_argsort, transformed, transformed, int*, none, none>);
static_assert(names_mistake<gpu::detail::misuse_of_merge, keys&, keys&, zip, none, none, none, none, none>);
static_assert(!gpu::detail::fancy_device_elements<thrust::counting_iterator<int>>);

static_assert(std::is_same_v<decltype(gpu::device_span{std::declval<keys&>()}), gpu::device_span<std::uint32_t>>);
static_assert(
    std::is_same_v<decltype(gpu::device_span{std::declval<const keys&>()}), gpu::device_span<const std::uint32_t>>);
static_assert(
    std::is_same_v<decltype(gpu::device_span{std::declval<keys::pointer>(), 7u}), gpu::device_span<std::uint32_t>>);

template <class T>
std::vector<T> fetched(const on_device<T>& vector) {
  std::vector<T> elements(vector.size());
  thrust::copy(vector.begin(), vector.end(), elements.begin());
  return elements;
}

bool has_device() {
  if (gpu::device_count() > 0) return true;
  skip("there is no device");
  return false;
}

}  // namespace

TEST_CASE("device: vectors of Thrust are sorted where they are") {
  if (!has_device()) return;
  for (const std::size_t count : tried({0, 1, 7, 5000, 300'000})) {
    const std::string name = std::to_string(count);
    const auto input = make_keys<std::uint32_t>(count);
    on_device<std::uint32_t> vector(input.begin(), input.end());
    const auto check = [&](const std::string& what, const auto& less) {
      expect_none(sort_problem(input, fetched(vector), less), name + ", " + what);
      thrust::copy(input.begin(), input.end(), vector.begin());
    };
    expect(gpu::sort(gpu::par, vector) == vector.end(), name + ": the end of a vector");
    check("a vector", natural_less{});
    expect(gpu::sort(gpu::par, vector.begin(), vector.end(), std::ranges::greater{}) == vector.end(), name + ": end");
    check("iterators", natural_greater{});
    expect(gpu::stable_sort(gpu::par, vector.data(), vector.data() + count) == vector.data() + count, name + ": end");
    check("pointers", natural_less{});
    gpu::sort(gpu::par.require_device(), gpu::device_span{vector});
    check("a span", natural_less{});
    gpu::sort(gpu::par, vector, by_last_digits{});
    check("a comparator", by_last_digits{});
    if (count > 0)
      expect(gpu::explain(gpu::par, vector).where == gpu::backend::device, name + ": explain says where they are");
    gpu::sort(gpu::par, vector);
    expect(gpu::is_sorted(gpu::par, std::as_const(vector)), name + ": is_sorted of a const vector");
  }
}

TEST_CASE("device: members of records in a vector of Thrust") {
  if (!has_device()) return;
  struct record {
    std::uint32_t key;
    float value;
  };
  std::vector<record> input;
  for (const auto key : make_keys<std::uint32_t>(10'000))
    input.push_back({key % 100, static_cast<float>(input.size())});
  on_device<record> vector(input.begin(), input.end());
  gpu::stable_sort(gpu::par, vector, {}, &record::key);
  const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
  expect_none(stable_sort_problem(input, fetched(vector), by_key), "by a member");
}

TEST_CASE("device: columns, places and merges of Thrust's vectors") {
  if (!has_device()) return;
  constexpr std::size_t count = 20'000;
  const auto input = make_keys<std::uint32_t>(count);
  on_device<std::uint32_t> vector(input.begin(), input.end());
  on_device<std::uint64_t> places(count);
  expect(gpu::argsort(gpu::par, std::as_const(vector), places) == places.end(), "argsort's end");
  const auto order = fetched(places);
  std::vector<std::uint64_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::stable_sort(expected, {}, [&](std::uint64_t i) { return input[i]; });
  expect(order == expected, "argsort");

  on_device<std::uint32_t> values(input.begin(), input.end());
  gpu::sort_by_key(gpu::par, vector.begin(), vector.end(), values.begin());
  auto sorted = input;
  std::ranges::sort(sorted);
  expect(fetched(vector) == sorted && fetched(values) == sorted, "sort_by_key of iterators");
  gpu::stable_sort_by_key(gpu::par, vector, values, std::ranges::greater{});
  expect(fetched(vector) == fetched(values), "stable_sort_by_key of vectors");

  gpu::sort(gpu::par, vector.begin(), vector.begin() + 7000);
  gpu::sort(gpu::par, vector.begin() + 7000, vector.end());
  on_device<std::uint32_t> merged(count);
  const auto end = gpu::merge(gpu::par, vector.cbegin(), vector.cbegin() + 7000, vector.cbegin() + 7000, vector.cend(),
                              merged.begin());
  expect(end == merged.end() && fetched(merged) == sorted, "merge");
  gpu::inplace_merge(gpu::par, vector, vector.begin() + 7000);
  expect(fetched(vector) == sorted, "inplace_merge");
}

TEST_CASE("vectors of Thrust that the host reaches") {
  const auto input = make_keys<std::uint32_t>(3000);
  thrust::host_vector<std::uint32_t> on_host(input.begin(), input.end());
  gpu::sort(gpu::par, on_host);
  expect_none(sort_problem(input, std::vector<std::uint32_t>(on_host.begin(), on_host.end()), natural_less{}), "host");
  if (!has_device()) return;
  thrust::universal_vector<std::uint32_t> everywhere(input.begin(), input.end());
  gpu::sort(gpu::par, everywhere.begin(), everywhere.end(), by_last_digits{});
  expect_none(sort_problem(input, std::vector<std::uint32_t>(everywhere.begin(), everywhere.end()), by_last_digits{}),
              "universal");
}
