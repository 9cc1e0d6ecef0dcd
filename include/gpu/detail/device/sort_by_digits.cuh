// Stable sort by digits, for any keys: by the leading digits where a sample says that these are enough.
#pragma once

#include <cstddef>
#include <type_traits>

#include "columns.cuh"
#include "launching/scratch.cuh"
#include "radix/choice.cuh"
#include "radix_sort.cuh"

namespace gpu::inline v1::detail::device {

/// Scratch of passes by leading digits.
template <class Bits, class Value>
struct leading_passes_scratch {
  radix_choice choice;
  one_launch_radix_scratch<Bits, Value> passes;

  leading_passes_scratch(carver& carve, std::size_t n)
      : choice{carve.take<unsigned>(radix_choice::size), true, false}, passes{carve, n} {}
};

/// Scratch of passes, and an array for keys on their way if sorted keys are not wanted.
template <class Bits, class Passes>
struct digit_sort_scratch {
  Bits* spare_keys;
  Passes passes;

  digit_sort_scratch(carver& carve, std::size_t n, bool keep_keys)
      : spare_keys{carve.take<Bits>(keep_keys ? 0 : n)}, passes{carve, n} {}
};
template <class Bits, class Value>
using leading_digits_scratch = digit_sort_scratch<Bits, leading_passes_scratch<Bits, Value>>;
template <class Bits, class Value>
using all_digits_scratch = digit_sort_scratch<Bits, radix_scratch<Bits, Value>>;

/// Whether leading digits may be enough for n elements that are sorted by digits.
template <class Bits, class Value>
constexpr bool may_take_leading_digits(std::size_t n) {
  return may_leave_ties_v<Bits, Value> && n >= least_for_leading_digits;
}

/// Upper bound on the bytes of scratch that sort_by_digits takes: room for n elements, without keep_keys for n more
/// keys, and about 4 %.
template <class Bits, class Value>
[[nodiscard]] std::size_t sort_by_digits_scratch_bytes(std::size_t n, bool keep_keys = true) {
  return may_take_leading_digits<Bits, Value>(n)
             ? device::scratch_bytes<leading_digits_scratch<Bits, Value>>(n, keep_keys)
             : device::scratch_bytes<all_digits_scratch<Bits, Value>>(n, keep_keys);
}

/// Sorts n elements stably by rank(code): by leading digits if a sample says that they are enough, else by all.
/// Floating-point keys always go by all digits, as their ranks take longer in one launch. Sorted keys are written only
/// if ends.keep_keys. Enqueues on the context's stream; the launches depend only on n. Throws std::bad_alloc before
/// anything is written.
template <class Bits, class Value, class Rank>
void sort_by_digits(const context& context, radix_ends<Bits, Value> ends, std::size_t n, Rank rank,
                    const key_codec<Bits>& codec) {
  const auto take_keys = [&](const auto& memory) {
    if (!ends.keep_keys) ends.destination.keys = memory->spare_keys;
  };
  if (n == 0) return;
  if constexpr (may_leave_ties_v<Bits, Value> && std::is_same_v<Rank, code_rank>) {
    if (may_take_leading_digits<Bits, Value>(n)) {
      const scratch<leading_digits_scratch<Bits, Value>> memory{context, n, ends.keep_keys};
      take_keys(memory);
      return device::sort_by_digits_if(context, memory->passes.choice, memory->passes.passes, ends, n,
                                       device::limits_of(sizeof(Bits)), codec);
    }
  }
  const scratch<all_digits_scratch<Bits, Value>> memory{context, n, ends.keep_keys};
  take_keys(memory);
  device::radix_sort(context, memory->passes, ends, n, rank, codec);
}

}  // namespace gpu::inline v1::detail::device
