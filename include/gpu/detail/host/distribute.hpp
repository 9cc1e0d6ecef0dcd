// One level of distribution: all threads together partition a sequence around many pivots. A first pass finds, records
// and counts the bucket of each element, a second pass moves the elements. The second pass compares nothing, so a
// comparator that contradicts itself changes where elements go but not how many there are. The order within a bucket
// is kept.
//
// The two passes follow Cederman and Tsigas, "A practical quicksort algorithm for graphics processors" (2009); the
// branchless tree of splitters and the buckets for heavy keys follow Sanders and Winkel, "Super scalar sample sort"
// (2004).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../config.hpp"
#include "../sample_key.hpp"
#include "buffer.hpp"
#include "element.hpp"
#include "introsort.hpp"
#include "parallel.hpp"
#include "tuning.hpp"

namespace gpu::inline v1::detail::host {

inline constexpr std::size_t bucket_limit = 256;  // a bucket number is a byte

/// Where the buckets of a distributed sequence lie.
struct bucket_bounds {
  std::array<std::size_t, bucket_limit + 1> begin{};
  std::size_t count = 0;
  bool odd_are_equal = false;

  [[nodiscard]] std::size_t size(std::size_t bucket) const noexcept { return begin[bucket + 1] - begin[bucket]; }
  /// Whether the bucket needs no sorting: it has fewer than two elements, or all are equal.
  [[nodiscard]] bool finished(std::size_t bucket) const noexcept {
    return size(bucket) < 2 || (odd_are_equal && bucket % 2 == 1);
  }
};

/// A search tree of at most 255 splitters. Without heavy keys, bucket b holds splitter[b - 1] < x <= splitter[b].
/// If the sample repeats a key, bucket 2b holds splitter[b - 1] < x < splitter[b] and bucket 2b + 1 holds the elements
/// equal to splitter[b].
template <class T>
class splitter_tree {
  static_assert(compact<T>);

 public:
  static constexpr std::size_t together = 8;  ///< independent searches that hide each other's latency

  /// Chooses splitters for 2^log_buckets buckets from the sorted sample[0, size), size >= 2^log_buckets.
  template <class Less>
  splitter_tree(const T* sample, std::size_t size, unsigned log_buckets, Less& less) : levels_{log_buckets} {
    std::size_t distinct = gather(sample, size, std::size_t{1} << levels_, less);
    if (distinct + 1 < std::size_t{1} << levels_) {
      equal_buckets_ = true;
      if (2 * (distinct + 1) > bucket_limit) distinct = gather(sample, size, bucket_limit / 2, less);
      levels_ = static_cast<unsigned>(std::bit_width(distinct));
    }
    const std::size_t leaves = std::size_t{1} << levels_;
    for (std::size_t i = distinct; i < leaves; ++i) host::relocate(sorted() + i, sorted() + (distinct - 1));
    for (unsigned level = 0; level < levels_; ++level)
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
        host::relocate(tree() + ((std::size_t{1} << level) + i),
                       sorted() + (((2 * i + 1) << (levels_ - level - 1)) - 1));
  }
  splitter_tree(const splitter_tree&) = delete;
  splitter_tree& operator=(const splitter_tree&) = delete;

  [[nodiscard]] bool equal_buckets() const noexcept { return equal_buckets_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return std::size_t{1} << (levels_ + equal_buckets_); }

  /// The 2^levels splitters in order; the last ones may be copies of one.
  [[nodiscard]] const T* splitters() const noexcept { return sorted(); }

  /// Writes the buckets of first[0, Together) to ids.
  template <std::size_t Together, class Less>
  GPUPAR_INLINE void find_buckets(const T* first, std::uint8_t* ids, Less& less) const {
    std::array<std::size_t, Together> node;
    node.fill(1);
    for (unsigned level = 0; level < levels_; ++level)
      for (std::size_t i = 0; i < Together; ++i)
        node[i] = 2 * node[i] + host::number_of(less(tree()[node[i]], first[i]));
    const std::size_t leaves = std::size_t{1} << levels_;
    for (std::size_t i = 0; i < Together; ++i) {
      std::size_t bucket = node[i] - leaves;
      // The last bucket has no splitter above it.
      if (equal_buckets_)
        bucket = 2 * bucket + static_cast<std::size_t>(bucket + 1 != leaves && !less(first[i], sorted()[bucket]));
      ids[i] = static_cast<std::uint8_t>(bucket);
    }
  }

