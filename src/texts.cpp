// Sorting strings by prefixes of eight bytes, as integers: the idea of multikey quicksort (Bentley and Sedgewick, "Fast
// algorithms for sorting and searching strings", 1997) with words in place of characters and a radix sort in place of
// a partition.
#include <gpu/detail/boundary/texts.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "host/columns.hpp"
#include "host/keys.hpp"
#include "text_groups.hpp"

namespace gpu::inline v1::detail {
namespace {

using code = text_code;
using group = text_group;
using host::for_each_part;
using host::partition_of;
using tuning = text_tuning;

/// Up to this many texts are sorted by comparisons: a sort of prefixes costs more.
constexpr std::size_t few_texts = 16;

/// From the second round on, fewer texts than this are not worth the transfer to the device.
constexpr std::size_t worth_a_device = std::size_t{1} << 18;

/// After this many rounds in a row that left more than half of the texts together, these are sorted by comparisons.
constexpr unsigned most_stalls = 2;

class text_sorter {
 public:
  text_sorter(const text_request& request, const execution_options& options, code* codes)
      : request_{request}, options_{options}, flip_{request.descending ? ~std::uint64_t{0} : 0}, codes_{codes} {}

  void run() {
    for_each_part<tuning>(request_.count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) codes_[i] = make_code(0, i);
    });
    refine({0, request_.count, 0});
  }

 private:
  const text& text_of(code entry) const { return request_.texts[index_of(entry)]; }

  /// Sorts a group and all groups it splits into, with a list instead of recursion, because texts may be long. Among
  /// texts that are prefixes of one another, a round by prefix separates only a few, one relative to a model nearly
  /// all.
  void refine(const group& all) {
    group_list open;
    open.add(all);
    while (!open.empty()) {
      group next = open.take();
      const std::size_t shared = shared_bytes(next);
      next.depth += shared;
      if (next.stalls == 0 || shared > 0)
        sort_round(next, by_prefix{}, open);
      else if (next.stalls < most_stalls)
        sort_round(next, beside_model{longest_of_some(next), next.depth}, open);
      else
        sort_by_comparison(next);
    }
  }

  /// How many bytes behind the group's depth all its texts share; 0 if too few to matter, which is found early.
  std::size_t shared_bytes(const group& whole) const {
    constexpr std::size_t negligible = 3;
    const text& model = text_of(codes_[whole.begin]);
    const unsigned char* const from = model.bytes + whole.depth;
    std::atomic<std::size_t> shared{model.size - whole.depth};
    for_each_part<tuning>(whole.size(), [&](std::size_t begin, std::size_t end) {
      std::size_t least = shared.load(std::memory_order_relaxed);
      for (std::size_t i = begin; i < end && least > negligible; ++i) {
        const text& other = text_of(codes_[whole.begin + i]);
        least = agreeing_bytes(from, other.bytes + whole.depth, std::min(least, other.size - whole.depth));
      }
      std::size_t known = shared.load(std::memory_order_relaxed);
      while (least < known && !shared.compare_exchange_weak(known, least, std::memory_order_relaxed)) {
      }
    });
    const std::size_t least = shared.load(std::memory_order_relaxed);
    return least > negligible ? least : 0;
  }

  const text& longest_of_some(const group& whole) const {
    constexpr std::size_t some = 64;
    const partition_of parts{whole.size(), some};
    const text* longest = &text_of(codes_[whole.begin]);
    for (std::size_t part = 0; part < some; ++part) {
      const text& other = text_of(codes_[std::min(whole.begin + parts.begin(part), whole.end - 1)]);
      if (other.size > longest->size) longest = &other;
    }
    return *longest;
  }

