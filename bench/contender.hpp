// The contenders: libraries, and ways to call them, that are compared. Each is one file in contenders/, which defines a
// `registered` object.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"

namespace bench {

/// The data of one call: arrays of n keys and n values of the problem's element type, in memory of the problem's place.
/// A sort finds its input in keys (and values); argsort writes values; a merge finds its sequences one after the other
/// in keys. The other arrays are free to use: both for device data, `other_keys` for merges of host data.
struct arrays {
  void* keys = nullptr;
  void* values = nullptr;
  void* other_keys = nullptr;
  void* other_values = nullptr;
};

/// Where a call left its result.
struct outcome {
  const void* keys = nullptr;
  const void* values = nullptr;
};

/// A contender that is ready to be timed: everything that is not timed has been done.
struct prepared {
  std::function<outcome(const arrays&)> run;
  std::optional<std::size_t> scratch_bytes = {};  ///< memory in addition to the elements, if known
  bool has_result = true;                         ///< false: nothing to check, as for transfers alone
};

/// Prepares a contender just before it is measured. Throws std::bad_alloc if there is no memory.
using preparation = std::function<prepared()>;

struct contender {
  std::string name;
  bool needs_device = false;  ///< and its data are in device memory, unless the operation is about host data
  /// Returns how to run a problem, or an empty function if the contender cannot. Cheap.
  std::function<preparation(const problem&)> offer;
};

/// All contenders of this program. One name may stand for two, with and without a device.
[[nodiscard]] std::vector<contender>& contenders();

/// Adds a contender before main().
struct registered {
  registered(std::string name, bool needs_device, std::function<preparation(const problem&)> offer) {
    contenders().push_back({std::move(name), needs_device, std::move(offer)});
  }
};

/// Where the contender finds the data of a problem.
[[nodiscard]] inline place place_of(const problem& asked, bool needs_device) {
  if (asked.what == operation::host_sort_pageable) return place::pageable;
  if (asked.what == operation::host_sort_pinned) return place::pinned;
  return needs_device ? place::device : place::pageable;
}

}  // namespace bench
