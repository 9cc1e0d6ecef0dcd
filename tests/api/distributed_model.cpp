// The model of docs/algorithms/distributed.md: rounds, messages and bytes as functions of n and p.
#include <cmath>
#include <string>
#include <vector>

#include "gpu/detail/distributed/selection.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// Rounds of the search for n elements on p ranks, at most.
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

TEST_CASE("distributed: 1024 ranks") { expect_model(1024, 8, divisions[6], key_shapes[0]); }
