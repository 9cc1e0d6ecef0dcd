// Multiway selection over ranks, by samples.
#include <gpu/detail/distributed/agreement.hpp>
#include <gpu/detail/distributed/selection.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

#include "samples.hpp"

namespace gpu::inline v1::detail {
namespace {

/// A search for the first element of a part that does not go before a pivot, or for the first that goes behind it.
struct search {
  const std::byte* pivot;
  bool equals_before;  ///< those equal to the pivot go before it
  undecided_range range;
  std::size_t* result;
};

/// Runs all searches together, since reads may take long: each step reads up to part.probes elements of each range.
void search_all(std::vector<search>& searches, const sorted_part& part) {
  std::vector<strided_elements> probes;
  std::vector<std::byte> elements;
  for (;;) {
    probes.clear();
    std::size_t count = 0;
    for (const search& one : searches) {
      probes.push_back(samples_of_undecided(one.range, part.probes));
      count += probes.back().count;
    }
    if (count == 0) break;
    elements.resize(count * part.element_bytes);
    part.read(probes, elements.data());
    const std::byte* next = elements.data();
    for (std::size_t i = 0; i < searches.size(); next += probes[i++].count * part.element_bytes) {
      search& one = searches[i];
      one.range = block_of_pivot(part, one.range, probes[i], next, one.pivot, one.equals_before);
    }
  }
  for (const search& one : searches) *one.result = one.range.low;
}

/// One rank's part in the search for the cuts of a number of targets, at most one per rank.
class selection {
 public:
  selection(communicator& ranks, array_view<sorted_part> mine, const std::size_t* targets, std::size_t count,
            std::size_t total)
      : ranks_{ranks},
        mine_{mine},
        runs_{ranks.size(), mine.size()},
        samples_{samples_of(ranks.size(), mine[0].element_bytes)},
        target_{ranks.rank() < count ? targets[ranks.rank()] : 0},
        targets_{count},
        undecided_(mine.size() * count),
        my_samples_(runs_.size(), samples_, mine[0].element_bytes),
        their_samples_(runs_.size(), samples_, mine[0].element_bytes),
        my_answers_(ranks.size(), 2, mine[0].element_bytes),
        their_answers_(ranks.size(), 2, mine[0].element_bytes) {
    for (std::size_t i = 0; i < undecided_.size(); ++i) {
      const std::size_t target = targets[i % targets_], last = mine[i / targets_].count;
      undecided_[i] = {target >= total ? last : 0, target == 0 ? 0 : last};
    }
  }

  /// Returns for each own run one range per target, both ends of which are the cut.
  const std::vector<undecided_range>& run() {
    for (;;) {
      attempt([&] { take_samples(); });
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        for (std::size_t i = 0; i < mine_.size(); ++i) {
          sample_header header = r < targets_ ? header_of(undecided_[i * targets_ + r]) : sample_header{0, 0, 0, 1};
          header.failed = failure_ != nullptr;
          my_samples_.put(own_message(r, i), header);
        }
      my_samples_.exchange(ranks_, their_samples_);
      if (any_failed(their_samples_, runs_.size())) break;

      answer_header answer;
      attempt([&] { answer = my_answer(); });
      answer.failed = failure_ != nullptr;
      for (std::size_t r = 0; r < ranks_.size(); ++r) my_answers_.put(r, answer);
      my_answers_.exchange(ranks_, their_answers_);
      if (any_failed(their_answers_, ranks_.size())) break;

      attempt([&] { follow_answers(); });
      if (all_done()) break;
    }
    agree(ranks_, failure_);
    return undecided_;
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
  [[nodiscard]] static bool any_failed(const Messages& messages, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (messages.header(i).failed) return true;
    return false;
  }

  [[nodiscard]] bool all_done() const {
    for (std::size_t r = 0; r < targets_; ++r)
      if (!their_answers_.header(r).done) return false;
    return true;
  }

  /// The message about an own run to the rank that searches for a target's cut.
  [[nodiscard]] std::size_t own_message(std::size_t target, std::size_t index) const noexcept {
    return target * mine_.size() + index;
  }

  [[nodiscard]] sample_header header_of(const undecided_range& range) const {
    return {0, range.low, range.count(), distance_of(range.count(), samples_)};
  }

  void take_samples() {
    for (std::size_t i = 0; i < mine_.size(); ++i) take_samples_of(i);
  }

  void take_samples_of(std::size_t run) {
    const sorted_part& part = mine_[run];
    std::vector<strided_elements> samples;
    std::size_t count = 0;
    for (std::size_t j = 0; j < targets_; ++j) {
      samples.push_back(samples_of_undecided(undecided_[run * targets_ + j], samples_));
      count += samples.back().count;
    }
    std::vector<std::byte> elements(count * part.element_bytes);
    if (count > 0) part.read(samples, elements.data());
    const std::byte* next = elements.data();
    for (std::size_t j = 0; j < targets_; ++j) {
      const std::size_t bytes = samples[j].count * part.element_bytes;
      if (bytes > 0) std::memcpy(my_samples_.element(own_message(j, run), 0), next, bytes);
      next += bytes;
    }
  }

  [[nodiscard]] answer_header my_answer() {
    answer_header answer;
    answer.done = 1;
    if (ranks_.rank() >= targets_) return answer;
    answer = narrow(their_samples_, runs_, target_, mine_[0]);
    std::size_t in_doubt = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) in_doubt += their_samples_.header(r).count;
    if (in_doubt >= in_doubt_) answer.done = 1;  // an order that contradicts itself
    in_doubt_ = in_doubt;
    const auto put = [&](const pivot& which, std::size_t index) {
      if (!which.there) return;
      const std::byte* const element = their_samples_.element(runs_.message(which.run), which.sample);
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        std::memcpy(my_answers_.element(r, index), element, mine_[0].element_bytes);
    };
    put(answer.before, 0);
    put(answer.behind, 1);
    return answer;
  }

