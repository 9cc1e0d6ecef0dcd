// How many leading digits distinguish nearly all keys, so that passes by these, followed by ordering the keys that tie,
// take less time than passes by all digits: judged by a sample of the keys and further draws.
#pragma once

#include <cmath>
#include <cstddef>

#include "../block/digit_ranks.cuh"
#include "../distribution/sampled_keys.cuh"
#include "../distribution/spread.cuh"
#include "../tuning/radix.hpp"
#include "tied_runs_memory.cuh"

namespace gpu::inline v1::detail::device {

inline constexpr int analysis_threads = 512;

/// How many digits passes may have to sort by: at least `fewest`, if the keys that tie in these are few; at most `all`.
struct digits_needed {
  unsigned fewest;
  unsigned all;
};

/// The price of sorting n keys by the leading ones of the varying digits and then ordering the keys that tie in them.
template <class Bits>
class leading_digits {
 public:
  struct choice {
    unsigned first;  ///< digit to sort by; 0 if all digits are needed
    float price;     ///< in passes
  };

  __device__ leading_digits(const leading_digits_prices& prices, std::size_t n, unsigned varying)
      : prices_{prices}, varying_{varying} {
    const auto bits = static_cast<unsigned>(64 - __clzll(static_cast<long long>(n - 1)));
    fewest_ = (bits + block::digit_bits - 1) / block::digit_bits;
  }

  [[nodiscard]] __device__ digits_needed needed() const {
    const auto all = static_cast<unsigned>(__popc(varying_));
    if (!prices_.offered) return {all, all};
    const float least = fminf(price_of(fewest_), price_of(fewest_ + 1)) + prices_.ordering;
    return {min(all, static_cast<unsigned>(ceilf(least))), all};
  }

  /// The cheapest choice, judged by draws of codes, which are taken relative to `least`. Leading digits are considered
  /// only where they may cost no more than `most` passes.
  template <int Items>
  __device__ choice best(Bits least, unsigned most, const Bits (&sample)[Items], const drawn_codes<Bits>& drawn,
                         spread_storage<Bits, analysis_threads>& shared) const {
    choice best{0, price_of(needed().all)};
    unsigned may_do = 0;  // a bit for each digit
    for (unsigned first = 1; first < sizeof(Bits); ++first) {
      const float price = price_of(passes_from(first)) + prices_.ordering;
      const bool may = passes_from(first) >= fewest_ && passes_from(first) + least_saved <= needed().all &&
                       price < best.price && price <= static_cast<float>(most);
      may_do |= (varying_ >> first & (may ? 1u : 0u)) << first;
    }
    if (!prices_.offered || may_do == 0) return best;
    Bits codes[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) codes[i] = static_cast<Bits>(sample[i] - least);
    shared.prefixes.add(codes, may_do | 1u);
    for (unsigned first = 1; first < sizeof(Bits); ++first)
      if (shared.prefixes.without(0) - shared.prefixes.without(first) > few_tied) may_do &= ~(1u << first);

    for (; may_do != 0; may_do ^= 1u << greatest_of(may_do)) {
      const unsigned first = greatest_of(may_do);
      const float passes = price_of(passes_from(first));
      if (passes + prices_.ordering >= best.price) continue;
      const ties ties = ties_in(first, least, sample, drawn, shared);
      if (ties.in_long_runs > most_gathered) continue;
      const float price = passes + prices_.ordering * (1 + 8 * fminf(ties.strangers, 1)) + prices_.gathering +
                          prices_.gathered * ties.in_long_runs;
      if (price < best.price) best = {first, price};
      if (ties.in_long_runs < few_gathered) break;
    }
    return best;
  }

 private:
  static constexpr unsigned least_saved = 2;    ///< passes: saving one is worth less than a wrong sample costs
  static constexpr float few_tied = 90;         ///< of a sample: four standard deviations of an estimate of zero
  static constexpr float most_gathered = 0.2f;  ///< part of the keys: there is room for a third
  static constexpr float few_gathered = 1.0f / 256;
  static constexpr float few_copies = 4;

  struct ties {
    float strangers;     ///< different keys that a key ties with, on average
    float in_long_runs;  ///< at most this part of the keys is in long runs of different keys
  };

  __device__ static unsigned greatest_of(unsigned digits) {
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(digits)));
  }
  [[nodiscard]] __device__ unsigned passes_from(unsigned first) const {
    return static_cast<unsigned>(__popc(varying_ >> first));
  }
  [[nodiscard]] __device__ float price_of(unsigned passes) const {
    return static_cast<float>(passes) + (passes % 2 == 1 ? prices_.copy_back : 0);
  }

  /// The ties of keys that are sorted by the digits from `first` on.
  template <int Items>
  __device__ ties ties_in(unsigned first, Bits least, const Bits (&sample)[Items], const drawn_codes<Bits>& drawn,
                          spread_storage<Bits, analysis_threads>& shared) const {
    const auto run = [&](Bits code) { return block::prefix_hash(static_cast<Bits>(code - least), first); };
    const auto tied = device::neighbours_in(
        run, [](Bits) { return true; }, sample, drawn.n, drawn, shared);
    const auto digits = static_cast<float>(block::digit_bits * passes_from(first));
    const float strangers = fmaxf(tied.strangers, static_cast<float>(drawn.n) * exp2f(-digits));  // as of even keys
    // A key that occurs often may tie with one that no draw meets, and then all its copies lie in a long run.
    const bool repeat = tied.frequent > 0 || tied.all - tied.strangers > few_copies;
    return {strangers, repeat ? strangers : strangers / short_run};
  }

  leading_digits_prices prices_;
  unsigned varying_;
  unsigned fewest_;
};

}  // namespace gpu::inline v1::detail::device
