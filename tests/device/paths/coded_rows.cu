// Sorts of records by codes of their keys; columns that are rearranged together.
#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/detail/device/rows/element_runs.cuh"
#include "gpu/detail/device/rows/elements.cuh"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

enum class key_kind : unsigned char { any, few, digits, floats };

/// A record that is aligned to one byte and holds its own position.
template <std::size_t Bytes>
struct wide {
  std::array<unsigned char, 20> key;
  unsigned char place[4];
  unsigned char rest[Bytes - 24];
};

template <class Number, class Record>
GPUPAR_HOST_DEVICE Number number_in(const Record& record) {
  Number number;
  std::memcpy(&number, &record.key, sizeof(number));
  return number;
}

template <class Number>
struct projected_number {
  template <class Record>
  GPUPAR_HOST_DEVICE Number operator()(const Record& record) const {
    return number_in<Number>(record);
  }
};
template <std::size_t Count>
struct projected_array {
  template <class Record>
  GPUPAR_HOST_DEVICE const std::array<unsigned char, Count>& operator()(const Record& record) const {
    return reinterpret_cast<const std::array<unsigned char, Count>&>(record.key);
  }
};
template <std::size_t Bytes>
std::vector<wide<Bytes>> make_records(std::size_t n, key_kind kind) {
  const auto numbers = make_keys<std::uint64_t>(kind == key_kind::few ? few_values : uniform, n);
  std::vector<wide<Bytes>> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = numbers[i];
    for (std::size_t b = 0; b < records[i].key.size(); ++b) {
      const auto byte = static_cast<unsigned char>(x >> 8 * (b % 8));
      records[i].key[b] = kind == key_kind::digits ? static_cast<unsigned char>('0' + byte % 10) : byte;
    }
    if (kind == key_kind::floats) {
      const float number = (static_cast<float>(x % 200'001) - 100'000) / 8;
      std::memcpy(&records[i].key, &number, sizeof(number));
    }
    const auto place = static_cast<std::uint32_t>(i);
    std::memcpy(records[i].place, &place, sizeof(place));
    for (std::size_t b = 0; b < sizeof(records[i].rest); ++b)
      records[i].rest[b] = static_cast<unsigned char>(x + i + b);
  }
  return records;
}

template <class Record>
bool same_bytes(const Record& a, const Record& b) {
  return std::memcmp(&a, &b, sizeof(Record)) == 0;
}
template <class Record>
std::uint32_t place_in(const Record& record) {
  std::uint32_t place;
  std::memcpy(&place, record.place, sizeof(place));
  return place;
}

/// Sorts records in device memory; before(a, b) is the same order as `less`, on the host.
template <std::size_t Bytes, class Less, class Before>
void check_sort(const std::string& name, std::size_t n, key_kind kind, Less less, Before before) {
  using record = wide<Bytes>;
  const std::string what = name + ", " + std::to_string(Bytes) + " bytes, " + std::to_string(n);
  workplace here;
  const auto records = make_records<Bytes>(n, kind);
  const storage<record> data{memory::device, records, n % 4};
  device::sort_rows_by_codes<record>(here.context(), {{data.data(), sizeof(record)}}, n, less);
  const auto after = data.fetch(what);
  auto expected = records;
  std::stable_sort(expected.begin(), expected.end(), before);
  bool sorted = true, whole = true;
  for (std::size_t i = 0; i < n; ++i) {
    sorted &= same_bytes(after[i], expected[i]);
    const std::uint32_t place = place_in(after[i]);
    whole &= place < n && same_bytes(after[i], records[place]);
  }
  std::vector<bool> seen(n);
  for (const record& each : after)
    if (place_in(each) < n) seen[place_in(each)] = true;
  expect(sorted, what + ": sorted");
  expect(whole && std::find(seen.begin(), seen.end(), false) == seen.end(), what + ": each record once");
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
}

template <std::size_t Bytes, class Compare, class Projection>
void check_projection(const std::string& name, std::size_t n, key_kind kind, Compare compare, Projection projection) {
  check_sort<Bytes>(name, n, kind, device::compare_elements<wide<Bytes>, Compare, Projection>{compare, projection},
                    [=](const auto& a, const auto& b) mutable { return compare(projection(a), projection(b)); });
}

const auto sizes = [] { return tried({1, 2, 31, 511, 512, 5000, 70'001}); };

}  // namespace

TEST_CASE("device paths: records by codes of their keys") {
  if (no_device()) return;
  for (const std::size_t n : sizes()) {
    check_projection<100>("u32", n, key_kind::few, std::less<>{}, projected_number<std::uint32_t>{});
    check_projection<40>("f32", n, key_kind::floats, std::less<>{}, projected_number<float>{});
    check_projection<25>("i64 down", n, key_kind::any, std::greater<>{}, projected_number<std::int64_t>{});
    check_projection<200>("ten bytes", n, key_kind::digits, std::less<>{}, projected_array<10>{});
  }
}

TEST_CASE("device paths: columns of many widths follow an order together") {
  if (no_device()) return;
  constexpr std::size_t n = 10'007;
  workplace here;
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i * 5003 % n);
  const storage<std::uint32_t> places{memory::device, order};
  for (const std::vector<std::size_t>& widths :
       {std::vector<std::size_t>{1}, {8, 4, 2}, {3, 12, 1, 16}, {24, 8, 100, 7}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}})
    for (const std::size_t misalignment : {0, 1}) {
      std::vector<std::unique_ptr<storage<unsigned char>>> columns;
      std::vector<std::vector<unsigned char>> before;
      std::vector<gpu::detail::column> all;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        std::vector<unsigned char> bytes(n * widths[c]);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 31 + i / 251 + c);
        columns.push_back(std::make_unique<storage<unsigned char>>(memory::device, bytes, misalignment * (c + 1)));
        all.push_back({columns.back()->data(), widths[c]});
        before.push_back(std::move(bytes));
      }
      const storage<unsigned char> spare{memory::device,
                                         std::vector<unsigned char>(n * device::most_packed_bytes(all))};
      const std::uint32_t* const indices = places.data();
      device::reorder_columns(here.context(), device::pack_columns(all), indices,
                              reinterpret_cast<std::byte*>(spare.data()), n);
      for (std::size_t c = 0; c < widths.size(); ++c) {
        const auto after = columns[c]->fetch("column");
        bool right = true;
        for (std::size_t i = 0; i < n; ++i)
          right &= std::memcmp(&after[i * widths[c]], &before[c][order[i] * widths[c]], widths[c]) == 0;
        expect(right, "column " + std::to_string(c) + " of " + std::to_string(widths.size()) + " columns");
      }
    }
}
