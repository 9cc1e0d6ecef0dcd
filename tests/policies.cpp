// Policies and explain: what a policy says, what the library decides, and that the two agree.
#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/detail/device/tuning.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"

namespace {

using namespace testing;

constexpr std::array every_algorithm{gpu::algorithm::bitonic, gpu::algorithm::quicksort, gpu::algorithm::sample_sort,
                                     gpu::algorithm::merge_sort, gpu::algorithm::radix};

static_assert(gpu::execution_policy<gpu::parallel_policy> && gpu::execution_policy<const gpu::parallel_nosync_policy&>);
static_assert(gpu::is_execution_policy_v<decltype(gpu::par.require_device())>);
static_assert(!gpu::execution_policy<int> && !gpu::execution_policy<gpu::algorithm>);
static_assert(gpu::par.options().synchronous && !gpu::par_nosync.options().synchronous);
static_assert(gpu::par.using_algorithm(gpu::algorithm::radix).require_host().options().forced == gpu::algorithm::radix);

struct wrapped_stream {
  gpu::stream_handle handle;
  [[nodiscard]] gpu::stream_handle get() const { return handle; }
};

struct some_resource : gpu::memory_resource {
  void* allocate(std::size_t, std::size_t, gpu::stream_handle) override { throw std::bad_alloc{}; }
  void deallocate(void*, std::size_t, std::size_t, gpu::stream_handle) noexcept override {}
};

}  // namespace

TEST_CASE("policies: what one says survives in every copy made of it") {
  some_resource resource;
  const auto stream = reinterpret_cast<gpu::stream_handle>(&resource);  // a name, never used
  const auto policy = gpu::par_nosync.on(stream).with(resource).using_algorithm(gpu::algorithm::bitonic);
  for (const auto& options :
       {policy.options(), policy.require_device().options(), policy.require_host().options(),
        gpu::par_nosync.require_device().with(resource).using_algorithm(gpu::algorithm::bitonic).on(stream).options(),
        gpu::par_nosync.on(wrapped_stream{stream}).with(resource).using_algorithm(gpu::algorithm::bitonic).options()}) {
    expect(options.stream == stream, "stream");
    expect(options.resource == &resource, "resource");
    expect(options.forced == gpu::algorithm::bitonic, "algorithm");
    expect(!options.synchronous, "synchronous");
  }
  expect(gpu::par.options().stream == nullptr && gpu::par.options().resource == nullptr, "par itself is unchanged");
}

TEST_CASE("policies: par_nosync with host data returns when it is done") {
  const auto keys = make_keys<std::uint32_t>(1'000'000);
  auto sorted = keys;
  gpu::sort(gpu::par_nosync, sorted);
  expect_none(sort_problem(keys, sorted, natural_less{}), "sort");
}

TEST_CASE("explain: the host is required") {
  const std::vector<int> keys(1000);
  auto copy = keys;
  const auto decided = gpu::explain(gpu::par.require_host(), copy);
  expect(decided.where == gpu::backend::host, "where");
  expect(decided.scratch_bytes == 0, "no device memory");
  expect(decided.how != gpu::algorithm::automatic, "an algorithm is chosen");
  expect(!decided.reason.empty(), "a reason");
  expect(copy == keys, "nothing moves");
}

TEST_CASE("explain: a forced algorithm is the one") {
  std::vector<float> keys(1000);
  at_host_places([&](const auto& place) {
    for (const auto how : every_algorithm) {
      const std::string name = place.name + ", " + std::string{gpu::to_string(how)};
      expect(gpu::explain(place.using_algorithm(how).policy, keys).how == how, name);
      if (how == gpu::algorithm::bitonic || how == gpu::algorithm::quicksort) continue;
      const auto decided = gpu::explain_stable_sort(place.using_algorithm(how).policy, keys.begin(), keys.end());
      expect(decided.how == how, name + ", stable");
    }
  });
}

