// Segmented sorts of gpupar, with data and offsets in device memory.
#include <gpu/algorithm.hpp>

#include "../contender.hpp"
#include "device_offsets.hpp"

namespace bench {
namespace {

template <class Key, class Value>
preparation offer_segments(const problem& asked) {
  return [asked] {
    return prepared{[asked, offsets = device_offsets{asked}](const arrays& on) {
                      const gpu::device_span keys{static_cast<Key*>(on.keys), asked.n};
                      const gpu::device_span segments{offsets.data(), offsets.size()};
                      if constexpr (std::is_void_v<Value>) {
                        gpu::segmented_sort(gpu::par_nosync, keys, segments);
                      } else {
                        const gpu::device_span values{static_cast<Value*>(on.values), asked.n};
                        if (asked.what == operation::segmented_argsort)
                          gpu::segmented_argsort(gpu::par_nosync, keys, segments, values);
                        else
                          gpu::segmented_sort_by_key(gpu::par_nosync, keys, segments, values);
                      }
                      return outcome{on.keys, on.values};
                    },
                    {},
                    asked.what != operation::segmented_argsort};
  };
}

preparation offer(const problem& asked) {
  if (asked.what == operation::segmented_sort) {
    if (asked.type == "u32") return offer_segments<std::uint32_t, void>(asked);
    if (asked.type == "u64") return offer_segments<std::uint64_t, void>(asked);
    if (asked.type == "f32") return offer_segments<float, void>(asked);
  }
  if ((asked.what == operation::segmented_sort_by_key || asked.what == operation::segmented_argsort) &&
      asked.element() == "u32+u32")
    return offer_segments<std::uint32_t, std::uint32_t>(asked);
  return {};
}

const registered gpupar{"gpupar", true, offer};

}  // namespace
}  // namespace bench
