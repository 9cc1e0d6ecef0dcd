// Memory: spans and allocators, and resources that count, fail, or are adapted.
#include <cstdlib>
#include <new>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"

namespace {

using namespace testing;

static_assert(std::ranges::view<gpu::device_span<int>> && std::ranges::borrowed_range<gpu::device_span<int>>);
static_assert(std::ranges::view<gpu::managed_span<int>> && std::ranges::borrowed_range<gpu::managed_span<int>>);
static_assert(std::ranges::contiguous_range<gpu::device_span<const double>>);
static_assert(
    std::is_same_v<decltype(gpu::device_span{static_cast<int*>(nullptr), std::size_t{0}}), gpu::device_span<int>>);
static_assert(
    std::is_same_v<decltype(gpu::managed_span{static_cast<int*>(nullptr), std::size_t{0}}), gpu::managed_span<int>>);
static_assert(gpu::is_device_span_v<gpu::device_span<int>> && !gpu::is_device_span_v<gpu::managed_span<int>>);

/// Records the calls of the resources below, whose arguments have each order that an adapter accepts.
struct call_log {
  std::size_t bytes = 0, alignment = 0;
  gpu::stream_handle stream = nullptr;
  int allocations = 0, deallocations = 0;
};
struct stream_first : call_log {
  void* allocate(gpu::stream_handle s, std::size_t b, std::size_t a) {
    bytes = b, alignment = a, stream = s, ++allocations;
    return this;
  }
  void deallocate(gpu::stream_handle, void* p, std::size_t, std::size_t) noexcept { deallocations += p == this; }
};
struct stream_last : call_log {
  void* allocate_async(std::size_t b, std::size_t a, gpu::stream_handle s) {
    bytes = b, alignment = a, stream = s, ++allocations;
    return this;
  }
  void deallocate_async(void* p, std::size_t, std::size_t, gpu::stream_handle) noexcept { deallocations += p == this; }
};
struct no_stream : call_log {
  void* allocate(std::size_t b, std::size_t a) {
    bytes = b, alignment = a, ++allocations;
    return this;
  }
  void deallocate(void* p, std::size_t, std::size_t) noexcept { deallocations += p == this; }
};

struct synchronous : call_log {
  void* allocate_sync(std::size_t b, std::size_t a) {
    bytes = b, alignment = a, ++allocations;
    return this;
  }
  void deallocate_sync(void* p, std::size_t, std::size_t) noexcept { deallocations += p == this; }
};
/// Has no memory, and returns a null pointer to report it.
struct empty {
  void* allocate(std::size_t, std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) {}
};

template <class Resource>
void check_adapter(const std::string& name, bool has_stream) {
  Resource resource;
  const auto stream = has_stream ? reinterpret_cast<gpu::stream_handle>(&resource) : nullptr;
  gpu::resource_adapter adapter{resource};
  gpu::memory_resource& base = adapter;
  void* const pointer = base.allocate(100, 64, stream);
  expect(pointer == static_cast<void*>(&resource) && resource.bytes == 100 && resource.alignment == 64, name);
  expect(!has_stream || resource.stream == stream, name + ": stream");
  base.deallocate(pointer, 100, 64, stream);
  expect(resource.allocations == 1 && resource.deallocations == 1, name + ": given back");
}

template <template <class> class Allocator>
void check_allocator(const std::string& name) {
  const auto keys = make_keys<std::uint32_t>(50'000);
  std::vector<std::uint32_t, Allocator<std::uint32_t>> data(keys.begin(), keys.end());
  gpu::sort(gpu::par, data);
  expect_none(sort_problem(keys, {data.begin(), data.end()}, natural_less{}), name);
  expect(Allocator<int>{} == Allocator<int>{Allocator<double>{}}, name + ": all are equal");
  expect_throw<std::bad_array_new_length>(name, [] { (void)Allocator<double>{}.allocate(~std::size_t{0} / 4); });
  std::vector<record64, Allocator<record64>> records(1000);
  expect(reinterpret_cast<std::uintptr_t>(records.data()) % alignof(std::max_align_t) == 0, name + ": aligned");
}

}  // namespace

TEST_CASE("memory: pinned and managed allocators serve containers, with and without a device") {
  check_allocator<gpu::pinned_allocator>("pinned");
  check_allocator<gpu::managed_allocator>("managed");
}

TEST_CASE("memory: adapters of other libraries' resources") {
  check_adapter<stream_first>("stream first", true);
  check_adapter<stream_last>("allocate_async", true);
  check_adapter<no_stream>("no stream", false);
  check_adapter<synchronous>("allocate_sync", false);
  empty resource;
  gpu::resource_adapter adapter{resource};
  expect_throw<std::bad_alloc>("null is no memory", [&] { (void)adapter.allocate(100, 64, nullptr); });
}

TEST_CASE("memory: managed_span is ordinary memory without a device") {
  const auto keys = make_keys<std::int64_t>(100'000);
  const storage<std::int64_t> data{memory::managed, keys};
  gpu::sort(gpu::par, gpu::managed_span{data.data(), data.size()});
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "managed_span");
}

TEST_CASE("memory: the host backend asks no device resource for anything") {
  failing_resource resource{0};
  const auto keys = make_keys<std::uint32_t>(100'000);
  auto sorted = keys;
  gpu::stable_sort(gpu::par.require_host().with(resource), sorted);
  expect_none(sort_problem(keys, sorted, natural_less{}), "sorted");
  expect(resource.requests() == 0, "not asked");
}

TEST_CASE("memory: scratch is what explain says, and is given back") {
  if (gpu::device_count() == 0) return skip("scratch on the device: no device");
  for (const std::size_t count : {100, 5000, 300'000, 5'000'000}) {
    const auto keys = make_keys<std::uint32_t>(count);
    const auto records = make_records<record24>(uniform, count);
    for (const auto how : {gpu::algorithm::automatic, gpu::algorithm::bitonic, gpu::algorithm::quicksort,
                           gpu::algorithm::sample_sort, gpu::algorithm::merge_sort, gpu::algorithm::radix})
      at_device_places([&](const auto& place) {
        counting_resource resource;
        const auto policy = place.policy.using_algorithm(how).with(resource);
        const std::string what = place.name + ", " + std::string{gpu::to_string(how)} + ", " + std::to_string(count);
        const auto first = place.store(keys);
        const auto second = place.store(records);
        auto said = gpu::explain(policy, place.view(first)).scratch_bytes;
        gpu::sort(policy, place.view(first));
        synchronize_device();
        expect(resource.take_peak() <= said, what + ": more than the " + std::to_string(said) + " bytes of explain");
        said = gpu::explain(policy, place.view(second), {}, &record24::key).scratch_bytes;
        gpu::sort(policy, place.view(second), {}, &record24::key);
        synchronize_device();
        expect(resource.take_peak() <= said, what + ", records: more than " + std::to_string(said));
        expect(resource.outstanding() == 0, what + ": not given back");
      });
  }
}

TEST_CASE("memory: what the library's pools keep is given back on request") {
  gpu::release_memory();
  if (gpu::device_count() == 0) return skip("pools of device memory: no device");
  const auto keys = make_keys<std::uint32_t>(std::size_t{1} << 25);
  const storage<std::uint32_t> data{memory::device, keys};
  // Other programs may allocate and free memory in the meantime, hence several attempts.
  constexpr std::ptrdiff_t little = std::ptrdiff_t{32} << 20;
  const auto wanted = static_cast<std::ptrdiff_t>(keys.size() * sizeof(keys[0]));
  std::ptrdiff_t kept = 0, still = 0;
  for (int look = 0; look < 5 && !(kept >= wanted && still < little); ++look) {
    const auto before = static_cast<std::ptrdiff_t>(free_device_bytes());
    gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()});
    synchronize_device();
    kept = before - static_cast<std::ptrdiff_t>(free_device_bytes());
    gpu::release_memory();
    still = before - static_cast<std::ptrdiff_t>(free_device_bytes());
  }
  expect(kept >= wanted, "kept for the next call: " + std::to_string(kept));
  expect(still < little, "kept after release_memory(): " + std::to_string(still));
  gpu::sort(gpu::par, gpu::device_span{data.data(), data.size()}, std::greater<>{});
  expect_none(sort_problem(keys, data.fetch(), natural_greater{}), "the next call");
}

TEST_CASE("memory: without scratch sort still sorts, stable_sort throws and leaves the data") {
  if (gpu::device_count() == 0) return skip("resources that fail: no device");
  for (const std::size_t count : {3000, 400'000})
    for (std::size_t step = 0; step < 8; ++step) {
      const std::size_t allowed = step / 2;
      const auto how = step % 2 == 0 ? refusal::exception : refusal::null;
      const auto keys = make_keys<std::uint32_t>(few_values, count);
      const auto records = with_index(keys);
      const std::string what = std::to_string(count) + ", after " + std::to_string(allowed) + " allocations" +
                               (how == refusal::null ? ", by null" : "");
      failing_resource resource{allowed, how};
      const storage<std::uint32_t> first{memory::device, keys};
      gpu::sort(gpu::par.with(resource), gpu::device_span{first.data(), count});
      expect_none(sort_problem(keys, first.fetch(what), natural_less{}), "sort, " + what);
      expect(resource.outstanding() == 0, "sort, " + what + ": leak");

      failing_resource other{allowed, how};
      const storage<record8> second{memory::device, records};
      try {
        gpu::stable_sort(gpu::par.with(other), gpu::device_span{second.data(), count}, {}, &record8::key);
        expect_none(stable_sort_problem(records, second.fetch(what), by(natural_less{}, &record8::key)), what);
        expect(allowed > 0, "stable_sort did without scratch");
      } catch (const std::bad_alloc&) {
        expect_none(difference(records, second.fetch(what)), "stable_sort, " + what + ": data changed");
      }
      expect(other.outstanding() == 0, "stable_sort, " + what + ": leak");

      failing_resource third{allowed, how};
      auto host = keys;
      try {
        gpu::sort(gpu::par.require_device().with(third), host);
        expect_none(sort_problem(keys, host, natural_less{}), "host data, " + what);
      } catch (const std::bad_alloc&) {
        expect(host == keys, "host data, " + what + ": changed");
      }
    }
}
