// cub::DeviceTopK from a newer CUB than the toolkit's, which neither sorts its selection nor is deterministic: see
// GPUPAR_BENCH_CCCL.
#include <cub/device/device_topk.cuh>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/iterator>

#include "../elements.hpp"
#include "two_step.cuh"

namespace bench {
namespace {

template <class Key>
prepared select_keys(std::size_t n, std::size_t k, bool places) {
  auto result = with_temporary_memory(
      [=](void* memory, std::size_t& bytes, const arrays& on) {
        const auto wishes = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                     cuda::execution::output_ordering::unsorted);
        const auto* const keys = static_cast<const Key*>(on.keys);
        auto* const selected = static_cast<Key*>(on.other_keys);
        if (places) {
          auto* const indices = reinterpret_cast<std::uint32_t*>(selected + k);
          check(cub::DeviceTopK::MaxPairs(memory, bytes, keys, selected, cuda::counting_iterator<std::uint32_t>{0},
                                          indices, n, k, wishes));
        } else {
          check(cub::DeviceTopK::MaxKeys(memory, bytes, keys, selected, n, k, wishes));
        }
        return outcome{selected, nullptr};
      },
      0);
  result.has_result = false;
  return result;
}

using elements = element_list<element<std::uint32_t>, element<std::uint64_t>, element<float>>;

const registered cub_topk{"cub_topk", true, [](const problem& asked) -> preparation {
                            if (asked.what != operation::top_k && asked.what != operation::arg_top_k) return {};
                            return with_element<preparation>(asked.element(), elements{}, [&](auto e) -> preparation {
                              using key = typename decltype(e)::key_type;
                              return [n = asked.n, k = asked.ways, places = asked.what == operation::arg_top_k] {
                                return select_keys<key>(n, k, places);
                              };
                            });
                          }};

}  // namespace
}  // namespace bench
