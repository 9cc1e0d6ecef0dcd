// Parts of sequences on several ranks: named ways to divide them, comparison with expected parts, and communicators
// that count what passes through them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/distributed.hpp"
#include "gpu/threads.hpp"
#include "random.hpp"
#include "support.hpp"

namespace testing {

template <class T>
using parts_of = std::vector<std::vector<T>>;

/// How many elements each rank has.
struct division {
  const char* name;
  std::size_t (*size)(std::size_t rank, std::size_t ranks, std::size_t n);
};

inline constexpr division divisions[] = {
    {"as many on each", [](std::size_t, std::size_t, std::size_t n) { return n; }},
    {"all on the last", [](std::size_t r, std::size_t p, std::size_t n) { return r + 1 == p ? n * p : 0; }},
    {"all on the first", [](std::size_t r, std::size_t p, std::size_t n) { return r == 0 ? n * p : 0; }},
    {"none on every other", [](std::size_t r, std::size_t, std::size_t n) { return r % 2 == 0 ? 0 : n + r; }},
    {"none", [](std::size_t, std::size_t, std::size_t) { return std::size_t{0}; }},
    {"one on each", [](std::size_t, std::size_t, std::size_t) { return std::size_t{1}; }},
    {"random", [](std::size_t r, std::size_t p, std::size_t n) { return scaled(random_at(p, r), 2 * n); }}};

/// The number from which an element's key is made, given its position i among all n elements.
struct key_shape {
  const char* name;
  std::uint64_t (*key)(std::uint64_t i, std::uint64_t n);
};

inline constexpr key_shape key_shapes[] = {
    {"random", [](std::uint64_t i, std::uint64_t) { return random_at(31, i); }},
    {"all equal", [](std::uint64_t, std::uint64_t) { return std::uint64_t{7}; }},
    {"sorted", [](std::uint64_t i, std::uint64_t) { return i; }},
    {"reversed", [](std::uint64_t i, std::uint64_t n) { return n - i; }},
    {"few distinct", [](std::uint64_t i, std::uint64_t) { return random_at(32, i) % 3; }},
    {"mostly one", [](std::uint64_t i, std::uint64_t) { return random_at(33, i) % 50 == 0 ? i : 5; }}};

/// Parts with the elements make(key, rank, place).
template <class Make>
auto make_parts(const division& sizes, const key_shape& keys, std::size_t ranks, std::size_t n, const Make& make) {
  parts_of<decltype(make(std::uint64_t{}, std::size_t{}, std::size_t{}))> parts(ranks);
  std::size_t total = 0, at = 0;
  for (std::size_t r = 0; r < ranks; ++r) total += sizes.size(r, ranks, n);
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < sizes.size(r, ranks, n); ++i) parts[r].push_back(make(keys.key(at++, total), r, i));
  return parts;
}

template <class T>
std::vector<T> joined(const parts_of<T>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The elements divided into parts of the same sizes as those of `like`.
template <class T, class Other>
parts_of<T> divided(const std::vector<T>& all, const parts_of<Other>& like) {
  parts_of<T> parts;
  auto next = all.begin();
  for (const auto& part : like) {
    const auto end = next + static_cast<std::ptrdiff_t>(part.size());
    parts.emplace_back(next, end);
    next = end;
  }
  return parts;
}

/// Describes where parts are not bitwise equal to the expected ones; empty if they are.
template <class T>
std::string difference(const parts_of<T>& got, const parts_of<T>& expected) {
  for (std::size_t r = 0; r < expected.size(); ++r) {
    if (got[r].size() != expected[r].size()) return "rank " + std::to_string(r) + " has another size";
    for (std::size_t i = 0; i < expected[r].size(); ++i)
      if (!same(got[r][i], expected[r][i])) return "element " + std::to_string(i) + " of rank " + std::to_string(r);
  }
  return {};
}

/// What one rank has sent through the communicator of a group.
struct traffic {
  std::atomic<std::size_t> gathers = 0;      ///< calls of all_gather
  std::atomic<std::size_t> rounds = 0;       ///< calls of all_to_all
  std::atomic<std::size_t> exchanges = 0;    ///< calls of exchange
  std::atomic<std::size_t> small_bytes = 0;  ///< sent by the first two
  std::atomic<std::size_t> data_bytes = 0;   ///< sent by the third, including those to the rank itself
};

class counting_communicator final : public gpu::communicator {
 public:
  counting_communicator(gpu::communicator& ranks, traffic& counted) : ranks_{ranks}, counted_{counted} {}

  std::size_t rank() const noexcept override { return ranks_.rank(); }
  std::size_t size() const noexcept override { return ranks_.size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    ++counted_.gathers;
    counted_.small_bytes += bytes * size();
    ranks_.all_gather(mine, bytes, all);
  }
  void all_to_all(const void* to, std::size_t bytes, void* from) override {
    ++counted_.rounds;
    counted_.small_bytes += bytes * size();
    ranks_.all_to_all(to, bytes, from);
  }
  void exchange(const gpu::exchanged_bytes& what) override {
    ++counted_.exchanges;
    counted_.data_bytes += std::accumulate(what.to_bytes, what.to_bytes + size(), std::size_t{0});
    ranks_.exchange(what);
  }

 private:
  gpu::communicator& ranks_;
  traffic& counted_;
};

}  // namespace testing
