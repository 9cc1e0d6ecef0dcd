// cub::DeviceMerge of two sequences; for more, a cascade of merges of two between two buffers.
#include <cub/device/device_merge.cuh>

#include <algorithm>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

/// Merges pairs of neighbouring sequences, all but the last of `length` elements, from one buffer to the other.
template <class Key>
void merge_neighbours(void* memory, std::size_t& bytes, const Key* from, Key* to, std::size_t n, std::size_t length) {
  const auto count = [n](std::size_t begin, std::size_t most) {
    return static_cast<std::int64_t>(std::min(most, n - std::min(begin, n)));
  };
  for (std::size_t begin = 0; begin < n; begin += 2 * length) {
    const std::size_t middle = std::min(begin + length, n);
    check(cub::DeviceMerge::MergeKeys(memory, bytes, from + begin, count(begin, length), from + middle,
                                      count(middle, length), to + begin));
    if (memory == nullptr) return;  // the first pair of a level is the longest, so its size is enough for all
  }
}

template <class Key>
prepared merge(std::size_t n, std::size_t ways) {
  return with_temporary_memory(
      [n, ways](void* memory, std::size_t& bytes, const arrays& on) {
        auto* from = static_cast<Key*>(on.keys);
        auto* to = static_cast<Key*>(on.other_keys);
        const std::size_t first = (n + ways - 1) / ways;
        if (memory == nullptr) {
          std::size_t last = first;
          while (2 * last < n) last *= 2;
          merge_neighbours(memory, bytes, from, to, n, last);
          return outcome{};
        }
        for (std::size_t length = first; length < n; length *= 2) {
          merge_neighbours(memory, bytes, from, to, n, length);
          std::swap(from, to);
        }
        return outcome{from, nullptr};
      },
      ways > 2 ? n * sizeof(Key) : 0);
}

const registered cub_merge{"cub_merge", true, [](const problem& asked) -> preparation {
                             if (asked.what != operation::merge && asked.what != operation::multiway_merge) return {};
                             using elements = element_list<element<std::uint32_t>, element<std::uint64_t>>;
                             return with_element<preparation>(asked.element(), elements{}, [&](auto e) -> preparation {
                               return [n = asked.n, ways = asked.ways] {
                                 return merge<typename decltype(e)::key_type>(n, ways);
                               };
                             });
                           }};

}  // namespace
}  // namespace bench
