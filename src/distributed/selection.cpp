// Multiway selection over ranks, by samples.
#include <gpu/detail/distributed/agreement.hpp>
#include <gpu/detail/distributed/selection.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <vector>

#include "samples.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {
namespace {

/// A search for the first element of a part that does not go before a pivot, or for the first that goes behind it.
struct search {
  const std::byte* pivot;
  bool equals_before;  ///< those equal to the pivot go before it
  doubt range;
  std::size_t* result;
};

/// Does all searches at once, since reading may take long: each step reads so many elements of each range.
void search_all(std::vector<search>& searches, const sorted_part& part) {
  std::vector<std::size_t> indices;
  std::vector<std::byte> elements;
  for (;;) {
    indices.clear();
    for (const search& one : searches) {
      const std::size_t count = one.range.count();
      const std::size_t probes = (std::min)(count, part.probes);
      for (std::size_t i = 0; i < probes; ++i)
        indices.push_back(one.range.low + (count / (probes + 1)) * (i + 1) +
                          (count % (probes + 1)) * (i + 1) / (probes + 1));
    }
    if (indices.empty()) break;
    elements.resize(indices.size() * part.element_bytes);
    part.read(indices.data(), indices.size(), elements.data());
    std::size_t at = 0;
    for (search& one : searches) {
      const std::size_t probes = (std::min)(one.range.count(), part.probes);
      const doubt whole = one.range;
      for (std::size_t i = 0; i < probes; ++i, ++at) {
        const std::byte* const probe = elements.data() + at * part.element_bytes;
        const bool goes_before = one.equals_before ? !part.less(one.pivot, probe) : part.less(probe, one.pivot);
        if (goes_before)
          one.range.low = indices[at] + 1;
        else
          one.range.high = (std::min)(one.range.high, indices[at]);
      }
      // An order that contradicts itself may have crossed the two.
      one.range.low = std::clamp(one.range.low, whole.low, one.range.high);
    }
  }
  for (const search& one : searches) *one.result = one.range.low;
}

/// One rank's part in the search for the cuts of up to as many targets as there are ranks.
class selection {
 public:
  selection(communicator& ranks, const sorted_part& part, const std::size_t* targets, std::size_t count,
            std::size_t total)
      : ranks_{ranks},
        part_{part},
        samples_{samples_of(ranks.size(), part.element_bytes)},
        target_{ranks.rank() < count ? targets[ranks.rank()] : 0},
        doubts_(count, doubt{0, part.count}),
        mine_(ranks.size(), samples_, part.element_bytes),
        theirs_(ranks.size(), samples_, part.element_bytes),
        my_answers_(ranks.size(), 2, part.element_bytes),
        their_answers_(ranks.size(), 2, part.element_bytes) {
    for (std::size_t j = 0; j < count; ++j) {
      if (targets[j] == 0) doubts_[j] = {0, 0};
      if (targets[j] >= total) doubts_[j] = {part.count, part.count};
    }
  }

  /// Both ends of what is in doubt are the cut.
  const std::vector<doubt>& run() {
    for (;;) {
      attempt([&] { take_samples(); });
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        sample_header header = r < doubts_.size() ? header_of(doubts_[r]) : sample_header{0, 0, 0, 1};
        header.failed = failure_ != nullptr;
        mine_.put(r, header);
      }
      mine_.exchange(ranks_, theirs_);
      if (any_failed(theirs_)) break;

      answer_header answer;
      attempt([&] { answer = my_answer(); });
      answer.failed = failure_ != nullptr;
      for (std::size_t r = 0; r < ranks_.size(); ++r) my_answers_.put(r, answer);
      my_answers_.exchange(ranks_, their_answers_);
      if (any_failed(their_answers_)) break;

      attempt([&] { follow_answers(); });
      if (all_done()) break;
    }
    agree(ranks_, failure_);
    return doubts_;
  }

 private:
  template <class Work>
  void attempt(const Work& work) {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  template <class Messages>
  [[nodiscard]] bool any_failed(const Messages& messages) const {
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (messages.header(r).failed) return true;
    return false;
  }

  [[nodiscard]] bool all_done() const {
    for (std::size_t r = 0; r < doubts_.size(); ++r)
      if (!their_answers_.header(r).done) return false;
    return true;
  }

  [[nodiscard]] sample_header header_of(const doubt& range) const {
    return {0, range.low, range.count(), distance_of(range.count(), samples_)};
  }

  void take_samples() {
    std::vector<std::size_t> indices;
    for (const doubt& range : doubts_) {
      const std::size_t distance = distance_of(range.count(), samples_);
      for (std::size_t i = 0; i < range.count() / distance; ++i) indices.push_back(range.low + (i + 1) * distance - 1);
    }
    std::vector<std::byte> elements(indices.size() * part_.element_bytes);
    if (!indices.empty()) part_.read(indices.data(), indices.size(), elements.data());
    const std::byte* next = elements.data();
    for (std::size_t j = 0; j < doubts_.size(); ++j) {
      const std::size_t bytes = doubts_[j].count() / distance_of(doubts_[j].count(), samples_) * part_.element_bytes;
      if (bytes > 0) std::memcpy(mine_.element(j, 0), next, bytes);
      next += bytes;
    }
  }

  [[nodiscard]] answer_header my_answer() {
    answer_header answer;
    answer.done = 1;
    if (ranks_.rank() >= doubts_.size()) return answer;
    answer = narrow(theirs_, ranks_.size(), target_, part_);
    std::size_t in_doubt = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) in_doubt += theirs_.header(r).count;
    if (in_doubt >= in_doubt_) answer.done = 1;  // an order that contradicts itself
    in_doubt_ = in_doubt;
    const auto put = [&](const pivot& which, std::size_t index) {
      if (!which.there) return;
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        std::memcpy(my_answers_.element(r, index), theirs_.element(which.rank, which.sample), part_.element_bytes);
    };
    put(answer.before, 0);
    put(answer.behind, 1);
    return answer;
  }

