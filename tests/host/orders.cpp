// The library's sorts of orders by codes of any length (src/host/orders.cpp), with indices of 4 and of 8 bytes: calls
// come to the latter with more than 2^32 elements only.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gpu/detail/host/orders.hpp>

#include "support.hpp"

namespace {

namespace host = gpu::detail::host;
using gpu::detail::uint128;

/// Elements are texts, padded with zeros, and numbers that codes do not contain.
struct texts {
  std::vector<std::string> text;
  std::vector<unsigned> number;

  [[nodiscard]] bool less(std::size_t i, std::size_t j) const {
    const int order = text[i].compare(text[j]);
    return order != 0 ? order < 0 : number[i] < number[j];
  }
  bool rewrite(uint128* entries, std::size_t n, std::size_t skip) const {
    bool goes_on = false;
    for (std::size_t e = 0; e < n; ++e) {
      const auto index = static_cast<std::uint64_t>(entries[e]);
      std::uint64_t code = 0;
      for (std::size_t byte = skip / 8; byte < skip / 8 + 8; ++byte)
        code = code << 8 | (byte < text[index].size() ? static_cast<unsigned char>(text[index][byte]) : 0u);
      goes_on |= text[index].size() > skip / 8 + 8;
      entries[e] = uint128{code} << 64 | index;
    }
    return goes_on;
  }
  [[nodiscard]] std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> order(text.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return less(i, j); });
    return order;
  }
};

/// n texts of `prefix` equal characters and up to `most_letters` of `letters` kinds, with numbers below `numbers`.
texts make_texts(std::size_t n, std::size_t prefix, unsigned letters, std::size_t most_letters, unsigned numbers) {
  std::mt19937 random{static_cast<unsigned>(n + prefix)};
  texts made;
  for (std::size_t i = 0; i < n; ++i) {
    std::string text(prefix, 'x');
    for (std::size_t some = random() % (most_letters + 1); some > 0; --some)
      text.push_back(static_cast<char>('a' + random() % letters));
    made.text.push_back(std::move(text));
    made.number.push_back(static_cast<unsigned>(random() % numbers));
  }
  return made;
}

struct kind {
  const char* name;
  std::size_t prefix;
  unsigned letters;
  std::size_t most_letters;
  unsigned numbers;  ///< 1: codes determine the whole order
};
const kind kinds[] = {{"short", 0, 26, 4, 1},        {"long", 0, 26, 40, 1},        {"few", 0, 2, 3, 1},
                      {"equal", 0, 1, 0, 1},         {"one prefix", 24, 3, 9, 1},   {"many numbers", 0, 2, 10, 1000},
                      {"numbers alone", 9, 1, 0, 7}, {"beyond codes", 200, 4, 3, 3}};

template <class Index>
host::permutation no_order(std::size_t n) {
  return host::permutation{host::buffer<Index>{n}};
}

std::vector<std::size_t> as_vector(const host::permutation& order) {
  std::vector<std::size_t> indices(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) indices[i] = order.view()[i];
  return indices;
}

/// Calls body(name, texts, coded elements that stand for them).
template <class Body>
void with_kinds(const Body& body) {
  for (const kind& each : kinds)
    for (const std::size_t n : {1, 2, 9, 1000, 70'000}) {
      const texts made = make_texts(n, each.prefix, each.letters, each.most_letters, each.numbers);
      const auto rewrite = [&](uint128* entries, std::size_t count, std::size_t skip) {
        return made.rewrite(entries, count, skip);
      };
      const auto less = [&](std::size_t i, std::size_t j) { return made.less(i, j); };
      const auto sort = [&](uint128* entries, std::size_t count) { host::sort_entries(entries, count, less); };
      const std::size_t most_bits = 8 * (each.prefix + each.most_letters);
      const bool whole = each.numbers == 1;
      CAPTURE(each.name);
      CAPTURE(n);
      body(made, host::coded_elements{whole ? most_bits : ~std::size_t{0}, whole, rewrite, sort});
    }
}

TEST_CASE_TEMPLATE("an order by codes is that by comparison, with indices of either width", Index, std::uint32_t,
                   std::uint64_t) {
  with_kinds([](const texts& made, const host::coded_elements& elements) {
    host::permutation order = no_order<Index>(made.text.size());
    host::argsort_by_codes(elements, order, gpu::algorithm::automatic);
    CHECK(as_vector(order) == made.sorted());
  });
}

TEST_CASE_TEMPLATE("groups of equal codes are put in order, with indices of either width", Index, std::uint32_t,
                   std::uint64_t) {
  with_kinds([](const texts& made, const host::coded_elements& elements) {
    const std::size_t n = made.text.size();
    // Sorted stably by the first four characters, as devices leave it.
    std::vector<std::uint32_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) {
      uint128 entry = i;
      (void)made.rewrite(&entry, 1, 0);
      codes[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(entry >> 64) >> 32);
    }
    std::vector<std::size_t> by_code(n);
    std::iota(by_code.begin(), by_code.end(), std::size_t{0});
    std::stable_sort(by_code.begin(), by_code.end(), [&](std::size_t i, std::size_t j) { return codes[i] < codes[j]; });
    host::permutation order = no_order<Index>(n);
    for (std::size_t i = 0; i < n; ++i) order.set(i, by_code[i]);
    host::sort_equal_codes(elements, order, {codes.data(), sizeof(codes[0])});
    CHECK(as_vector(order) == made.sorted());
  });
}

TEST_CASE("indices are sorted by what is called, stably if asked") {
  const texts made = make_texts(70'000, 0, 2, 3, 2);
  const auto less = [&](std::size_t i, std::size_t j) { return made.less(i, j); };
  for (const bool stable : {true, false})
    for (const auto how : {gpu::algorithm::automatic, gpu::algorithm::merge_sort, gpu::algorithm::quicksort}) {
      if (stable && how == gpu::algorithm::quicksort) continue;
      std::vector<std::uint64_t> order(made.text.size());
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      host::sort_indices(order.data(), order.size(), less, stable, how);
      CHECK(std::is_sorted(order.begin(), order.end(), less));
      if (stable) CHECK(std::ranges::equal(order, made.sorted()));
      std::sort(order.begin(), order.end());
      bool is_permutation = true;
      for (std::size_t i = 0; i < order.size(); ++i) is_permutation &= order[i] == i;
      CHECK(is_permutation);
    }
}

}  // namespace
