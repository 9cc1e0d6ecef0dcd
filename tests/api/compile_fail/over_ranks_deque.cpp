// expect: no match
// A sort over ranks of elements that are not contiguous.
#include <deque>
#include <vector>

#include "gpu/distributed.hpp"

void call(gpu::communicator& ranks, std::vector<int>& numbers, std::deque<int>& others) {
#ifdef RIGHT
  gpu::sort(gpu::par.over(ranks), numbers);
  (void)others;
#else
  gpu::sort(gpu::par.over(ranks), others);
  (void)numbers;
#endif
}