  /// Where the search for a pivot of another rank goes on: between two samples of this rank's own.
  [[nodiscard]] doubt between_samples(std::size_t target, const std::byte* pivot, bool equals_before) const {
    const doubt& range = doubts_[target];
    const std::size_t distance = distance_of(range.count(), samples_);
    std::size_t low = 0, high = range.count() / distance;  // samples that go before the pivot
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const std::byte* const sample = mine_.element(target, middle);
      const bool goes_before = equals_before ? !part_.less(pivot, sample) : part_.less(sample, pivot);
      if (goes_before)
        low = middle + 1;
      else
        high = middle;
    }
    const std::size_t first = range.low + low * distance;
    return {first, (std::min)(first + distance - 1, range.high)};
  }

  void follow_answers() {
    std::vector<search> searches;
    std::vector<doubt> narrowed = doubts_;
    const std::size_t me = ranks_.rank();
    const auto follow = [&](std::size_t target, const pivot& which, std::size_t index, std::size_t& end,
                            std::size_t own_ones_before) {
      if (!which.there || doubts_[target].count() == 0) return;
      const doubt& range = doubts_[target];
      if (which.rank == me) {
        end = range.low + (which.sample + 1) * distance_of(range.count(), samples_) - 1 + own_ones_before;
        return;
      }
      const std::byte* const element = their_answers_.element(target, index);
      const bool equals_before = me < which.rank;
      const doubt between = between_samples(target, element, equals_before);
      end = between.low;
      if (between.count() > 0) searches.push_back({element, equals_before, between, &end});
    };
    for (std::size_t j = 0; j < doubts_.size(); ++j) {
      const answer_header answer = their_answers_.header(j);
      follow(j, answer.before, 0, narrowed[j].low, 1);
      follow(j, answer.behind, 1, narrowed[j].high, 0);
    }
    search_all(searches, part_);
    for (std::size_t j = 0; j < doubts_.size(); ++j) {
      doubt& range = narrowed[j];
      if (their_answers_.header(j).done) range.high = range.low;
      range.low = (std::min)(range.low, range.high);
    }
    doubts_ = std::move(narrowed);
  }

  communicator& ranks_;
  const sorted_part& part_;
  std::size_t samples_;
  std::size_t target_;
  std::size_t in_doubt_ = static_cast<std::size_t>(-1);
  std::vector<doubt> doubts_;
  samples_of_ranks mine_, theirs_;
  answers my_answers_, their_answers_;
  std::exception_ptr failure_;
};

}  // namespace

void find_in_sorted(const sorted_part& part, const std::byte* pivots, std::size_t count, std::size_t* places) {
  std::vector<search> searches;
  for (std::size_t i = 0; i < count; ++i)
    searches.push_back({pivots + i * part.element_bytes, false, {0, part.count}, places + i});
  search_all(searches, part);
}

std::size_t samples_of(std::size_t ranks, std::size_t element_bytes) noexcept {
  constexpr std::size_t least = 16, most = 256, samples_of_all = 4096, bytes_of_all = std::size_t{1} << 18;
  return std::clamp((std::min)(samples_of_all / ranks, bytes_of_all / (ranks * element_bytes)), least, most);
}

void select_among_ranks(communicator& ranks, const sorted_part& part, const std::size_t* parts,
                        const std::size_t* targets, std::size_t count, std::size_t* cuts) {
  const std::size_t total = std::accumulate(parts, parts + ranks.size(), std::size_t{0});
  for (std::size_t first = 0; first < count; first += ranks.size()) {
    const std::size_t some = (std::min)(count - first, ranks.size());
    selection search{ranks, part, targets + first, some, total};
    const std::vector<doubt>& found = search.run();
    std::transform(found.begin(), found.end(), cuts + first, [](const doubt& cut) { return cut.low; });
  }
  for (std::size_t j = 1; j < count; ++j) cuts[j] = (std::max)(cuts[j], cuts[j - 1]);
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
