// The messages of a round in the search for splitters: samples of the undecided elements, and the conclusions from
// them.
#pragma once

#include <gpu/communicator.hpp>
#include <gpu/detail/distributed/selection.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gpu::inline v1::detail {

/// Elements [low, high) of a rank for which it is not yet known whether they are before the cut.
struct undecided_range {
  std::size_t low = 0;
  std::size_t high = 0;

  [[nodiscard]] std::size_t count() const noexcept { return high - low; }
};

/// Header of a run's samples for one target: the last element of each whole block of `distance` undecided elements. The
/// samples follow.
struct sample_header {
  std::uint64_t failed;
  std::uint64_t low;
  std::uint64_t count;
  std::uint64_t distance;
};

/// Identifies a sample of a run as a pivot; none unless `there`.
struct pivot {
  std::uint64_t there = 0;
  std::uint64_t run = 0;
  std::uint64_t sample = 0;
};

/// Numbers the runs of all ranks, the same number on each: the first runs of all ranks, then the second ones and so on,
/// each in rank order. Equal elements are ordered by the numbers of their runs. The messages of one rank are adjacent.
struct run_order {
  std::size_t ranks = 0;
  std::size_t runs_of_rank = 1;

  [[nodiscard]] std::size_t size() const noexcept { return ranks * runs_of_rank; }
  [[nodiscard]] std::size_t run(std::size_t rank, std::size_t index) const noexcept { return index * ranks + rank; }
  /// The number of the message about a run among the messages of all ranks.
  [[nodiscard]] std::size_t message(std::size_t run) const noexcept { return run % ranks * runs_of_rank + run / ranks; }
};

/// What the rank that searches for a cut knows after a round: all elements up to `before` are before the cut, all from
/// `behind` on are not. The two elements follow, where they exist.
struct answer_header {
  std::uint64_t failed = 0;
  std::uint64_t done = 0;
  pivot before;
  pivot behind;
};

constexpr std::size_t distance_of(std::size_t count, std::size_t samples) noexcept { return 1 + count / (samples + 1); }

/// The last element of each block of the undecided ones; at most `most` samples.
inline strided_elements samples_of_undecided(const undecided_range& range, std::size_t most) noexcept {
  const std::size_t distance = distance_of(range.count(), most);
  return {range.low + distance - 1, distance, range.count() / distance};
}

/// The block of a range, without its sample, that contains the first element that does not go before the pivot; with
/// equals_before, the first that goes behind it.
inline undecided_range block_of_pivot(const sorted_part& part, const undecided_range& range,
                                      const strided_elements& samples, const std::byte* elements,
                                      const std::byte* pivot, bool equals_before) {
  const std::size_t samples_before = detail::partition_index(0, samples.count, [&](std::size_t i) {
    const std::byte* const sample = elements + i * part.element_bytes;
    return equals_before ? !part.less(pivot, sample) : part.less(sample, pivot);
  });
  const std::size_t first = range.low + samples_before * samples.distance;
  return {first, (std::min)(first + samples.distance - 1, range.high)};
}

/// Messages of equal length, the same number for each rank: a header followed by elements.
template <class Header>
class messages {
 public:
  messages(std::size_t count, std::size_t elements, std::size_t element_bytes)
      : stride_{(sizeof(Header) + elements * element_bytes + 15) / 16 * 16},
        element_bytes_{element_bytes},
        bytes_(count * stride_) {}

  [[nodiscard]] Header header(std::size_t message) const {
    Header value;
    std::memcpy(&value, bytes_.data() + message * stride_, sizeof(value));
    return value;
  }
  void put(std::size_t message, const Header& value) {
    std::memcpy(bytes_.data() + message * stride_, &value, sizeof(value));
  }
  [[nodiscard]] std::byte* element(std::size_t message, std::size_t index) {
    return bytes_.data() + message * stride_ + sizeof(Header) + index * element_bytes_;
  }
  [[nodiscard]] const std::byte* element(std::size_t message, std::size_t index) const {
    return const_cast<messages*>(this)->element(message, index);
  }

  void exchange(communicator& ranks, messages& from) const {
    ranks.all_to_all(bytes_.data(), bytes_.size() / ranks.size(), from.bytes_.data());
  }

 private:
  std::size_t stride_;
  std::size_t element_bytes_;
  std::vector<std::byte> bytes_;
};

using samples_of_runs = messages<sample_header>;
using answers = messages<answer_header>;

/// A sample within a message, and which one of its run it is.
struct found_sample {
  const std::byte* element = nullptr;
  std::size_t run = 0;
  std::size_t index = 0;
  std::size_t distance = 0;

  [[nodiscard]] pivot name() const noexcept { return {1, run, index}; }
};

/// The samples of all runs in order, equal ones in the order of runs. They are merged two sequences at a time, which
/// terminates for every comparator.
inline std::vector<found_sample> merged_samples(const samples_of_runs& samples, const run_order& runs,
                                                const sorted_part& part) {
  std::vector<found_sample> merged;
  std::vector<std::size_t> ends{0};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const sample_header header = samples.header(runs.message(r));
    const std::byte* const first = samples.element(runs.message(r), 0);
    for (std::size_t i = 0; i < header.count / header.distance; ++i)
      merged.push_back({first + i * part.element_bytes, r, i, header.distance});
    if (merged.size() > ends.back()) ends.push_back(merged.size());
  }
  const auto less = [&](const found_sample& a, const found_sample& b) { return part.less(a.element, b.element); };
  std::vector<found_sample> other(merged.size());
  while (ends.size() > 2) {
    std::vector<std::size_t> longer{0};
    const auto at = [&](std::size_t end) { return merged.begin() + static_cast<std::ptrdiff_t>(end); };
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const std::size_t last = ends[(std::min)(i + 2, ends.size() - 1)];
      std::merge(at(ends[i]), at(ends[i + 1]), at(ends[i + 1]), at(last),
                 other.begin() + static_cast<std::ptrdiff_t>(ends[i]), less);
      longer.push_back(last);
    }
    merged.swap(other);
    ends.swap(longer);
  }
  return merged;
}

/// Determines from the samples of all runs where the cut behind the first `target` of all elements can still be.
inline answer_header narrow(const samples_of_runs& samples, const run_order& runs, std::size_t target,
                            const sorted_part& part) {
  std::size_t before = 0, in_doubt = 0, unseen = 0;  // unseen: by how much the count before a sample may be too low
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const sample_header header = samples.header(runs.message(r));
    before += header.low;
    in_doubt += header.count;
    if (header.count > 0) unseen += header.distance - 1;
  }
  answer_header answer;
  answer.done = unseen == 0;
  const std::size_t wanted = target - (std::min)(target, before);
  if (in_doubt == 0) return answer;

  std::size_t least = 0;  // lower bound of the number of elements before the sample
  for (const found_sample& sample : merged_samples(samples, runs, part)) {
    if (least + unseen < wanted) answer.before = sample.name();
    least += sample.distance - 1;  // those of its own block
    if (least >= wanted) {
      answer.behind = sample.name();
      break;
    }
    ++least;
  }
  return answer;
}

}  // namespace gpu::inline v1::detail
