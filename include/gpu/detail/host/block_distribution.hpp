// One level of distribution in place, by all threads: it needs memory for a few blocks per bucket and thread instead of
// a second copy of the sequence. Every thread turns its part into blocks of elements of one bucket each; the blocks
// then move to their slots, and the elements left in buffers fill the gaps between the buckets. Only the first step
// calls the comparator, once per element and splitter on its path, so a comparator that contradicts itself changes
// where elements go but not how many there are. The order within a bucket is lost.
//
// After Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort (IPS4o)" (2017), which moves
// blocks by atomic counters; here the slot of every block is known beforehand.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "../config.hpp"
#include "block_permutation.hpp"
#include "buffer.hpp"
#include "distribute.hpp"
#include "element.hpp"
#include "gaps.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

inline constexpr std::uint32_t no_stretch = ~std::uint32_t{0};

/// The elements of one thread, in stretches that it has claimed one after the other: up to `written` they form whole
/// blocks, from `read` on they are unchanged, and the slots between are free, their elements being in buffers.
struct distributed_part {
  std::uint32_t first = no_stretch;    ///< first stretch claimed
  std::uint32_t last = no_stretch;     ///< last stretch claimed, which contains `read`
  std::uint32_t writing = no_stretch;  ///< the stretch that contains `written`
  std::size_t read = 0;
  std::size_t end = 0;  ///< of the last stretch
  std::size_t written = 0;
  std::array<std::size_t, bucket_limit> blocks{};    ///< written per bucket; later the slot of the next one
  std::array<std::uint32_t, bucket_limit> filled{};  ///< elements in the buffer of each bucket
  std::array<std::size_t, bucket_limit> counted{};   ///< elements of which only the number is kept
};

/// Distributes first[0, n). The constructor allocates all memory; the object is false if there was none. Call
/// distribute(), then fill(bucket) for every bucket, in any order, possibly at the same time. With EqualsAreTheSame,
/// blocks of equal elements are only counted, not moved.
template <class Tuning, class T, bool EqualsAreTheSame = false>
class block_distribution {
 public:
  block_distribution(T* first, std::size_t n, std::size_t threads = concurrency()) noexcept
      : first_{first},
        n_{n},
        slots_{n / block_length},
        stretches_{slots_ / stretch_slots + 1},
        parts_{std::clamp<std::size_t>(slots_ / least_blocks, 1, threads)},
        part_(parts_, std::nothrow),
        buffers_((parts_ + 1) * bucket_limit * block_length + block_length, std::nothrow),
        next_(stretches_, std::nothrow),
        bucket_of_(slots_, std::nothrow),
        permutation_{first, slots_} {}

  [[nodiscard]] explicit operator bool() const noexcept {
    return part_ && buffers_ && next_ && bucket_of_ && permutation_;
  }
  [[nodiscard]] const bucket_bounds& buckets() const noexcept { return bounds_; }

  /// Does everything but fill the gaps. If `less` throws, first[0, n) holds all its elements.
  template <class Less>
  void distribute(Less& less) {
    start_parts();
    T* const sample = spilled(0);
    const std::size_t size = (std::min)(n_, (std::size_t{1} << Tuning::log_buckets) * Tuning::oversampling);
    host::draw_sample<Tuning>(first_, n_, sample, size, less);
    const splitter_tree<T> tree(sample, size, Tuning::log_buckets, less);
    bounds_.count = tree.buckets();
    bounds_.odd_are_equal = tree.equal_buckets();
    if constexpr (EqualsAreTheSame)
      if (bounds_.odd_are_equal) host::relocate(values_.data(), tree.splitters(), bounds_.count / 2);
    GPUPAR_TRY {
      host::for_each_index(parts_, [&](std::size_t part) { make_blocks(part, tree, less); });
    }
    GPUPAR_CATCH(...) {
      for (std::size_t part = 0; part < parts_; ++part) pour_back(part_[part], part);
      GPUPAR_RETHROW;
    }
    assign_slots();
    move_blocks();
    save_spills();
  }

  /// Completes a bucket: elements from buffers fill the gaps around its blocks.
  void fill(std::size_t bucket) noexcept {
    const std::size_t begin = bounds_.begin[bucket];
    const std::size_t end = bounds_.begin[bucket + 1];
    gaps<T> rest{first_ + begin, first_ + begin, 0, 0};
    const std::size_t blocks_begin = first_slot_[bucket] * block_length;
    const std::size_t blocks_end = (std::min)(end, (first_slot_[bucket] + whole_blocks_[bucket]) * block_length);
    if (whole_blocks_[bucket] == 0)
      rest.head_count = end - begin;
    else
      rest = {first_ + begin, first_ + blocks_end, blocks_begin - begin, end - blocks_end};
    rest.take(spilled(bucket), spilled_[bucket]);
    for (std::size_t part = 0; part < parts_; ++part) {
      rest.take(buffer_of(part, bucket), part_[part].filled[bucket]);
      if constexpr (EqualsAreTheSame) rest.fill(value_of(bucket), part_[part].counted[bucket]);
    }
  }

