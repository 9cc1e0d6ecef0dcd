// Counting sort of a tile of codes in which values occur several times each: a hash table, whose hash preserves the
// order, holds every value once with the number of its copies, so that little is left to sort. Linear probing:
// Peterson, "Addressing for random-access storage", 1957; with an order-preserving hash: Gonnet and Munro, "The
// analysis of linear probing sort by the use of a new mathematical transform", 1984. Not stable, which makes no
// difference for codes.
#pragma once

#include <type_traits>

#include "../columns.cuh"
#include "../thread/codes.cuh"
#include "../tuning/local_sorts.hpp"
#include "../warp/shuffle.cuh"
#include "code_range.cuh"
#include "thread_bins.cuh"

namespace gpu::inline v1::detail::device::block {

/// The home slot of a value, given as its distance from the least one: by interpolation, so that home slots are in the
/// order of the values, and evenly used if values are spread evenly.
template <class Code, unsigned Slots>
class home_of {
 public:
  __device__ explicit home_of(const code_range<Code>& range)
      : shift_{range.shift}, scale_{even_bins<static_cast<int>(Slots)>::scale_for(range.span)} {}

  __device__ __forceinline__ unsigned operator()(Code distance) const {
    return __umulhi(block::leading_word(distance, shift_), scale_);
  }

 private:
  unsigned shift_;
  unsigned scale_;
};

/// Codes of 4 or 8 bytes. All members are called by every thread of the block.
template <class Code, int Threads, int Items>
class counted_values {
  /// Three slots for four codes. Each thread has an odd number of quads, so that neighbouring threads' quads begin in
  /// different banks.
  static constexpr unsigned quad = 4;
  static constexpr unsigned own_quads = 3 * Items / 16;
  static constexpr unsigned own_slots = quad * own_quads;
  static constexpr unsigned slots = Threads * own_slots;
  static constexpr unsigned farthest = 32;  ///< of a value's slot from its home slot
  static constexpr Code empty = static_cast<Code>(~Code{0});
  static constexpr int sure = Items - Items / 4;  ///< items that every thread of a base case usually has
  static constexpr unsigned row = warp::threads;  ///< positions of the sorted tile that a warp writes at a time
  static constexpr unsigned warps = Threads / row;
  static constexpr unsigned one_value = 1u << 16;  ///< in sums of values and, in the lower half, copies
  static constexpr unsigned most_displaced = Threads * Items / 4;
  static constexpr unsigned most_values =
      (slots * sizeof(unsigned) + most_displaced * sizeof(Code)) / (sizeof(unsigned) + sizeof(Code)) - 2;
  static constexpr unsigned most_taken = Threads * Items * most_counted(sizeof(Code)) / 64;  ///< home slots
  using homes = home_of<Code, slots - farthest>;
  static_assert(own_quads % 2 == 1 && Items % 16 == 0);

 public:
  static constexpr unsigned tile = Threads * Items;

  struct counts {
    uint4 copies[slots / quad];      ///< of the value of each slot
    Code displaced[most_displaced];  ///< codes whose home slot holds another value
  };
  struct order {
    Code sorted[most_values];          ///< decoded
    unsigned listed[most_values + 1];  ///< upper half: a value's slot; lower half: copies of preceding values
  };
  struct storage {
    Code values[slots];  ///< less the least of them
    union {
      counts counting;
      order ordering;
    };
    /// Per row of the sorted tile: a bit for each position, except the first, where a value begins, and the rank of the
    /// value at the first position.
    uint2 rows[tile / row];
    code_range_storage<Code, Threads> range;
    unsigned sums[warps];
    unsigned displaced_count;
    unsigned taken;  ///< home slots
  };

  __device__ explicit counted_values(storage& shared) : shared_{shared} {}

  /// Encodes and sorts source[0, n) and stores it, decoded, in target[0, n), 0 < n <= tile. Returns false, without
  /// writing to target, if there are too many values or they are spread too unevenly. Synchronises before.
  template <class Source, class Target, class Encoder, class Decoder>
  __device__ __forceinline__ bool sort(Source source, Target target, unsigned n, Encoder encoder, Decoder decoder) {
    __syncthreads();
    clear();
    return n >= sure * Threads ? sort_tile<sure>(source, target, n, encoder, decoder)
                               : sort_tile<0>(source, target, n, encoder, decoder);
  }

