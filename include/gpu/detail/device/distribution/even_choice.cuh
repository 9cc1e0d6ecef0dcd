// Chooses by a sample whether codes are divided to buckets of equal width, of the codes' values or along a curve.
#pragma once

#include "../../keys/key.hpp"
#include "../block/even_buckets.cuh"
#include "../block/evenness.cuh"

namespace gpu::inline v1::detail::device {

/// Chooses by a sample how codes are divided: to even buckets, along one of two `curves` if not null, or by splitters,
/// in which case zero buckets are returned. `maker`: the codec that made the codes. buckets_for(density): number of
/// buckets for codes that are nowhere more than `density` times as dense as on average. most_overflowing: the part of
/// the codes that a curve may leave in buckets that are far too long. set_heavy_aside(): called if codes do not lie
/// evenly; returns whether it has changed the sample. put_back(): restores the sample where the other codes need a
/// curve, too: along a curve, heavy codes have buckets of their own.
template <class Key, int Threads, int Items, class BucketsFor, class SetHeavyAside, class PutBack>
__device__ block::even_buckets<Key> choose_even(const Key (&sample)[Items], BucketsFor buckets_for,
                                                float most_overflowing, const key_codec<Key>& maker,
                                                block::breakpoint* curves,
                                                block::evenness_storage<Key, Threads>& shared,
                                                SetHeavyAside set_heavy_aside, PutBack put_back) {
  constexpr float even_enough = 1.5f, too_uneven = 3.0f;
  float density = 0;
  block::sampled_range<Key> range;
  enum { all, light, all_again };
#pragma unroll 1
  for (int codes = all;; ++codes) {
    range = block::even_range<Threads>(sample, shared, density);
    if (codes == all_again || density <= (codes == all ? even_enough : too_uneven)) break;
    if (codes == light && curves == nullptr) break;
    if (codes == light)
      put_back();
    else if (!set_heavy_aside())
      break;
  }
  const auto cut = [&](float allowed) {
    return block::even_buckets<Key>{range.least, range.span, buckets_for(allowed)};
  };
  if (density <= too_uneven) return cut(density <= even_enough ? 1.0f : density).with_separate_outsiders();
  if constexpr (block::may_be_numbers_v<Key>)
    if (maker.negative_flip != 0 && range.span != 0) {
      auto valued = cut(1.0f);
      density = block::make_valued(valued, range.exact, sample, maker, shared);
      if (density <= even_enough) return valued;
      valued = cut(density);
      if (density <= too_uneven && block::divide_values(valued, range.exact.least, range.exact.greatest, maker))
        return valued;
    }
  if (curves == nullptr || range.span == 0) return {};
  block::even_buckets<Key> best{};
  float least_overflowing = most_overflowing;
#pragma unroll 1
  for (int scale = 0; scale < 2; ++scale) {
    auto fitted = cut(2.0f);
    fitted.logarithmic = scale == 1;
    const float overflowing = block::fit_curve(fitted, sample, curves + scale * block::breakpoints, shared);
    if (overflowing == 0) return fitted;
    if (overflowing < least_overflowing) least_overflowing = overflowing, best = fitted;
  }
  return best;
}

}  // namespace gpu::inline v1::detail::device
