// Which bytes of the elements a caller's comparator follows. Nobody can see through it; but of a sample that it has
// sorted, the first byte that decides never falls, if it is read as the comparator reads it: as a number without or
// with a sign, or the head of a floating-point number, up or down. Where it stays the same, the second one never falls,
// and so on. A few hundred elements tell the first two or three bytes apart from chance; those behind are taken to go
// on in the direction that these have shown. So what is found is a guess, which those who sort by it have to prove.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../sample_key.hpp"
#include "../block/merge_sort.cuh"
#include "../launching/launch.cuh"
#include "coded_rows.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// A byte of an element as a comparator reads it: byte ^ flip, and ^ negative_flip if the byte at `sign` has its top
/// bit set.
struct followed_byte {
  std::uint16_t offset;
  std::uint16_t sign;
  std::uint8_t flip;
  std::uint8_t negative_flip;

  __device__ unsigned read(const std::byte* element) const {
    const auto at = [&](unsigned i) { return static_cast<unsigned>(element[i]); };
    return at(offset) ^ flip ^ (at(sign) & 0x80u ? negative_flip : 0u);
  }
};

/// The bytes that a comparator follows, the one that decides first in front.
struct followed_bytes {
  unsigned refuted;       ///< none has been found
  unsigned skips_narrow;  ///< codes of 8 bytes are not wanted, as four bytes would leave too many elements equal,
  unsigned skips_wide;    ///< or those of 16 bytes are not
  unsigned count;
  followed_byte bytes[most_code_bytes];
};

/// How the first byte of a key in an element may be read, and what follows from it for the others.
struct byte_reading {
  std::uint8_t flip;           ///< of the first byte
  std::uint8_t negative_flip;  ///< of the first byte, if its top bit is set
  std::uint8_t rest_flip;
  std::uint8_t rest_negative_flip;

  __device__ unsigned first(unsigned byte) const { return byte ^ flip ^ (byte & 0x80u ? negative_flip : 0u); }
  __device__ unsigned next(unsigned byte, unsigned sign) const {
    return byte ^ rest_flip ^ (sign & 0x80u ? rest_negative_flip : 0u);
  }
};

inline constexpr int byte_readings = 6;
__device__ constexpr byte_reading reading(int i) {
  constexpr byte_reading all[byte_readings]{
      {0x00, 0x00, 0x00, 0x00}, {0x80, 0x00, 0x00, 0x00},   // unsigned, signed
      {0xff, 0x00, 0xff, 0x00}, {0x7f, 0x00, 0xff, 0x00},   // the same descending
      {0x80, 0x7f, 0x00, 0xff}, {0x7f, 0x7f, 0xff, 0xff}};  // floating-point, up and down
  return all[i];
}

/// Codes of so many bytes may do, where the bits that they tell are at least so many more than tell all elements apart.
inline constexpr unsigned narrow_code_bytes = 4;
inline constexpr float few_equal = 3;

inline constexpr int follow_threads = 512;
inline constexpr unsigned follow_sample = 512;
/// Bytes of an element that are looked at, and what a block keeps of each: an odd number of words, so that neighbours
/// lie in different banks.
template <class T>
inline constexpr unsigned looked_at_v = sizeof(T) < 256 ? sizeof(T) : 256;
template <class T>
inline constexpr unsigned looked_stride_v = (looked_at_v<T> / 8 * 2 + 3) * 4;

/// What is found about a byte from the pairs of neighbours in the sample that all bytes before leave equal.
struct byte_evidence {
  std::uint16_t told;     ///< pairs that it tells apart
  std::uint8_t readings;  ///< bit i: as reading(i) it contradicts no pair
  std::uint8_t follows;   ///< as the next byte of the key that is being read
};

template <class T>
struct follow_storage {
  using sorter = block::merge_sort<std::uint32_t, no_value, follow_threads, 1>;
  typename sorter::storage sorted;
  std::byte bytes[follow_sample * looked_stride_v<T>];
  byte_evidence evidence[looked_at_v<T>];
  std::uint16_t tied[follow_sample];  ///< pairs (i - 1, i) that are equal so far, as i
  unsigned ties;
  unsigned strict_ties;
  bool strict[follow_sample];  ///< the comparator says that i - 1 precedes i
  float information[looked_at_v<T>];
  followed_bytes found;
};

/// The search for followed bytes by one block.
template <class T>
class byte_search {
  static constexpr unsigned looked = looked_at_v<T>;

 public:
  __device__ byte_search(follow_storage<T>& shared, unsigned long long n) : shared_{shared}, n_{n} {}

