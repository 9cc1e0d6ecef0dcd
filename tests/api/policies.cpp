// Policies and explain: what a policy says, what the library decides, and that the two agree.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "children.hpp"
#include "gpu/algorithm.hpp"
#include "gpu/detail/device/tuning/counting.hpp"
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
  const auto stream = reinterpret_cast<gpu::stream_handle>(&resource);  // only a handle, never used
  const auto policy =
      gpu::par_nosync.on(stream).with(resource).using_algorithm(gpu::algorithm::bitonic).beside_others();
  for (const auto& options : {policy.options(), policy.require_device().options(), policy.require_host().options(),
                              gpu::par_nosync.beside_others()
                                  .require_device()
                                  .with(resource)
                                  .using_algorithm(gpu::algorithm::bitonic)
                                  .on(stream)
                                  .options(),
                              gpu::par_nosync.on(wrapped_stream{stream})
                                  .with(resource)
                                  .using_algorithm(gpu::algorithm::bitonic)
                                  .beside_others()
                                  .options()}) {
    expect(options.stream == stream, "stream");
    expect(options.resource == &resource, "resource");
    expect(options.forced == gpu::algorithm::bitonic, "algorithm");
    expect(!options.synchronous, "synchronous");
    expect(options.beside_others, "beside others");
  }
  expect(gpu::par.options().stream == nullptr && gpu::par.options().resource == nullptr &&
             !gpu::par.options().beside_others,
         "par itself is unchanged");
}

TEST_CASE("policies: par_nosync with host data returns when it is done") {
  const auto keys = make_keys<std::uint32_t>(1'000'000);
  auto sorted = keys;
  gpu::sort(gpu::par_nosync, sorted);
  expect_none(sort_problem(keys, sorted, natural_less{}), "sort");
}

namespace {

/// The listener must be told of the call's beginning and end, in this order, and of nothing else.
template <class Policy, class Call>
void check_listener(const std::string& name, const Policy& policy, Call call) {
  std::vector<double> heard;
  call(policy.on_progress([&heard](double fraction) { heard.push_back(fraction); }));
  expect(heard == std::vector{0.0, 1.0}, name + ": heard " + std::to_string(heard.size()) + " times");
}

double last_heard = -1;
void hear(double fraction) { last_heard = fraction; }

}  // namespace

TEST_CASE("policies: a listener hears of the beginning and the end of every call") {
  const auto keys = make_keys<std::uint32_t>(1000);
  std::vector<std::uint32_t> sorted(keys), twice(2 * keys.size());
  std::sort(sorted.begin(), sorted.end());
  at_all_places([&](const auto& place) {
    const auto data = place.store(keys), other = place.store(keys), in = place.store(sorted), out = place.store(twice);
    const auto check = [&](const std::string& name, auto call) {
      check_listener(place.name + ", " + name, place.policy, call);
    };
    check("sort", [&](const auto& policy) { gpu::sort(policy, place.view(data)); });
    check("stable_sort", [&](const auto& policy) { gpu::stable_sort(policy, place.view(data)); });
    check("sort_by_key", [&](const auto& policy) { gpu::sort_by_key(policy, place.view(data), place.view(other)); });
    check("sort_by_key of iterators", [&](const auto& policy) {
      gpu::sort_by_key(policy, place.view(data).begin(), place.view(data).end(), place.view(other).begin());
    });
    check("argsort", [&](const auto& policy) { gpu::argsort(policy, place.view(data), place.view(other)); });
    check("merge",
          [&](const auto& policy) { gpu::merge(policy, place.view(in), place.view(in), place.view(out).begin()); });
    check("merge of iterators", [&](const auto& policy) {
      const auto first = place.view(in).begin(), last = place.view(in).end();
      gpu::merge(policy, first, last, first, last, place.view(out).begin());
    });
    check("inplace_merge",
          [&](const auto& policy) { gpu::inplace_merge(policy, place.view(in), place.view(in).begin() + 10); });
    check("multiway_merge", [&](const auto& policy) {
      const std::array ranges{place.view(in), place.view(in)};
      gpu::multiway_merge(policy, ranges, place.view(out).begin());
    });
  });
}

