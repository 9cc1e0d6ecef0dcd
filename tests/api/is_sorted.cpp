// is_sorted, is_sorted_until: also where the first descent is at the end of a tile or of a thread's part.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "values.hpp"

namespace {

using namespace testing;

/// Compares both answers with those of the standard library under the reference order.
template <class Place, class Key, class Compare, class Less>
void check_answers(const Place& place, const std::vector<Key>& keys, Compare comp, Less less, const std::string& what) {
  const auto data = place.store(keys);
  const auto view = place.view(data);
  const auto expected = std::is_sorted_until(keys.begin(), keys.end(), less) - keys.begin();
  const std::string name = place.name + ", " + what;
  expect(gpu::is_sorted_until(place.policy, view, comp) - view.begin() == expected, name + ": is_sorted_until");
  expect(gpu::is_sorted(place.policy, view, comp) == (expected == static_cast<std::ptrdiff_t>(keys.size())),
         name + ": is_sorted");
}

}  // namespace

TEST_CASE("is_sorted: one descent anywhere") {
  for (const std::size_t count : {0, 1, 2, 3, 33, 257, 5000, 200'001}) {
    auto sorted = make_keys<std::uint32_t>(count);
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{1}, count / 2, count / 2 + 1, count - 2, count - 1, count}) {
      auto keys = sorted;
      if (at < count && at > 0) {
        keys[at - 1] = ~std::uint32_t{0};
        keys[at] = 0;
      }
      at_all_places([&](const auto& place) {
        check_answers(place, keys, std::ranges::less{}, natural_less{},
                      "descent at " + std::to_string(at) + " of " + std::to_string(count));
      });
    }
  }
}

TEST_CASE("is_sorted: distributions and special values") {
  for (const auto& distribution : all_distributions()) {
    const auto keys = make_keys<std::int64_t>(distribution, 3000);
    at_all_places([&](const auto& place) {
      check_answers(place, keys, std::ranges::less{}, natural_less{}, distribution.name);
      check_answers(place, keys, std::ranges::greater{}, natural_greater{}, distribution.name + ", descending");
    });
  }
  auto reals = make_special_keys<double>(3000);
  std::sort(reals.begin(), reals.end(), natural_less{});
  at_all_places([&](const auto& place) {
    check_answers(place, reals, std::ranges::less{}, natural_less{}, "NaNs last");
    check_answers(place, reals, std::ranges::greater{}, natural_greater{}, "NaNs last, descending");
  });
}

TEST_CASE("is_sorted: iterators, projections, custom comparators") {
  auto records = make_records<record24>(uniform, 5000);
  expect(!gpu::is_sorted(gpu::par, records, {}, &record24::key), "unsorted records");
  std::sort(records.begin(), records.end(), by(natural_less{}, &record24::key));
  const auto& constant = records;
  expect(gpu::is_sorted(gpu::par, constant.begin(), constant.end(), {}, &record24::key), "sorted records");
  const std::vector<std::string> words{"a", "bb", "c", "ddd"};
  const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  expect(gpu::is_sorted(gpu::par, words), "words");
  expect(gpu::is_sorted_until(gpu::par, words, shorter) == words.begin() + 2, "words by length");
}