  /// Sorts a group by the numbers of its texts, and finishes the runs of equal numbers or adds them to `open`.
  template <class Numbers>
  void sort_round(const group& whole, const Numbers& numbers, group_list& open) {
    code* const codes = codes_ + whole.begin;
    for_each_part<tuning>(whole.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        codes[i] = make_code(numbers(text_of(codes[i]), whole.depth) ^ flip_, index_of(codes[i]));
    });
    const bool first_round = whole.size() == request_.count;
    if (request_.where == backend::device && (first_round || whole.size() >= worth_a_device))
      sort_on_device(codes, whole.size());
    else
      host::sort_codes_by(codes, whole.size(), request_.how);
    finish_runs<Numbers>(whole, open);
  }

  void sort_on_device(code* codes, std::size_t n) {
    with_index(n, [&]<class Index>(Index) {
      host::buffer<std::uint64_t> prefixes(n);
      host::buffer<std::uint64_t> indices(n);
      host::buffer<Index> order(n);
      for_each_part<tuning>(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          prefixes[i] = number_of(codes[i]);
          indices[i] = index_of(codes[i]);
        }
      });
      const keyed_elements keys{prefixes.data(), prefix_bytes, 0, {key_class::unsigned_integer, prefix_bytes}};
      const std::array locations{locate(prefixes.data()), locate(order.data())};
      device_argsort({keys, n, {order.data(), sizeof(Index)}, request_.stable, request_.how, locations.data()},
                     options_);
      for_each_part<tuning>(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) codes[i] = make_code(prefixes[order[i]], indices[order[i]]);
      });
    });
  }

  /// Finishes the runs of equal numbers in a group sorted by them, several at the same time. Those that are unfinished
  /// and not left to one thread are added to `open`.
  template <class Numbers>
  void finish_runs(const group& whole, group_list& open) {
    const auto number_at = [&](std::size_t i) { return number_of(codes_[whole.begin + i]); };
    const auto same = [&](std::size_t i, std::size_t j) { return number_at(i) == number_at(j); };
    for_each_group(host::divide<tuning>(whole.size()), same, [&](std::size_t begin, std::size_t end) {
      const std::size_t depth = whole.depth + Numbers::agreement(number_at(begin) ^ flip_);
      finish({whole.begin + begin, whole.begin + end, depth}, Numbers::bytes, whole, open);
    });
  }

  /// Finishes a run of texts that agree in the next `bytes` bytes behind its depth, ends being padded with zeros.
  void finish(const group& run, std::size_t bytes, const group& whole, group_list& open) {
    if (run.size() <= few_texts) return sort_by_comparison(run);
    group rest = sort_ended(run, bytes);
    if (rest.size() > whole.size() / 2) rest.stalls = whole.stalls + 1;
    if (rest.size() <= few_texts) return sort_by_comparison(rest);
    if (whole.for_all_threads() && !rest.for_all_threads())
      refine(rest);
    else
      open.add(rest);
  }

  /// Sorts by length the texts that end within these bytes, which the padding has hidden, and puts them before the
  /// longer ones (behind them if descending). Returns the group of the longer ones.
  group sort_ended(const group& run, std::size_t bytes) {
    code* const codes = codes_ + run.begin;
    const std::size_t behind = run.depth + bytes;
    const auto goes_on = [&](code entry) { return text_of(entry).size > behind; };
    if (!std::all_of(codes, codes + run.size(), goes_on)) {
      for (std::size_t i = 0; i < run.size(); ++i) {
        const std::uint64_t rest = std::min(text_of(codes[i]).size - run.depth, bytes + 1);
        codes[i] = make_code(rest ^ flip_, index_of(codes[i]));
      }
      host::sort_codes(codes, run.size());
    }
    if (request_.descending)
      return {run.begin, boundary(codes, run.size(), [&](code entry) { return goes_on(entry); }) + run.begin, behind};
    return {boundary(codes, run.size(), [&](code entry) { return !goes_on(entry); }) + run.begin, run.end, behind};
  }

  template <class Before>
  static std::size_t boundary(const code* codes, std::size_t n, const Before& before) {
    return static_cast<std::size_t>(std::partition_point(codes, codes + n, before) - codes);
  }

  void sort_by_comparison(const group& run) {
    code* const codes = codes_ + run.begin;
    if (run.size() <= few_texts) {
      auto less = [&](code a, code b) {
        return goes_before({text_of(a), index_of(a)}, {text_of(b), index_of(b)}, run.depth);
      };
      return host::insertion_sort(codes, run.size(), less);
    }
    host::buffer<indexed_text> texts(run.size());  // contiguous: a comparison needs no look-up by index
    for_each_part<tuning>(run.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) texts[i] = {text_of(codes[i]), index_of(codes[i])};
    });
    host::sort(texts.data(), run.size(),
               [&](const indexed_text& a, const indexed_text& b) { return goes_before(a, b, run.depth); });
    for_each_part<tuning>(run.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) codes[i] = make_code(0, texts[i].index);
    });
  }

  struct indexed_text {
    text characters;
    std::size_t index;
  };

  /// Whether a goes before b; their texts agree in the first `depth` bytes.
  bool goes_before(const indexed_text& a, const indexed_text& b, std::size_t depth) const {
    const text& left = a.characters;
    const text& right = b.characters;
    const std::size_t common = std::min(left.size, right.size) - depth;
    const int difference = common == 0 ? 0 : std::memcmp(left.bytes + depth, right.bytes + depth, common);
    if (difference != 0) return (difference < 0) != request_.descending;
    if (left.size != right.size) return (left.size < right.size) != request_.descending;
    return a.index < b.index;
  }

  const text_request& request_;
  const execution_options& options_;
  std::uint64_t flip_;  ///< XORed with numbers, to reverse their order if descending
  code* codes_;
};

}  // namespace

void argsort_texts(const text_request& request, const execution_options& options) {
  const std::size_t n = request.count;
  if (n == 0) return;
  host::buffer<code> codes(n);
  text_sorter(request, options, codes.data()).run();
  host::write_indices(request.indices, n, [&](std::size_t i) { return index_of(codes[i]); });
}

}  // namespace gpu::inline v1::detail
