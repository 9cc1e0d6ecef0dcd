// Keys anywhere in records. Their width, and the codec that makes codes of them, are run-time parameters, so that one
// kernel serves every kind of key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../keys/key.hpp"
#include "../../keys/shared_codes.hpp"
#include "../columns.cuh"
#include "../erased_codes.cuh"

namespace gpu::inline v1::detail::device {

/// The codes of keys of up to sizeof(Code) bytes, in records of any alignment.
template <class Code>
class record_keys {
 public:
  template <class Bits>
  record_keys(const void* records, std::size_t record_bytes, std::size_t key_offset, const key_codec<Bits>& codec)
      : first_key_{static_cast<const std::byte*>(records) + key_offset},
        record_bytes_{record_bytes},
        key_bytes_{sizeof(Bits)},
        aligned_{(reinterpret_cast<std::uintptr_t>(first_key_) | record_bytes) % alignof(Bits) == 0},
        codec_{device::codec_in_front<Code>(codec)} {}
  template <class Bits>
  record_keys(const void* records, std::size_t record_bytes, std::size_t key_offset, const shared_codes<Bits>& codes)
      : record_keys{records, record_bytes, key_offset, codes.codec} {
    ranked_ = codes.floating, order_ = device::order_in_front<Code>(codes.order);
  }

  [[nodiscard]] GPUPAR_HOST_DEVICE unsigned key_bytes() const { return key_bytes_; }

  /// A record's code, in the highest bits of Code.
  __device__ Code in_front(std::size_t record) const {
    const std::byte* const at = first_key_ + record * record_bytes_;
    Code key = 0;
    if (aligned_)
      device::with_integer(key_bytes_, [&]<class Bits>(Bits) {
        if constexpr (sizeof(Bits) <= sizeof(Code)) key = *reinterpret_cast<const Bits*>(at);
      });
    else
      for (unsigned byte = 0; byte < key_bytes_; ++byte) key |= static_cast<Code>(at[byte]) << 8 * byte;
    const Code code = codec_.encode(key << more_bits());
    return ranked_ ? order_.rank(code, Code{1} << more_bits()) : code;
  }
  /// A record's code, in the lowest bits of Code.
  __device__ Code operator[](std::size_t record) const { return in_front(record) >> more_bits(); }

 private:
  __device__ unsigned more_bits() const { return 8 * (sizeof(Code) - key_bytes_); }

  const std::byte* first_key_;
  std::size_t record_bytes_;
  unsigned key_bytes_;
  bool aligned_;
  bool ranked_ = false;
  key_codec<Code> codec_;
  floating_code_less<Code> order_{};
};

}  // namespace gpu::inline v1::detail::device
