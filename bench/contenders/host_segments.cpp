// Segmented sorts on the host: gpupar, and a loop of std::sort.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <span>

#include "../contender.hpp"
#include "../segments.hpp"

namespace bench {
namespace {

/// A contender that calls sort(keys, values, offsets); values are empty if there are none.
template <class Sort>
preparation offer(const problem& asked, const Sort& sort) {
  if (asked.what != operation::segmented_sort || asked.type != "u32") return {};
  return [asked, sort] {
    return prepared{[asked, sort, offsets = offsets_of(asked)](const arrays& on) {
      sort(std::span{static_cast<std::uint32_t*>(on.keys), asked.n}, offsets);
      return outcome{on.keys, nullptr};
    }};
  };
}

const registered gpupar{"gpupar", false, [](const problem& asked) {
                          return offer(asked, [](auto keys, const auto& offsets) {
                            gpu::segmented_sort(gpu::par.require_host(), keys, offsets);
                          });
                        }};
const registered loop{"std", false, [](const problem& asked) {
                        return offer(asked, [](auto keys, const auto& offsets) {
                          for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
                            std::sort(keys.begin() + offsets[i], keys.begin() + offsets[i + 1]);
                        });
                      }};

}  // namespace
}  // namespace bench
