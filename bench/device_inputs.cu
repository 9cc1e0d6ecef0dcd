// Inputs in device memory, generated and checked by kernels.
#include <cuda_runtime.h>

#include <algorithm>

#include "cuda_check.hpp"
#include "device.hpp"
#include "inputs.hpp"
#include "segments.hpp"

namespace bench {
namespace {

constexpr unsigned threads = 256;

__device__ std::uint64_t first_index() { return blockIdx.x * std::uint64_t{threads} + threadIdx.x; }
__device__ std::uint64_t index_step() { return gridDim.x * std::uint64_t{threads}; }

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>((count + threads - 1) / threads, 1, 1 << 14));
}

/// The slots of a round, as passed to kernels: they follow each other in memory with a stride.
struct slot_array {
  recipe first;
  std::uint64_t slots, key_stride, value_stride, round_seed;

  __device__ recipe recipe_of(std::uint64_t slot) const {
    recipe made = first;
    made.seed = testing::random_at(round_seed, slot);
    return made;
  }
};

template <class Element>
__global__ void fill_kernel(std::byte* keys, std::byte* values, slot_array all) {
  const std::uint64_t n = all.first.n;
  for (std::uint64_t at = first_index(); at < n * all.slots; at += index_step()) {
    const std::uint64_t slot = at / n, i = at % n;
    auto* const to = reinterpret_cast<key_of<Element>*>(keys + slot * all.key_stride);
    to[i] = all.recipe_of(slot).template key<key_of<Element>>(i);
    if constexpr (Element::has_values)
      reinterpret_cast<value_of<Element>*>(values + slot * all.value_stride)[i] = static_cast<value_of<Element>>(i);
  }
}

/// Adds the sums of the threads to `total`, with one addition per warp.
__device__ void add_to(tally* total, tally sum) {
  for (int distance = 16; distance > 0; distance /= 2) {
    sum.hash += __shfl_down_sync(~0u, sum.hash, distance);
    sum.disordered += __shfl_down_sync(~0u, sum.disordered, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  using counter = unsigned long long;
  atomicAdd(reinterpret_cast<counter*>(&total->hash), static_cast<counter>(sum.hash));
  atomicAdd(reinterpret_cast<counter*>(&total->disordered), static_cast<counter>(sum.disordered));
}

template <class Element>
__global__ void input_tally_kernel(recipe made, tally* total) {
  tally sum;
  for (std::uint64_t i = first_index(); i < made.n; i += index_step()) sum.hash += input_hash<Element>(made, i);
  add_to(total, sum);
}

template <class Element>
__global__ void result_tally_kernel(rows<Element> sorted, tally* total) {
  tally sum;
  for (std::uint64_t i = first_index(); i < sorted.n; i += index_step()) sorted.add(i, sum);
  add_to(total, sum);
}

template <class Element>
class device_inputs final : public inputs {
 public:
  explicit device_inputs(layout where) : where_{std::move(where)} {
    if (!is_segmented(where_.asked().what)) return;
    const auto heads = heads_of(where_.asked());
    heads_ = block{place::device, heads.size() * sizeof(heads[0])};
    check(cudaMemcpy(heads_.data(), heads.data(), heads_.bytes(), cudaMemcpyHostToDevice));
  }

  [[nodiscard]] std::size_t slots() const override { return where_.slots(); }
  [[nodiscard]] arrays at(std::size_t slot) const override { return where_.at(slot); }

  void renew(std::uint64_t round) override {
    round_ = round;
    const arrays first = at(0), second = at(1);
    const auto stride = [](const void* from, const void* to) {
      return static_cast<std::uint64_t>(static_cast<const std::byte*>(to) - static_cast<const std::byte*>(from));
    };
    const slot_array all{where_.recipe_of(0, round), slots(), stride(first.keys, second.keys),
                         stride(first.values, second.values), testing::seed() + round};
    fill_kernel<Element><<<blocks_for(all.first.n * slots()), threads>>>(static_cast<std::byte*>(first.keys),
                                                                         static_cast<std::byte*>(first.values), all);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  }

  std::string fault_of(std::size_t slot, const outcome& result) override {
    const auto made = where_.recipe_of(slot, round_);
    const auto sorted =
        where_.template result_rows<Element>(slot, result, static_cast<const std::uint32_t*>(heads_.data()));
    const block totals{place::device, 2 * sizeof(tally)};
    auto* const total = static_cast<tally*>(totals.data());
    check(cudaMemset(total, 0, totals.bytes()));
    input_tally_kernel<Element><<<blocks_for(made.n), threads>>>(made, total);
    check(cudaGetLastError());
    result_tally_kernel<Element><<<blocks_for(made.n), threads>>>(sorted, total + 1);
    check(cudaGetLastError());
    tally sums[2];
    check(cudaMemcpy(sums, total, sizeof(sums), cudaMemcpyDeviceToHost));
    return fault_between(sums[0], sums[1]);
  }

 private:
  layout where_;
  std::uint64_t round_ = 0;
  block heads_;  ///< of segments
};

}  // namespace

std::unique_ptr<inputs> make_device_inputs(const problem& asked, arena& memory) {
  constexpr std::size_t most_slots = 1 << 16, least_slot_bytes = 256;
  const std::size_t slot_bytes = std::max(asked.n * element_bytes(asked.element()), least_slot_bytes);
  const std::size_t slots = std::clamp<std::size_t>(2 * l2_bytes() / slot_bytes, 1, most_slots);
  return with_element<std::unique_ptr<inputs>>(asked.element(), device_elements{}, [&](auto e) {
    return std::make_unique<device_inputs<decltype(e)>>(layout{asked, slots, memory});
  });
}

}  // namespace bench
