// Out of memory: every allocation of every call on the host backend fails in turn. The call must throw std::bad_alloc
// and leave its input unchanged, or return a correct result; nothing may leak, and the next call must work.
#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "failing_new.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "records.hpp"
#include "small_pieces.hpp"
#include "support.hpp"

namespace {

using namespace testing;

std::size_t failure_points = 0;
std::size_t data_lost = 0;

constexpr auto policy = gpu::par.require_host();
constexpr std::size_t sizes[] = {0, 1, 2, 20, 300, 5000, 40'000, 150'000};
constexpr std::size_t few = 300;  // more is too slow where a copy of the data allocates

/// Runs a call with one failure. Returns false if the call needs no k-th allocation.
template <class Data, class Call>
bool survives(const std::string& what, const Data& before, const Data& expected, Call call, std::size_t k, outage how) {
  Data data = before;
  const std::size_t held = live_allocations();
  bool threw = false, happened = false;
  std::string strange;
  {
    const failing_allocation failure{k, how};
    try {
      call(data);
    } catch (const std::bad_alloc&) {
      threw = true;
    } catch (...) {
      strange = describe(std::current_exception());
    }
    happened = failure.happened();
  }
  const std::size_t left = live_allocations();
  const std::string name = what + ", allocation " + std::to_string(k) + (how == outage::once ? "" : " and all later");
  failure_points += happened;
  const bool kept = threw ? data == before : data == expected;
  data_lost += !kept;
  if (!strange.empty()) expect(false, name + ": threw " + strange);
  if (!kept) expect(false, name + (threw ? ": threw, but changed its data" : ": a wrong result"));
  if (left != held) expect(false, name + ": leaked " + std::to_string(left - held) + " allocations");
  if (threw && !happened) expect(false, name + ": std::bad_alloc out of nothing");
  return happened;
}

/// Data: a comparable value that holds what the call reads and writes; `call` must have the same result every time.
template <class Data, class Call>
void fail_every_allocation(const std::string& what, const Data& before, Call call) {
  Data expected = before;
  call(expected);  // also starts the threads, which keep their memory
  for (const outage how : {outage::once, outage::from_then_on})
    for (std::size_t k = 0; survives(what, before, expected, call, k, how); ++k) {
    }
  Data again = before;
  call(again);
  expect(again == expected, what + ": the next call");
}

std::vector<distribution> shapes() { return {uniform, few_values, {"needle", form::needle}, {"sorted", form::sorted}}; }

/// Keys of every size up to `largest`, the small ones in all shapes.
template <class Body>
void with_keys(std::size_t largest, Body body) {
  for (const std::size_t n : sizes)
    for (const auto& shape : shapes())
      if (n <= largest && (n < 300 || shape.kind == form::needle || (n < 150'000 && shape.kind == form::uniform)))
        body(make_keys<std::uint32_t>(shape, n), shape.name + ", " + std::to_string(n));
}

std::vector<std::string> as_strings(const std::vector<std::uint32_t>& keys) {
  std::vector<std::string> strings;
  for (const auto key : keys) strings.push_back("long enough to live on the heap " + std::to_string(key));
  return strings;
}

struct by_first_digit {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 28 < b >> 28; }
};

}  // namespace

TEST_CASE("failures: sort") {
  using how = gpu::algorithm;
  for (const auto algorithm :
       {how::automatic, how::bitonic, how::quicksort, how::sample_sort, how::merge_sort, how::radix}) {
    const auto chosen = policy.using_algorithm(algorithm);
    const auto sort = [&](auto& data) { gpu::sort(chosen, data); };
    with_keys(150'000, [&](const auto& keys, const std::string& shape) {
      const std::string what = "sort, " + std::string{gpu::to_string(algorithm)} + ", " + shape;
      fail_every_allocation(what, keys, sort);
      if (keys.size() > few) return;
      fail_every_allocation(what + ", deque", std::deque<std::uint32_t>(keys.begin(), keys.end()), sort);
      if (algorithm != how::radix) fail_every_allocation(what + ", strings", as_strings(keys), sort);
    });
  }
}

TEST_CASE("failures: stable_sort") {
  using how = gpu::algorithm;
  for (const auto algorithm : {how::automatic, how::sample_sort, how::merge_sort, how::radix}) {
    const auto chosen = policy.using_algorithm(algorithm);
    with_keys(150'000, [&](const auto& keys, const std::string& shape) {
      const std::string what = "stable_sort, " + std::string{gpu::to_string(algorithm)} + ", " + shape;
      fail_every_allocation(what, with_index(keys),
                            [&](auto& data) { gpu::stable_sort(chosen, data, {}, &record8::key); });
      if (algorithm == how::radix) return;
      fail_every_allocation(what + ", comparator", keys,
                            [&](auto& data) { gpu::stable_sort(chosen, data, by_first_digit{}); });
      if (keys.size() <= few)
        fail_every_allocation(what + ", strings", as_strings(keys),
                              [&](auto& data) { gpu::stable_sort(chosen, data); });
    });
  }
}

