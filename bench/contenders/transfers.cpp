// Not a sort: the two copies, to the device and back, that every device sort of host data needs at least.
#include <cuda_runtime.h>

#include <memory>

#include "../contender.hpp"
#include "../cuda_check.hpp"
#include "../elements.hpp"
#include "../memory.hpp"

namespace bench {
namespace {

prepared copy_there_and_back(std::size_t bytes) {
  const auto memory = std::make_shared<block>(place::device, bytes);
  return {[memory, bytes](const arrays& on) {
            check(cudaMemcpy(memory->data(), on.keys, bytes, cudaMemcpyHostToDevice));
            check(cudaMemcpy(on.keys, memory->data(), bytes, cudaMemcpyDeviceToHost));
            return outcome{on.keys, nullptr};
          },
          {},
          false};
}

const registered transfers{
    "transfers", true, [](const problem& asked) -> preparation {
      if (asked.what != operation::host_sort_pageable && asked.what != operation::host_sort_pinned) return {};
      return [bytes = asked.n * element_bytes(asked.element())] { return copy_there_and_back(bytes); };
    }};

}  // namespace
}  // namespace bench
