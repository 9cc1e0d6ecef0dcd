// The model of docs/algorithms/distributed.md: rounds, messages and bytes as functions of n and p.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/detail/distributed/selection.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// An upper bound on the rounds of the search for n elements on p ranks.
std::size_t most_rounds(std::size_t n, std::size_t p, std::size_t bytes) {
  const double s = static_cast<double>(gpu::detail::samples_of(p, bytes));
  const double reductions = std::log(static_cast<double>(n) / s) / std::log(s / 2);
  return 2 + static_cast<std::size_t>(std::ceil((std::max)(0.0, reductions)));
}

void expect_model(std::size_t p, std::size_t n, const division& sizes, const key_shape& keys) {
  const std::string what = std::string{keys.name} + ", " + sizes.name + ", p " + std::to_string(p);
  auto parts = make_parts(sizes, keys, p, n,
                          [](std::uint64_t key, std::size_t, std::size_t) { return static_cast<std::uint32_t>(key); });
  auto all = joined(parts);
  std::sort(all.begin(), all.end());
  const auto expected = divided(all, parts);
  traffic counted;
  gpu::on_threads(p, [&](gpu::communicator& ranks) {
    counting_communicator counting{ranks, counted};
    gpu::sort(gpu::par.require_host().over(counting), parts[ranks.rank()]);
  });
  expect_none(difference(parts, expected), what);

  if (std::count_if(parts.begin(), parts.end(), [](const auto& part) { return !part.empty(); }) <= 1) {
    expect(counted.gathers == 2 * p && counted.rounds == 0 && counted.exchanges == 0, what + ": one rank has all");
    return;
  }
  const std::size_t s = gpu::detail::samples_of(p, 4);
  const std::size_t searches = (counted.rounds / p - 1) / 2;
  expect(counted.gathers == 5 * p, what + ": gathers " + std::to_string(counted.gathers / p));
  expect(counted.rounds == (2 * searches + 1) * p && searches <= most_rounds(all.size(), p, 4),
         what + ": rounds " + std::to_string(searches));
  expect(counted.exchanges == p, what + ": one exchange");
  expect(counted.data_bytes == 4 * all.size(), what + ": every element goes once");
  const std::size_t of_round = (4 * (s + 2) + 128) * p;
  expect(counted.small_bytes <= p * (searches * of_round + 5 * 40 * p + 8 * p), what + ": bytes of the search");
}

}  // namespace

TEST_CASE("distributed: rounds, messages and bytes are those of the model") {
  for (const key_shape& keys : key_shapes)
    for (const division& sizes : divisions) expect_model(4, 30000, sizes, keys);
  expect_model(2, 1 << 20, divisions[0], key_shapes[0]);
  expect_model(64, 300, divisions[6], key_shapes[4]);
}

TEST_CASE("distributed: cuts of more than 2^32 elements on each rank") {
  constexpr std::size_t p = 3, n = (std::size_t{1} << 33) + 11;
  // Rank r has n elements 3 i + r, then 2 n equal ones; only the elements that are read are computed.
  const auto element = [](std::size_t rank, std::size_t i) {
    return i < n ? 3 * std::uint64_t{i} + rank : std::uint64_t{3} * n;
  };
  const std::vector<std::size_t> targets{1, n, 3 * n - 1, 3 * n + 5, 5 * n + 7, 7 * n, 9 * n};
  std::vector<std::vector<std::size_t>> cuts(p, std::vector<std::size_t>(targets.size()));
  gpu::on_threads(p, [&](gpu::communicator& ranks) {
    const auto read = [&](gpu::detail::array_view<gpu::detail::strided_elements> which, std::byte* to) {
      for (const auto& some : which)
        for (std::size_t i = 0; i < some.count; ++i, to += sizeof(std::uint64_t)) {
          const std::uint64_t value = element(ranks.rank(), some.index(i));
          std::memcpy(to, &value, sizeof(value));
        }
    };
    const auto less = [](const std::byte* left, const std::byte* right) {
      std::uint64_t a = 0, b = 0;
      std::memcpy(&a, left, sizeof(a));
      std::memcpy(&b, right, sizeof(b));
      return a < b;
    };
    const gpu::detail::sorted_part part{3 * n, sizeof(std::uint64_t), 1, read, less};
    gpu::detail::select_among_ranks(ranks, {&part, 1}, 9 * n, targets, cuts[ranks.rank()].data());
  });
  for (std::size_t j = 0; j < targets.size(); ++j)
    for (std::size_t r = 0; r < p; ++r) {
      const std::size_t t = targets[j];
      const std::size_t distinct = t < 3 * n ? (t + p - 1 - r) / p : n;
      const std::size_t equals = t > 3 * n ? t - 3 * n : 0, before = 2 * n * r;
      const std::size_t right = distinct + (equals > before ? std::min(equals - before, 2 * n) : 0);
      expect(cuts[r][j] == right, "target " + std::to_string(t) + ", rank " + std::to_string(r));
    }
}

TEST_CASE("distributed: 1024 ranks") { expect_model(1024, 8, divisions[6], key_shapes[0]); }

TEST_CASE("distributed: a merge sends every element once, after as many rounds, whatever the number of ranks") {
  for (const std::size_t p : {std::size_t{4}, std::size_t{1024}}) {
    const std::size_t n = p == 4 ? 30000 : 8;
    const auto make = [](std::uint64_t key, std::size_t, std::size_t) { return static_cast<std::uint32_t>(key); };
    const auto sorted = make_parts(divisions[0], key_shapes[2], p, n, make);
    const auto equal = make_parts(divisions[0], key_shapes[1], p, n, make);
    parts_of<std::uint32_t> merged(p);
    traffic counted;
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      counting_communicator counting{ranks, counted};
      const std::size_t r = ranks.rank();
      merged[r].resize(2 * n);
      gpu::merge(gpu::par.require_host().over(counting), sorted[r], equal[r], merged[r]);
    });
    const auto a = joined(sorted), b = joined(equal);
    std::vector<std::uint32_t> expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
    expect(joined(merged) == expected, "merge of p " + std::to_string(p));

    const std::size_t searches = (counted.rounds / p - 1) / 2;
    expect(counted.gathers == 5 * p && counted.exchanges == 2 * p, "calls of p " + std::to_string(p));
    expect(counted.rounds == (2 * searches + 1) * p && searches <= most_rounds(expected.size(), p, 4),
           "rounds of p " + std::to_string(p) + ": " + std::to_string(searches));
    expect(counted.data_bytes == 4 * expected.size(), "every element goes once");
  }
}
