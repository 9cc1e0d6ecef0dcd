#include <gpu/algorithm.hpp>
#include <iostream>
#include <string>
#include <vector>

int main() {
  std::vector<std::string> words{"sort", "merge", "argsort"};
  gpu::sort(gpu::par, words);
  std::cout << words.front() << ": " << gpu::explain(gpu::par, words) << '\n';
  return words.front() == "argsort" ? 0 : 1;
}
