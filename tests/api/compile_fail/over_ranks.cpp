// expect: gpu: elements travel between ranks as bytes: they must be trivially copyable
// A sort of strings over ranks.
#include <string>
#include <vector>

#include "gpu/distributed.hpp"

void call(gpu::communicator& ranks, std::vector<int>& numbers, std::vector<std::string>& words) {
#ifdef RIGHT
  gpu::sort(gpu::par.over(ranks), numbers);
  (void)words;
#else
  gpu::sort(gpu::par.over(ranks), words);
  (void)numbers;
#endif
}
