// Random combinations of call, type, order, algorithm, distribution and size, each against the standard's answer.
// GPUPAR_SWEEP: how many; GPUPAR_SWEEP_SECONDS: the time after which no more are tried; GPUPAR_SWEEP_THREADS: how many
// are tried at a time; GPUPAR_SEED: the seed.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "inputs.hpp"
#include "own_stream.hpp"
#include "support.hpp"
#include "types.hpp"
#include "values.hpp"

namespace {

using namespace testing;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

/// Mostly small, of every order of magnitude below 2^12; one in 256 below 2^18, where threads and kernels take part.
std::size_t draw_size(random_source& random) {
  const std::uint64_t bits = random.below(256) == 0 ? 17 : random.below(12);
  return static_cast<std::size_t>(random.below(std::uint64_t{2} << bits));
}

/// Tries the combination of this number. Returns what is wrong, or nothing.
std::string sweep_one(std::uint64_t number) {
  random_source random{mixed(seed()) + number};
  const auto chosen = combination::from(random(), random(), random(), random() >> 8);
  const std::uint64_t type = random.below(6);
  static const auto shapes = all_distributions();
  const auto& shape = shapes[static_cast<std::size_t>(random.below(shapes.size()))];
  const std::size_t n = draw_size(random);
  const bool special = random.below(4) == 0;
  const std::string problem = with_key_type(type, [&]<class Key>() {
    return problem_of<Key>(chosen, special ? make_special_keys<Key>(n, number) : make_keys<Key>(shape, n, number));
  });
  if (problem.empty()) return problem;
  return chosen.name() + ", type " + std::to_string(type) + ", " + (special ? "special values" : shape.name) +
         ", n = " + std::to_string(n) + ": " + problem;
}

}  // namespace

TEST_CASE("sweep: random combinations") {
  using clock = std::chrono::steady_clock;
  const std::uint64_t count = number_from("GPUPAR_SWEEP", 20'000);
  const auto end = clock::now() + std::chrono::seconds{number_from("GPUPAR_SWEEP_SECONDS", 1'000'000)};
  std::atomic<std::uint64_t> next{0}, tried{0}, wrong{0};
  const auto work = [&] {
    const own_stream here;
    while (wrong < 20 && clock::now() < end) {
      const std::uint64_t number = next++;
      if (number >= count) break;
      const std::string problem = sweep_one(number);
      ++tried;
      if (problem.empty()) continue;
      ++wrong;
      expect(false, "combination " + std::to_string(number) + ": " + problem);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t left = number_from("GPUPAR_SWEEP_THREADS", 1); left > 0; --left) threads.emplace_back(work);
  }
  expect(tried > 0, "some combination was tried");
  figure("combinations tried", tried);
  figure("combinations wrong", wrong);
}