 private:
  static constexpr std::size_t block_length =
      (std::max)(Tuning::block_bytes / sizeof(T), std::size_t{Tuning::oversampling});
  /// Least number of blocks in a part: half as many as it has buffers, so that these are at most twice as large as the
  /// part.
  static constexpr std::size_t least_blocks = std::size_t{1} << (Tuning::log_buckets - 1);
  static constexpr std::size_t stretch_slots = Tuning::blocks_at_once;

  T* buffer_of(std::size_t part, std::size_t bucket) noexcept {
    return buffers_.data() + (part * bucket_limit + bucket) * block_length;
  }
  T* spilled(std::size_t bucket) noexcept { return buffer_of(parts_, bucket); }
  const T& value_of(std::size_t bucket) const noexcept { return values_[bucket / 2]; }

  void start_parts() noexcept {
    for (std::size_t part = 0; part < parts_; ++part) ::new (static_cast<void*>(part_.data() + part)) distributed_part;
    permutation_.start(spilled(bucket_limit));
  }

  std::size_t first_slot_of(std::size_t stretch) const noexcept { return stretch * stretch_slots; }
  std::size_t end_slot_of(std::size_t stretch) const noexcept {
    return (std::min)(slots_, (stretch + 1) * stretch_slots);
  }
  /// The last stretch includes the final elements that do not fill a block.
  std::size_t end_of(std::size_t stretch) const noexcept {
    return stretch + 1 == stretches_ ? n_ : end_slot_of(stretch) * block_length;
  }

  /// Claims the next stretch for a part; false if none is left.
  bool claim_stretch(distributed_part& own) noexcept {
    const std::size_t claimed = next_stretch_.fetch_add(1, std::memory_order_relaxed);
    if (claimed >= stretches_) return false;
    const auto stretch = static_cast<std::uint32_t>(claimed);
    next_[stretch] = no_stretch;
    own.read = first_slot_of(stretch) * block_length;
    own.end = end_of(stretch);
    if (own.first == no_stretch) {
      own.first = own.writing = stretch;
      own.written = own.read;
    } else {
      next_[own.last] = stretch;
    }
    own.last = stretch;
    for (std::size_t at = first_slot_of(stretch); at < end_slot_of(stretch); ++at) permutation_.forget(at);
    return true;
  }

  /// Calls body(begin, written, end) for the slots of every stretch.
  template <class Body>
  void for_each_stretch(const distributed_part& own, const Body& body) const noexcept {
    bool all_written = true;
    for (std::uint32_t stretch = own.first; stretch != no_stretch; stretch = next_[stretch]) {
      const std::size_t begin = first_slot_of(stretch);
      const std::size_t end = end_slot_of(stretch);
      if (stretch == own.writing)
        body(begin, own.written / block_length, end);
      else
        body(begin, all_written ? end : begin, end);
      all_written = all_written && stretch != own.writing;
    }
  }

  template <class Less>
  void make_blocks(std::size_t part, const splitter_tree<T>& tree, Less& less) {
    constexpr std::size_t together = splitter_tree<T>::together;
    distributed_part& own = part_[part];
    std::array<std::uint8_t, together> ids;
    while (claim_stretch(own)) {
      while (own.end - own.read >= together) {
        tree.template find_buckets<together>(first_ + own.read, ids.data(), less);
        push<together>(part, ids.data());
      }
      while (own.read != own.end) {
        tree.template find_buckets<1>(first_ + own.read, ids.data(), less);
        push<1>(part, ids.data());
      }
    }
  }

  /// Moves the next elements to the buffers of their buckets. A full buffer is written over elements already moved.
  template <std::size_t Count>
  GPUPAR_INLINE void push(std::size_t part, const std::uint8_t* ids) noexcept {
    distributed_part& own = part_[part];
    const T* const from = first_ + own.read;
    T* const buffers = buffer_of(part, 0);
    for (std::size_t i = 0; i < Count; ++i) {
      const std::size_t bucket = ids[i];
      const std::uint32_t filled = own.filled[bucket];
      host::relocate(buffers + (bucket * block_length + filled), from + i);
      own.filled[bucket] = filled + 1;
      if (filled + 1 == block_length) write_block(own, bucket, buffers + bucket * block_length);
    }
    own.read += Count;
  }

  [[gnu::noinline]] void write_block(distributed_part& own, std::size_t bucket, const T* block) noexcept {
    own.filled[bucket] = 0;
    if (EqualsAreTheSame && bounds_.odd_are_equal && bucket % 2 == 1) {
      own.counted[bucket] += block_length;
      return;
    }
    if (own.written == end_slot_of(own.writing) * block_length) {
      own.writing = next_[own.writing];
      own.written = first_slot_of(own.writing) * block_length;
    }
    host::relocate(first_ + own.written, block, block_length);
    bucket_of_[own.written / block_length] = static_cast<std::uint8_t>(bucket);
    own.written += block_length;
    ++own.blocks[bucket];
  }

