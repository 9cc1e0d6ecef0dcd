// The implementation of the precompiled kernels, instantiated once per width by units made from unit.cu.in.
#pragma once

#include <gpu/detail/device/argsort.cuh>
#include <gpu/detail/device/distribution/shared_buckets.cuh>
#include <gpu/detail/device/pairs/pair_sort.cuh>
#include <gpu/detail/device/rows/rows.cuh>
#include <gpu/detail/device/rows/sorted.cuh>
#include <gpu/detail/device/sort.cuh>
#include <gpu/detail/device/stable_floats.cuh>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

#include "../rows.cuh"
#include "../wide_keys.hpp"
#include "cuts.cuh"
#include "few_rows.cuh"
#include "keys.hpp"
#include "passes.cuh"
#include "samples.cuh"
#include "segment_kernels.cuh"

namespace gpu::inline v1::detail::device {

/// The type that represents values of Bytes bytes.
template <std::size_t Bytes>
using value_of_bytes =
    std::conditional_t<Bytes == 0, no_value, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>;

/// Whether there are kernels only for what sorts_narrow_keys() accepts.
template <class Bits>
inline constexpr bool is_narrow_v = sizeof(Bits) < least_wide_bytes;

/// Calls body with the comparator of codes that passes sort by: for stable ones, the one that keeps equivalent keys
/// equivalent.
template <class Bits, class Body>
void with_less(const key_format& format, bool stable, const Body& body) {
  if (!stable) return body(code_less{});
  with_exact_less<Bits>(format, [&](auto less, auto) { body(less); });
}

/// Sorts keys that is_narrow_v. Throws no_device_memory before anything is written.
template <class Less, class Bits, class Value>
void sort_narrow(const context& context, columns<Bits, Value> data, std::size_t n, Less less,
                 const key_codec<Bits>& codec, algorithm how) {
  if constexpr (std::is_same_v<Less, code_less>) {
    if (how == algorithm::quicksort) {
      if constexpr (!has_value_v<Value>) return sort_by_quicksort(context, data, n, less, codec);
      if (sort_tile(context, quicksort_rows<Less>(data), n, quicksort_codec<Less>(data, codec))) return;
    }
    if constexpr (!has_value_v<Value>)
      if (device::worth_counting<Bits>(n)) return counting_sort(context, data.keys, n, codec);
  }
  radix_sort(context, data, n, rank_of(less), codec);
}

/// Sorts keys and values as pairs. Where there is no memory for that, and stability is not asked for, the bitonic
/// network, which needs none, takes over.
template <class Bits, class Value>
void sort_as_pairs(const context& context, columns<Bits, Value> data, std::size_t n, const key_codec<Bits>& codec,
                   bool stable) {
  if (stable) return sort_by_pairs<true>(context, data, n, codec);
  try {
    sort_by_pairs<false>(context, data, n, codec);
  } catch (const no_device_memory&) {
    device::sort(context, data, n, code_less{}, codec, algorithm::bitonic);
  }
}

template <class Bits, std::size_t ValueBytes>
bool sort_kernels<Bits, ValueBytes>::sorts_pairs(const Bits* keys, const void* values, std::size_t n,
                                                 const key_format& format, bool stable) {
  using value = value_of_bytes<ValueBytes>;
  if constexpr (pairs_in_place_v<Bits, value> && !is_narrow_v<Bits>) {
    const bool exact = !stable || format.kind != key_class::floating_point;  // codes of equivalent keys may differ
    return exact && enough_to_pair(n, sizeof(Bits)) && least_shared_bytes() >= pair_shared_bytes &&
           aligned_to_pairs(const_columns<Bits, value>{keys, static_cast<const value*>(values)});
  }
  return false;
}

template <class Bits, std::size_t ValueBytes>
void sort_kernels<Bits, ValueBytes>::sort(const context& context, Bits* keys, void* values, std::size_t n,
                                          const key_format& format, bool stable, algorithm how) {
  using value = value_of_bytes<ValueBytes>;
  const auto codec = make_codec<Bits>(format);
  const columns<Bits, value> data{keys, static_cast<value*>(values)};
  if constexpr (is_narrow_v<Bits>) {
    with_less<Bits>(format, stable, [&](auto less) { sort_narrow(context, data, n, less, codec, how); });
  } else {
    if constexpr (pairs_in_place_v<Bits, value>)
      if (how == algorithm::quicksort && sorts_pairs(keys, values, n, format, stable))
        return sort_as_pairs(context, data, n, codec, stable);
    if (!stable) return device::sort(context, data, n, code_less{}, codec, how);
    if (how != algorithm::quicksort)
      return with_exact_less<Bits>(format,
                                   [&](auto less, auto) { device::sort<true>(context, data, n, less, codec, how); });
    // Equivalent keys, alone or with their indices, hardly differ: equal integers look alike.
    if constexpr (has_floating_v<Bits> && ValueBytes == 0)
      if (format.kind == key_class::floating_point)
        return sort_floats_stably(context, data.keys, n, make_floating_code_less<Bits>(format), codec);
    device::sort(context, data, n, code_less{}, codec, how, ValueBytes == 0);
  }
}

template <class Bits, std::size_t ValueBytes>
void sort_kernels<Bits, ValueBytes>::load(const context& context) {
  const auto one_of_them = radix_pass_kernel<Bits, value_of_bytes<ValueBytes>, code_rank, key_codec<Bits>>;
  (void)device::know(context, one_of_them, std::source_location::current());
}

template <class Bits, std::size_t ValueBytes>
std::size_t sort_kernels<Bits, ValueBytes>::scratch_bytes(std::size_t n, const key_format& format, bool stable,
                                                          algorithm how) {
  using value = value_of_bytes<ValueBytes>;
  if constexpr (is_narrow_v<Bits> && ValueBytes > 0)
    return how == algorithm::quicksort ? 0 : radix_sort_scratch_bytes<Bits, value>(n);
  if constexpr (has_floating_v<Bits> && ValueBytes == 0 && !is_narrow_v<Bits>)
    if (stable && how == algorithm::quicksort && format.kind == key_class::floating_point)
      return stable_floats_scratch_bytes<Bits>(n);
  const std::size_t bytes = device::sort_scratch_bytes<Bits, value, code_less>(n, how);
  if constexpr (pairs_in_place_v<Bits, value>)
    if (how == algorithm::quicksort && enough_to_pair(n, sizeof(Bits)))
      return std::max(
          bytes, stable ? sort_by_pairs_scratch_bytes<true, Bits>(n) : sort_by_pairs_scratch_bytes<false, Bits>(n));
  return bytes;
}

template <class Bits>
void wide_value_kernels<Bits>::sort(const context& context, Bits* keys, void* values, std::size_t n,
                                    const key_format& format, bool stable) {
  const columns<Bits, uint128> data{keys, static_cast<uint128*>(values)};
  with_less<Bits>(format, stable, [&](auto less) {
    radix_sort(context, data, n, rank_of(less), make_codec<Bits>(format));
  });
}

template <class Bits>
std::size_t wide_value_kernels<Bits>::scratch_bytes(std::size_t n) {
  return radix_sort_scratch_bytes<Bits, uint128>(n);
}

template <class Bits>
bool code_kernels<Bits>::sort_front(const context& context, Bits* keys, std::size_t most,
                                    const unsigned long long* count, const Bits* rest, const key_format& format) {
  if constexpr (may_reside_v<Bits, no_value>)
    return resident_quicksort(context, columns<Bits, no_value>{keys, nullptr}, most, code_less{},
                              make_codec<Bits>(format), front_keys<Bits>{count, rest});
  return false;
}

template <class Bits>
bool code_kernels<Bits>::sorts_front(const context& context, std::size_t most) {
  if constexpr (may_reside_v<Bits, no_value>) return resides<Bits, no_value, code_less, key_codec<Bits>>(context, most);
  return false;
}

template <class Bits>
void code_kernels<Bits>::sort_unless(const context& context, const unsigned* unwanted, Bits* keys, std::size_t n,
                                     const key_format& format, void* memory) {
  carver carve{memory};
  quicksort(context, quicksort_scratch<Bits, no_value, code_less>{carve, n}, columns<Bits, no_value>{keys, nullptr},
            code_less{}, make_codec<Bits>(format), unwanted);
}

template <class Bits>
std::size_t code_kernels<Bits>::code_sort_bytes(std::size_t n) {
  return scratch_bytes<quicksort_scratch<Bits, no_value, code_less>>(n);
}

template <class Bits>
std::vector<Bits> division_kernels<Bits>::draw(const context& context, const Bits* keys, std::size_t n,
                                               const key_format& format, std::size_t draws) {
  const scratch<scratch_array<Bits>> drawn{context, draws};
  std::vector<Bits> codes(draws);
  const sampled_keys<Bits> sample{keys, n, detail::process_sample_key(), make_codec<Bits>(format)};
  device::draw_codes(context, sample, drawn->data, static_cast<unsigned>(draws));
  device::copy_bytes(context.stream, codes.data(), drawn->data, draws * sizeof(Bits), cudaMemcpyDeviceToHost);
  device::wait(context.stream);
  return codes;
}

template <class Bits>
std::size_t division_kernels<Bits>::bytes(std::size_t n, std::size_t draws) {
  return scratch_bytes<shared_buckets<Bits>>(n, draws);
}

template <class Bits>
std::vector<std::uint64_t> division_kernels<Bits>::count(const context& context, Bits* keys, std::size_t n,
                                                         const key_format& format, const std::vector<Bits>& sample,
                                                         void* memory) {
  carver carve{memory};
  const shared_buckets<Bits> buckets{carve, n, sample.size()};
  const auto fetch = [&](void* here, const void* there, std::size_t bytes) {
    device::copy_bytes(context.stream, here, there, bytes, cudaMemcpyDeviceToHost);
    device::wait(context.stream);
  };
  device::copy_bytes(context.stream, buckets.sample, sample.data(), sample.size() * sizeof(Bits),
                     cudaMemcpyHostToDevice);
  device::count_for_ranks(context, buckets, keys, make_codec<Bits>(format));
  unsigned chosen = 0;
  fetch(&chosen, &buckets.rounds.parts.subproblems[0]->buckets, sizeof(chosen));
  std::vector<std::uint64_t> counts(chosen);
  fetch(counts.data(), buckets.rounds.counts.of_all, counts.size() * sizeof(counts[0]));
  return counts;
}

template <class Bits>
void division_kernels<Bits>::move(const context& context, Bits* keys, std::size_t n, const key_format& format,
                                  std::size_t draws, const std::vector<std::uint16_t>& order, Bits* to, void* memory) {
  carver carve{memory};
  const shared_buckets<Bits> buckets{carve, n, draws};
  device::copy_bytes(context.stream, buckets.order, order.data(), order.size() * sizeof(order[0]),
                     cudaMemcpyHostToDevice);
  device::move_for_ranks(context, buckets, keys, to, make_codec<Bits>(format));
}

template <class Bits>
bool argsort_kernels<Bits>::argsorts(std::size_t n, algorithm how) {
  if (sizeof(Bits) > 8) return false;
  if (how == algorithm::radix || is_narrow_v<Bits>) return how == algorithm::radix;
  return how == algorithm::quicksort && worth_argsorting(n);
}

template <class Bits>
void argsort_kernels<Bits>::argsort(const context& context, const Bits* keys, const column& output, std::size_t n,
                                      const key_format& format, algorithm how) {
  if constexpr (sizeof(Bits) <= 8) {
    if (n == 0) return;
    const auto codes = make_shared_codes<Bits>(format);
    detail::with_index_of_bytes(output.element_bytes, [&]<class Index>(Index) {
      auto* const indices = static_cast<Index*>(output.data);
      if (how == algorithm::radix) return argsort_by_digits(context, keys, indices, n, codes);
      if constexpr (!is_narrow_v<Bits>) argsort_keys(context, keys, indices, n, codes);
    });
  }
}

template <class Bits>
std::size_t argsort_kernels<Bits>::argsort_scratch_bytes(std::size_t n, std::size_t index_bytes, algorithm how) {
  if constexpr (sizeof(Bits) <= 8) {
    return detail::with_index_of_bytes(index_bytes, [&]<class Index>(Index) {
      return how == algorithm::quicksort ? device::argsort_scratch_bytes<Bits, Index>(n)
                                         : device::argsort_by_digits_bytes<Bits, Index>(n);
    });
  }
  return 0;
}

template <class Bits, std::size_t ValueBytes>
void merge_kernels<Bits, ValueBytes>::merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys,
                                            void* values, const key_format& format) {
  using value = value_of_bytes<ValueBytes>;
  using input_values = typename const_columns<Bits, value>::value_type;
  std::vector<sequence<Bits, value>> sequences;
  sequences.reserve(inputs.size());
  for (const key_sequence& input : inputs)
    sequences.push_back(
        {{static_cast<const Bits*>(input.keys), static_cast<input_values*>(const_cast<void*>(input.values))},
         input.count});
  const columns<Bits, value> output{keys, static_cast<value*>(values)};
  with_exact_less<Bits>(format, [&](auto less, auto codec) {
    device::multiway_merge(context, sequences.data(), sequences.size(), output, less, codec);
  });
}

template <class Bits, std::size_t ValueBytes>
std::size_t merge_kernels<Bits, ValueBytes>::scratch_bytes(std::size_t n, std::size_t inputs) {
  using value = value_of_bytes<ValueBytes>;
  return inputs == 2 ? merge_scratch_bytes<Bits, value, code_less>(n)
                     : multiway_merge_scratch_bytes<Bits, value>(n, inputs);
}

template <class Bits, std::size_t ValueBytes>
void merge_kernels<Bits, ValueBytes>::inplace_merge(const context& context, Bits* keys, void* values,
                                                    std::size_t middle, std::size_t n, const key_format& format) {
  using value = value_of_bytes<ValueBytes>;
  const columns<Bits, value> data{keys, static_cast<value*>(values)};
  with_exact_less<Bits>(format,
                        [&](auto less, auto codec) { device::inplace_merge(context, data, middle, n, less, codec); });
}

template <class Bits>
void code_kernels<Bits>::sorted_until(const context& context, const Bits* keys, std::size_t n, const key_format& format,
                                      std::size_t* result) {
  with_exact_less<Bits>(format,
                        [&](auto less, auto codec) { device::sorted_until(context, keys, n, less, codec, result); });
}

}  // namespace gpu::inline v1::detail::device
