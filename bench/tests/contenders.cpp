// Contenders with known faults, under the names of real ones: "std" is right, "std_par" slow, "gnu_parallel" sorts
// wrongly, "gpupar" loses an element.
#include "contenders.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>

#include "../contender.hpp"

namespace bench {
namespace {

using key = std::uint32_t;

/// Sorts, then does harm(keys, n).
template <class Harm>
std::function<preparation(const problem&)> sort_and(Harm harm) {
  return [harm](const problem& asked) -> preparation {
    if (asked.what != operation::sort || asked.type != "u32") return {};
    return [harm, n = asked.n] {
      return prepared{[harm, n](const arrays& on) {
        auto* const keys = static_cast<key*>(on.keys);
        std::sort(keys, keys + n);
        harm(keys, n);
        return outcome{keys, nullptr};
      }};
    };
  };
}

const registered right{"std", false, sort_and([](key*, std::size_t) {})};
const registered slow{"std_par", false, sort_and([](key*, std::size_t) { std::this_thread::sleep_for(slowed_by); })};
const registered unsorted{"gnu_parallel", false,
                          sort_and([](key* keys, std::size_t n) { std::swap(keys[0], keys[n - 1]); })};
const registered lossy{"gpupar", false, sort_and([](key* keys, std::size_t n) { keys[n / 2] = keys[n / 2 + 1]; })};

}  // namespace
}  // namespace bench