  /// After an exception: moves the elements in buffers to the slots that their part has read but not written.
  void pour_back(const distributed_part& own, std::size_t part) noexcept {
    std::uint32_t stretch = own.writing;
    std::size_t at = own.written;
    // Calls write(to, count) for gaps of n elements in all.
    const auto for_gaps = [&](std::size_t n, const auto& write) {
      while (n != 0) {
        if (at == end_of(stretch)) {
          stretch = next_[stretch];
          at = first_slot_of(stretch) * block_length;
        }
        const std::size_t count = (std::min)(n, end_of(stretch) - at);
        write(first_ + at, count);
        at += count;
        n -= count;
      }
    };
    for (std::size_t bucket = 0; bucket < bounds_.count; ++bucket) {
      const T* from = buffer_of(part, bucket);
      for_gaps(own.filled[bucket], [&](T* to, std::size_t count) {
        host::relocate(to, from, count);
        from += count;
      });
      if constexpr (EqualsAreTheSame)
        for_gaps(own.counted[bucket], [&](T* to, std::size_t count) { std::fill_n(to, count, value_of(bucket)); });
    }
  }

  /// Finds the bounds of the buckets, and for every slot the block that belongs there. A bucket's blocks begin at the
  /// first slot that begins within the bucket.
  void assign_slots() noexcept {
    std::size_t begin = 0;
    for (std::size_t bucket = 0; bucket < bounds_.count; ++bucket) {
      bounds_.begin[bucket] = begin;
      first_slot_[bucket] = (begin + block_length - 1) / block_length;
      std::size_t next = first_slot_[bucket];
      for (std::size_t part = 0; part < parts_; ++part) {
        begin += part_[part].filled[bucket] + part_[part].counted[bucket];
        next += std::exchange(part_[part].blocks[bucket], next);
      }
      whole_blocks_[bucket] = next - first_slot_[bucket];
      begin += whole_blocks_[bucket] * block_length;
    }
    bounds_.begin[bounds_.count] = begin;
    host::for_each_index_surely(parts_, [&](std::size_t part) {
      distributed_part& own = part_[part];
      for_each_stretch(own, [&](std::size_t first, std::size_t written, std::size_t) {
        for (std::size_t at = first; at < written; ++at) permutation_.send(at, own.blocks[bucket_of_[at]]++);
      });
    });
  }

  void move_blocks() noexcept {
    host::for_each_index_surely(parts_, [&](std::size_t part) {
      for_each_stretch(part_[part], [&](std::size_t, std::size_t written, std::size_t end) {
        for (std::size_t hole = written; hole < end; ++hole) permutation_.fill_hole(hole);
      });
    });
    permutation_.fill_last_slot();
    permutation_.turn_circles();
  }

  /// Saves the elements by which a bucket's last block extends beyond the end of the bucket, into the next one. A block
  /// in the extra last slot is saved as a whole: all of its elements fill gaps later.
  void save_spills() noexcept {
    for (std::size_t bucket = 0; bucket < bounds_.count; ++bucket) {
      spilled_[bucket] = 0;
      if (whole_blocks_[bucket] == 0) continue;
      std::size_t end = (first_slot_[bucket] + whole_blocks_[bucket]) * block_length;
      const bool elsewhere = end > slots_ * block_length;
      if (elsewhere) {
        --whole_blocks_[bucket];
        host::relocate(spilled(bucket), permutation_.slot(slots_), spilled_[bucket] = block_length);
      } else if (end > bounds_.begin[bucket + 1]) {
        spilled_[bucket] = end - bounds_.begin[bucket + 1];
        host::relocate(spilled(bucket), first_ + bounds_.begin[bucket + 1], spilled_[bucket]);
      }
    }
  }

  T* first_;
  std::size_t n_;
  std::size_t slots_;  // for whole blocks
  std::size_t stretches_;
  std::size_t parts_;
  std::atomic<std::size_t> next_stretch_{0};
  buffer<distributed_part> part_;
  buffer<T> buffers_;  // a block per part and bucket, then one per bucket for what spills over, then the last slot
  buffer<std::uint32_t> next_;      // for every stretch, the one that the same part claimed next
  buffer<std::uint8_t> bucket_of_;  // for every slot, the bucket of its block
  block_permutation<T, block_length> permutation_;
  bucket_bounds bounds_;
  std::array<T, EqualsAreTheSame ? bucket_limit / 2 : 0> values_;  // of the buckets of equal elements
  std::array<std::size_t, bucket_limit> first_slot_{};
  std::array<std::size_t, bucket_limit> whole_blocks_{};
  std::array<std::size_t, bucket_limit> spilled_{};
};

}  // namespace gpu::inline v1::detail::host
