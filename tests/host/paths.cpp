// Every path of the host backend's algorithms on a handful of elements: tunings so small that inputs of a few hundred
// elements are cut, distributed and merged on as many levels as millions are.
#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "records.hpp"
#include "runs.hpp"
#include "small_pieces.hpp"
#include "support.hpp"

namespace {

using namespace testing;
namespace host = gpu::detail::host;

/// Its moves may throw, as far as the compiler knows, so it is rearranged by swaps.
struct unsure {
  std::uint32_t key = 0;
  unsure() = default;
  explicit unsure(std::uint32_t k) : key{k} {}
  unsure(const unsure&) = default;
  unsure& operator=(const unsure&) = default;
  unsure(unsure&& other) noexcept(false) : key{std::exchange(other.key, ~0u)} {}
  unsure& operator=(unsure&& other) noexcept(false) {
    key = std::exchange(other.key, ~0u);
    return *this;
  }
};

/// Elements that are sorted through pointers.
struct large_record {
  std::uint32_t key, index, payload[30];
};

const std::vector<distribution>& shapes() {
  static const std::vector<distribution> all{uniform,
                                             few_values,
                                             zipf,
                                             {"two values", form::few_distinct, 2},
                                             {"zero", form::zero},
                                             {"sorted", form::sorted},
                                             {"reverse", form::reverse},
                                             {"three swaps", form::three_swaps},
                                             {"organ pipe", form::organ_pipe},
                                             {"killer", form::median_of_3_killer},
                                             {"descending runs of equals", form::deterministic_duplicates},
                                             {"byte 0", form::only_byte, 0},
                                             {"byte 2", form::only_byte, 2},
                                             {"odd one last", form::all_equal_but_one, 2}};
  return all;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100, 257, 600};

template <class Body>
void with_rows(Body body) {
  for (const auto& shape : shapes())
    for (const std::size_t n : sizes)
      body(with_index(make_keys<std::uint32_t>(shape, n, n)), shape.name + ", " + std::to_string(n));
}

/// Counts its calls, which reveals an algorithm that is correct but quadratic.
struct counting_less {
  std::atomic<std::size_t>* calls;
  template <class Row>
  bool operator()(const Row& a, const Row& b) const {
    calls->fetch_add(1, std::memory_order_relaxed);
    return a.key < b.key;
  }
};

template <class Row, class Sort>
void check_sort(const std::string& what, std::vector<Row> rows, bool stable, Sort sort) {
  const auto before = rows;
  const auto less = by(natural_less{}, &Row::key);
  std::atomic<std::size_t> calls{0};
  sort(rows.data(), rows.size(), counting_less{&calls});
  expect_none(stable ? stable_sort_problem(before, rows, less) : sort_problem(before, rows, less), what);
  const auto log = static_cast<std::size_t>(std::bit_width(rows.size()));
  const std::size_t most = what.starts_with("bitonic") ? rows.size() * log * log : 6 * rows.size() * (log + 2);
  expect(calls <= most + 16, what + ": " + std::to_string(calls) + " comparisons");
}

template <class Tuning>
void check_all_sorts(const std::string& name) {
  with_rows([&](const auto& rows, const std::string& shape) {
    const std::string what = ", " + name + ", " + shape;
    check_sort("quicksort" + what, rows, false, [](auto... all) { host::quicksort<Tuning>(all...); });
    check_sort("bitonic" + what, rows, false, [](auto... all) { host::bitonic_sort<Tuning>(all...); });
    check_sort("sample sort" + what, rows, true, [](auto... all) { host::sample_sort<Tuning>(all...); });
    check_sort("merge sort" + what, rows, true, [](auto... all) { host::merge_sort<Tuning>(all...); });
  });
}

/// Compares merge and inplace_merge with the standard's for several sizes, cuts and shapes.
template <class Tuning>
void check_merges() {
  for (const std::size_t n : {0, 1, 2, 9, 40, 100, 333, 1000})
    for (const std::size_t middle : {std::size_t{0}, n / 3, n / 2, n})
      for (const auto& shape : shapes()) {
        auto rows = with_index(make_keys<std::uint32_t>(shape, n, middle));
        const auto less = by(natural_less{}, &record8::key);
        const auto cut = rows.begin() + static_cast<std::ptrdiff_t>(middle);
        std::stable_sort(rows.begin(), cut, less);
        std::stable_sort(cut, rows.end(), less);
        std::vector<record8> expected(n), got(n);
        std::merge(rows.begin(), cut, cut, rows.end(), expected.begin(), less);
        host::merge<Tuning>(rows.data(), middle, rows.data() + middle, n - middle, got.data(), less);
        const std::string what = shape.name + ", " + std::to_string(middle) + " of " + std::to_string(n);
        expect_none(difference(expected, got), "merge, " + what);
        host::inplace_merge<Tuning>(rows.data(), middle, n, less);
        expect_none(difference(expected, rows), "inplace_merge, " + what);
      }
}

template <class Tuning>
void check_multiway() {
  for (const std::size_t k : {1, 2, 3, 5, 8, 9})
    for (const auto& shape : shapes()) {
      const auto rows = with_index(make_keys<std::uint32_t>(shape, 40 * k, k));
      const auto less = by(natural_less{}, &record8::key);
      std::vector<std::vector<record8>> runs(k);
      for (std::size_t i = 0; i < rows.size(); ++i) runs[i * i % 7 * i % k].push_back(rows[i]);
      std::vector<record8> all, got(rows.size());
      std::vector<host::sequence<const record8*>> sequences;
      for (auto& run : runs) {
        std::stable_sort(run.begin(), run.end(), less);
        all.insert(all.end(), run.begin(), run.end());
        sequences.push_back({run.data(), run.size()});
      }
      std::stable_sort(all.begin(), all.end(), less);
      const std::string what = ", " + shape.name + ", k = " + std::to_string(k);
      host::multiway_merge<Tuning>(sequences.data(), k, got.data(), less);
      expect_none(difference(all, got), "multiway_merge by windows" + what);
      std::deque<record8> scattered(rows.size());
      host::multiway_merge<Tuning>(sequences.data(), k, scattered.begin(), less);
      expect_none(difference(all, {scattered.begin(), scattered.end()}), "multiway_merge by tournament" + what);
    }
}

/// Compares all sorts of keys by a custom order with the standard's sort.
template <class Key, class Less>
void check_orders(const std::string& name, const std::vector<Key>& keys, Less less) {
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), less);
  const auto check = [&](const std::string& what, auto sort) {
    auto got = keys;
    sort(got.data(), got.size(), less);
    expect(got == expected, what + ", " + name + ", " + std::to_string(keys.size()));
  };
  check("quicksort", [](auto... all) { host::quicksort<small_pieces>(all...); });
  check("quicksort by blocks", [](auto... all) { host::quicksort<small_blocks>(all...); });
  check("quicksort of few", [](auto... all) { host::quicksort(all...); });
  check("bitonic", [](auto... all) { host::bitonic_sort<small_pieces>(all...); });
  check("sample sort", [](auto... all) { host::sample_sort<small_pieces>(all...); });
  check("merge sort", [](auto... all) { host::merge_sort<small_pieces>(all...); });
}

