// What a fuzzer calls: its bytes choose the call, the type, order and algorithm, and are the keys.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../sweep/types.hpp"
#include "support.hpp"

namespace {

constexpr std::size_t header_bytes = 5;

template <class Key>
std::vector<Key> keys_of(const std::uint8_t* data, std::size_t bytes) {
  std::vector<Key> keys(bytes / sizeof(Key));
  if (!keys.empty()) std::memcpy(keys.data(), data, keys.size() * sizeof(Key));
  return keys;
}

/// Repeats the keys until there are `times` copies of each: long inputs from few bytes.
template <class Key>
void repeat(std::vector<Key>& keys, std::size_t times) {
  const std::size_t n = keys.size();
  keys.reserve(n * times);
  for (std::size_t i = n; i < n * times; ++i) keys.push_back(keys[i - n]);
}

}  // namespace

/// A failed check ends the program, as fuzzers expect.
void testing::expect(bool ok, const std::string& what, source_line) {
  if (ok) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < header_bytes) return 0;
  const auto chosen = testing::combination::from(data[0], data[1], data[2], data[3] * 257u);
  const std::string problem = testing::with_key_type(data[4], [&]<class Key>() {
    auto keys = keys_of<Key>(data + header_bytes, size - header_bytes);
    repeat(keys, std::size_t{1} << (data[4] / 6 % 8));
    return testing::problem_of<Key>(chosen, keys);
  });
  testing::expect(problem.empty(), chosen.name() + ", type " + std::to_string(data[4] % 6) + ": " + problem);
  return 0;
}
