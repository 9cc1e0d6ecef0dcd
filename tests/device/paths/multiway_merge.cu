#include "gpu/detail/device/merging/multiway_merge.cuh"

#include <algorithm>

#include "liars.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

/// k sorted runs of ragged lengths, one after the other; each element records where it came from.
std::vector<record8> ragged_runs(const std::vector<std::uint32_t>& keys, std::size_t k,
                                 std::vector<std::size_t>& ends) {
  auto rows = with_index(keys);
  ends.clear();
  std::size_t begin = 0;
  for (std::size_t run = 0; run < k; ++run) {
    const std::size_t left = rows.size() - begin;
    const std::size_t end = run + 1 == k ? rows.size() : begin + left * (run * 7 % 5) / 8;
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end),
                     by(natural_less{}, &record8::key));
    ends.push_back(end);
    begin = end;
  }
  return rows;
}

/// So large that a tile has 64 of them: few records make more tiles than a single search cuts.
struct large_record {
  double key;
  std::uint64_t words[8];
};

struct record_liar {
  liar less;
  GPUPAR_HOST_DEVICE bool operator()(const large_record& a, const large_record& b) const { return less(a.key, b.key); }
};

using large_records = device::columns<large_record, device::no_value>;

constexpr std::size_t large_tile = device::merge_tile_size_v<large_record, device::no_value>;
constexpr std::size_t many_tiles = device::single_search_tiles + 200;

/// k sorted runs of ragged lengths, one after the other, of evenly distributed keys.
struct large_runs {
  explicit large_runs(std::size_t k) {
    const std::size_t n = many_tiles * large_tile - 7;
    for (std::size_t run = 0; run < k; ++run) {
      const std::size_t left = n - records.size();
      counts.push_back(run + 1 == k ? left : left / (k - run) + 1000 * (run % 3));
      for (const double key : make_keys<double>(sorted, counts.back()))
        records.push_back({key, {records.size(), records.size()}});
    }
  }

  /// The runs in device memory.
  [[nodiscard]] std::vector<device::sequence<large_record, device::no_value>> on(
      const storage<large_record>& data) const {
    std::vector<device::sequence<large_record, device::no_value>> runs;
    std::size_t begin = 0;
    for (const std::size_t count : counts) {
      runs.push_back({{data.data() + begin, nullptr}, count});
      begin += count;
    }
    return runs;
  }

  std::vector<large_record> records;
  std::vector<std::size_t> counts;

 private:
  inline static const distribution sorted{"sorted", form::sorted};
};

/// Comparators that contradict themselves always, now and then, and here and there.
std::vector<lie> confusions() {
  if (reduced()) return {lie::random};
  return {lie::random, lie::mostly_right, lie::confused_in_part};
}

/// The cuts that the selection writes: those of tile t begin at t * k.
std::vector<std::size_t> selected_cuts(const workplace& here, const large_runs& made, const storage<large_record>& data,
                                       lie which) {
  const auto runs = made.on(data);
  device::sequence_set<large_record, device::no_value> set{};
  std::copy(runs.begin(), runs.end(), set.items);
  set.count = static_cast<int>(runs.size());
  const storage<std::size_t> cuts{memory::device, std::vector<std::size_t>((many_tiles + 1) * runs.size(), ~0u)};
  device::select_cuts(here.context(), set, large_tile, 0, many_tiles, cuts.data(), static_cast<large_record*>(nullptr),
                      record_liar{{which}}, gpu::detail::identity_codec{});
  return cuts.fetch("cuts");
}

