// Scratch memory and copies of a rank, on the host or through the device backend.
#include <gpu/detail/distributed/agreement.hpp>
#include <gpu/detail/distributed/devices.hpp>
#include <gpu/detail/distributed/memory.hpp>
#include <gpu/detail/index.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>

#include <gpu/detail/host/buffer.hpp>

namespace gpu::inline v1::detail {
namespace {

/// Whether host memory of this size gets large pages, as in host::buffer.
bool has_large_pages(std::size_t bytes) noexcept { return bytes >= 4 * host::large_page; }

}  // namespace

rank_memory::rank_memory(const location& at, std::size_t bytes, std::size_t alignment, const execution_options& options)
    : at_{at},
      bytes_{bytes},
      alignment_{(std::max)({alignment, std::size_t{64}, has_large_pages(bytes) ? host::large_page : 0})},
      stream_{options.stream},
      resource_{options.resource == nullptr && on_device() ? &memory_for_peers() : options.resource} {
  if (bytes == 0) return;
  void* const memory = on_device() ? allocate_device_bytes(at_, bytes, resource_, stream_)
                                   : ::operator new(bytes, std::align_val_t{alignment_});
  data_ = static_cast<std::byte*>(memory);
  if (!on_device() && has_large_pages(bytes)) host::prefer_large_pages(data_, bytes);
}

rank_memory::~rank_memory() {
  if (data_ == nullptr) return;
  if (on_device())
    deallocate_device_bytes(at_, data_, bytes_, resource_, stream_);
  else
    ::operator delete(data_, std::align_val_t{alignment_});
}

void copy_rank_bytes(void* to, const void* from, std::size_t bytes, const execution_options& options) {
  if (bytes == 0) return;
  if (locate(to).kind == memory_kind::device || locate(from).kind == memory_kind::device)
    copy_any_bytes(to, from, bytes, options.stream);
  else
    std::memcpy(to, from, bytes);
}

void write_places(void* to, std::size_t bytes, std::size_t first, std::size_t count, const execution_options& options) {
  if (count > 0 && locate(to).kind == memory_kind::device)
    return write_device_indices(to, bytes, first, count, options.stream);
  with_index_of_bytes(bytes, [&]<class Index>(Index) {
    std::iota(static_cast<Index*>(to), static_cast<Index*>(to) + count, static_cast<Index>(first));
  });
}

void exchange_bytes(communicator& ranks, exchanged_bytes what, const execution_options& options) {
  what.stream = options.stream;
  if (!what.on_device || ranks.carries_device_memory()) return ranks.exchange(what);
  const std::size_t sent = sum_of(array_view{what.to_bytes, ranks.size()});
  const std::size_t got = sum_of(array_view{what.from_bytes, ranks.size()});
  std::optional<host::buffer<std::byte>> to, from;
  agreed(ranks, [&] {
    to.emplace(sent);
    from.emplace(got);
    if (sent > 0) copy_any_bytes(to->data(), what.to, sent, options.stream);
  });
  void* const received = what.from;
  what.to = to->data();
  what.from = from->data();
  what.on_device = false;
  ranks.exchange(what);
  agreed(ranks, [&] {
    if (got > 0) copy_any_bytes(received, from->data(), got, options.stream);
  });
}

}  // namespace gpu::inline v1::detail
