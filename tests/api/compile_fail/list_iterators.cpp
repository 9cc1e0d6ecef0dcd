// expect: elements_need_random_access_iterators
// Iterators of a list.
#include <deque>
#include <list>

#include "gpu/algorithm.hpp"

#ifdef RIGHT
void call(std::deque<int>& v) {
#else
void call(std::list<int>& v) {
#endif
  gpu::sort(gpu::par, v.begin(), v.end());
}
