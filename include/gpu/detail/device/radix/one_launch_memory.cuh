// What radix sort in one launch is told, and works in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/digit_ranks.cuh"
#include "../columns.cuh"
#include "../launching/scratch.cuh"
#include "pass.cuh"
#include "tied_runs_memory.cuh"

namespace gpu::inline v1::detail::device {

/// What is to be zero before a sort.
struct radix_counters {
  unsigned long long* counts;  ///< [passes][digits]
  unsigned long long* claims;  ///< [digits]
  unsigned* next_tile;         ///< [stages]
  unsigned* done;              ///< [stages]: how many of these tiles are done

  radix_counters(carver& carve, std::size_t passes, std::size_t stages)
      : counts{carve.take<unsigned long long>(passes * radix_digits)},
        claims{carve.take<unsigned long long>(radix_digits)},
        next_tile{carve.take<unsigned>(stages)},
        done{carve.take<unsigned>(stages)} {}
};

template <class Bits, class Value>
struct one_launch_radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);
  static constexpr unsigned stages_beside = 5;  ///< counting, copying back, and three for ties

  columns<Bits, Value> buffer;
  std::size_t portions;
  radix_counters counters;  ///< stages: what is beside passes, then [passes][portions]
  radix_counters counters_of_ties;
  tied_runs_found* found;
  unsigned long long* next_bases;  ///< [digits]: where the digits of the next portion begin
  unsigned* states;                ///< [tiles of a portion, at most][digits]
  tied_runs_memory<Bits, Value> ties;

  one_launch_radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        portions{device::radix_portions(n)},
        counters{carve, passes, passes * portions + stages_beside},
        counters_of_ties{carve, may_leave_ties_v<Bits, Value> ? passes : 0, passes * portions + stages_beside},
        found{carve.take<tied_runs_found>(1)},
        next_bases{carve.take<unsigned long long>(radix_digits)},
        states{carve.take<unsigned>(device::most_radix_tiles<Bits, Value>(n) * radix_digits)},
        ties{carve, may_leave_ties_v<Bits, Value> ? n : 0} {}

  /// What is to be zero before the sort: counters and what is found, which follow each other.
  [[nodiscard]] unsigned* first_cleared() const { return reinterpret_cast<unsigned*>(counters.counts); }
  [[nodiscard]] std::size_t words_cleared() const {
    return static_cast<std::size_t>(reinterpret_cast<unsigned*>(found + 1) - first_cleared());
  }
};

/// Words of device memory that say whether and how the sort shall take place, and whether it has.
struct radix_choice {
  static constexpr std::size_t size = 6;

  unsigned* words;            ///< of so many two, or `size` if a sample has been looked at
  bool sampled = false;       ///< whether one has: if not, codes have no window, and all digits are needed
  bool rounds_follow = true;  ///< or the sort begins anew by all digits if it cannot by those chosen
  const unsigned* unwanted = nullptr;  ///< unless this is null, if that is not zero, neither passes nor rounds sort

  /// That may vary; if zero, no key is looked at.
  GPUPAR_HOST_DEVICE unsigned* most_digits() const { return words; }
  /// Zero before; not zero if the keys have been sorted.
  GPUPAR_HOST_DEVICE unsigned* taken() const { return words + 1; }
  /// Of codes in a narrow window: where it begins, from where on they are counted, so that all digits from
  /// most_digits() on are zero; if they are not, no key has been moved yet. Zero of others.
  GPUPAR_HOST_DEVICE std::uint64_t* window() const { return reinterpret_cast<std::uint64_t*>(words + 2); }
  /// Keys are sorted by digits from this one on; few have to be put in order by those below.
  GPUPAR_HOST_DEVICE unsigned* first_digit() const { return words + 4; }
};

/// What the blocks sort, and where.
template <class Bits, class Value, class Codec>
struct radix_task {
  radix_ends<Bits, Value> ends;
  one_launch_radix_scratch<Bits, Value> memory;
  radix_counters counters;
  std::size_t n;
  unsigned first_digit;  ///< keys are sorted by digits from this one on
  Bits least;            ///< what codes are counted from
  Codec codec;
};

}  // namespace gpu::inline v1::detail::device
