// Sorting data that have an index but no iterator: the caller passes gpupar a function that compares two elements and
// one that swaps them.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

namespace {

// Rows of a dense matrix, stored one after the other.
class matrix {
 public:
  matrix(std::size_t rows, std::size_t columns) : columns_{columns}, values_(rows * columns) {}

  [[nodiscard]] double* row(std::size_t index) { return values_.data() + index * columns_; }
  [[nodiscard]] const double* row(std::size_t index) const { return values_.data() + index * columns_; }
  [[nodiscard]] std::size_t rows() const { return values_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  void swap_rows(std::size_t a, std::size_t b) { std::swap_ranges(row(a), row(a) + columns_, row(b)); }
  [[nodiscard]] bool row_less(std::size_t a, std::size_t b) const {
    return std::lexicographical_compare(row(a), row(a) + columns_, row(b), row(b) + columns_);
  }

 private:
  std::size_t columns_;
  std::vector<double> values_;
};

// Particles as a structure of arrays, sorted by cell in place.
struct particles {
  std::vector<int> cell;
  std::vector<float> x, y;

  void swap(std::size_t a, std::size_t b) {
    std::swap(cell[a], cell[b]);
    std::swap(x[a], x[b]);
    std::swap(y[a], y[b]);
  }
};

bool sort_matrix(std::mt19937& random) {
  matrix table{1'000, 3};
  for (std::size_t i = 0; i < table.rows(); ++i)
    for (std::size_t j = 0; j < table.columns(); ++j) table.row(i)[j] = static_cast<double>(random() % 10);

  gpu::sort_indexed(
      gpu::par, std::size_t{0}, table.rows(), [&](std::size_t a, std::size_t b) { return table.row_less(a, b); },
      [&](std::size_t a, std::size_t b) { table.swap_rows(a, b); });

  std::cout << "first row:";
  for (std::size_t j = 0; j < table.columns(); ++j) std::cout << ' ' << table.row(0)[j];
  std::cout << '\n';
  for (std::size_t i = 1; i < table.rows(); ++i)
    if (table.row_less(i, i - 1)) return false;
  return true;
}

bool sort_particles(std::mt19937& random) {
  particles cloud;
  for (int i = 0; i < 5'000; ++i) {
    cloud.cell.push_back(static_cast<int>(random() % 64));
    cloud.x.push_back(static_cast<float>(cloud.cell.back() % 8));
    cloud.y.push_back(static_cast<float>(cloud.cell.back() / 8));
  }

  const int count = static_cast<int>(cloud.cell.size());
  gpu::sort_indexed(
      gpu::par, 0, count, [&](int a, int b) { return cloud.cell[a] < cloud.cell[b]; },
      [&](int a, int b) { cloud.swap(a, b); });

  bool right = std::ranges::is_sorted(cloud.cell);
  for (int i = 0; i < count; ++i)
    right = right && cloud.x[i] == static_cast<float>(cloud.cell[i] % 8) &&
            cloud.y[i] == static_cast<float>(cloud.cell[i] / 8);
  return right;
}

}  // namespace

int main() {
  std::mt19937 random{3};
  const bool right = sort_matrix(random) && sort_particles(random);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