  /// Writes the bucket of every element to ids and adds the number of elements per bucket to `counts`.
  template <class Less>
  void classify(const T* first, std::size_t n, std::uint8_t* ids, std::size_t* counts, Less& less) const {
    std::size_t i = 0;
    for (; i + together <= n; i += together) classify_block<together>(first + i, ids + i, counts, less);
    for (; i < n; ++i) classify_block<1>(first + i, ids + i, counts, less);
  }

 private:
  /// Gathers distinct splitters for at most `buckets` buckets; returns how many there are.
  template <class Less>
  std::size_t gather(const T* sample, std::size_t size, std::size_t buckets, Less& less) {
    std::size_t distinct = 0;
    for (std::size_t i = 1; i < buckets; ++i) {
      const T* const candidate = sample + partition_of{size, buckets}.begin(i);
      if (distinct == 0 || less(std::as_const(sorted()[distinct - 1]), *candidate))
        host::relocate(sorted() + distinct++, candidate);
    }
    return distinct;
  }

  template <std::size_t Together, class Less>
  void classify_block(const T* first, std::uint8_t* ids, std::size_t* counts, Less& less) const {
    find_buckets<Together>(first, ids, less);
    for (std::size_t i = 0; i < Together; ++i) ++counts[ids[i]];
  }

  T* tree() noexcept { return reinterpret_cast<T*>(tree_.data()); }
  const T* tree() const noexcept { return reinterpret_cast<const T*>(tree_.data()); }
  T* sorted() noexcept { return reinterpret_cast<T*>(sorted_.data()); }
  const T* sorted() const noexcept { return reinterpret_cast<const T*>(sorted_.data()); }

  alignas(T) std::array<unsigned char, bucket_limit * sizeof(T)> tree_;    // node i has the children 2i and 2i + 1
  alignas(T) std::array<unsigned char, bucket_limit * sizeof(T)> sorted_;  // the splitters in order
  unsigned levels_;
  bool equal_buckets_ = false;
};

/// Copies to sample[0, size) one element from a random position in each of `size` equal parts of first[0, n), and sorts
/// them.
template <class Tuning, class T, class Less>
void draw_sample(const T* first, std::size_t n, T* sample, std::size_t size, Less& less) {
  const partition_of parts{n, size};
  const std::uint64_t word = detail::process_sample_key().first;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t part_size = parts.end(i) - parts.begin(i);
    host::relocate(sample + i, first + (parts.begin(i) + detail::random_position(word, n, i, part_size)));
  }
  host::introsort<Tuning>(sample, size, less);
}

/// Classifies the `parts` of from[0, n) in parallel: counts[part * bucket_limit + bucket] becomes the number of
/// elements of the part that go to the bucket. Uses to[0, n) as scratch; from[0, n) does not change.
template <class Tuning, class T, class Less>
bucket_bounds count_buckets(const T* from, T* to, std::uint8_t* ids, partition_of parts, unsigned log_buckets,
                            std::size_t* counts, Less& less) {
  const std::size_t sample_size = (std::min)(parts.n, (std::size_t{1} << log_buckets) * Tuning::oversampling);
  host::draw_sample<Tuning>(from, parts.n, to, sample_size, less);
  const splitter_tree<T> tree(to, sample_size, log_buckets, less);
  std::fill_n(counts, parts.count * bucket_limit, std::size_t{0});
  host::for_each_index(parts.count, [&](std::size_t part) {
    const std::size_t begin = parts.begin(part);
    // Counters local to the task keep other threads' cache lines out of the loop.
    std::array<std::size_t, bucket_limit> own{};
    tree.classify(from + begin, parts.end(part) - begin, ids + begin, own.data(), less);
    std::copy(own.begin(), own.end(), counts + part * bucket_limit);
  });
  bucket_bounds bounds;
  bounds.count = tree.buckets();
  bounds.odd_are_equal = tree.equal_buckets();
  return bounds;
}

/// Turns the counts into the offsets at which each part's elements of each bucket begin, and sets the buckets' bounds.
inline void counts_to_offsets(bucket_bounds& bounds, std::size_t* counts, std::size_t parts) noexcept {
  std::size_t offset = 0;
  for (std::size_t bucket = 0; bucket < bounds.count; ++bucket) {
    bounds.begin[bucket] = offset;
    for (std::size_t part = 0; part < parts; ++part)
      offset += std::exchange(counts[part * bucket_limit + bucket], offset);
  }
  bounds.begin[bounds.count] = offset;
}

