// gpupar on the device by a user-defined comparator, for which kernels are instantiated.
#include "gpupar_calls.hpp"

#include "../memory.hpp"

namespace bench {
namespace {

template <class Key>
prepared sort_by_comparator(const problem& asked) {
  const block standing_in{place::device, 256};
  const gpu::device_span keys{static_cast<Key*>(standing_in.data()), asked.n};
  return {[asked](const arrays& on) { return call_comparator<gpu::device_span, Key>(asked, gpu::par_nosync, on); },
          gpu::explain(gpu::par, keys, less{}).scratch_bytes};
}

using elements = element_list<element<std::uint32_t>, element<std::uint64_t>, element<record<16>>, element<record<32>>,
                              element<record100>, element<reversed32>, element<reversed64>>;

const registered gpupar{"gpupar", true, [](const problem& asked) -> preparation {
                          if (asked.what != operation::sort_comparator) return {};
                          return with_element<preparation>(asked.element(), elements{}, [&](auto e) -> preparation {
                            return [asked] { return sort_by_comparator<typename decltype(e)::key_type>(asked); };
                          });
                        }};

}  // namespace
}  // namespace bench