 private:
  /// The index of the calling thread's item i while codes are loaded and stored; and whether it exists.
  __device__ static unsigned index(int i) { return static_cast<unsigned>(i) * Threads + threadIdx.x; }
  __device__ static bool present(int i, unsigned n) { return i * Threads < static_cast<int>(n - threadIdx.x); }

  __device__ unsigned* counters() const { return reinterpret_cast<unsigned*>(shared_.counting.copies); }

  __device__ void clear() {
#pragma unroll
    for (unsigned s = 0; s < own_slots; ++s) shared_.values[s * Threads + threadIdx.x] = empty;
#pragma unroll
    for (unsigned q = 0; q < own_quads; ++q) shared_.counting.copies[q * Threads + threadIdx.x] = {0, 0, 0, 0};
    for (unsigned r = threadIdx.x; r < tile / row; r += Threads) shared_.rows[r].x = 0;
    if (threadIdx.x == 0) shared_.displaced_count = shared_.taken = 0;
  }

  /// Sure: the number of items that every thread has for certain.
  template <int Sure, class Source, class Target, class Encoder, class Decoder>
  __device__ __forceinline__ bool sort_tile(Source source, Target target, unsigned n, Encoder encoder,
                                            Decoder decoder) {
    Code codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Code>(source[i < Sure ? index(i) : min(index(i), n - 1)]);
    device::encode_items(codes, encoder);
    const auto range = block::range_of_codes<Threads, slots>(codes, shared_.range);
    if (range.all_equal() || range.shift == 0) return false;  // in a wider range a value might equal `empty`
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Code>(codes[i] - range.least);
    const homes home{range};
    if (!count<Sure>(codes, n, home) || !count_displaced(home)) return false;
    const unsigned found = list_values();
    if (found > most_values) return false;
    order_values(found, range.least, decoder);
    store<Sure>(target, n);
    return true;
  }

  /// The first code counted in a home slot takes it, and codes equal to it stay counted there; the others become
  /// displaced. Returns false if so many home slots are taken that a sort by bins takes less time. Synchronises.
  template <int Sure>
  __device__ __forceinline__ bool count(const Code (&codes)[Items], unsigned n, const homes& home) {
    constexpr int at_once = Items / 2;
    unsigned taken = 0;
#pragma unroll
    for (int first = 0; first < Items; first += at_once) {
      unsigned before[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        before[i] = 1;
        if (first + i < Sure || present(first + i, n)) before[i] = atomicAdd(&counters()[home(codes[first + i])], 1u);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (before[i] == 0) shared_.values[home(codes[first + i])] = codes[first + i], ++taken;
    }
    taken = warp::sum(taken);
    if (threadIdx.x % row == 0) atomicAdd(&shared_.taken, taken);
    __syncthreads();
    if (shared_.taken > most_taken) return false;
    unsigned displaced = 0;  // a bit for each item
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned slot = home(codes[i]);
      if (shared_.values[slot] == codes[i] || (i >= Sure && !present(i, n))) continue;
      displaced |= 1u << i;
      atomicSub(&counters()[slot], 1u);
    }
    unsigned at = displaced == 0 ? 0 : atomicAdd(&shared_.displaced_count, static_cast<unsigned>(__popc(displaced)));
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if ((displaced >> i & 1u) && at < most_displaced) shared_.counting.displaced[at++] = codes[i];
    __syncthreads();
    return true;
  }

  /// Counts displaced codes at the first slot behind their home slot that holds their value or is empty. Returns false
  /// if there are too many, or if one would be too far from its home slot. Synchronises.
  __device__ __forceinline__ bool count_displaced(const homes& home) const {
    using word = std::conditional_t<sizeof(Code) == sizeof(unsigned), unsigned, unsigned long long>;
    const unsigned found = shared_.displaced_count;
    bool lost = found > most_displaced;
    for (unsigned d = threadIdx.x; d < found && !lost; d += Threads) {
      const Code code = shared_.counting.displaced[d];
      unsigned slot = home(code);
      const unsigned last = slot + farthest;
      Code there;
      do {
        ++slot;
        there = atomicCAS(reinterpret_cast<word*>(&shared_.values[slot]), word{empty}, word{code});
      } while (there != empty && there != code && slot < last);
      lost = there != empty && there != code;
      if (!lost) atomicAdd(&counters()[slot], 1u);
    }
    return !__syncthreads_or(lost);
  }

