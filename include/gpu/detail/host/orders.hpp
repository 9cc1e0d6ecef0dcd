// Orders of indices that the library sorts by code of the caller's, compiled once for callers of all types: by a
// comparator, and by codes of which an integer holds but the beginning.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../boundary/function_ref.hpp"
#include "../config.hpp"
#include "../index.hpp"
#include "few.hpp"
#include "permutation.hpp"
#include "request.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts indices by less(i, j), with the algorithm named, or the fastest that is stable, if it has to be. The contract
/// is that of host::sort() and host::stable_sort(); less may be called from several threads at once.
GPUPAR_EXPORT void sort_indices(std::uint64_t* indices, std::size_t n,
                                function_ref<bool(std::size_t, std::size_t)> less, bool stable, algorithm how);

/// Codes, or some bits of them, with the indices of their elements below. No two entries are equal: any sort of them is
/// stable. They take 16 bytes each, or 8 if codes and indices are of 4.
class code_entries {
 public:
  code_entries(std::size_t n, std::size_t code_bytes)
      : size_{n},
        is_narrow_{code_bytes <= 4 && index_bytes(n) <= 4},
        narrow_{is_narrow_ ? n : 0},
        wide_{is_narrow_ ? 0 : n} {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_narrow() const noexcept { return is_narrow_; }
  [[nodiscard]] std::uint64_t* narrow() const noexcept { return narrow_.data(); }
  [[nodiscard]] uint128* wide() const noexcept { return wide_.data(); }

  void set(std::size_t i, std::uint64_t code, std::size_t index) noexcept {
    if (is_narrow_)
      narrow()[i] = code << 32 | index;
    else
      wide()[i] = uint128{code} << 64 | index;
  }
  [[nodiscard]] std::size_t index(std::size_t i) const noexcept {
    return is_narrow_ ? static_cast<std::uint32_t>(narrow()[i]) : static_cast<std::uint64_t>(wide()[i]);
  }
  void sort(algorithm how) {
    void* const data = is_narrow_ ? static_cast<void*>(narrow()) : wide();
    const std::uint8_t bytes = is_narrow_ ? 8 : 16;
    host::sort_by_keys({{data, bytes, 0, {key_class::unsigned_integer, bytes}}, size_, nullptr, 0, false, how});
  }

 private:
  std::size_t size_;
  bool is_narrow_;
  mutable few_or_buffer<std::uint64_t, 128> narrow_;
  mutable few_or_buffer<uint128, 64> wide_;
};

/// Elements, known by their indices, with codes of any length.
struct coded_elements {
  std::size_t bits;  ///< of a code; the greatest number if codes differ in it, or do not tell the whole order
  bool whole;        ///< whether codes tell the whole order
  /// Puts above the indices in entries[0, n) what 64 bits of their elements' codes follow the first `skip`. Returns
  /// whether any code goes on behind. May be called from several threads at once, as may less().
  function_ref<bool(uint128* entries, std::size_t n, std::size_t skip)> rewrite;
  function_ref<bool(std::size_t, std::size_t)> less;
};

/// Sorts each group of equal codes, of `skip` bits, among sorted entries; of those, only the indices are of use then.
/// Equivalents stay in the order of their indices. Throws std::bad_alloc and what elements throw.
GPUPAR_EXPORT void sort_equal_codes(const coded_elements& elements, code_entries& sorted, std::size_t skip);

/// The same of an order by codes; that of element i is codes[i], in 1 to 16 bytes. In a group, indices ascend.
GPUPAR_EXPORT void sort_equal_codes(const coded_elements& elements, permutation& order, const column& codes);

}  // namespace gpu::inline v1::detail::host
