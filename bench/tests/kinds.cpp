// The kinds of real data: each is what its name says, the same every time, and used in cases of the contenders.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "../cases.hpp"
#include "../elements.hpp"
#include "../inputs.hpp"
#include "../kinds/key.hpp"
#include "support.hpp"

namespace {

using namespace bench;
using kinds::kind;

constexpr std::uint64_t n = 1 << 16;

template <class Key>
std::vector<Key> keys_of(kind which, std::uint64_t seed = 1) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = kinds::key_of_kind<Key>(which, {i, n, seed});
  return keys;
}

/// How often each key occurs, the most frequent first.
template <class Key>
std::vector<std::size_t> counts_of(const std::vector<Key>& keys) {
  std::map<Key, std::size_t> found;
  for (const Key& key : keys) ++found[key];
  std::vector<std::size_t> counts;
  for (const auto& [key, count] : found) counts.push_back(count);
  std::ranges::sort(counts, std::greater{});
  return counts;
}

/// Share of neighbours in ascending order.
template <class Key>
double order_of(const std::vector<Key>& keys) {
  std::size_t rising = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) rising += keys[i - 1] <= keys[i];
  return static_cast<double>(rising) / static_cast<double>(keys.size() - 1);
}

}  // namespace

TEST_CASE("bench kinds: a key is the same every time, and another seed gives others") {
  for (const auto& one : kinds::all) {
    if (one.which == kind::none) continue;
    CAPTURE(one.name);
    CHECK(kinds::kind_named(one.name) == one.which);
    CHECK(keys_of<std::uint64_t>(one.which) == keys_of<std::uint64_t>(one.which));
    CHECK(keys_of<std::uint64_t>(one.which) != keys_of<std::uint64_t>(one.which, 2));
  }
}

TEST_CASE("bench kinds: only the bits that a user would name differ") {
  for (const auto& one : kinds::all) {
    if (one.told_bits == 0) continue;
    CAPTURE(one.name);
    for (const std::uint64_t key : keys_of<std::uint64_t>(one.which)) CHECK(std::bit_width(key) <= one.told_bits);
  }
}

