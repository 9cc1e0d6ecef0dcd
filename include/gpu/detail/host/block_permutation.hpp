// Moves the blocks of a sequence in parallel to slots that are known beforehand: along paths, each block into the hole
// that the one before it has left, and the remaining blocks along cycles. Only one block of each cycle moves twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../config.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "parallel.hpp"

namespace gpu::inline v1::detail::host {

inline constexpr std::uint32_t no_block = ~std::uint32_t{0};

/// Where the blocks of first[0, slots * BlockLength) go. There is one extra slot elsewhere, for a block that would
/// extend beyond the last slot. The constructor allocates all memory; the object is false if there was none.
template <class T, std::size_t BlockLength>
class block_permutation {
 public:
  block_permutation(T* first, std::size_t slots) noexcept
      : first_{first}, slots_{slots}, sources_(slots + 1, std::nothrow), moved_(slots + 1, std::nothrow) {}

  [[nodiscard]] explicit operator bool() const noexcept { return sources_ && moved_ && slots_ < no_block; }

  /// Makes memory[0, BlockLength) the extra slot.
  void start(T* memory) noexcept {
    last_slot_ = memory;
    forget(slots_);
  }
  /// Records that no block belongs in this slot.
  void forget(std::size_t at) noexcept {
    sources_[at] = no_block;
    moved_[at] = 0;
  }
  void send(std::size_t from, std::size_t to) noexcept { sources_[to] = static_cast<std::uint32_t>(from); }

  /// Moves blocks along the path that ends in a slot without a block. Paths are disjoint.
  void fill_hole(std::size_t hole) noexcept { follow(hole, no_block); }
  void fill_last_slot() noexcept { fill_hole(slots_); }

  /// Moves the blocks of all cycles. Called when all holes are filled: every block left to move is then in a cycle.
  void turn_circles() noexcept {
    std::size_t circles = 0;
    buffer<std::uint32_t> found(slots_ / 2, std::nothrow);
    for (std::size_t at = 0; at < slots_; ++at) {
      if (moved_[at] || sources_[at] == no_block || sources_[at] == at) continue;
      if (found)
        found[circles++] = static_cast<std::uint32_t>(at);
      else
        turn(at);
      for (std::size_t member = at; !moved_[member]; member = sources_[member]) moved_[member] = 1;
    }
    host::for_each_index_surely(circles, [&](std::size_t circle) { turn(found[circle]); });
  }

  /// The memory of a slot.
  [[nodiscard]] T* slot(std::size_t at) const noexcept { return at < slots_ ? first_ + at * BlockLength : last_slot_; }

 private:
  /// Moves blocks along the path that ends in the hole, until the next one would be `last` or there is none; returns
  /// the hole that is left.
  std::size_t follow(std::size_t hole, std::uint32_t last) noexcept {
    for (std::uint32_t from; (from = sources_[hole]) != no_block && from != last; hole = from) {
      host::relocate(slot(hole), slot(from), BlockLength);
      moved_[hole] = 1;
    }
    return hole;
  }

  /// Moves the blocks of a cycle.
  void turn(std::size_t start) noexcept {
    alignas(T) std::array<std::byte, BlockLength * sizeof(T)> held;
    T* const block = reinterpret_cast<T*>(held.data());
    host::relocate(block, slot(start), BlockLength);
    const std::size_t hole = follow(start, static_cast<std::uint32_t>(start));
    host::relocate(slot(hole), block, BlockLength);
    moved_[hole] = 1;
  }

  T* first_;
  std::size_t slots_;
  T* last_slot_ = nullptr;
  buffer<std::uint32_t> sources_;  // for every slot, the slot from which its block comes
  buffer<unsigned char> moved_;    // for every slot, whether its block has been moved there
};

}  // namespace gpu::inline v1::detail::host
