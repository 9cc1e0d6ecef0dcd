// Stable sort by digits, whatever the keys: by leading ones where a sample says that they are enough.
#pragma once

#include <cstddef>
#include <type_traits>

#include "columns.cuh"
#include "launching/scratch.cuh"
#include "radix_choice.cuh"
#include "radix_sort.cuh"

namespace gpu::inline v1::detail::device {

/// What a stable sort by digits takes.
template <class Bits, class Value>
struct digit_sort_scratch {
  radix_choice choice;
  one_launch_radix_scratch<Bits, Value> passes;

  digit_sort_scratch(carver& carve, std::size_t n)
      : choice{carve.take<unsigned>(radix_choice::size), true}, passes{carve, n} {}
};

/// Whether leading digits may be enough for n elements that are sorted by digits.
template <class Bits, class Value>
constexpr bool may_take_leading_digits(std::size_t n) {
  return may_leave_ties_v<Bits, Value> && n >= least_for_leading_digits;
}

/// Bytes of scratch that sort_by_digits takes.
template <class Bits, class Value>
[[nodiscard]] std::size_t sort_by_digits_scratch_bytes(std::size_t n) {
  return may_take_leading_digits<Bits, Value>(n) ? device::scratch_bytes<digit_sort_scratch<Bits, Value>>(n)
                                                 : device::radix_sort_scratch_bytes<Bits, Value>(n);
}

/// Sorts data[0, n) in place and stably by rank(code): by leading digits if a sample says that they are enough, else by
/// all. Ranks of floating-point keys take longer in one launch: they go by all. Enqueues on the context's stream;
/// launches depend on n alone. Throws std::bad_alloc before anything is written.
template <class Bits, class Value, class Rank>
void sort_by_digits(const context& context, columns<Bits, Value> data, std::size_t n, Rank rank,
                    const key_codec<Bits>& codec) {
  if constexpr (may_leave_ties_v<Bits, Value> && std::is_same_v<Rank, code_rank>) {
    if (may_take_leading_digits<Bits, Value>(n)) {
      const scratch<digit_sort_scratch<Bits, Value>> memory{context, n};
      return device::sort_by_digits_if(context, memory->choice, memory->passes,
                                       radix_ends<Bits, Value>{data.keys, data.values, data, true}, n,
                                       device::limits_of(sizeof(Bits)), true, rank, codec);
    }
  }
  device::radix_sort(context, data, n, rank, codec);
}

}  // namespace gpu::inline v1::detail::device