static_assert(host::compact<std::pair<std::uint32_t, std::uint32_t>>);
static_assert(!host::compact<std::pair<std::string, std::uint32_t>>);
static_assert(!host::compact<std::pair<std::uint32_t&, std::uint32_t>>);

}  // namespace

TEST_CASE("paths: integers and pairs by orders that compilers see through less well") {
  const auto rotated = [](std::uint32_t a, std::uint32_t b) { return std::rotl(a, 7) < std::rotl(b, 7); };
  const auto last_first = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  };
  for (const auto& shape : shapes())
    for (const std::size_t n : sizes) {
      const auto keys = make_keys<std::uint32_t>(shape, n, n);
      std::vector<std::uint64_t> wide(n);
      const std::vector<double> floats(keys.begin(), keys.end());
      std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(n);
      for (std::size_t i = 0; i < n; ++i) {
        wide[i] = std::uint64_t{keys[i]} << 20;
        pairs[i] = {static_cast<std::uint32_t>(i % 5), keys[i]};
      }
      check_orders("u32, " + shape.name, keys, rotated);
      check_orders("u64, " + shape.name, wide, [](auto a, auto b) { return ~a < ~b; });
      check_orders("f64, " + shape.name, floats, std::greater<>{});
      check_orders("pairs, " + shape.name, pairs, last_first);
    }
}

TEST_CASE("paths: a few runs, ascending, descending and with equals, are merged, and nothing is moved without memory") {
  using row_type = decltype(with_index(std::vector<std::uint32_t>{}))::value_type;
  const auto less = by(natural_less{}, &row_type::key);
  for (const std::size_t n : {257, 600})
    for (std::size_t runs = 1; runs <= 9; ++runs)
      for (const std::uint32_t equals : {1u, 3u}) {
        auto rows = with_index(make_keys<std::uint32_t>(uniform, n, n + runs));
        for (auto& row : rows) row.key /= equals == 1 ? 1 : 0xffffffffu / 20;
        rows = in_runs(rows, runs, less);
        const std::string what = std::to_string(runs) + " runs, " + std::to_string(n);
        check_sort("quicksort, " + what, rows, false, [](auto... all) { host::quicksort<small_pieces>(all...); });
        check_sort("sample sort, " + what, rows, true, [](auto... all) { host::sample_sort<small_pieces>(all...); });
        auto moved = rows;
        auto plain = less;
        const auto none = [](std::size_t) -> row_type* { return nullptr; };
        expect(!host::sort_few_runs<small_pieces, true>(moved.data(), n, plain, none), what + ": no memory");
        expect_none(difference(rows, moved), what + ", no memory");
        if (equals > 1 || runs > 7) continue;
        auto scratch = rows;
        const auto room = [&](std::size_t) { return scratch.data(); };
        expect(host::sort_few_runs<small_pieces, true>(moved.data(), n, plain, room), what + ": are few");
        expect_none(stable_sort_problem(rows, moved, less), what);
      }
}

