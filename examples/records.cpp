// Records of a plain C++ program, with strings and owning pointers inside, ordered by any member or by the result of a
// function. Only keys and indices go to the device, and every record moves once; this file needs only a C++ compiler.
//   records [COUNT]
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

struct picture {
  std::uint32_t bytes;
};

class book {
 public:
  book(std::string title, std::string author, int year, std::uint32_t cover_bytes)
      : title_{std::move(title)}, author_{std::move(author)}, year_{year}, cover_{new picture{cover_bytes}} {}

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& author() const { return author_; }
  [[nodiscard]] int year() const { return year_; }
  [[nodiscard]] const picture& cover() const { return *cover_; }

 private:
  std::string title_;
  std::string author_;
  int year_;
  std::unique_ptr<picture> cover_;  // makes a book movable but not copyable
};

std::vector<book> random_books(std::size_t count, unsigned seed) {
  const std::vector<std::string> authors{"Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger W. Dijkstra"};
  std::mt19937 random{seed};
  std::vector<book> books;
  for (std::size_t i = 0; i < count; ++i)
    books.emplace_back("Volume " + std::to_string(random() % count), authors[random() % authors.size()],
                       1800 + static_cast<int>(random() % 200), random() % 100'000);
  return books;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  std::vector<book> shelf = random_books(count, 1);

  gpu::sort(gpu::par, shelf, {}, &book::title);          // by a string member
  gpu::stable_sort(gpu::par, shelf, {}, &book::author);  // by another; titles of one author stay in order
  std::cout << shelf.front().author() << ", " << shelf.front().title() << '\n';
  bool right = std::ranges::is_sorted(shelf, [](const book& a, const book& b) {
    return a.author() != b.author() ? a.author() < b.author() : a.title() < b.title();
  });

  // By the result of a function; the shelf stays as it is.
  std::vector<std::uint32_t> by_cover(shelf.size());
  const auto cover_bytes = [](const book& one) { return one.cover().bytes; };
  gpu::argsort(gpu::par, shelf, by_cover, std::greater<>{}, cover_bytes);
  std::cout << "largest cover: " << shelf[by_cover.front()].title() << '\n';
  right =
      right && std::ranges::is_sorted(by_cover, std::greater{}, [&](std::uint32_t i) { return cover_bytes(shelf[i]); });

  // Merges two libraries in order of year.
  std::vector<book> others = random_books(count / 2, 2);
  gpu::stable_sort(gpu::par, shelf, {}, &book::year);
  gpu::stable_sort(gpu::par, others, {}, &book::year);
  const auto middle = static_cast<std::ptrdiff_t>(shelf.size());
  std::ranges::move(others, std::back_inserter(shelf));
  gpu::inplace_merge(gpu::par, shelf, shelf.begin() + middle, {}, &book::year);
  right = right && std::ranges::is_sorted(shelf, {}, &book::year) && shelf.size() == count + count / 2;

  std::cout << "a sort of books by year runs: " << gpu::explain(gpu::par, shelf, {}, &book::year) << '\n';
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
