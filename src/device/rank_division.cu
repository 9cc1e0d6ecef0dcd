// Sorts over ranks that divide first. All ranks choose the same few hundred buckets from a sample; each counts its keys
// in them, and the counts are shared, so that every rank knows which rank each bucket belongs to. Then keys are moved
// to their buckets and sent unsorted, piece by piece, and each piece is sorted at its destination while the next ones
// travel.
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/launching/launch.cuh>
#include <gpu/detail/device/launching/scratch.cuh>
#include <gpu/detail/distributed/division.hpp>
#include <gpu/detail/distributed/memory.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "../distributed/division.hpp"
#include "handles.hpp"
#include "keys/keys.hpp"

namespace gpu::inline v1::detail {
namespace {

using device::key_kernels;

/// Least bytes of keys that are divided; narrower keys are sorted by counting.
constexpr std::size_t narrowest = 4;
/// The number of ranks, and of elements per rank on average, from which on dividing takes less time than merging: 6.8
/// ms instead of 7.6 for 2^28 u32 on each of four H200s. Two ranks merge in no more time than they divide.
constexpr std::size_t enough_ranks = 4;
constexpr std::size_t enough_to_divide = std::size_t{1} << 22;
/// How many elements all ranks together draw to choose buckets.
constexpr std::size_t all_draws = std::size_t{1} << 14;

/// GPUPAR_DIVIDE_FROM, for tests: the number of elements from which on any number of ranks divide.
bool worth_dividing(const part_sizes& sizes, const divided_keys& keys) {
  const char* const given = std::getenv("GPUPAR_DIVIDE_FROM");
  const std::size_t least = given != nullptr ? std::strtoull(given, nullptr, 10) : enough_to_divide;
  const bool enough = given != nullptr || sizes.before.size() >= enough_ranks;
  return enough && (sizes.on_device & 1) != 0 && keys.format.bytes >= narrowest &&
         sum_of(sizes.before) / sizes.before.size() >= least;
}

template <class Bits>
class division_sort {
 public:
  division_sort(communicator& ranks, const execution_options& options, const part_sizes& sizes,
                const divided_keys& keys)
      : ranks_{ranks},
        me_{ranks.rank()},
        options_{options},
        sizes_{sizes},
        format_{keys.format},
        before_{static_cast<Bits*>(keys.before)},
        after_{static_cast<Bits*>(keys.after)},
        count_{sizes.before[me_]} {}

  /// Moves the keys to their buckets, whose owners all ranks know; returns false if dividing is not possible or not
  /// worth it.
  bool divide() {
    const std::vector<Bits> sample = exchange_draws();
    if (sample.empty()) return false;
    std::vector<std::uint64_t> own;
    agreed(ranks_, [&] {
      moved_.emplace(at_, count_ * sizeof(Bits), sizeof(Bits), options_);
      counters_.emplace(context(), key_kernels<Bits>::bytes(count_, sample.size()));
      own = key_kernels<Bits>::count(context(), before_, count_, format_, sample, (*counters_)->data);
    });
    counts_.resize(own.size() * ranks_.size());
    ranks_.all_gather(own.data(), own.size() * sizeof(own[0]), counts_.data());
    division_.emplace(sizes_.after, counts_, own.size());
    if (!division_->worth_it) return false;
    agreed(ranks_, [&] {
      key_kernels<Bits>::move(context(), before_, count_, format_, sample.size(), division_->order(), moved(),
                              (*counters_)->data);
      lower_.emplace(at_, arriving(division_->lower) * sizeof(Bits), sizeof(Bits), options_);
      upper_.emplace(at_, arriving(division_->upper) * sizeof(Bits), sizeof(Bits), options_);
      wire_.emplace();
      await_device_work(options_.stream);
    });
    return true;
  }

  /// Exchanges and sorts the buckets. `sort` sorts keys alone, and needs no memory if there is none.
  void sort(function_ref<void(void*, std::size_t, const execution_options&)> sort, function_ref<void()> end) {
    execution_options beside = options_;
    beside.synchronous = false;
    const auto sort_arrived = [&](const receivers& wanted, Bits* keys) {
      if (const std::size_t count = arriving(wanted); count > 0) attempt([&] { sort(keys, count, beside); });
    };
    const Bits* from = moved();
    const receivers &lower = division_->lower, &upper = division_->upper;
    const Bits* const boundaries = std::exchange(from, from + leaving(lower));
    for (const receivers& piece : division_->pieces) {
      exchange(piece, from, destination_of(piece));
      from += leaving(piece);
      sort_arrived(piece, destination_of(piece));
      if (&piece != division_->pieces.data()) continue;
      exchange(lower, boundaries, keys_of(*lower_));
      exchange(upper, boundaries, keys_of(*upper_));
    }
    for (const auto& [boundary, keys] : {std::pair{&lower, keys_of(*lower_)}, std::pair{&upper, keys_of(*upper_)}}) {
      sort_arrived(*boundary, keys);
      attempt([&] { keep_own(*boundary, keys); });
    }
    agreed(ranks_, [&] {
      await_device_work(options_.stream);
      if (failure_) std::rethrow_exception(failure_);
      end();
    });
  }

 private:
  /// Uses the device of the rank's keys or, if it has none, the current one.
  void find_device() {
    at_.kind = memory_kind::device;
    device::check(cudaGetDevice(&at_.device));
    if (sizes_.after[me_] > 0) at_ = locate(after_);
    if (count_ > 0) at_ = locate(before_);
    here_.emplace(options_, at_);
  }

  [[nodiscard]] const device::context& context() const { return here_->work(); }
  static Bits* keys_of(const rank_memory& memory) { return reinterpret_cast<Bits*>(memory.data()); }
  [[nodiscard]] Bits* moved() const { return keys_of(*moved_); }

