// Runs a fuzz target without a fuzzer: every file of a corpus, then changed copies of them.
//   fuzz_replay CORPUS [CHANGED_COPIES [SEED]]
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using bytes = std::vector<std::uint8_t>;

/// A few bytes overwritten, removed, repeated or appended.
bytes changed(bytes input, testing::random_source& random) {
  for (std::uint64_t left = 1 + random.below(8); left > 0; --left) {
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(random.below(input.size()));
    switch (random.below(4)) {
      case 0:
        if (at != input.end()) *at = static_cast<std::uint8_t>(random());
        break;
      case 1:
        input.erase(at, input.end() - at > 9 ? at + 1 + static_cast<std::ptrdiff_t>(random.below(8)) : input.end());
        break;
      case 2:
        input.insert(input.end(), at, input.end() - at > 99 ? at + 99 : input.end());
        break;
      default:
        for (int i = 0; i < 8; ++i) input.push_back(static_cast<std::uint8_t>(random()));
    }
    if (input.size() > 4096) input.resize(4096);
  }
  return input;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: %s CORPUS [CHANGED_COPIES [SEED]]\n", arguments[0]), 2;
  std::vector<bytes> corpus;
  for (const auto& file : std::filesystem::directory_iterator{arguments[1]}) {
    std::ifstream stream{file.path(), std::ios::binary};
    corpus.emplace_back(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{});
  }
  if (corpus.empty()) return std::fprintf(stderr, "the corpus is empty\n"), 1;
  for (const auto& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  const auto copies = count > 2 ? std::strtoull(arguments[2], nullptr, 0) : 0;
  const auto seed = count > 3 ? std::strtoull(arguments[3], nullptr, 0) : 20240229;
  std::printf("seed: %llu\n", seed);
  testing::random_source random{seed};
  for (unsigned long long i = 0; i < copies; ++i) {
    auto& parent = corpus[static_cast<std::size_t>(random.below(corpus.size()))];
    bytes input = changed(parent, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    if (random.below(64) == 0) parent = std::move(input);
  }
  std::printf("figure: fuzz executions = %llu\n", static_cast<unsigned long long>(corpus.size()) + copies);
}
