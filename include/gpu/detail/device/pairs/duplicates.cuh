// Whether there are keys that occur more than once, estimated from a sample that is large enough to find out about few:
// where no two of its keys are equal, a key occurs hardly more than once on the average. A hash table in global memory
// serves instead of sorting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr unsigned duplicates_sample = 1u << 16;
inline constexpr int duplicates_threads = 512;

/// What a look takes, if there is one, all of it zero before: a quarter of the slots will be used.
struct duplicates_scratch {
  static constexpr unsigned slots = 4 * duplicates_sample;
  unsigned long long* table;
  std::uint64_t word = detail::process_sample_key().first;

  explicit duplicates_scratch(carver& carve, bool looks = true)
      : table{carve.take<unsigned long long>(looks ? slots + 1 : 0)} {}

  /// Not zero if any key of the sample occurs twice.
  GPUPAR_HOST_DEVICE unsigned* found() const { return reinterpret_cast<unsigned*>(table + slots); }
  void clear(const context& context) const { set_zero(context, table, (slots + 1) * sizeof(*table)); }
};

/// Enters a random sample of keys[0, n), n <= 2^32, drawn with replacement, into the table: each key with its index,
/// as one that has been drawn twice does not count.
template <class Key, class Codec>
__global__ void __launch_bounds__(duplicates_threads)
    find_duplicates_kernel(const Key* keys, std::size_t n, Codec codec, duplicates_scratch seen) {
  await_predecessors();
  const unsigned draw = blockIdx.x * duplicates_threads + threadIdx.x;
  const std::size_t index = detail::random_position(seen.word, 0, draw, n);
  std::uint64_t hash = codec.encode(keys[index]) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32) * 0xd1342543de82ef95u;
  const auto tag = static_cast<unsigned>(hash) | 1u;  // an entry is never zero
  const unsigned long long entry = std::uint64_t{tag} << 32 | static_cast<std::uint32_t>(index);
  for (unsigned slot = static_cast<unsigned>(hash >> 32) % duplicates_scratch::slots;;
       slot = (slot + 1) % duplicates_scratch::slots) {
    const unsigned long long former = atomicCAS(&seen.table[slot], 0ull, entry);
    if (former == 0 || former == entry) return;
    if (former >> 32 != tag) continue;
    *seen.found() = 1;
    return;
  }
}

/// Looks at keys[0, n) as `codec` encodes them. On the context's stream.
template <class Key, class Codec>
void look_for_duplicates(const context& context, const Key* keys, std::size_t n, Codec codec,
                         const duplicates_scratch& seen) {
  seen.clear(context);
  device::launch_early(context, shape{duplicates_sample / duplicates_threads, duplicates_threads},
                       find_duplicates_kernel<Key, Codec>, keys, n, codec, seen);
}

}  // namespace gpu::inline v1::detail::device
