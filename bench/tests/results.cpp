// Inputs, and the checks of results: correct results pass, faults are described.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "../inputs.hpp"
#include "support.hpp"

namespace {

using namespace bench;
using key = std::uint32_t;

constexpr std::size_t n = 5000;

/// Makes the data of a case, runs `work` on them and returns the fault found in its result.
template <class Work>
std::string fault_after(operation what, const std::string& type, const testing::distribution& input, Work work) {
  arena memory{place::pageable};
  const auto data = make_host_inputs({what, 2, type, input, n}, 1, memory);
  data->renew(0);
  return data->fault_of(0, work(data->at(0)));
}

const testing::distribution uniform{"uniform", testing::form::uniform};
const testing::distribution few{"few", testing::form::few_distinct, 16};

struct row {
  key first, second;
};

/// Sorts keys and values by `order` of rows.
template <class Order>
outcome sort_rows(const arrays& on, Order order) {
  auto* const keys = static_cast<key*>(on.keys);
  auto* const values = static_cast<key*>(on.values);
  std::vector<row> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {keys[i], values[i]};
  std::ranges::sort(all, order);
  for (std::size_t i = 0; i < n; ++i) keys[i] = all[i].first, values[i] = all[i].second;
  return {keys, values};
}

bool backwards(const row& a, const row& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; }
bool forwards(const row& a, const row& b) { return a.first != b.first ? a.first < b.first : a.second < b.second; }

outcome merge_halves(const arrays& on) {
  auto* const keys = static_cast<key*>(on.keys);
  auto* const out = static_cast<key*>(on.other_keys);
  std::merge(keys, keys + n / 2, keys + n / 2, keys + n, out);
  return {out, nullptr};
}

}  // namespace

TEST_CASE("bench results: keys") {
  const auto sorted = [](const arrays& on, auto harm) {
    auto* const keys = static_cast<key*>(on.keys);
    std::sort(keys, keys + n);
    harm(keys);
    return outcome{keys, nullptr};
  };
  const auto fault = [&](auto harm) {
    return fault_after(operation::sort, "u32", uniform, [&](const arrays& on) { return sorted(on, harm); });
  };
  CHECK(fault([](key*) {}).empty());
  CHECK(fault([](key* keys) { std::swap(keys[7], keys[8]); }) == "wrong result: 1 neighbours out of order");
  CHECK(fault([](key* keys) { keys[7] = keys[8]; }) == "wrong result: elements lost, doubled or altered");
}

TEST_CASE("bench results: values follow their keys, in order if stable") {
  const auto fault = [](operation what, auto order) {
    return fault_after(what, "u32+u32", few, [&](const arrays& on) { return sort_rows(on, order); });
  };
  CHECK(fault(operation::sort_by_key, backwards).empty());
  CHECK(fault(operation::stable_sort_by_key, forwards).empty());
  CHECK(!fault(operation::stable_sort_by_key, backwards).empty());
  const auto without_values = [](const arrays& on) {
    auto* const keys = static_cast<key*>(on.keys);
    std::sort(keys, keys + n);
    return outcome{keys, on.values};
  };
  CHECK(!fault_after(operation::sort_by_key, "u32+u32", few, without_values).empty());
}

TEST_CASE("bench results: argsort") {
  const auto fault = [](auto harm) {
    return fault_after(operation::argsort, "u32", few, [&](const arrays& on) {
      const auto* const keys = static_cast<const key*>(on.keys);
      auto* const order = static_cast<key*>(on.values);
      std::iota(order, order + n, 0u);
      std::stable_sort(order, order + n, [&](key a, key b) { return keys[a] < keys[b]; });
      harm(order);
      return outcome{keys, order};
    });
  };
  CHECK(fault([](key*) {}).empty());
  CHECK(!fault([](key* order) { std::swap(order[0], order[1]); }).empty());
  CHECK(!fault([](key* order) { order[5] = order[4]; }).empty());
  CHECK(!fault([](key* order) { order[5] = n + 3; }).empty());
}

TEST_CASE("bench results: merges of sorted sequences") {
  for (const auto& input : {uniform, few, testing::distribution{"sorted", testing::form::sorted}}) {
    CHECK(fault_after(operation::merge, "u32", input, merge_halves).empty());
    const auto altered = [](const arrays& on) {
      const outcome merged = merge_halves(on);
      ++static_cast<key*>(on.other_keys)[n / 2];
      return merged;
    };
    CHECK(!fault_after(operation::merge, "u32", input, altered).empty());
  }
}

TEST_CASE("bench results: records, and every type") {
  CHECK(fault_after(operation::sort_comparator, "record100", uniform, [](const arrays& on) {
          auto* const all = static_cast<record100*>(on.keys);
          std::sort(all, all + n, less{});
          return outcome{all, nullptr};
        }).empty());
  for (const auto* type : {"u8", "u16", "u32", "u64", "u128", "i32", "i64", "f32", "f64", "u32x2", "u64x2", "record16",
                           "record32", "u64+u64", "string", "view", "owner"}) {
    CAPTURE(type);
    CHECK(element_bytes(type) > 0);
    CHECK(!fault_after(operation::sort, type, uniform, [](const arrays& on) {
             return outcome{on.keys, on.values};
           }).empty());
  }
}
