// Means to keep a thread within its registers: small numbers packed into one, and results that are recomputed instead
// of kept.
#pragma once

namespace gpu::inline v1::detail::device::thread {

/// Returns the number unchanged, but opaque to the compiler: results that depend on it are neither kept from earlier
/// code nor computed ahead of time.
template <class Number>
__device__ __forceinline__ Number forgotten(Number number) {
  static_assert(sizeof(Number) == 4);
  asm volatile("" : "+r"(number));
  return number;
}
template <class Element>
__device__ __forceinline__ Element* forgotten(Element* pointer) {
  asm volatile("" : "+l"(pointer));
  return pointer;
}
/// One number below 2^Bits for each of a thread's items, where whole registers would leave room for fewer items.
template <int Items, int Bits>
class packed {
  static constexpr int per_word = 32 / Bits;
  static_assert(32 % Bits == 0 && Bits < 32);

 public:
  __device__ __forceinline__ unsigned operator[](int i) const {
    const unsigned word = words_[i / per_word];
    const auto at = static_cast<unsigned>(i % per_word);
    if constexpr (Bits == 8) return __byte_perm(word, 0, 0x4440 | at);  // one instruction; a shift and a mask
    if constexpr (Bits == 16) return __byte_perm(word, 0, at == 0 ? 0x4410 : 0x4432);  // in an address are three
    return word >> at * Bits & ((1u << Bits) - 1);
  }
  /// Called once for each item, in ascending order.
  __device__ __forceinline__ void set(int i, unsigned number) {
    unsigned& word = words_[i / per_word];
    word = i % per_word == 0 ? number : word + (number << i % per_word * Bits);  // one instruction
  }
  /// No sum may reach 2^Bits.
  __device__ __forceinline__ void add(int i, unsigned number) { words_[i / per_word] += number << i % per_word * Bits; }

 private:
  unsigned words_[(Items + per_word - 1) / per_word];
};

}  // namespace gpu::inline v1::detail::device::thread