/// Moves from[0, n) to `to` by the recorded bucket numbers, keeping the order within a bucket. Advances `offsets`.
template <class T>
void scatter(const T* from, T* to, const std::uint8_t* ids, std::size_t n, std::size_t* offsets) noexcept {
  for (std::size_t i = 0; i < n; ++i) host::relocate(to + offsets[ids[i]]++, from + i);
}

/// Distributes from[0, n) stably to `to`, to 2^log_buckets buckets (twice as many with heavy keys, at most 256), on the
/// calling thread and without allocation; n >= 2^log_buckets >= 2. `ids` is scratch for n bytes. If `less` throws,
/// from[0, n) is unchanged.
template <class Tuning, class T, class Less>
[[gnu::noinline]] bucket_bounds distribute_alone(T* from, T* to, std::uint8_t* ids, std::size_t n, unsigned log_buckets,
                                                 Less& less) {
  std::array<std::size_t, bucket_limit> counts;
  bucket_bounds bounds =
      host::count_buckets<Tuning>(from, to, ids, partition_of{n, 1}, log_buckets, counts.data(), less);
  counts_to_offsets(bounds, counts.data(), 1);
  host::scatter(from, to, ids, n, counts.data());
  return bounds;
}

/// Like distribute_alone(), but on all threads; on the calling thread if there is no memory for the counts of the
/// parts.
template <class Tuning, class T, class Less>
bucket_bounds distribute(T* from, T* to, std::uint8_t* ids, std::size_t n, unsigned log_buckets, Less& less) {
  const std::size_t most = (std::max)(Tuning::piece, Tuning::bucket_share << log_buckets);
  const std::size_t least = std::clamp(n / concurrency(), 2 * Tuning::bucket_grain, most);
  const partition_of parts = host::divide<Tuning>(n, least);
  buffer<std::size_t> counts(parts.count * bucket_limit, std::nothrow);
  if (!counts) return host::distribute_alone<Tuning>(from, to, ids, n, log_buckets, less);
  bucket_bounds bounds = host::count_buckets<Tuning>(from, to, ids, parts, log_buckets, counts.data(), less);
  counts_to_offsets(bounds, counts.data(), parts.count);
  host::for_each_index(parts.count, [&](std::size_t part) {
    std::array<std::size_t, bucket_limit> offsets;
    std::copy_n(counts.data() + part * bucket_limit, bucket_limit, offsets.begin());
    const std::size_t begin = parts.begin(part);
    host::scatter(from + begin, to, ids + begin, parts.end(part) - begin, offsets.data());
  });
  return bounds;
}

/// Distributes to buckets of about Tuning::bucket_grain elements, at most 2^Tuning::log_buckets of them, on all
/// threads.
template <class Tuning, class T, class Less>
bucket_bounds distribute_together(T* from, T* to, std::uint8_t* ids, std::size_t n, Less& less) {
  const auto wanted = static_cast<unsigned>(std::bit_width((n - 1) / Tuning::bucket_grain));
  return host::distribute<Tuning>(from, to, ids, n, std::clamp(wanted, 1u, Tuning::log_buckets), less);
}

/// Elements that have been distributed to scratch and must return to first[0, n), bucket by bucket.
template <class T>
class buckets_in_scratch {
 public:
  buckets_in_scratch(T* first, T* scratch, const bucket_bounds& buckets)
      : first_{first}, scratch_{scratch}, buckets_{buckets} {}

  void relocate_back(std::size_t bucket) {
    back_[bucket] = 1;
    host::relocate(first_ + buckets_.begin[bucket], scratch_ + buckets_.begin[bucket], buckets_.size(bucket));
  }

  /// From here on the caller brings the bucket's elements back, even if something throws.
  void release(std::size_t bucket) { back_[bucket] = 1; }

  /// Calls sort(bucket) for all buckets in parallel. If it throws, or the executor runs out of memory, buckets that
  /// have neither been brought back nor released are relocated as they are.
  template <class Sort>
  void for_each(const Sort& sort) {
    GPUPAR_TRY { host::for_each_index(buckets_.count, sort); }
    GPUPAR_CATCH(...) {
      for (std::size_t bucket = 0; bucket < buckets_.count; ++bucket)
        if (!back_[bucket]) relocate_back(bucket);
      GPUPAR_RETHROW;
    }
  }

 private:
  T* first_;
  T* scratch_;
  const bucket_bounds& buckets_;
  std::array<unsigned char, bucket_limit> back_{};
};

}  // namespace gpu::inline v1::detail::host