  template <class Less>
  __device__ void run(const T* elements, Less less, std::uint64_t word) {
    draw(elements, less, word);
    reading_ = -1;
    bool narrow = false;
    const float bits = log2f(static_cast<float>(n_));
    float wanted = bits + 12;  // that make equal codes of different keys rare
    for (unsigned found = 0; found < most_code_bytes; ++found) {
      gather_evidence();
      __syncthreads();
      const bool going_on = wanted > 0 || shared_.strict_ties > 0;
      const int next = going_on ? choose() : -1;
      if (next < 0) break;
      wanted -= shared_.information[next];
      add(found, static_cast<unsigned>(next));
      if (found < narrow_code_bytes) narrow = wanted < 12 - few_equal;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    followed_bytes& result = shared_.found;
    result.refuted = result.count == 0 && shared_.strict_ties > 0;
    narrow |= result.count <= narrow_code_bytes;
    result.skips_narrow = result.refuted || !narrow;
    result.skips_wide = result.refuted || narrow;
  }

 private:
  __device__ const std::byte* row(unsigned i) const { return shared_.bytes + i * looked_stride_v<T>; }

  /// Sorts a sample by the comparator, and puts the bytes there, in order.
  template <class Less>
  __device__ void draw(const T* elements, Less less, std::uint64_t word) {
    auto& order = shared_.sorted.keys;
    const auto at = [&](std::uint32_t draw) -> const T& {
      return elements[detail::random_position(word, 0, draw, static_cast<std::size_t>(n_))];
    };
    const unsigned t = threadIdx.x;
    order[t] = t;
    typename follow_storage<T>::sorter{shared_.sorted}.sort(
        static_cast<int>(follow_sample), [&](std::uint32_t a, std::uint32_t b) { return less(at(a), at(b)); });
    shared_.strict[t] = t > 0 && less(at(order[t - 1]), at(order[t]));
    for (unsigned i = t; i < follow_sample * looked; i += follow_threads)
      shared_.bytes[i / looked * looked_stride_v<T> + i % looked] =
          reinterpret_cast<const std::byte*>(&at(order[i / looked]))[i % looked];
    if (t > 0) shared_.tied[t - 1] = static_cast<std::uint16_t>(t);
    const unsigned strict = __syncthreads_count(shared_.strict[t]);
    if (t == 0) shared_.ties = follow_sample - 1, shared_.strict_ties = strict, shared_.found = {};
    __syncthreads();
    measure_information();
  }

  /// Bits by which each byte tells elements apart that are picked at random: here, such as lie far from each other.
  __device__ void measure_information() {
    const unsigned lane = threadIdx.x % warp::threads;
    for (unsigned p = threadIdx.x / warp::threads; p < looked; p += follow_threads / warp::threads) {
      unsigned different = 0;
      for (unsigned i = lane; i < follow_sample; i += warp::threads)
        different += row(i)[p] != row((i * 181 + 1) % follow_sample)[p];
      different = __reduce_add_sync(warp::all_lanes, different);
      if (lane == 0)
        shared_.information[p] =
            different == 0
                ? 0
                : -log2f(static_cast<float>(follow_sample + 1 - different) / static_cast<float>(follow_sample));
    }
    __syncthreads();
  }

  /// A warp looks at a byte of all tied pairs.
  __device__ void gather_evidence() {
    const unsigned lane = threadIdx.x % warp::threads, ties = shared_.ties;
    for (unsigned p = threadIdx.x / warp::threads; p < looked; p += follow_threads / warp::threads) {
      unsigned told = 0, good = (1u << (byte_readings + 1)) - 1;
      for (unsigned k = lane; k < ties; k += warp::threads) {
        const unsigned i = shared_.tied[k];
        const unsigned a = static_cast<unsigned>(row(i - 1)[p]), b = static_cast<unsigned>(row(i)[p]);
        if (a == b) continue;
        ++told;
        if (!shared_.strict[i]) good = 0;
#pragma unroll
        for (int r = 0; r < byte_readings; ++r)
          if (device::reading(r).first(a) > device::reading(r).first(b)) good &= ~(1u << r);
        if (reading_ >= 0 &&
            device::reading(reading_).next(a, sign_of(i - 1)) > device::reading(reading_).next(b, sign_of(i)))
          good &= ~(1u << byte_readings);
      }
      told = __reduce_add_sync(warp::all_lanes, told);
      good = __reduce_and_sync(warp::all_lanes, good);
      if (lane == 0)
        shared_.evidence[p] = {static_cast<std::uint16_t>(told),
                               static_cast<std::uint8_t>(good & ((1u << byte_readings) - 1)),
                               static_cast<std::uint8_t>(good >> byte_readings)};
    }
  }
  __device__ unsigned sign_of(unsigned i) const { return static_cast<unsigned>(row(i)[first_]); }

  /// The byte to look at next, the same for all threads, or -1. Sets what is known of the key that it belongs to.
  __device__ int choose() {
    if (reading_ >= 0) {
      const int up = follow(1), down = follow(-1);
      if (step_ == 0 && up >= 0 && down >= 0) {  // the one that tells more
        const unsigned told_up = shared_.evidence[up].told, told_down = shared_.evidence[down].told;
        step_ = told_up >= told_down ? 1 : -1;
      } else if (step_ == 0 && (up >= 0 || down >= 0)) {
        step_ = up >= 0 ? 1 : -1;
      }
      if (step_ != 0) {
        const int next = step_ > 0 ? up : down;
        if (next >= 0) return next;
      }
    }
    return begin_key();
  }

  /// The next byte of the key in the direction, if nothing speaks against it.
  __device__ int follow(int step) const {
    if (step_ != 0 && step != step_) return -1;
    int next = last_;
    do {
      if (step < 0 && is_boundary(next)) return -1;
      next += step;
      if (next < 0 || next >= static_cast<int>(looked)) return -1;
    } while (is_constant(next));
    return shared_.evidence[next].follows ? next : -1;
  }
  __device__ bool is_constant(int p) const { return shared_.information[p] == 0; }
  /// Whether a number that goes down from its first byte ends with byte p: at a word's alignment, those of 4 bytes
  /// where one of 8 would not be aligned, those of 2 where one of 4 would not.
  __device__ bool is_boundary(int p) const {
    const int bytes = first_ + 1 - p, end = first_ + 1;
    return p % 8 == 0 || bytes == 8 || (bytes == 4 && end % 8 != 0) || (bytes == 2 && end % 4 != 0);
  }

  /// The byte that tells most of the tied pairs apart and contradicts none; it begins another key.
  __device__ int begin_key() {
    int best = -1;
    unsigned most = 0;
    for (unsigned p = 0; p < looked; ++p)
      if (shared_.evidence[p].readings != 0 && shared_.evidence[p].told > most)
        most = shared_.evidence[p].told, best = static_cast<int>(p);
    constexpr unsigned enough_pairs = 12;       // of those that are tied, each the right way round by chance
    constexpr float enough_information = 0.1f;  // of a byte that never falls from the first of the sample to the last
    if (best < 0 || (most < enough_pairs && (reading_ >= 0 || shared_.information[best] < enough_information)))
      return -1;
    reading_ = __ffs(static_cast<int>(shared_.evidence[best].readings)) - 1;
    first_ = best;
    step_ = 0;
    return best;
  }

  /// Appends a byte to what has been found, and drops the pairs that it tells apart.
  __device__ void add(unsigned found, unsigned next) {
    const byte_reading read = device::reading(reading_);
    const bool first = static_cast<int>(next) == first_;
    last_ = static_cast<int>(next);
    __syncthreads();
    const unsigned ties = shared_.ties, t = threadIdx.x;
    const unsigned i = t < ties ? shared_.tied[t] : 0;
    const bool remains = t < ties && row(i - 1)[next] == row(i)[next];
    __syncthreads();
    if (t == 0) {
      shared_.ties = shared_.strict_ties = 0;
      shared_.found.bytes[found] = {static_cast<std::uint16_t>(next), static_cast<std::uint16_t>(first_),
                                    first ? read.flip : read.rest_flip,
                                    first ? read.negative_flip : read.rest_negative_flip};
      shared_.found.count = found + 1;
    }
    __syncthreads();
    if (remains) {
      shared_.tied[atomicAdd(&shared_.ties, 1u)] = static_cast<std::uint16_t>(i);
      if (shared_.strict[i]) atomicAdd(&shared_.strict_ties, 1u);
    }
    __syncthreads();
  }

  follow_storage<T>& shared_;
  unsigned long long n_;
  int reading_ = -1;  ///< of the key whose bytes are being found, which begins at first_ and goes on by step_
  int first_ = 0;
  int last_ = 0;
  int step_ = 0;
};

/// Finds the bytes that `less` follows in elements[0, n), n > 0. One block.
template <class T, class Less>
__global__ void __launch_bounds__(follow_threads)
    follow_bytes_kernel(const T* elements, std::size_t n, Less less, std::uint64_t word, followed_bytes* found) {
  auto& shared = device::dynamic_shared<follow_storage<T>>();
  byte_search<T>{shared, n}.run(elements, less, word);
  if (threadIdx.x == 0) *found = shared.found;
}

/// Codes by the bytes that have been found.
template <class T>
struct followed_coder {
  const followed_bytes* found;
  const unsigned* unwanted;

  template <class Bits>
  __device__ Bits code(const T& element) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&element);
    const unsigned count = min(found->count, static_cast<unsigned>(sizeof(Bits) - place_bits / 8));
    Bits code = 0;
    for (unsigned i = 0; i < count; ++i)
      code |= static_cast<Bits>(found->bytes[i].read(bytes)) << (8 * (sizeof(Bits) - 1 - i));
    return code;
  }
  __device__ bool wanted() const { return *unwanted == 0; }
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
