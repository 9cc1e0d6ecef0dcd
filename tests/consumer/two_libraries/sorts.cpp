// A function of a library that sorts in every way: with precompiled code, by strings, by a custom comparator.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

extern "C" __attribute__((visibility("default"))) int SORTS() {
  constexpr std::uint32_t count = 200'000;
  std::vector<std::uint32_t> keys(count);
  std::vector<std::string> words(count / 10);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = i * 2654435761u;
  for (std::uint32_t i = 0; i < count / 10; ++i) words[i] = std::to_string(keys[i]);
  auto odd_first = keys;
  const auto before = [](std::uint32_t a, std::uint32_t b) { return a % 2 != b % 2 ? a % 2 > b % 2 : a < b; };
  gpu::sort(gpu::par, keys);
  gpu::stable_sort(gpu::par, words);
  gpu::sort(gpu::par, odd_first, before);
  return std::is_sorted(keys.begin(), keys.end()) && std::is_sorted(words.begin(), words.end()) &&
                 std::is_sorted(odd_first.begin(), odd_first.end(), before)
             ? 0
             : 1;
}