TEST_CASE("policies: listeners of all kinds bind, and temporaries live in the policy") {
  std::vector<int> data{3, 1, 2};
  gpu::sort(gpu::par.on_progress([](double) {}), data);
  gpu::sort(gpu::par.on_progress(hear), data);
  expect(last_heard == 1, "a function");
  const auto heard = std::make_shared<std::vector<double>>();
  const auto make_policy = [&] {
    return gpu::par.on_progress([heard, mine = 0](double fraction) mutable { heard->push_back(fraction + mine++); });
  };
  const auto policy = make_policy().require_host().using_algorithm(gpu::algorithm::merge_sort);
  static_assert(gpu::execution_policy<decltype(policy)> && policy.where == gpu::par.require_host().where);
  gpu::sort(policy, data);
  gpu::sort(policy, data);
  expect(*heard == std::vector{0.0, 2.0, 2.0, 4.0}, "a closure with values of its own, in its policy");
  gpu::sort(gpu::par.on_progress([own = std::make_unique<int>(1)](double fraction) { last_heard = *own + fraction; }),
            data);
  expect(last_heard == 2, "one that cannot be copied");
  double mine = -1;
  const auto named = [&mine](double fraction) { mine = fraction; };
  gpu::sort(gpu::par.on_progress(named), data);
  expect(mine == 1, "a named one, const");
  expect_throw<int>("one that throws at once",
                    [&] { gpu::stable_sort(gpu::par.on_progress([](double) { throw 1; }), data, std::greater<>{}); });
  expect(data == std::vector{1, 2, 3}, "nothing has moved");
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
      expect(stable || by_place, place.name + std::to_string(count));  // all pairs of key and position differ
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

// In a process of its own with a given cost model, as one that is measured on a busy machine may decide otherwise.
TEST_CASE("explain: many elements pay for their way to a device") {
  const std::string name = "explain: many elements pay for their way to a device";
  if (!in_child()) return expect(well_in_program(name, "GPUPAR_COST_MODEL", "1,1000,1000"), name);
  const std::vector<std::uint32_t> large(1 << 24);
  const auto expected = gpu::device_count() > 0 ? gpu::backend::device : gpu::backend::host;
  expect(gpu::explain(gpu::par, large).where == expected, "many elements");
  expect(gpu::explain(gpu::par, large, std::greater<>{}).where == expected, "many elements, descending");
}

namespace {

std::string in_words(const gpu::plan& decided) {
  std::ostringstream out;
  out << decided;
  return out.str();
}

}  // namespace

TEST_CASE("explain: without a device everything is the host's, with one only what pays") {
  std::vector<std::uint32_t> large(1 << 24), small(10);
  const auto custom = [](std::uint32_t a, std::uint32_t b) { return a % 10 < b % 10; };
  expect(gpu::explain(gpu::par, small).where == gpu::backend::host, "few elements");
  expect(gpu::explain(gpu::par, large, custom).where == gpu::backend::host, "a lambda in a .cpp");
  if (gpu::device_count() == 0) {
    const auto by_lambda = gpu::explain(gpu::par, large, custom);
    expect(by_lambda.reason.find("comparator") != by_lambda.reason.npos,
           "the types come first: " + in_words(by_lambda));
    expect(by_lambda.remark.empty(), "a device would change nothing: " + in_words(by_lambda));
    const auto natural = gpu::explain(gpu::par, large);
    expect(natural.reason.find("CUDA") != natural.reason.npos, "what is missing: " + in_words(natural));
    expect(natural.remark.starts_with("with a device: "), in_words(natural));
    std::vector<std::string> words(1000);
    const auto by_index = gpu::explain(gpu::par, words);
    expect(by_index.remark.starts_with("with a device: ") && by_index.remark != natural.remark, in_words(by_index));
#if !defined(GPUPAR_TEST_CUDA)
    expect(natural.reason.find("GPUPAR_CUDA=ON") != natural.reason.npos, in_words(natural));
#endif
    return skip("explain at device places: no device");
  }
  at_device_places([&](const auto& place) {
    const auto data = place.store(large);
    const auto decided = gpu::explain(place.policy, place.view(data));
    expect(decided.where == gpu::backend::device, place.name);
    const std::size_t bytes = large.size() * sizeof(large[0]);
    const bool staged = place.kind == memory::pageable || place.kind == memory::pinned;
    expect(decided.scratch_bytes >= (staged ? bytes : 0) && decided.scratch_bytes < 3 * bytes,
           place.name + ": scratch " + std::to_string(decided.scratch_bytes));
  });
  const auto few = make_keys<int>(100);
  at_device_places([&](const auto& place) {
    const auto data = place.store(few);
    const auto forced = place.policy.using_algorithm(gpu::algorithm::quicksort);
    expect(gpu::explain(place.policy, place.view(data)).remark.starts_with("so few are ranked"), place.name);
    expect(gpu::explain(forced, place.view(data)).remark.starts_with("so few are ranked"), place.name + ", forced");
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
  const auto text = in_words(decided);
  expect(text.find(gpu::to_string(decided.where)) != text.npos, "the backend in " + text);
  expect(text.find(gpu::to_string(decided.how)) != text.npos, "the algorithm in " + text);
  expect(text.find(decided.reason) != text.npos, "the reason in " + text);
  if (gpu::device_count() > 0)
    expect(decided.remark.empty(), "nothing is left to find out about integers in natural order");
}

TEST_CASE("device_count: never throws, and is the same again") {
  static_assert(noexcept(gpu::device_count()));
  expect(gpu::device_count() >= 0, "not negative");
  expect(gpu::device_count() == gpu::device_count(), "the same again");
}