/// Merges k sorted pieces of keys alone, and compares with all of them sorted. Each piece begins where the previous one
/// ends, not at a multiple of anything.
template <class Key>
void check_codes(const workplace& here, std::vector<Key> keys, std::size_t k, bool descending,
                 const std::string& shape) {
  const auto order = [&](auto first, auto last) {
    descending ? std::sort(first, last, natural_greater{}) : std::sort(first, last, natural_less{});
  };
  std::vector<std::size_t> begins;
  for (std::size_t run = 0; run <= k; ++run)
    begins.push_back(run == k ? keys.size()
                              : keys.size() * run / k + (run * 5 % 7 < keys.size() / (8 * k) ? run % 4 : 0));
  const auto at = [&](std::size_t run) { return keys.begin() + static_cast<std::ptrdiff_t>(begins[run]); };
  for (std::size_t run = 0; run < k; ++run) order(at(run), at(run + 1));
  constexpr bits_of<Key> mark = 0x5a;
  const std::size_t margin = 4 + k % 4;  // number of marks on either side
  const storage<bits_of<Key>> data{memory::device, raw(keys)};
  const storage<bits_of<Key>> merged{memory::device, std::vector<bits_of<Key>>(keys.size() + 2 * margin, mark)};
  std::vector<device::sequence<bits_of<Key>, device::no_value>> runs;
  for (std::size_t run = 0; run < k; ++run)
    runs.push_back({{data.data() + begins[run], nullptr}, begins[run + 1] - begins[run]});
  device::multiway_merge(
      here.context(), runs.data(), k, device::columns<bits_of<Key>, device::no_value>{merged.data() + margin, nullptr},
      gpu::detail::code_less{}, gpu::detail::make_integer_codec<bits_of<Key>>(gpu::detail::format_of<Key>(descending)));
  const auto all = merged.fetch(shape);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(margin), end = all.end() - (begin - all.begin());
  order(keys.begin(), keys.end());
  const std::string what = std::to_string(k) + " runs of codes, " + shape + (descending ? ", descending" : "");
  expect_none(difference(keys, cooked<Key>(std::vector<bits_of<Key>>(begin, end))), what);
  expect(std::count(all.begin(), begin, mark) + std::count(end, all.end(), mark) == 2 * (begin - all.begin()),
         what + ": nothing is written beside the output");
}

/// Keys whose pieces have disjoint ranges of values, one after the other, or with one piece far from the others.
template <class Key>
std::vector<Key> uneven(std::size_t n, std::size_t k, bool far) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<Key>(far && i * k / n == 1 ? (i << 40) - i : i));
  return keys;
}

/// Keys in groups of 64 equal ones, the same in all pieces: more than a bin can hold.
template <class Key>
std::vector<Key> in_groups(std::size_t n, std::size_t k) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<Key>(i % (n / k + 1) * k / 64) << 20);
  return keys;
}

