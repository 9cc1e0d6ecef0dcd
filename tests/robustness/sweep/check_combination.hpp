// The checks of combination.hpp for one type of keys: included by one small source per type, so that these build side
// by side.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "check.hpp"
#include "combination.hpp"
#include "gpu/algorithm.hpp"
#include "own_stream.hpp"
#include "places.hpp"
#include "records.hpp"

namespace testing {

/// An order that only a comparator knows, with many equivalent keys.
struct by_low_bits {
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    return low(a) < low(b);
  }

 private:
  template <class Key>
  static unsigned low(const Key& key) {
    unsigned char byte;
    std::memcpy(&byte, &key, 1);
    return byte & 63u;
  }
};

/// Runs combinations of one type, order and place. Less is the library's order, implemented independently.
template <class Key, class Place, class Compare, class Less>
class combination_check {
 public:
  using index = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
  using row = indexed<Key, index>;

  combination_check(const Place& place, const combination& chosen, const std::vector<Key>& keys, Compare compare,
                    Less less)
      : place_{place}, chosen_{chosen}, keys_{keys}, compare_{compare}, less_{less} {}

  std::string problem() const {
    switch (chosen_.what) {
      case task::sort:
        return sort();
      case task::stable_sort:
        return stable_sort();
      case task::sort_by_key:
        return sort_by_key();
      case task::argsort:
        return argsort();
      case task::merge:
        return merge();
      case task::inplace_merge:
        return inplace_merge();
      case task::multiway_merge:
        return multiway_merge();
      case task::sorted_until:
        return sorted_until();
    }
    return "no such task";
  }

 private:
  auto policy() const { return place_.policy.using_algorithm(chosen_.how); }
  auto rows_less() const { return by(less_, &row::key); }
  std::size_t middle() const { return keys_.empty() ? 0 : static_cast<std::size_t>(chosen_.cut % (keys_.size() + 1)); }

  /// The keys with [0, middle) and [middle, n) sorted.
  std::vector<Key> halves() const {
    auto keys = keys_;
    const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(middle());
    std::stable_sort(keys.begin(), cut, less_);
    std::stable_sort(cut, keys.end(), less_);
    return keys;
  }

  std::string sort() const {
    const auto data = place_.store(keys_);
    gpu::sort(policy(), place_.view(data), compare_);
    return sort_problem(keys_, data.fetch(), less_);
  }

  std::string stable_sort() const {
    const auto rows = with_index<Key, index>(keys_);
    const auto data = place_.store(rows);
    gpu::stable_sort(policy(), place_.view(data), compare_, &row::key);
    return stable_sort_problem(rows, data.fetch(), rows_less());
  }

  std::vector<index> indices() const {
    std::vector<index> all(keys_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index>(i);
    return all;
  }

  std::string sort_by_key() const {
    const auto keys = place_.store(keys_);
    const auto values = place_.store(indices());
    gpu::stable_sort_by_key(policy(), place_.view(keys), place_.view(values), compare_);
    const auto sorted = keys.fetch();
    const auto moved = values.fetch();
    std::vector<row> after(keys_.size());
    for (std::size_t i = 0; i < after.size(); ++i) after[i] = {sorted[i], moved[i]};
    return stable_sort_problem(with_index<Key, index>(keys_), after, rows_less());
  }

  std::string argsort() const {
    const auto keys = place_.store(keys_);
    const auto order = place_.store(std::vector<std::uint32_t>(keys_.size(), ~0u));
    gpu::argsort(policy(), place_.view(keys), place_.view(order), compare_);
    const auto rows = with_index<Key, index>(keys_);
    std::vector<row> after;
    for (const auto from : order.fetch()) {
      if (from >= rows.size()) return "an index that is none: " + std::to_string(from);
      after.push_back(rows[from]);
    }
    return stable_sort_problem(rows, after, rows_less());
  }

  std::string merge() const {
    const auto sorted = halves();
    std::vector<Key> expected(sorted.size());
    const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(middle());
    std::merge(sorted.begin(), cut, cut, sorted.end(), expected.begin(), less_);
    const auto a = place_.store(std::vector<Key>(sorted.begin(), cut));
    const auto b = place_.store(std::vector<Key>(cut, sorted.end()));
    const auto out = place_.store(keys_);
    gpu::merge(place_.policy, place_.view(a), place_.view(b), place_.view(out).begin(), compare_);
    return difference(expected, out.fetch());
  }

  std::string inplace_merge() const {
    const auto sorted = halves();
    const auto data = place_.store(sorted);
    const auto view = place_.view(data);
    gpu::inplace_merge(place_.policy, view, view.begin() + static_cast<std::ptrdiff_t>(middle()), compare_);
    return stable_sort_problem(sorted, data.fetch(), less_);
  }

  std::string multiway_merge() const {
    const std::size_t k = 1 + static_cast<std::size_t>(chosen_.cut % 9);
    std::vector<std::vector<Key>> runs(k);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      runs[static_cast<std::size_t>(mixed(chosen_.cut + i) >> 7) % k].push_back(keys_[i]);
    std::vector<Key> all;
    for (auto& run : runs) {
      std::stable_sort(run.begin(), run.end(), less_);
      all.insert(all.end(), run.begin(), run.end());
    }
    const auto stored = place_.store(all);
    const auto out = place_.store(all);
    std::vector<decltype(place_.view(stored))> ranges;
    std::size_t begin = 0;
    for (const auto& run : runs) {
      ranges.push_back({stored.data() + begin, run.size()});
      begin += run.size();
    }
    gpu::multiway_merge(place_.policy, ranges, place_.view(out).begin(), compare_);
    return stable_sort_problem(all, out.fetch(), less_);
  }

  std::string sorted_until() const {
    auto keys = keys_;
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle()), less_);
    const auto expected = std::is_sorted_until(keys.begin(), keys.end(), less_) - keys.begin();
    const auto data = place_.store(keys);
    const auto view = place_.view(data);
    const auto found = gpu::is_sorted_until(place_.policy, view, compare_) - view.begin();
    return found == expected ? "" : std::to_string(found) + " instead of " + std::to_string(expected);
  }

  const Place& place_;
  const combination& chosen_;
  const std::vector<Key>& keys_;
  Compare compare_;
  Less less_;
};

template <class Key, class Place>
std::string problem_at(const Place& place, const combination& chosen, const std::vector<Key>& keys) {
  const auto run = [&](auto compare, auto less) {
    return combination_check{place, chosen, keys, compare, less}.problem();
  };
  if (chosen.along == order::ascending) return run(std::ranges::less{}, natural_less{});
  if (chosen.along == order::descending) return run(std::ranges::greater{}, natural_greater{});
  if constexpr (Place::on_host)
    return run(by_low_bits{}, by_low_bits{});
  else
    return {};
}

template <class Key>
std::string problem_of(const combination& chosen, const std::vector<Key>& keys) {
  const place<decltype(gpu::par.require_host()), false> host{gpu::par.require_host(), memory::pageable, "host"};
  std::string problem = problem_at(host, chosen, keys);
  if (!problem.empty()) return "on the host: " + problem;
#ifdef GPUPAR_TEST_CUDA
  if (gpu::device_count() > 0) {
    const place<gpu::parallel_policy, true> device{gpu::par.on(current_stream()), memory::device, "device"};
    problem = problem_at(device, chosen, keys);
    if (!problem.empty()) return "on the device: " + problem;
  }
#endif
  return {};
}

}  // namespace testing
