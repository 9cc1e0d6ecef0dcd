// Sorts by digits on the host: every width of keys, every byte in which they may differ, small and large records.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "../../src/host/codes.hpp"
#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "random.hpp"
#include "records.hpp"
#include "runs.hpp"
#include "small_pieces.hpp"
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

/// Codes of few values are counted, whether in whole blocks or not, and the codes between these are kept.
template <class Code>
void check_blocks(const std::string& name) {
  for (const std::size_t values : {1, 2, 3, 7, 100, 1'000'000})
    for (const std::size_t n : {40, 256, 997, 5000, 70'000}) {
      random_source random{seed() + n + values};
      std::vector<Code> codes(n);
      for (auto& code : codes) code = static_cast<Code>(random.below(values) * 2 + (random.below(50) == 0));
      auto sorted = codes;
      if (!gpu::detail::host::sort_codes_by_blocks<small_blocks>(sorted.data(), n)) continue;
      expect_none(sort_problem(codes, sorted, natural_less{}),
                  name + ", " + std::to_string(values) + " values, " + std::to_string(n));
    }
}

/// Sorted keys, a share of which are displaced, `length` neighbours at a time.
template <class Key>
std::vector<Key> displaced(std::size_t n, std::size_t per_thousand, std::size_t length, std::uint64_t variant) {
  random_source random{seed() + variant};
  auto keys = make_keys<Key>({"sorted", form::sorted}, n, variant);
  for (std::size_t moved = 0; moved * 1000 < n * per_thousand; moved += length) {
    const std::size_t from = random.below(n - length + 1), to = random.below(n - length + 1);
    if (from + length <= to || to + length <= from)
      std::swap_ranges(keys.begin() + static_cast<std::ptrdiff_t>(from),
                       keys.begin() + static_cast<std::ptrdiff_t>(from + length),
                       keys.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return keys;
}

template <class Key>
void check_displaced(const std::string& name) {
  for (const std::size_t n : {17, 50, 200, 1023, 1024, 5000, 70'000})
    for (const std::size_t per_thousand : {1, 10, 60, 130, 300})
      for (const std::size_t length : {1, 2, 7, 8, 9, 16}) {
        auto keys = displaced<Key>(n, per_thousand, length, n + per_thousand + length);
        if (per_thousand == 10) keys.front() = keys.back();  // nothing can be kept before it
        const std::string what = name + ", " + std::to_string(per_thousand) + " in 1000 displaced by " +
                                 std::to_string(length) + ", " + std::to_string(n);
        auto sorted = keys;
        gpu::sort(by_digits, sorted);
        expect_none(sort_problem(keys, sorted, natural_less{}), what);
        sorted = keys;
        gpu::stable_sort(by_digits, sorted, std::greater<>{});
        expect_none(sort_problem(keys, sorted, natural_greater{}), what + ", descending");
      }
}

/// Sorted but for every second pair of neighbours, the first pair among them.
template <class Key>
void check_swapped_neighbours(const std::string& name) {
  for (const std::size_t n : {20, 100, 1000}) {
    auto keys = make_keys<Key>({"sorted", form::sorted}, n, n);
    for (std::size_t i = 0; i + 1 < n; i += 4) std::swap(keys[i], keys[i + 1]);
    auto sorted = keys;
    gpu::sort(by_digits, sorted);
    expect_none(sort_problem(keys, sorted, natural_less{}), name + ", neighbours swapped, " + std::to_string(n));
  }
}

/// Both ways in which all threads sort codes together: which of them a sort takes depends on the number of threads.
template <class Code>
void check_together(const std::string& name) {
  for (const auto& shape : {uniform, few_values, zipf, {"sorted", form::sorted}})
    for (const std::size_t n : {300, 5000, 70'000}) {
      const auto codes = make_keys<Code>(shape, n, n);
      std::vector<Code> scratch(n);
      std::vector<std::uint8_t> ids(n);
      const std::string what = name + ", " + shape.name + ", " + std::to_string(n);
      auto sorted = codes;
      gpu::detail::host::sort_codes_together(sorted.data(), scratch.data(), ids.data(), n);
      expect_none(sort_problem(codes, sorted, natural_less{}), what + ", distributed");
      sorted = codes;
      gpu::detail::host::sort_pieces_of_codes(sorted.data(), scratch.data(), n);
      expect_none(sort_problem(codes, sorted, natural_less{}), what + ", merged");
    }
}

/// Sorted runs, optionally followed by one code that belongs in front.
template <class Code>
void check_runs(const std::string& name) {
  std::size_t merged = 0;
  for (const std::size_t runs : {1, 2, 3, 4, 7, 8, 9, 40})
    for (const std::size_t n : {1000, 16'384, 70'001})
      for (const bool one_more : {false, true}) {
        auto codes = in_runs(make_keys<Code>(uniform, n, n + runs), runs, natural_less{});
        if (one_more) codes.back() = 0;
        const std::string what = name + ", " + std::to_string(runs) + " runs, " + std::to_string(n);
        auto sorted = codes;
        std::vector<Code> scratch(n);
        gpu::detail::code_less less;
        const bool done = gpu::detail::host::sort_few_runs<gpu::detail::host::default_tuning, false>(
            sorted.data(), n, less, [&](std::size_t) { return scratch.data(); });
        merged += done;
        if (runs <= 7) expect(done, what + ": are few");
        if (runs == 40) expect(!done, what + ": are many");
        if (!done) std::sort(sorted.begin(), sorted.end());
        expect_none(sort_problem(codes, sorted, natural_less{}), what);
        sorted = codes;
        gpu::sort(by_digits, sorted);
        expect_none(sort_problem(codes, sorted, natural_less{}), what + ", as a call");
      }
  expect(merged > 0, name + ": some are merged");
}

/// Passes by a digit to targets that begin anywhere in a cache line, of digits that are equally frequent, so that their
/// positions collide, or not; and the same passes by cache lines.
template <class Code>
void check_passes(const std::string& name) {
  for (const std::size_t n : {1, 300, 16'384, 20'000})
    for (const std::size_t offset : {0, 1, 5})
      for (const bool even : {true, false}) {
        const unsigned shift = sizeof(Code) > 1 ? 8 : 0;
        std::vector<Code> codes = make_keys<Code>(uniform, n, n + offset);
        if (even)
          for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(Code(i) << shift);
        auto expected = codes;
        const auto digit = [&](Code code) { return gpu::detail::host::digit_of(code, shift); };
        std::stable_sort(expected.begin(), expected.end(), [&](Code a, Code b) { return digit(a) < digit(b); });
        std::vector<std::size_t> counts(256), begins(257);
        for (const Code code : codes) ++counts[digit(code)];
        std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
        const auto check = [&](const std::string& what, auto scatter, std::vector<std::size_t> places) {
          constexpr Code mark = 0x5a;
          std::vector<Code> moved(n + offset + 8, mark);
          scatter(codes.data(), moved.data() + offset, n, shift, places.data());
          const auto first = moved.begin() + static_cast<std::ptrdiff_t>(offset), last = first + std::ssize(codes);
          expect(std::equal(first, last, expected.begin()), what);
          expect(std::count(moved.begin(), first, mark) + std::count(last, moved.end(), mark) ==
                     std::ssize(moved) - std::ssize(codes),
                 what + ": nothing is written beside");
          places.push_back(n);
          expect(std::equal(begins.begin() + 1, begins.end(), places.begin()), what + ": places end where values do");
        };
        const std::string what =
            name + ", " + std::to_string(n) + (even ? ", even" : "") + ", at " + std::to_string(offset);
        check(what, gpu::detail::host::scatter_by_digit<Code>, counts);
        check(what + ", by lines", gpu::detail::host::scatter_by_lines<Code>, {begins.begin(), begins.end() - 1});
      }
}

}  // namespace

TEST_CASE("radix: codes by blocks") {
  check_blocks<std::uint32_t>("u32");
  check_blocks<std::uint64_t>("u64");
}

TEST_CASE("radix: few keys out of place") {
  check_displaced<std::uint32_t>("u32");
  check_displaced<double>("double");
  check_swapped_neighbours<std::uint32_t>("u32");
  check_swapped_neighbours<double>("double");
}

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

TEST_CASE("radix: codes sorted by all threads together") {
  check_together<std::uint8_t>("8 bits");
  check_together<std::uint32_t>("32 bits");
  check_together<std::uint64_t>("64 bits");
}

TEST_CASE("radix: a few runs are merged by all threads") {
  check_runs<std::uint32_t>("u32");
  check_runs<std::uint64_t>("u64");
  check_runs<gpu::detail::uint128>("u128");
}

TEST_CASE("radix: a pass writes every value where it belongs, by lines where offsets collide") {
  check_passes<std::uint8_t>("u8");
  check_passes<std::uint16_t>("u16");
  check_passes<std::uint32_t>("u32");
  check_passes<std::uint64_t>("u64");
  check_passes<gpu::detail::uint128>("u128");
  constexpr std::size_t n = 1 << 16;
  const std::vector<std::uint32_t> target(n);
  std::vector<std::size_t> places(256);
  for (std::size_t value = 0; value < places.size(); ++value) places[value] = value * (n / 256);
  expect(gpu::detail::host::offsets_collide(target.data(), n, places.data()), "places a power of two apart collide");
  for (std::size_t value = 0; value < places.size(); ++value) places[value] += value * 8 % 1000;
  expect(!gpu::detail::host::offsets_collide(target.data(), n, places.data()), "others do not");
}