  /// Lists values in the order of their slots; returns their number, which may exceed most_values: nothing is listed
  /// then. Synchronises.
  __device__ __forceinline__ unsigned list_values() {
    unsigned copies[own_slots];
    unsigned own = 0;
#pragma unroll
    for (unsigned q = 0; q < own_quads; ++q) {
      const uint4 four = shared_.counting.copies[threadIdx.x * own_quads + q];
      copies[q * quad] = four.x, copies[q * quad + 1] = four.y;
      copies[q * quad + 2] = four.z, copies[q * quad + 3] = four.w;
    }
#pragma unroll
    for (unsigned s = 0; s < own_slots; ++s) own += copies[s] > 0 ? one_value | copies[s] : 0;
    const unsigned lane = threadIdx.x % row;
    auto before = static_cast<unsigned>(warp::inclusive_sum(static_cast<int>(own)));
    if (lane == row - 1) shared_.sums[threadIdx.x / row] = before;
    __syncthreads();
    const unsigned sum = lane < warps ? shared_.sums[lane] : 0;
    const unsigned all = warp::sum(sum);
    before += warp::sum(lane < threadIdx.x / row ? sum : 0u) - own;
    if (all / one_value > most_values) return all / one_value;
#pragma unroll
    for (unsigned s = 0; s < own_slots; ++s) {
      if (copies[s] == 0) continue;
      shared_.ordering.listed[before / one_value] = (threadIdx.x * own_slots + s) * one_value | before % one_value;
      before += one_value | copies[s];
    }
    if (threadIdx.x == 0) shared_.ordering.listed[all / one_value] = ~0u * one_value | all % one_value;
    __syncthreads();
    return all / one_value;
  }

  __device__ unsigned slot_of(unsigned v) const { return shared_.ordering.listed[v] / one_value; }
  __device__ unsigned begin_of(unsigned v) const { return shared_.ordering.listed[v] % one_value; }
  __device__ unsigned copies_of(unsigned v) const { return begin_of(v + 1) - begin_of(v); }

  /// Values in nearby slots may be out of order, but only within the largest distance from a home slot: each value
  /// computes its rank from its neighbours. Synchronises.
  template <class Decoder>
  __device__ __forceinline__ void order_values(unsigned found, Code least, Decoder decoder) {
    for (unsigned v = threadIdx.x; v < found; v += Threads) {
      const unsigned slot = slot_of(v);
      const Code value = shared_.values[slot];
      unsigned rank = v, begin = begin_of(v);
      for (unsigned d = 1; d <= min(v, farthest) && slot_of(v - d) == slot - d; ++d)
        if (value < shared_.values[slot - d]) --rank, begin -= copies_of(v - d);
      for (unsigned d = 1; d <= farthest && slot_of(v + d) == slot + d; ++d)
        if (shared_.values[slot + d] < value) ++rank, begin += copies_of(v + d);
      shared_.ordering.sorted[rank] = decoder.decode(static_cast<Code>(value + least));
      mark(rank, begin, begin + copies_of(v));
    }
    __syncthreads();
  }

  /// Marks positions [begin, end) of the sorted tile as those of the value of this rank.
  __device__ __forceinline__ void mark(unsigned rank, unsigned begin, unsigned end) {
    if (begin % row != 0) atomicOr(&shared_.rows[begin / row].x, 1u << begin % row);
#pragma unroll 1
    for (unsigned r = (begin + row - 1) / row; r * row < end; ++r) shared_.rows[r].y = rank;
  }

  template <int Sure, class Target>
  __device__ __forceinline__ void store(Target target, unsigned n) const {
    const unsigned up_to_here = 2 * warp::lanes_before() + 1;
    Code keys[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const uint2 found = shared_.rows[(i < Sure ? index(i) : min(index(i), n - 1)) / row];
      const unsigned rank = found.y + static_cast<unsigned>(__popc(found.x & up_to_here));
      keys[i] = shared_.ordering.sorted[rank];
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < Sure || present(i, n)) target[index(i)] = keys[i];
  }

  storage& shared_;
};

}  // namespace gpu::inline v1::detail::device::block