TEST_CASE("paths: all sorts, in small pieces") { check_all_sorts<small_pieces>("small pieces"); }

TEST_CASE("paths: quicksort by blocks") {
  with_rows([](const auto& rows, const std::string& shape) {
    check_sort("by blocks, " + shape, rows, false, [](auto... all) { host::quicksort<small_blocks>(all...); });
  });
  for (const auto& shape : shapes())
    for (const std::size_t n : {997, 4096, 20011}) {
      const auto rows = with_index(make_keys<std::uint32_t>(shape, n, n));
      check_sort("by blocks, " + shape.name + ", " + std::to_string(n), rows, false,
                 [](auto... all) { host::quicksort<small_blocks>(all...); });
    }
}

TEST_CASE("paths: all sorts, on one thread") { check_all_sorts<small_pieces_alone>("one thread"); }

TEST_CASE("paths: large records go through pointers") {
  for (const auto& shape : shapes())
    for (const std::size_t n : {0, 1, 2, 3, 20, 100, 600}) {
      std::vector<large_record> rows(n);
      const auto keys = make_keys<std::uint32_t>(shape, n);
      for (std::size_t i = 0; i < n; ++i) rows[i] = {keys[i], static_cast<std::uint32_t>(i), {keys[i]}};
      const std::string what = ", large records, " + shape.name + ", " + std::to_string(n);
      check_sort("quicksort" + what, rows, false, [](auto... all) { host::quicksort<small_pieces>(all...); });
      check_sort("merge sort" + what, rows, true, [](auto... all) { host::merge_sort<small_pieces>(all...); });
    }
}

TEST_CASE("paths: merges") {
  check_merges<small_pieces>();
  check_merges<small_pieces_alone>();
}

TEST_CASE("paths: multiway merges") {
  check_multiway<small_pieces>();
  check_multiway<small_pieces_alone>();
}

TEST_CASE("paths: the least elements of introsort, and heap sort") {
  for (const auto& shape : shapes())
    for (const std::size_t n : sizes) {
      const auto keys = make_keys<std::uint32_t>(shape, n, n);
      const std::string what = shape.name + ", " + std::to_string(n);
      std::less<> less;
      auto heap = keys, network = keys;
      host::heap_sort(heap.data(), n, less);
      expect_none(sort_problem(keys, heap, less), "heap sort, " + what);
      if (n > 16) continue;
      host::network_sort(network.data(), n, less);
      expect_none(sort_problem(keys, network, less), "network, " + what);
    }
}

TEST_CASE("paths: a partition by a predicate that says otherwise when asked again stays within its part") {
  for (std::size_t n = 1; n <= 20; ++n)
    for (std::uint32_t answers = 0; answers < 256; ++answers) {
      auto keys = make_keys<std::uint32_t>(uniform, n + 2);
      const auto before = keys;
      unsigned asked = 0;
      auto goes_left = [&](std::uint32_t, std::uint32_t) { return (answers >> asked++ % 8 & 1) != 0; };
      const std::uint32_t pivot = 0;
      const std::size_t left = host::partition_part(keys.data() + 1, keys.data() + 1 + n, pivot, false, goes_left);
      const std::string what = std::to_string(n) + " elements, answers " + std::to_string(answers);
      expect(left <= n && asked <= n + 1, what + ": more than there are");
      expect(keys.front() == before.front() && keys.back() == before.back(), what + ": elements of others moved");
      std::sort(keys.begin(), keys.end());
      auto all = before;
      std::sort(all.begin(), all.end());
      expect(keys == all, what + ": elements lost");
    }
}

TEST_CASE("paths: sorted prefixes") {
  for (const std::size_t n : sizes)
    for (std::size_t descent = 1; descent <= n; ++descent) {
      std::vector<std::uint32_t> keys(n, 7);
      for (std::size_t i = descent; i < n; ++i) keys[i] = i % 3 == 0 ? 3 : 6;
      const auto expected = static_cast<std::size_t>(std::is_sorted_until(keys.begin(), keys.end()) - keys.begin());
      const auto found = host::sorted_until<small_pieces>(keys.data(), n, std::less<>{});
      expect(found == expected, "descent at " + std::to_string(descent) + " of " + std::to_string(n));
    }
}

TEST_CASE("paths: permutations") {
  for (const std::size_t n : sizes) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    random_source random{n};
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::string> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = "a word that lives on the heap, number " + std::to_string(i);
    auto moved = words;
    std::vector<unsure> swapped;
    for (std::uint32_t i = 0; i < n; ++i) swapped.emplace_back(i);
    auto columns = with_index(order);
    const auto before = columns;
    host::permute_columns(n, order.data(), moved.begin(), columns.begin(), swapped.begin());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += moved[i] != words[order[i]] || columns[i] != before[order[i]] || swapped[i].key != order[i];
    expect(wrong == 0, std::to_string(wrong) + " of " + std::to_string(n) + " elements at the wrong place");
  }
}
