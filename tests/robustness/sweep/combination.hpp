// One call of the library, drawn by a random number or by a fuzzer, and its check against the standard's answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/execution.hpp"
#include "random.hpp"

namespace testing {

enum class task : unsigned char {
  sort,
  stable_sort,
  sort_by_key,
  argsort,
  merge,
  inplace_merge,
  multiway_merge,
  sorted_until,
};
inline constexpr unsigned tasks = 8;

enum class order : unsigned char { ascending, descending, custom };

struct combination {
  task what = task::sort;
  order along = order::ascending;
  gpu::algorithm how = gpu::algorithm::automatic;
  std::uint64_t cut = 0;  ///< where the sequences of a merge begin and end

  /// Any numbers make a combination; an algorithm that cannot do the task is replaced.
  static combination from(std::uint64_t what, std::uint64_t along, std::uint64_t how, std::uint64_t cut);
  [[nodiscard]] std::string name() const;
};

/// What is wrong with the result of the call on these keys, or nothing. On the host backend, and on the device if there
/// is one. Defined for the types of types.hpp.
template <class Key>
std::string problem_of(const combination& chosen, const std::vector<Key>& keys);

}  // namespace testing
