// Proof of an order of places that codes have made, by the caller's comparator: under a strict weak order a sequence is
// sorted if no element precedes the one before it, and stably if, besides, equivalent neighbours lie as they did. What
// is wrong in short runs of elements that the comparator does not tell apart, or not as the codes do, is mended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../launching/scratch.cuh"
#include "coded_rows.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

inline constexpr int prove_threads = 256;
inline constexpr unsigned longest_mended = 32;  ///< elements of a run that one thread sorts by insertion

/// A run of places that is to be mended; of no elements where another one covers it.
struct disorder {
  std::uint32_t begin;
  std::uint32_t count;
};

/// What has been found out about an order.
struct order_proof {
  unsigned sorted;     ///< nothing is wrong that could not be mended
  unsigned disorders;  ///< how many have been found, also beyond what the list holds
};

/// Device memory of a proof for n elements.
struct proof_memory {
  order_proof* proof;
  disorder* list;
  std::uint32_t limit;
  std::size_t words;
  unsigned* claimed;  ///< a bit per position that somebody is going to mend

  proof_memory(carver& carve, std::size_t n)
      : proof{carve.take<order_proof>(1)},
        list{carve.take<disorder>(n / 8 + 1)},
        limit{static_cast<std::uint32_t>(n / 8 + 1)},
        words{n / 32 + 1},
        claimed{carve.take<unsigned>(words)} {}

  /// Whether nobody else has claimed the position before: a comparator that contradicts itself may make runs overlap.
  __device__ bool claim(std::uint32_t i) const {
    const unsigned bit = 1u << i % 32;
    return (atomicOr(claimed + i / 32, bit) & bit) == 0;
  }
};

/// The order of elements by places, and what it shall be.
template <bool Stable, class T, class Index, class Less>
struct ordered_places {
  const T* elements;
  Index* order;
  std::uint32_t n;
  Less less;

  /// Whether the elements at places a and b, one behind the other, are not sorted.
  __device__ bool disorderly(Index a, Index b) const {
    if constexpr (Stable)
      if (less(elements[a], elements[b])) return false;
    return less(elements[b], elements[a]) || (Stable && b < a);
  }
  /// Whether positions i - 1 and i belong to different runs: the comparator tells them apart, as they should be.
  __device__ bool parts(std::uint32_t i) const {
    return less(elements[order[i - 1]], elements[order[i]]) && !is_disorderly(i);
  }
  __device__ bool is_disorderly(std::uint32_t i) const { return disorderly(order[i - 1], order[i]); }
};

/// Begins a proof; `unwanted`, which may be null: not zero if there is nothing to prove, as the order is none.
template <class Memory>
__global__ void begin_proof_kernel(Memory memory, const unsigned* unwanted) {
  *memory.proof = {unwanted == nullptr || *unwanted == 0, 0};
}

/// Writes the places of codes to the order, and lists the positions that are not sorted. CodesHold: different codes are
/// known to be in order, so that only those are asked about that are equal in what they have in front.
template <bool CodesHold, bool Stable, class Bits, class T, class Index, class Less>
__global__ void __launch_bounds__(prove_threads)
    prove_order_kernel(const Bits* codes, ordered_places<Stable, T, Index, Less> places, proof_memory memory,
                       const unsigned* unwanted) {
  if (unwanted != nullptr && *unwanted != 0) return;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * prove_threads + threadIdx.x;
  if (i >= places.n) return;
  const Bits code = codes[i];
  places.order[i] = device::place_of(code);
  if (i == 0) return;
  const Bits before = codes[i - 1];
  if (CodesHold && device::front_of(before) != device::front_of(code)) return;
  if (!places.disorderly(device::place_of(before), device::place_of(code))) return;
  const unsigned at = atomicAdd(&memory.proof->disorders, 1u);
  if (at < memory.limit) memory.list[at].begin = static_cast<std::uint32_t>(i);
}

