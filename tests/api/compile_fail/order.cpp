// expect: the_comparator_cannot_be_called_with_two_projected_elements
// An order by a member of something else.
#include <utility>
#include <vector>

#include "gpu/algorithm.hpp"

struct trade {
  int day;
  int price;
};

void call(std::vector<trade>& trades) {
#ifdef RIGHT
  gpu::sort(gpu::par, trades, gpu::by(&trade::day).then(&trade::price));
#else
  gpu::sort(gpu::par, trades, gpu::by(&trade::day).then(&std::pair<int, int>::first));
#endif
}