TEST_CASE("bench kinds: few values, some often") {
  const auto codes = counts_of(keys_of<std::uint32_t>(kind::dictionary_codes));
  CHECK(codes.size() == 1000);
  CHECK(codes.front() > n / 20);
  CHECK(codes.back() < n / 1000);
  const auto prices = counts_of(keys_of<std::int32_t>(kind::prices));
  CHECK(prices.size() > 300);
  CHECK(prices.size() < 10'000);
  const auto keys = counts_of(keys_of<std::uint32_t>(kind::foreign_keys));
  CHECK(keys.front() > n / 400);
  CHECK(keys.size() > n / 3);
  const auto orders = counts_of(keys_of<std::uint64_t>(kind::order_lines));
  CHECK(orders.front() == 7);
  CHECK(orders.back() == 1);
  CHECK(orders.size() <= n / 4 + 7);
  CHECK(orders.size() >= n / 4);
  CHECK(counts_of(keys_of<std::uint32_t>(kind::row_numbers)).size() == n);
}

TEST_CASE("bench kinds: skew by measure") {
  CHECK(counts_of(keys_of<std::uint64_t>(kind::zipf_1_2)).front() > n / 8);
  CHECK(counts_of(keys_of<std::uint64_t>(kind::zipf_0_6)).front() < n / 200);
  const auto copies = counts_of(keys_of<std::uint32_t>(kind::copies_60));
  CHECK(copies.size() > n / 70);
  CHECK(copies.size() < n / 50);
  for (const auto which : {kind::half_one, kind::nine_tenths_one}) {
    const double share = static_cast<double>(counts_of(keys_of<double>(which)).front()) / static_cast<double>(n);
    CHECK(std::abs(share - (which == kind::half_one ? 0.5 : 0.9)) < 0.02);
  }
  CHECK(counts_of(keys_of<float>(kind::bits_8)).size() == 256);
  auto crowds = keys_of<std::uint32_t>(kind::crowds_16);  // as close together in any width
  std::ranges::sort(crowds);
  std::size_t far = 0;
  for (std::uint64_t i = 1; i < n; ++i) far += crowds[i] - crowds[i - 1] > 1u << 22;
  CHECK(far < 50);
}

TEST_CASE("bench kinds: integers as numbers of floating point are the same numbers") {
  const auto prices = keys_of<std::int64_t>(kind::prices);
  const auto as_floats = keys_of<double>(kind::prices);
  for (std::uint64_t i = 0; i < n; ++i) CHECK(as_floats[i] == static_cast<double>(prices[i]));
  for (const double score : keys_of<double>(kind::scores))
    CHECK(score == static_cast<double>(static_cast<float>(score)));
}

TEST_CASE("bench kinds: floats") {
  const auto zeros = keys_of<float>(kind::half_zeros);
  const auto share = std::ranges::count(zeros, 0.0f);
  CHECK(share > static_cast<std::ptrdiff_t>(n * 45 / 100));
  CHECK(share < static_cast<std::ptrdiff_t>(n * 55 / 100));
  for (const float depth : keys_of<float>(kind::depths)) CHECK((depth >= 0 && depth < 1));
  for (const double amount : keys_of<double>(kind::amounts)) CHECK((amount >= 0 && amount < 1e6));
}

TEST_CASE("bench kinds: more or less in order") {
  CHECK(order_of(keys_of<std::uint64_t>(kind::sorted_runs)) > 0.99);
  CHECK(order_of(keys_of<std::uint64_t>(kind::timestamps)) > 0.5);
  auto late = keys_of<std::uint64_t>(kind::timestamps);
  const auto before = late;
  std::ranges::sort(late);
  for (std::uint64_t i = 0; i < n; ++i) CHECK(std::max(late[i], before[i]) - std::min(late[i], before[i]) < 2'000'000);
}

TEST_CASE("bench kinds: structures, texts and genomes") {
  const auto edges = keys_of<std::uint64_t>(kind::edges);
  std::size_t lower = 0;  // half of the vertices, at the end of more than half of the edges
  for (const std::uint64_t edge : edges) lower += edge >> 53 == 0;
  CHECK(lower > n * 7 / 10);
  for (const std::uint64_t text : keys_of<std::uint64_t>(kind::text_prefixes))
    for (int byte = 0; byte < 8; ++byte) CHECK((text >> (8 * byte) & 0xff) < 0x80);
  const auto words = counts_of(keys_of<std::uint64_t>(kind::text_prefixes));
  CHECK(words.front() > 20);
  CHECK(words.size() > n / 4);
  for (const kinds::uint128 url : keys_of<kinds::uint128>(kind::url_prefixes))
    CHECK(static_cast<std::uint32_t>(url >> 96) == 0x68747470u);  // http
  const auto mers = counts_of(keys_of<std::uint64_t>(kind::kmers));
  CHECK(mers.front() > 4);
  CHECK(mers.size() > n / 2);
}

TEST_CASE("bench kinds: every case has uniform keys beside it, and a type that there is") {
  for (const auto wanted : {extent::real, extent::kinds})
    for (const auto& group : groups_of(wanted))
      for (const auto& type : group.types) {
        CAPTURE(type);
        CHECK(group.inputs.front().name == "uniform");
        for (const auto what : group.operations)
          CHECK(element_bytes(problem{what, 1, type, group.inputs.front(), n}.element()) > 0);
      }
}

TEST_CASE("bench kinds: results are checked") {
  for (const auto* type : {"u32", "u64", "u128", "f32", "u16+u64", "u32+u8", "u64+u32"}) {
    CAPTURE(type);
    arena memory{place::pageable};
    const problem asked{operation::sort, 1, type, kind::dictionary_codes, 5000};
    const auto data = make_host_inputs(asked, 1, memory);
    data->renew(0);
    const auto on = data->at(0);
    CHECK(data->fault_of(0, {on.keys, on.values}).find("out of order") != std::string::npos);
  }
}