/// With more sequences than one merge takes, intermediate results lie in memory that bulk copies write.
template <class Key>
void check_uneven(std::size_t k) {
  const workplace here{k > device::max_sequences};
  for (const std::size_t n : {std::size_t{5000}, std::size_t{100'003}}) {
    for (const bool far : {false, true})
      check_codes<Key>(here, uneven<Key>(n, k, far), k, false, far ? "one far piece" : "pieces one behind the other");
    check_codes<Key>(here, in_groups<Key>(n, k), k, false, "groups of equal ones");
  }
}

template <class Key>
void check_codes_of(std::size_t k) {
  const workplace here;
  with_shapes<Key>([&](const std::vector<Key>& keys, const std::string& shape) {
    check_codes<Key>(here, keys, k, k % 2 == 0, shape);
  });
  check_uneven<Key>(k);
}

}  // namespace

TEST_CASE("device paths: multiway merge of codes, few sequences") {
  if (no_device()) return;
  check_codes_of<std::uint32_t>(8);
  check_codes_of<std::int64_t>(11);
  check_uneven<std::uint32_t>(3);
}

TEST_CASE("device paths: multiway merge of codes, many sequences") {
  if (no_device()) return;
  check_codes_of<std::int32_t>(17);
  check_codes_of<std::uint64_t>(64);
  check_uneven<std::uint32_t>(150);
}

TEST_CASE("device paths: multiway merge of codes in so many tiles that their cuts are found in three levels") {
  if (no_device()) return;
  if (reduced()) return skip("cuts in three levels: too long for reduced tests");
  const workplace here;
  const std::size_t n = 17'000'000;
  check_codes<std::uint32_t>(here, make_keys<std::uint32_t>(uniform, n, n), 12, false, "uniform");
  check_codes<std::uint64_t>(here, make_keys<std::uint64_t>(zipf, n, n), 5, false, "zipf");
}

TEST_CASE("device paths: multiway merge") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t k : {3, 8, 64, 100})
    with_shapes<std::uint32_t>([&](const auto& unsorted, const std::string& shape) {
      std::vector<std::size_t> ends;
      const auto rows = ragged_runs(unsorted, k, ends);
      std::vector<std::uint32_t> keys, indices;
      for (const auto& row : rows) keys.push_back(row.key), indices.push_back(row.index);
      const storage<std::uint32_t> key_data{memory::device, keys}, value_data{memory::device, indices};
      const storage<std::uint32_t> merged_keys{memory::device, keys}, merged_values{memory::device, indices};
      std::vector<device::sequence<std::uint32_t, std::uint32_t>> runs;
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        runs.push_back({{key_data.data() + begin, value_data.data() + begin}, end - begin});
        begin = end;
      }
      device::multiway_merge(here.context(), runs.data(), k,
                             device::columns<std::uint32_t, std::uint32_t>{merged_keys.data(), merged_values.data()},
                             gpu::detail::code_less{}, gpu::detail::identity_codec{});
      const auto out_keys = merged_keys.fetch(shape), out_values = merged_values.fetch(shape);
      std::vector<record8> after(rows.size());
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = {out_keys[i], out_values[i]};
      expect_none(stable_sort_problem(rows, after, by(natural_less{}, &record8::key)),
                  std::to_string(k) + " runs, " + shape);
    });
}

TEST_CASE("device paths: cuts of many tiles by a comparator that contradicts itself") {
  if (no_device()) return;
  const workplace here;
  constexpr std::size_t k = 5;
  const large_runs made{k};
  const storage<large_record> data{memory::device, made.records};
  for (const lie which : confusions()) {
    const auto cuts = selected_cuts(here, made, data, which);
    std::size_t beyond = 0, crossed = 0;
    for (std::size_t i = 0; i < cuts.size(); ++i) beyond += cuts[i] > made.counts[i % k];
    for (std::size_t i = 8 * k; i < cuts.size(); ++i) crossed += i / k % 8 == 0 && cuts[i] < cuts[i - 8 * k];
    const std::string what = to_string(which);
    expect(beyond == 0, what + ": " + std::to_string(beyond) + " cuts beyond the ends of their sequences");
    expect(std::equal(made.counts.begin(), made.counts.end(), cuts.end() - k), what + ": the last cuts are the ends");
    expect(crossed > 0 || which != lie::random, what + ": no known cuts crossed, nothing was searched all over");
  }
}

TEST_CASE("device paths: multiway merge of many tiles by a comparator that contradicts itself") {
  if (no_device()) return;
  const workplace here;
  for (const std::size_t k : tried({3, 64})) {
    const large_runs made{k};
    const storage<large_record> data{memory::device, made.records};
    const auto runs = made.on(data);
    for (const lie which : confusions()) {
      const storage<large_record> merged{memory::device, std::vector<large_record>(made.records.size())};
      device::multiway_merge(here.context(), runs.data(), k, large_records{merged.data(), nullptr},
                             record_liar{{which}}, gpu::detail::identity_codec{});
      const std::string what = std::to_string(k) + " runs, " + to_string(which);
      expect_none(permutation_problem(made.records, merged.fetch(what)), what);
    }
    expect_none(difference(made.records, data.fetch()), "the runs are not written to");
  }
}