/// Finds the runs of listed positions; each belongs to the first position of it that is listed.
template <bool Stable, class T, class Index, class Less>
__global__ void __launch_bounds__(prove_threads)
    find_runs_kernel(ordered_places<Stable, T, Index, Less> places, proof_memory memory) {
  order_proof& proof = *memory.proof;
  const unsigned listed = proof.disorders;
  if (listed > memory.limit) {
    proof.sorted = 0;
    return;
  }
  for (unsigned l = blockIdx.x * prove_threads + threadIdx.x; l < listed; l += gridDim.x * prove_threads) {
    const std::uint32_t i = memory.list[l].begin;
    std::uint32_t begin = i - 1, end = i + 1;
    bool covered = false;
    while (begin > 0 && end - begin <= longest_mended && !places.parts(begin)) {
      covered |= places.is_disorderly(begin);
      --begin;
    }
    while (end < places.n && end - begin <= longest_mended && !places.parts(end)) ++end;
    if (covered) end = begin;
    bool alone = end - begin <= longest_mended;
    for (std::uint32_t position = begin; position < end && alone; ++position) alone = memory.claim(position);
    if (!alone) proof.sorted = 0;
    memory.list[l] = {begin, end - begin};
  }
}

/// Sorts the runs that have been found by insertion.
template <bool Stable, class T, class Index, class Less>
__global__ void __launch_bounds__(prove_threads)
    mend_runs_kernel(ordered_places<Stable, T, Index, Less> places, proof_memory memory) {
  if (!memory.proof->sorted) return;
  const unsigned listed = memory.proof->disorders;
  for (unsigned l = blockIdx.x * prove_threads + threadIdx.x; l < listed; l += gridDim.x * prove_threads) {
    const disorder run = memory.list[l];
    Index* const order = places.order + run.begin;
    for (unsigned i = 1; i < run.count; ++i) {
      const Index moved = order[i];
      unsigned to = i;
      for (; to > 0 && places.disorderly(order[to - 1], moved); --to) order[to] = order[to - 1];
      order[to] = moved;
    }
  }
}

/// Looks at both ends of the runs that have been mended.
template <bool Stable, class T, class Index, class Less>
__global__ void __launch_bounds__(prove_threads)
    prove_ends_kernel(ordered_places<Stable, T, Index, Less> places, proof_memory memory) {
  const unsigned listed = memory.proof->disorders;
  for (unsigned l = blockIdx.x * prove_threads + threadIdx.x; l < listed && memory.proof->sorted;
       l += gridDim.x * prove_threads) {
    const disorder run = memory.list[l];
    const std::uint32_t end = run.begin + run.count;
    if (run.count == 0) continue;
    if ((run.begin > 0 && places.is_disorderly(run.begin)) || (end < places.n && places.is_disorderly(end)))
      memory.proof->sorted = 0;
  }
}

/// Begins the proof of an order; where *unwanted is not zero, there is none, and it fails.
inline void begin_proof(const context& context, const proof_memory& memory, const unsigned* unwanted) {
  device::set_zero(context, memory.claimed, memory.words * sizeof(unsigned));
  device::launch(context, shape{1, 1}, begin_proof_kernel<proof_memory>, memory, unwanted);
}

/// places.order becomes the places of sorted codes, unless *unwanted is not zero, and what is not sorted is listed.
template <bool CodesHold, bool Stable, class Bits, class T, class Index, class Less>
void prove_codes(const context& context, const Bits* codes, const ordered_places<Stable, T, Index, Less>& places,
                 const proof_memory& memory, const unsigned* unwanted) {
  device::launch(context, {divide_up(places.n, prove_threads), prove_threads},
                 prove_order_kernel<CodesHold, Stable, Bits, T, Index, Less>, codes, places, memory, unwanted);
}

/// Mends what is listed; memory.proof->sorted is zero if that cannot be done, or if there was no order.
template <bool Stable, class T, class Index, class Less>
void mend_order(const context& context, const ordered_places<Stable, T, Index, Less>& places,
                const proof_memory& memory) {
  const auto find = find_runs_kernel<Stable, T, Index, Less>;
  const auto mend = mend_runs_kernel<Stable, T, Index, Less>;
  const auto prove = prove_ends_kernel<Stable, T, Index, Less>;
  const std::size_t limit = divide_up(memory.limit, prove_threads);
  device::launch(context, device::persistent_shape(context, find, limit, prove_threads), find, places, memory);
  device::launch(context, device::persistent_shape(context, mend, limit, prove_threads), mend, places, memory);
  device::launch(context, device::persistent_shape(context, prove, limit, prove_threads), prove, places, memory);
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
