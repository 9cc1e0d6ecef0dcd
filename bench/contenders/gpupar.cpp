// gpupar on the device in natural order: with the algorithms it chooses, and with each one forced.
#include <gpu/algorithm.hpp>

#include <span>

#include "../memory.hpp"
#include "gpupar_calls.hpp"

namespace bench {
namespace {

template <class T>
using host_view = std::span<T>;

/// Bytes of scratch as reported by explain; nothing for operations that explain does not cover.
template <class Key>
std::optional<std::size_t> scratch_of(const problem& asked, gpu::algorithm how) {
  const block standing_in{place::device, 256};  // explain reads no data, but checks where they are
  const gpu::device_span keys{static_cast<Key*>(standing_in.data()), asked.n};
  const auto policy = gpu::par.using_algorithm(how);
  if (asked.what == operation::sort || asked.what == operation::call_latency)
    return gpu::explain(policy, keys).scratch_bytes;
  if (asked.what == operation::stable_sort) return gpu::explain_stable_sort(policy, keys).scratch_bytes;
  return {};
}

template <class Key>
preparation offer_keys(const problem& asked, gpu::algorithm how) {
  if (asked.what == operation::host_sort_pageable || asked.what == operation::host_sort_pinned)
    return [asked] {
      return prepared{[asked](const arrays& on) { return call_keys<host_view, Key>(asked, gpu::par, on); }};
    };
  if (asked.what == operation::call_latency)
    return [asked, how] {
      return prepared{[asked](const arrays& on) { return call_keys<gpu::device_span, Key>(asked, gpu::par, on); },
                      scratch_of<Key>(asked, how)};
    };
  if (is_selection(asked.what))
    return [asked] {
      return prepared{
          [asked](const arrays& on) { return call_selection<gpu::device_span, Key>(asked, gpu::par_nosync, on); },
          {},
          false};
    };
  return [asked, how] {
    return prepared{[asked, policy = gpu::par_nosync.using_algorithm(how)](const arrays& on) {
                      return call_keys<gpu::device_span, Key>(asked, policy, on);
                    },
                    scratch_of<Key>(asked, how)};
  };
}

template <class Key>
preparation offer_parts(const problem& asked, gpu::algorithm how) {
  if (!is_asked_of<Key>(asked.what)) return {};
  return [asked, how] {
    return prepared{[asked, policy = gpu::par_nosync.using_algorithm(how)](const arrays& on) {
      return call_parts<gpu::device_span, Key>(asked, policy, on);
    }};
  };
}

template <class Key, class Value>
preparation offer_pairs(const problem& asked, gpu::algorithm how) {
  return [asked, how] {
    return prepared{[asked, policy = gpu::par_nosync.using_algorithm(how)](const arrays& on) {
      return call_pairs<gpu::device_span, Key, Value>(asked, policy, on);
    }};
  };
}

using elements =
    decltype(joined(element_list<element<std::uint8_t>, element<std::uint16_t>, element<std::uint32_t>,
                                 element<std::uint64_t>, element<uint128>, element<std::int32_t>, element<std::int64_t>,
                                 element<float>, element<double>, element<__half>, element<u32x2>, element<u64x2>,
                                 element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>{},
                    unequal_pairs{}));

preparation offer(const problem& asked, gpu::algorithm how) {
  if (asked.what == operation::sort_indexed) return {};
  if (asked.what == operation::sort_comparator || asked.what == operation::gather || is_segmented(asked.what))
    return {};  // in files of their own
  if (how != gpu::algorithm::automatic && !may_force(asked.what)) return {};
  return with_element<preparation>(asked.element(), elements{}, [&]<class Key, class Value>(element<Key, Value>) {
    if constexpr (element<Key, Value>::has_values)
      return offer_pairs<Key, Value>(asked, how);
    else if constexpr (has_parts_v<Key>)
      return offer_parts<Key>(asked, how);
    else
      return offer_keys<Key>(asked, how);
  });
}

[[maybe_unused]] const auto gpupar = add_every_algorithm(true, offer);

}  // namespace
}  // namespace bench
