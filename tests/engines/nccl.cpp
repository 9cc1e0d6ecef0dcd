// Calls over the ranks of an NCCL communicator: one rank for each device, each in a thread of its own.
#include <gpu/nccl.hpp>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "device_memory.hpp"
#include "ranks.hpp"

namespace {

using namespace testing;

/// Calls body(ranks) on one thread for each device.
template <class Body>
void on_nccl_ranks(const Body& body) {
  const int count = gpu::device_count();
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<std::thread> threads;
  for (int device = 0; device < count; ++device)
    threads.emplace_back([&, device] {
      CHECK(cudaSetDevice(device) == cudaSuccess);
      ncclComm_t ranks;
      CHECK(ncclCommInitRank(&ranks, count, id, device) == ncclSuccess);
      {
        gpu::nccl_communicator wrapped{ranks};
        body(wrapped);
      }
      CHECK(ncclCommDestroy(ranks) == ncclSuccess);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("nccl: sorts leave every rank its part of the sorted sequence") {
  if (gpu::device_count() == 0) return skip("no device");
  const auto p = static_cast<std::size_t>(gpu::device_count());
  for (const division& sizes : divisions)
    for (const key_shape& keys : key_shapes) {
      const auto parts = make_parts(sizes, keys, p, 50000, [](std::uint64_t key, std::size_t, std::size_t) {
        return static_cast<std::uint32_t>(key);
      });
      auto all = joined(parts);
      std::sort(all.begin(), all.end());
      const auto expected = divided(all, parts);
      on_nccl_ranks([&](gpu::communicator& ranks) {
        const std::string what = std::string{keys.name} + ", " + sizes.name;
        auto mine = parts[ranks.rank()];
        gpu::sort(gpu::par.over(ranks), mine);
        expect(mine == expected[ranks.rank()], "host memory, " + what);

        const auto& before = parts[ranks.rank()];
        std::uint32_t* data = nullptr;
        CHECK(cudaMalloc(reinterpret_cast<void**>(&data), (before.size() + 1) * sizeof(*data)) == cudaSuccess);
        CHECK(cudaMemcpy(data, before.data(), before.size() * sizeof(*data), cudaMemcpyDefault) == cudaSuccess);
        gpu::sort(gpu::par.over(ranks), gpu::device_span{data, before.size()});
        CHECK(cudaMemcpy(mine.data(), data, before.size() * sizeof(*data), cudaMemcpyDefault) == cudaSuccess);
        CHECK(cudaFree(data) == cudaSuccess);
        expect(mine == expected[ranks.rank()], "device memory, " + what);

        std::vector<std::uint32_t> merged(2 * mine.size()), right(2 * all.size());
        gpu::merge(gpu::par.over(ranks), mine, mine, merged.begin());
        std::merge(all.begin(), all.end(), all.begin(), all.end(), right.begin());
        expect(p > 1 || merged == right, "merge, " + what);
        expect(gpu::is_sorted(gpu::par.over(ranks), merged), "is_sorted, " + what);
      });
    }
}

TEST_CASE("nccl: host memory travels in rounds") {
  if (gpu::device_count() == 0) return skip("no device");
  on_nccl_ranks([&](gpu::communicator& ranks) {
    const std::size_t p = ranks.size(), some = (std::size_t{20} << 20) + 13;
    const std::vector<std::size_t> each(p, some);
    std::vector<unsigned char> to(p * some), from(p * some);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<unsigned char>(random_at(ranks.rank(), i / some * some + i % some));
    ranks.exchange({to.data(), each.data(), from.data(), each.data()});
    bool right = true;
    for (std::size_t i = 0; i < from.size(); ++i)
      right = right && from[i] == static_cast<unsigned char>(random_at(i / some, ranks.rank() * some + i % some));
    expect(right, "bytes of rank " + std::to_string(ranks.rank()));
  });
}
