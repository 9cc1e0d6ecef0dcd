// The contenders: libraries, and ways to call them, that are measured beside each other. Each is one file in
// contenders/, which defines a `registered` object.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"

namespace bench {

/// What one call works on: arrays of n keys and n values of the problem's element type, where its data are.
/// A sort finds its input in keys (and values); argsort writes values; a merge finds its sequences one after the other
/// in keys. The others are free to use: of device data both, of host data `other_keys` for merges.
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

/// A contender that is ready: everything that is not to be timed is done.
struct prepared {
  std::function<outcome(const arrays&)> run;
  std::optional<std::size_t> scratch_bytes = {};  ///< memory beside the elements, where known
  bool has_result = true;                         ///< false: nothing to check, as for transfers alone
};

/// Gets a contender ready, just before it is measured. Throws std::bad_alloc without memory.
using preparation = std::function<prepared()>;

struct contender {
  std::string name;
  bool needs_device = false;  ///< and its data are in device memory, unless the operation is about host data
  /// The way to do a problem, or an empty function if the contender cannot. Cheap.
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