  /// Codes drawn by all ranks, from each in proportion to its number of elements. Empty if ranks have different kinds
  /// of devices: their results from the same sample could differ in a last bit.
  std::vector<Bits> exchange_draws() {
    const std::size_t n = sum_of(sizes_.before);
    std::vector<std::size_t> draws;
    for (const std::size_t count : sizes_.before)
      draws.push_back(static_cast<std::size_t>(uint128{all_draws} * count / n) + (count > 0 ? 1 : 0));
    const std::size_t most = *std::max_element(draws.begin(), draws.end());
    std::vector<Bits> own, all((most + 1) * ranks_.size()), sample;
    agreed(ranks_, [&] {
      find_device();
      if (count_ > 0) own = key_kernels<Bits>::draw(context(), before_, count_, format_, draws[me_]);
      own.resize(most);
      own.push_back(static_cast<Bits>(context().device.compute_capability));
    });
    ranks_.all_gather(own.data(), own.size() * sizeof(Bits), all.data());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const Bits* const theirs = all.data() + r * own.size();
      if (theirs[most] != own[most]) return {};
      sample.insert(sample.end(), theirs, theirs + draws[r]);
    }
    return sample;
  }

  [[nodiscard]] std::size_t count(std::size_t rank, std::size_t bucket) const {
    return counts_[rank * division_->lower.size() + bucket];
  }
  /// How many of this rank's elements are in buckets that some rank receives.
  [[nodiscard]] std::size_t leaving(const receivers& wanted) const {
    std::size_t sum = 0;
    for (std::size_t b = 0; b < wanted.size(); ++b) sum += wanted[b] != no_rank ? count(me_, b) : 0;
    return sum;
  }
  /// How many of all ranks' elements are in buckets that this rank receives.
  [[nodiscard]] std::size_t arriving(const receivers& wanted) const {
    std::size_t sum = 0;
    for (std::size_t b = 0; b < wanted.size(); ++b) sum += wanted[b] == me_ ? division_->size(b) : 0;
    return sum;
  }
  /// Where the element with this position among all ends up; it must belong to this rank.
  [[nodiscard]] Bits* destination(std::size_t element) const { return after_ + (element - division_->ranks[me_]); }
  /// Where the elements that this rank receives begin; null if there are none.
  [[nodiscard]] Bits* destination_of(const receivers& piece) const {
    const auto first = std::find(piece.begin(), piece.end(), me_);
    return first == piece.end() ? nullptr
                                : destination(division_->buckets[static_cast<std::size_t>(first - piece.begin())]);
  }

  /// Sends the keys of buckets, which lie one after the other, to the ranks that receive them, and receives this
  /// rank's.
  void exchange(const receivers& wanted, const Bits* from, Bits* to) const {
    std::vector<std::size_t> to_bytes(ranks_.size()), from_bytes(ranks_.size());
    bool any = false;
    for (std::size_t b = 0; b < wanted.size(); ++b) {
      if (wanted[b] == no_rank) continue;
      any = true;
      to_bytes[wanted[b]] += count(me_, b) * sizeof(Bits);
      if (wanted[b] != me_) continue;
      for (std::size_t r = 0; r < ranks_.size(); ++r) from_bytes[r] += count(r, b) * sizeof(Bits);
    }
    if (!any) return;
    exchanged_bytes what{from, to_bytes.data(), to, from_bytes.data()};
    what.on_device = true;
    execution_options options = options_;
    options.stream = wire_->get();
    exchange_bytes(ranks_, what, options);
  }

  /// Copies this rank's share of the sorted boundary buckets that it has received.
  void keep_own(const receivers& boundaries, const Bits* keys) const {
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      if (boundaries[b] != me_) continue;
      const std::size_t begin = std::max(division_->buckets[b], division_->ranks[me_]);
      const std::size_t end = std::min(division_->buckets[b + 1], division_->ranks[me_ + 1]);
      device::copy_bytes(context().stream, destination(begin), keys + (begin - division_->buckets[b]),
                         (end - begin) * sizeof(Bits), cudaMemcpyDeviceToDevice);
    }
  }

  /// Keeps errors until all ranks have exchanged everything.
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  communicator& ranks_;
  std::size_t me_;
  const execution_options& options_;
  const part_sizes& sizes_;
  key_format format_;
  Bits* before_;
  Bits* after_;
  std::size_t count_;
  location at_;
  std::optional<device::call> here_;
  std::optional<rank_memory> moved_;          ///< the rank's keys in their buckets
  std::optional<rank_memory> lower_, upper_;  ///< boundary buckets received where the rank ends, and where it begins
  std::optional<device::scratch<device::scratch_array<std::byte>>> counters_;
  std::optional<device::own_stream> wire_;
  std::vector<std::uint64_t> counts_;  ///< of the first rank in each bucket, then of the next
  std::optional<rank_division> division_;
  std::exception_ptr failure_;
};

}  // namespace

bool sort_by_division(communicator& ranks, const execution_options& options, const part_sizes& sizes,
                      const divided_keys& keys, function_ref<void(void*, std::size_t, const execution_options&)> sort,
                      function_ref<void()> end) {
  if (!worth_dividing(sizes, keys)) return false;
  return with_bits(keys.format.bytes, [&]<class Bits>(Bits) {
    if constexpr (sizeof(Bits) >= narrowest) {
      division_sort<Bits> here{ranks, options, sizes, keys};
      if (!here.divide()) return false;
      here.sort(sort, end);
      return true;
    }
    return false;
  });
}

}  // namespace gpu::inline v1::detail
