// How ranks agree that one of them has failed, or that they do not call the same function: no rank enters a phase that
// not all others enter.
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

/// Returns if no rank passes an exception; otherwise throws the same rank_error on all ranks. One all_gather of 8
/// bytes, and a second one with the error text if there is a failure.
GPUPAR_EXPORT void agree(communicator& ranks, const std::exception_ptr& failure);

/// The number of elements that each rank has before and after the call, and which columns are in device memory: bit c
/// for column c.
struct part_sizes {
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  std::uint64_t on_device = 0;

  /// Whether one rank has all elements, and keeps them.
  [[nodiscard]] bool are_of_one_rank() const {
    const auto has_some = [](std::size_t count) { return count > 0; };
    return before == after && std::count_if(before.begin(), before.end(), has_some) <= 1;
  }
};

/// One rank's description of its part of a call.
struct introduction {
  std::string_view words;       ///< the call and its types, as text
  std::size_t before = 0;       ///< elements
  std::size_t after = 0;        ///< elements after the call
  std::uint32_t on_host = 0;    ///< columns with elements in memory that the host can access, bit c
  std::uint32_t on_device = 0;  ///< columns with elements in device memory
  std::exception_ptr refused;   ///< why this rank cannot take part
};

/// Exchanges the descriptions of all ranks. All throw the same rank_error if a rank has refused, if they do not make
/// the same call (errc::ranks_disagree, with two of the descriptions), if a column is in device memory on one rank and
/// not on another (also errc::ranks_disagree), or if the number of elements after the call would differ from that
/// before it (errc::invalid_range). One all_gather of 40 bytes.
[[nodiscard]] GPUPAR_EXPORT part_sizes introduce(communicator& ranks, const introduction& mine);

/// Calls work(); no rank continues unless all have completed theirs.
template <class Work>
void agreed(communicator& ranks, const Work& work) {
  std::exception_ptr failure;
  GPUPAR_TRY { work(); }
  GPUPAR_CATCH(...) { failure = std::current_exception(); }
  detail::agree(ranks, failure);
}

}  // namespace gpu::inline v1::detail