TEST_CASE("explain: stable sorts are done by stable algorithms") {
  for (const std::size_t count : {0, 1, 10, 1000, 1'000'000}) {
    std::vector<record8> records(count);
    at_all_places([&](const auto& place) {
      const auto data = place.store(records);
      const auto decided = gpu::explain_stable_sort(place.policy, place.view(data), {}, &record8::key);
      const bool by_place = decided.where == gpu::backend::device && decided.how == gpu::algorithm::quicksort;
      const bool stable = decided.how != gpu::algorithm::bitonic && decided.how != gpu::algorithm::quicksort;
      expect(stable || by_place, place.name + std::to_string(count));  // no two pairs of key and place are equal
    });
  }
}

TEST_CASE("explain: bytes are counted if one launch cannot sort them") {
  using gpu::detail::device::enough_to_count;
  constexpr std::size_t most = gpu::detail::device::cluster_bin_tile(1).size();
  static_assert(!enough_to_count(most, 1) && enough_to_count(most + 1, 1) && !enough_to_count(most + 1, 2));
  if (gpu::device_count() == 0) return skip("explain at device places: no device");
  for (const std::size_t count : {most, most + 1}) {
    const auto expected = count > most ? gpu::algorithm::radix : gpu::algorithm::quicksort;
    at_device_places([&](const auto& place) {
      const auto data = place.store(std::vector<std::uint8_t>(count));
      expect(gpu::explain(place.policy, place.view(data)).how == expected, place.name + std::to_string(count));
    });
  }
}

// In a program of its own, with a cost model that is given: what a busy machine measures is another matter.
TEST_CASE("explain: many elements pay for their way to a device") {
  const std::string name = "explain: many elements pay for their way to a device";
  if (!in_child()) return expect(well_in_program(name, "GPUPAR_COST_MODEL", "1,1000,1000"), name);
  const std::vector<std::uint32_t> large(1 << 24);
  const auto expected = gpu::device_count() > 0 ? gpu::backend::device : gpu::backend::host;
  expect(gpu::explain(gpu::par, large).where == expected, "many elements");
  expect(gpu::explain(gpu::par, large, std::greater<>{}).where == expected, "many elements, descending");
}

TEST_CASE("explain: without a device everything is the host's, with one only what pays") {
  std::vector<std::uint32_t> large(1 << 24), small(10);
  const auto custom = [](std::uint32_t a, std::uint32_t b) { return a % 10 < b % 10; };
  expect(gpu::explain(gpu::par, small).where == gpu::backend::host, "few elements");
  expect(gpu::explain(gpu::par, large, custom).where == gpu::backend::host, "a lambda in a .cpp");
  if (gpu::device_count() == 0) return skip("explain at device places: no device");
  at_device_places([&](const auto& place) {
    const auto data = place.store(large);
    const auto decided = gpu::explain(place.policy, place.view(data));
    expect(decided.where == gpu::backend::device, place.name);
    const std::size_t bytes = large.size() * sizeof(large[0]);
    const bool staged = place.kind == memory::pageable || place.kind == memory::pinned;
    expect(decided.scratch_bytes >= (staged ? bytes : 0) && decided.scratch_bytes < 3 * bytes,
           place.name + ": scratch " + std::to_string(decided.scratch_bytes));
  });
}

TEST_CASE("explain: in words") {
  expect(gpu::to_string(gpu::backend::host) == "host" && gpu::to_string(gpu::backend::device) == "device", "backend");
  expect(gpu::to_string(gpu::algorithm::automatic) == "automatic" && gpu::to_string(gpu::algorithm::radix) == "radix",
         "algorithm");
  for (const auto how : every_algorithm)
    for (const auto other : every_algorithm)
      expect((gpu::to_string(how) == gpu::to_string(other)) == (how == other), "names differ");
  std::vector<int> keys(10);
  const auto decided = gpu::explain(gpu::par, keys);
  std::ostringstream out;
  out << decided;
  const auto text = out.str();
  expect(text.find(gpu::to_string(decided.where)) != text.npos, "the backend in " + text);
  expect(text.find(gpu::to_string(decided.how)) != text.npos, "the algorithm in " + text);
  expect(text.find(decided.reason) != text.npos, "the reason in " + text);
  expect(decided.remark.empty(), "nothing is left to find out about integers in natural order");
}

TEST_CASE("device_count: never throws, and is the same again") {
  static_assert(noexcept(gpu::device_count()));
  expect(gpu::device_count() >= 0, "not negative");
  expect(gpu::device_count() == gpu::device_count(), "the same again");
}
