// The data of the cases, in host and in device memory.
#pragma once

#include <memory>
#include <string>

#include "measure.hpp"
#include "memory.hpp"
#include "recipe.hpp"

namespace bench {

/// Where the data of the slots lie within an arena. Keys and values of a slot begin at multiples of 256 bytes.
class layout {
 public:
  layout(const problem& asked, std::size_t slots, arena& memory);

  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] arrays at(std::size_t slot) const;
  [[nodiscard]] recipe recipe_of(std::size_t slot, std::uint64_t round) const;
  [[nodiscard]] const problem& asked() const { return asked_; }

  /// heads: the bits of rows that begin segments, in memory of the same place; null without segments.
  template <class Element>
  [[nodiscard]] rows<Element> result_rows(std::size_t slot, const outcome& result, const std::uint32_t* heads) const {
    // argsort does not move the keys
    const bool by_index = asked_.what == operation::argsort;
    const void* const keys = by_index ? at(slot).keys : result.keys;
    return {static_cast<const key_of<Element>*>(keys),
            static_cast<const value_of<Element>*>(result.values),
            asked_.n,
            by_index,
            is_stable(asked_.what),
            heads};
  }

 private:
  problem asked_;
  std::size_t slots_, key_stride_, value_stride_;
  arrays base_;
};

/// What is wrong with a result, given the tallies of the input and of the result; empty if nothing is.
[[nodiscard]] std::string fault_between(const tally& input, const tally& result);

/// The given number of inputs in pageable or pinned host memory.
[[nodiscard]] std::unique_ptr<inputs> make_host_inputs(const problem& asked, std::size_t slots, arena& memory);

/// Inputs in device memory: as many as exceed twice the L2 cache, at least one.
[[nodiscard]] std::unique_ptr<inputs> make_device_inputs(const problem& asked, arena& memory);

}  // namespace bench
