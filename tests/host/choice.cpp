// How the device sorts, depending on the keys, the values and their number: each way must remain chosen for something.
#include "choice.hpp"

#include <cstddef>
#include <string>

#include "gpu/plan.hpp"
#include "operations.hpp"
#include "support.hpp"

namespace {

using namespace testing;
using gpu::algorithm;
using gpu::detail::operation;

struct keys {
  std::size_t bytes;
  bool floating = false;
};
constexpr keys u16{2}, u32{4}, u64{8}, f32{4, true}, f64{8, true};

/// Checks the choice for 2^power + 1 plain keys in device memory, each with a value of `value_bytes`, or none if zero.
void check(operation what, const keys& key, std::size_t value_bytes, int power, algorithm expected) {
  gpu::detail::workload work{};
  work.what = what;
  work.count = (std::size_t{1} << power) + 1;
  work.way = gpu::detail::device_way::precompiled;
  work.key.bytes = static_cast<decltype(work.key.bytes)>(key.bytes);
  work.key.kind = key.floating ? gpu::detail::key_class::floating_point : gpu::detail::key_class::unsigned_integer;
  work.key_is_element = true;
  work.element_bytes = key.bytes;
  work.value_bytes = value_bytes;
  work.value_columns = value_bytes > 0 ? 1 : 0;
  const algorithm chosen = gpu::detail::choose_algorithm(work, gpu::backend::device);
  expect(chosen == expected, std::string{gpu::detail::facts_of(what).name} + (key.floating ? " f" : " u") +
                                 std::to_string(8 * key.bytes) + "+" + std::to_string(value_bytes) + ", 2^" +
                                 std::to_string(power) + ": " + std::string{gpu::to_string(chosen)});
}

}  // namespace

TEST_CASE("choice: one launch and rounds, or passes by digits, whatever the keys") {
  constexpr auto in_rounds = algorithm::quicksort, passes = algorithm::radix, merges = algorithm::merge_sort;
  check(operation::sort, u16, 0, 15, in_rounds);
  check(operation::sort, u16, 0, 19, passes);
  check(operation::sort, u32, 0, 19, in_rounds);
  check(operation::sort, u32, 0, 22, passes);
  check(operation::sort, u32, 0, 26, in_rounds);
  check(operation::sort, f32, 0, 22, passes);
  check(operation::sort, u64, 0, 22, in_rounds);
  check(operation::sort, f64, 0, 22, passes);
  check(operation::sort, f64, 0, 26, in_rounds);
  check(operation::stable_sort, u64, 0, 22, in_rounds);  // equal keys are identical
  check(operation::stable_sort, f64, 0, 16, in_rounds);
  check(operation::stable_sort, f64, 0, 22, passes);
  check(operation::stable_sort, f64, 0, 26, in_rounds);
  check(operation::sort_by_key, u16, 8, 14, passes);
  check(operation::sort_by_key, u32, 4, 16, in_rounds);
  check(operation::sort_by_key, u32, 4, 22, passes);
  check(operation::sort_by_key, u32, 4, 27, in_rounds);
  check(operation::sort_by_key, u32, 8, 22, passes);
  check(operation::sort_by_key, u64, 8, 16, in_rounds);
  check(operation::sort_by_key, u64, 8, 22, passes);
  check(operation::sort_by_key, u64, 8, 24, in_rounds);
  check(operation::sort_by_key, f64, 8, 22, passes);
  check(operation::stable_sort_by_key, u32, 4, 15, in_rounds);  // with indices, no two of which are equal
  check(operation::stable_sort_by_key, u32, 4, 22, passes);
  check(operation::stable_sort_by_key, u64, 8, 10, merges);
  check(operation::stable_sort_by_key, u64, 8, 22, passes);
  check(operation::stable_sort_by_key, u64, 8, 24, in_rounds);
  check(operation::stable_sort_by_key, u64, 4, 24, passes);
  check(operation::stable_sort_by_key, u64, 6, 24, passes);
  check(operation::argsort, u16, 0, 14, passes);
  check(operation::argsort, u64, 0, 16, in_rounds);
  check(operation::argsort, u64, 0, 28, passes);
}
