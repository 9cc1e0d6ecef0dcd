// expect: elements_need_random_access_iterators
// Iterators without random access.
#include <list>
#include <vector>

#include "gpu/algorithm.hpp"

#ifdef RIGHT
void call(std::vector<int>& v) {
#else
void call(std::list<int>& v) {
#endif
  gpu::sort(gpu::par, v);
}
