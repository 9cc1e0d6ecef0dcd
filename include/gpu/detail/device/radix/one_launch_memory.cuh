// Parameters and memory of radix sort in one launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../block/digit_ranks.cuh"
#include "../columns.cuh"
#include "../launching/scratch.cuh"
#include "pass.cuh"
#include "tied_runs_memory.cuh"

namespace gpu::inline v1::detail::device {

/// Counters, which have to be zero before a sort.
struct radix_counters {
  unsigned long long* counts;  ///< [passes][digits]
  unsigned long long* claims;  ///< [digits]
  unsigned* next_tile;         ///< [stages]
  unsigned* done;              ///< [stages]: how many tiles of the stage are done

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
  radix_counters counters;  ///< stages: those beside the passes, then [passes][portions]
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

  /// What has to be zero before the sort: the counters and `found`, which are contiguous.
  [[nodiscard]] unsigned* first_cleared() const { return reinterpret_cast<unsigned*>(counters.counts); }
  [[nodiscard]] std::size_t words_cleared() const {
    return static_cast<std::size_t>(reinterpret_cast<unsigned*>(found + 1) - first_cleared());
  }
};

/// Words of device memory that hold whether and how to sort, and whether the sort has taken place.
struct radix_choice {
  static constexpr std::size_t size = 6;

  unsigned* words;            ///< `size` of them if `sampled`, else two
  bool sampled = false;       ///< whether a sample is looked at: if not, there is no window, and all digits are needed
  bool rounds_follow = true;  ///< if not, and the chosen digits turn out not to do, the sort uses all digits
  const unsigned* unwanted = nullptr;  ///< if not null and *unwanted is nonzero, neither passes nor rounds sort

  /// How many digits may vary; if zero, the sort reads no key.
  GPUPAR_HOST_DEVICE unsigned* most_digits() const { return words; }
  /// Zero before the sort; nonzero once the keys have been sorted.
  GPUPAR_HOST_DEVICE unsigned* taken() const { return words + 1; }
  /// Where the narrow window that holds all codes begins: relative to it, all digits from most_digits() on are zero. A
  /// code outside the window is noticed before any key has been moved. Zero if there is no window.
  GPUPAR_HOST_DEVICE std::uint64_t* window() const { return reinterpret_cast<std::uint64_t*>(words + 2); }
  /// Passes sort by the digits from this one on; few keys then have to be put in order by those below.
  GPUPAR_HOST_DEVICE unsigned* first_digit() const { return words + 4; }
};

/// What the blocks sort, and where.
template <class Bits, class Value, class Codec>
struct radix_task {
  radix_ends<Bits, Value> ends;
  one_launch_radix_scratch<Bits, Value> memory;
  radix_counters counters;
  std::size_t n;
  unsigned first_digit;  ///< passes sort by the digits from this one on
  Bits least;            ///< subtracted from codes
  Codec codec;
};

}  // namespace gpu::inline v1::detail::device
