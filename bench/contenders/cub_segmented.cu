// cub::DeviceSegmentedSort and cub::DeviceSegmentedRadixSort, between two buffers.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "../elements.hpp"
#include "device_offsets.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

/// Argsort within segments, by moving indices along with a copy of the keys.
template <class Key, class Index>
prepared argsort_segments(const problem& asked) {
  const device_offsets offsets{asked};
  const auto n = static_cast<int>(asked.n), count = static_cast<int>(offsets.size() - 1);
  auto ready = with_temporary_memory(
      [n, count, offsets](void* memory, std::size_t& bytes, const arrays& on) {
        const std::uint32_t* const begins = offsets.data();
        auto* const counted = static_cast<Index*>(on.other_values);
        if (memory != nullptr) count_up(counted, static_cast<std::size_t>(n));
        check(cub::DeviceSegmentedSort::SortPairs(memory, bytes, static_cast<const Key*>(on.keys),
                                                  static_cast<Key*>(on.other_keys), counted,
                                                  static_cast<Index*>(on.values), n, count, begins, begins + 1));
        return outcome{on.keys, on.values};
      },
      asked.n * element_bytes(asked.element()));
  ready.has_result = false;
  return ready;
}

/// Sorts segments by DeviceSegmentedSort, or by DeviceSegmentedRadixSort if `by_digits`.
template <class Key, class Value>
prepared sort_segments(const problem& asked, bool by_digits) {
  const device_offsets offsets{asked};
  const auto n = static_cast<int>(asked.n), count = static_cast<int>(offsets.size() - 1);
  return with_temporary_memory(
      [n, count, offsets, by_digits](void* memory, std::size_t& bytes, const arrays& on) {
        const std::uint32_t* const begins = offsets.data();
        cub::DoubleBuffer<Key> keys{static_cast<Key*>(on.keys), static_cast<Key*>(on.other_keys)};
        if constexpr (std::is_void_v<Value>) {
          check(by_digits ? cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys, n, count, begins, begins + 1)
                          : cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, n, count, begins, begins + 1));
          return outcome{keys.Current(), nullptr};
        } else {
          cub::DoubleBuffer<Value> values{static_cast<Value*>(on.values), static_cast<Value*>(on.other_values)};
          check(
              by_digits
                  ? cub::DeviceSegmentedRadixSort::SortPairs(memory, bytes, keys, values, n, count, begins, begins + 1)
                  : cub::DeviceSegmentedSort::SortPairs(memory, bytes, keys, values, n, count, begins, begins + 1));
          return outcome{keys.Current(), values.Current()};
        }
      },
      asked.n * element_bytes(asked.element()));
}

preparation offer(const problem& asked, bool by_digits) {
  constexpr std::size_t least_for_digits = 1000;  // it uses a block per segment, however short
  if (by_digits && (asked.lengths != segment_lengths::alike || asked.ways < least_for_digits)) return {};
  if (asked.what == operation::segmented_sort) {
    if (asked.type == "u32") return [=] { return sort_segments<std::uint32_t, void>(asked, by_digits); };
    if (asked.type == "u64") return [=] { return sort_segments<std::uint64_t, void>(asked, by_digits); };
    if (asked.type == "f32") return [=] { return sort_segments<float, void>(asked, by_digits); };
  }
  if (asked.what == operation::segmented_argsort && !by_digits && asked.element() == "u32+u32")
    return [=] { return argsort_segments<std::uint32_t, std::uint32_t>(asked); };
  if (asked.what == operation::segmented_sort_by_key && asked.type == "u32+u32")
    return [=] { return sort_segments<std::uint32_t, std::uint32_t>(asked, by_digits); };
  return {};
}

const registered segmented{"cub_segmented_sort", true, [](const problem& asked) { return offer(asked, false); }};
const registered radix{"cub_segmented_radix", true, [](const problem& asked) { return offer(asked, true); }};

}  // namespace
}  // namespace bench
