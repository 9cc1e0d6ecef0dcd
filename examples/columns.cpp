// A table stored by columns is sorted by one column; the others follow.
//   columns [ROWS]
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

struct trades {
  std::vector<std::int64_t> time;
  std::vector<double> price;
  std::vector<std::uint32_t> volume;
  std::vector<std::string> symbol;
};

trades random_trades(std::size_t rows) {
  std::mt19937 random{7};
  const std::vector<std::string> symbols{"ACME", "GLOBEX", "HOOLI", "INITECH"};
  trades table;
  for (std::size_t row = 0; row < rows; ++row) {
    table.time.push_back(static_cast<std::int64_t>(random() % 86'400));
    table.price.push_back(std::uniform_int_distribution<int>{1, 200}(random) * 0.25);
    table.volume.push_back(static_cast<std::uint32_t>(random() % 5'000));
    table.symbol.push_back(symbols[random() % symbols.size()]);
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  trades table = random_trades(rows);
  const auto total = std::accumulate(table.volume.begin(), table.volume.end(), std::uint64_t{0});

  // Chronological order. Columns of any type follow the key, including strings.
  gpu::sort_by_key(gpu::par, table.time, table.price, table.volume, table.symbol);

  // Highest price first; trades at the same price stay in chronological order.
  gpu::stable_sort_by_key(gpu::par, table.price, table.time, table.volume, table.symbol, std::ranges::greater{});

  // The table stays as it is and is read in the order of another column.
  std::vector<std::uint32_t> by_volume(rows);
  gpu::argsort(gpu::par, table.volume, by_volume, std::ranges::greater{});
  for (std::size_t i = 0; i < std::min<std::size_t>(5, rows); ++i) {
    const std::uint32_t row = by_volume[i];
    std::cout << table.symbol[row] << ": " << table.volume[row] << " at " << table.price[row] << '\n';
  }

  const auto volume = [&](std::uint32_t row) { return table.volume[row]; };
  bool right = std::ranges::is_sorted(table.price, std::greater{}) &&
               std::ranges::is_sorted(by_volume, std::greater{}, volume) &&
               std::accumulate(table.volume.begin(), table.volume.end(), std::uint64_t{0}) == total;
  for (std::size_t row = 1; row < rows; ++row)
    right = right && (table.price[row - 1] != table.price[row] || table.time[row - 1] <= table.time[row]);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