  void follow_answers() {
    for (std::size_t i = 0; i < mine_.size(); ++i) follow_answers_in(i);
  }

  void follow_answers_in(std::size_t run) {
    std::vector<search> searches;
    const auto first = undecided_.begin() + static_cast<std::ptrdiff_t>(run * targets_);
    std::vector<undecided_range> narrowed(first, first + static_cast<std::ptrdiff_t>(targets_));
    const std::size_t me = runs_.run(ranks_.rank(), run);
    const auto follow = [&](std::size_t target, const pivot& which, std::size_t index, std::size_t& end,
                            std::size_t own_ones_before) {
      const undecided_range& range = undecided_[run * targets_ + target];
      if (!which.there || range.count() == 0) return;
      if (which.run == me) {
        end = range.low + (which.sample + 1) * distance_of(range.count(), samples_) - 1 + own_ones_before;
        return;
      }
      const std::byte* const element = their_answers_.element(target, index);
      const bool equals_before = me < which.run;
      const undecided_range between =
          block_of_pivot(mine_[run], range, samples_of_undecided(range, samples_),
                         my_samples_.element(own_message(target, run), 0), element, equals_before);
      end = between.low;
      if (between.count() > 0) searches.push_back({element, equals_before, between, &end});
    };
    for (std::size_t j = 0; j < targets_; ++j) {
      const answer_header answer = their_answers_.header(j);
      follow(j, answer.before, 0, narrowed[j].low, 1);
      follow(j, answer.behind, 1, narrowed[j].high, 0);
    }
    search_all(searches, mine_[run]);
    for (std::size_t j = 0; j < targets_; ++j) {
      undecided_range& range = narrowed[j];
      if (their_answers_.header(j).done) range.high = range.low;
      range.low = (std::min)(range.low, range.high);
    }
    std::copy(narrowed.begin(), narrowed.end(), first);
  }

  communicator& ranks_;
  array_view<sorted_part> mine_;
  run_order runs_;
  std::size_t samples_;
  std::size_t target_;
  std::size_t targets_;
  std::size_t in_doubt_ = static_cast<std::size_t>(-1);
  std::vector<undecided_range> undecided_;  ///< for all targets in the first own run, then in the next
  samples_of_runs my_samples_, their_samples_;
  answers my_answers_, their_answers_;
  std::exception_ptr failure_;
};

}  // namespace

void find_in_sorted(const sorted_part& part, const std::byte* pivots, std::size_t count, std::size_t* positions) {
  std::vector<search> searches;
  for (std::size_t i = 0; i < count; ++i)
    searches.push_back({pivots + i * part.element_bytes, false, {0, part.count}, positions + i});
  search_all(searches, part);
}

bool parts_are_sorted(communicator& ranks, const sorted_part& mine, function_ref<bool()> own) {
  struct edges {
    std::uint64_t count;
    std::uint64_t sorted;
  };
  const std::size_t bytes = sizeof(edges) + 2 * mine.element_bytes;  // the first element and the last one follow
  std::vector<std::byte> said(bytes), all(bytes * ranks.size());
  agreed(ranks, [&] {
    const edges known{mine.count, own()};
    std::memcpy(said.data(), &known, sizeof(known));
    const strided_elements ends{0, mine.count - 1, 2};
    if (mine.count > 0) mine.read({&ends, 1}, said.data() + sizeof(known));
  });
  ranks.all_gather(said.data(), bytes, all.data());

  bool sorted = true;
  agreed(ranks, [&] {
    const std::byte* last = nullptr;
    for (const std::byte* part = all.data(); part < all.data() + all.size(); part += bytes) {
      edges theirs{};
      std::memcpy(&theirs, part, sizeof(theirs));
      sorted = sorted && theirs.sorted;
      if (theirs.count == 0) continue;
      const std::byte* const first = part + sizeof(theirs);
      if (last != nullptr) sorted = sorted && !mine.less(first, last);
      last = first + mine.element_bytes;
    }
  });
  return sorted;
}

std::size_t samples_of(std::size_t ranks, std::size_t element_bytes) noexcept {
  constexpr std::size_t least = 16, most = 1024, samples_of_all = 4096, bytes_of_all = std::size_t{1} << 18;
  return std::clamp((std::min)(samples_of_all / ranks, bytes_of_all / (ranks * element_bytes)), least, most);
}

void select_among_ranks(communicator& ranks, array_view<sorted_part> mine, std::size_t total,
                        array_view<std::size_t> targets, std::size_t* cuts) {
  const std::size_t count = targets.size();
  for (std::size_t first = 0; first < count; first += ranks.size()) {
    const std::size_t some = (std::min)(count - first, ranks.size());
    selection search{ranks, mine, targets.begin() + first, some, total};
    const std::vector<undecided_range>& found = search.run();
    for (std::size_t i = 0; i < found.size(); ++i) cuts[i / some * count + first + i % some] = found[i].low;
  }
  for (std::size_t i = 0; i < mine.size() * count; ++i)
    if (i % count > 0) cuts[i] = (std::max)(cuts[i], cuts[i - 1]);
}

}  // namespace gpu::inline v1::detail