TEST_CASE("failures: by key") {
  with_keys(40'000, [&](const auto& keys, const std::string& shape) {
    std::vector<std::uint64_t> rows(keys.size());
    std::iota(rows.begin(), rows.end(), 0u);
    const std::tuple table{keys, rows, as_strings(keys)};
    fail_every_allocation("stable_sort_by_key, " + shape, table, [](auto& data) {
      auto& [key, row, text] = data;
      gpu::stable_sort_by_key(policy, key, row, text);
    });
    fail_every_allocation("sort_by_key of strings, " + shape, std::tuple{as_strings(keys), keys, rows}, [](auto& data) {
      auto& [text, key, row] = data;
      gpu::sort_by_key(policy.using_algorithm(gpu::algorithm::merge_sort), text, key, row);
    });
    fail_every_allocation("argsort, " + shape, std::tuple{keys, std::vector<std::uint32_t>(keys.size(), 7)},
                          [](auto& data) {
                            std::vector<std::uint32_t> order(std::get<1>(data).size());
                            gpu::argsort(policy, std::get<0>(data), order);
                            std::get<1>(data) = std::move(order);
                          });
  });
}

TEST_CASE("failures: merges, whose output is unspecified and whose inputs are not") {
  with_keys(40'000, [&](auto keys, const std::string& shape) {
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 3);
    std::sort(keys.begin(), middle);
    std::sort(middle, keys.end());
    const auto in_place = [&](auto& data) {
      gpu::inplace_merge(policy, data, data.begin() + static_cast<std::ptrdiff_t>(data.size() / 3));
    };
    fail_every_allocation("inplace_merge, " + shape, keys, in_place);

    std::vector<std::uint32_t> a(keys.begin(), middle), b(middle, keys.end());
    const auto run = [&](const std::string& what, auto first, auto second, auto merge) {
      const auto room = merge(first, second);
      fail_every_allocation(what + ", " + shape, std::tuple{first, second, room}, [&](auto& data) {
        auto& [x, y, merged] = data;
        auto out = merge(x, y);
        merged = std::move(out);
      });
    };
    run("merge", a, b, [](auto& x, auto& y) {
      std::vector<std::uint32_t> out(x.size() + y.size());
      gpu::merge(policy, x, y, out.begin());
      return out;
    });
    run("merge_by_key", a, b, [](auto& x, auto& y) {
      std::vector<std::uint32_t> out(x.size() + y.size()), values(out.size());
      gpu::merge_by_key(policy, x.begin(), x.end(), y.begin(), y.end(), x.begin(), y.begin(), out.begin(),
                        values.begin());
      return out;
    });
    run("multiway_merge", a, b, [](auto& x, auto& y) {
      const std::array<std::span<std::uint32_t>, 5> ranges{x, y, {}, x, y};
      std::vector<std::uint32_t> out(2 * (x.size() + y.size()));
      gpu::multiway_merge(policy, ranges, out.begin());
      return out;
    });
    if (keys.size() > few) return;
    auto first = as_strings(a), second = as_strings(b);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    run("merge of strings to a list", first, second, [](auto& x, auto& y) {
      std::list<std::string> out;
      gpu::merge(policy, x, y, std::back_inserter(out));
      return std::vector(out.begin(), out.end());
    });
  });
}

TEST_CASE("failures: questions and sorts by index") {
  with_keys(40'000, [&](auto keys, const std::string& shape) {
    fail_every_allocation("is_sorted_until, " + shape, std::tuple{keys, std::ptrdiff_t{0}}, [](auto& data) {
      const auto& [values, place] = data;
      const auto found = gpu::is_sorted_until(policy, values) - values.begin();
      std::get<1>(data) = found;
    });
    fail_every_allocation("explain, " + shape, keys, [](auto& data) { (void)gpu::explain(policy, data); });
    fail_every_allocation("sort_indexed, " + shape, keys, [](auto& data) {
      gpu::sort_indexed(
          policy, std::size_t{0}, data.size(), [&](std::size_t i, std::size_t j) { return data[i] < data[j]; },
          [&](std::size_t i, std::size_t j) { std::swap(data[i], data[j]); });
    });
  });
}

TEST_CASE("failures: levels within levels") {
  with_keys(5000, [&](const auto& keys, const std::string& shape) {
    fail_every_allocation("sample sort in small pieces, " + shape, keys, [](auto& data) {
      gpu::detail::host::sample_sort<small_pieces>(data.data(), data.size(), std::less<>{});
    });
    fail_every_allocation("quicksort in small pieces, " + shape, keys, [](auto& data) {
      gpu::detail::host::quicksort<small_pieces>(data.data(), data.size(), std::less<>{});
    });
  });
}

TEST_CASE("failures: allocators and the figures") {
  for (const std::size_t k : {0, 1}) {
    const std::size_t held = live_allocations();
    bool threw = false;
    const failing_allocation failure{k};
    try {
      const std::vector<int, gpu::pinned_allocator<int>> pinned(1000);
      const std::vector<int, gpu::managed_allocator<int>> managed(1000);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    const bool leaked = live_allocations() != held;
    expect(threw || gpu::device_count() > 0, "without a device, allocators take ordinary memory");
    expect(!leaked, "an allocator leaks");
  }
  expect(failure_points > 1000, "points of failure were found: " + std::to_string(failure_points));
  figure("host failure points", failure_points);
  figure("host failure points with data lost", data_lost);
}
