#include "memory.hpp"

#include <gpu/memory.hpp>

#include <cstring>
#include <new>

#include "device.hpp"

namespace bench {
namespace {

constexpr std::align_val_t alignment{256};

void* allocate(place where, std::size_t bytes) {
  switch (where) {
    case place::pinned:
      return gpu::pinned_allocator<std::byte>{}.allocate(bytes);
    case place::device:
      return allocate_device(bytes);
    default:
      // Touched immediately: otherwise the first contender of a case would pay for the pages of an output, and the
      // others would not.
      return std::memset(::operator new(bytes, alignment), 0, bytes);
  }
}

}  // namespace

block::block(place where, std::size_t bytes) : where_{where}, data_{allocate(where, bytes)}, bytes_{bytes} {}

block::~block() {
  if (data_ == nullptr) return;
  if (where_ == place::pinned)
    gpu::pinned_allocator<std::byte>{}.deallocate(static_cast<std::byte*>(data_), bytes_);
  else if (where_ == place::device)
    deallocate_device(data_);
  else
    ::operator delete(data_, alignment);
}

std::byte* arena::reserve(std::size_t number, std::size_t bytes) {
  block& held = blocks_[number];
  if (held.bytes() < bytes) {
    held = {};
    held = block{where_, bytes};
  }
  return static_cast<std::byte*>(held.data());
}

}  // namespace bench
