// How ranks find out that one of them has failed, or that they do not call the same function: nobody goes on to a
// phase that not all others enter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <vector>

#include "../../communicator.hpp"
#include "../config.hpp"

namespace gpu::inline v1::detail {

/// Returns if no rank brings an exception; otherwise throws the same rank_error on all. One all_gather of 8 bytes, and
/// a second one with the words if there is a failure.
GPUPAR_EXPORT void agree(communicator& ranks, const std::exception_ptr& failure);

/// Elements that each rank has at first and in the end, and of which columns they are in device memory: bit c.
struct part_sizes {
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  std::uint64_t on_device = 0;

  /// Whether one rank has all elements, and will have them.
  [[nodiscard]] bool are_of_one_rank() const {
    const auto has_some = [](std::size_t count) { return count > 0; };
    return before == after && std::count_if(before.begin(), before.end(), has_some) <= 1;
  }
};

/// A rank's part of a call.
struct introduction {
  std::string_view words;       ///< what is called, with which types
  std::size_t before = 0;       ///< elements
  std::size_t after = 0;        ///< elements that it will have
  std::uint32_t on_host = 0;    ///< the columns that have elements in memory that the host reaches, bit c
  std::uint32_t on_device = 0;  ///< those that have them in device memory
  std::exception_ptr refused;   ///< why this rank cannot take part
};

/// Tells all ranks of each other's parts. All throw the same rank_error if a rank has refused, if they do not make the
/// same call (errc::ranks_disagree, with two of the descriptions), if a column is in device memory here and not there
/// (the same), and if there will not be as many elements as there are (errc::invalid_range). One all_gather of 40
/// bytes.
[[nodiscard]] GPUPAR_EXPORT part_sizes introduce(communicator& ranks, const introduction& mine);

/// work(), and no rank goes on unless all have done theirs.
template <class Work>
void agreed(communicator& ranks, const Work& work) {
  std::exception_ptr failure;
  GPUPAR_TRY { work(); }
  GPUPAR_CATCH(...) { failure = std::current_exception(); }
  detail::agree(ranks, failure);
}

}  // namespace gpu::inline v1::detail
