// Sorts by digits on the host: every width of keys, every byte in which they may differ, small and large records.
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using namespace testing;

constexpr auto by_digits = gpu::par.require_host().using_algorithm(gpu::algorithm::radix);

template <class Row>
void check_rows(const std::string& what, const std::vector<Row>& rows) {
  auto sorted = rows;
  gpu::stable_sort(by_digits, sorted, {}, &Row::key);
  expect_none(stable_sort_problem(rows, sorted, by(natural_less{}, &Row::key)), what);
}

template <class Key>
void check_keys(const std::string& name) {
  std::vector<distribution> shapes{uniform, few_values, zipf, {"odd one last", form::all_equal_but_one, 2}};
  for (std::uint64_t byte = 0; byte < sizeof(Key); ++byte)
    shapes.push_back({"byte " + std::to_string(byte), form::only_byte, byte});
  for (const auto& shape : shapes)
    for (const std::size_t n : {0, 1, 2, 100, 4096, 5000, 70'000}) {
      const std::string what = name + ", " + shape.name + ", " + std::to_string(n);
      const auto keys = make_keys<Key>(shape, n, n);
      check_rows(what, with_index(keys));
      auto sorted = keys;
      gpu::sort(by_digits, sorted);
      expect_none(sort_problem(keys, sorted, natural_less{}), what + ", keys alone");
    }
}

}  // namespace

TEST_CASE("radix: every width") {
  check_keys<std::uint8_t>("8 bits");
  check_keys<std::int16_t>("16 bits");
  check_keys<std::uint32_t>("32 bits");
}

TEST_CASE("radix: records too large to be moved more than once") {
  for (const auto& shape : {uniform, few_values})
    for (const std::size_t n : {2, 5000, 40'000}) {
      auto records = make_records<record1000>(shape, n / 10);
      check_rows("record1000, " + shape.name + ", " + std::to_string(n), records);
      check_rows("record64, " + shape.name + ", " + std::to_string(n), make_records<record64>(shape, n));
    }
}
