// How transfers.cpp copies arrays of many MiB: in pieces, by lanes, the threads' pairs of staging buffers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "staging.hpp"
#include "transfers.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpu::inline v1::detail::device {

/// Buffers of a lane: one is filled or emptied while the other travels.
inline constexpr std::size_t buffers_per_lane = 2;
/// Least bytes of a piece, in small and in large transfers: smaller pieces take longer to enqueue than to copy, but a
/// small transfer, too, must give every lane something to do.
inline constexpr std::size_t least_piece = std::size_t{1} << 18;
inline constexpr std::size_t least_of_many = std::size_t{1} << 20;
inline constexpr std::size_t cache_line = 64;  ///< bytes

/// Copies with stores that bypass the caches: the target, which is not read soon, need not be read before it is
/// written.
inline void copy_to_memory(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  const std::size_t head =
      std::min((cache_line - reinterpret_cast<std::uintptr_t>(to) % cache_line) % cache_line, bytes);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + cache_line <= bytes; at += cache_line)
    for (std::size_t word = at; word < at + cache_line; word += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + word),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word)));
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

inline std::byte* bytes_at(void* memory, std::size_t offset) { return static_cast<std::byte*>(memory) + offset; }

/// Segments cut into pieces of at most one buffer, which are handed out in order to the threads that request them. The
/// wire is idle while the first pieces are filled and while the last are emptied, so these are small.
class transfers::pieces {
 public:
  pieces(const std::vector<segment>& segments, std::size_t lanes, function_ref<void(std::size_t)> arrived)
      : segments_{segments}, arrived_{arrived}, lanes_{lanes}, missing_(segments.size()) {
    for (std::size_t i = 0; i < segments.size(); ++i) left_ += missing_[i] = segments[i].bytes;
    least_ = std::clamp(left_ / (buffers_per_lane * lanes), least_piece, least_of_many);
  }

  struct piece : segment {
    std::size_t of;  ///< the number of its segment
  };

  /// False when none is left. Called by several threads at once.
  bool next(piece& given) {
    const std::lock_guard lock{mutex_};
    if (left_ == 0) return false;
    while (offset_ == segments_[segment_].bytes) {
      ++segment_;
      offset_ = 0;
    }
    const segment& all = segments_[segment_];
    const std::size_t share = std::min(least_ + taken_ / lanes_, left_ / (buffers_per_lane * lanes_));
    const std::size_t bytes =
        std::min(std::clamp(share, least_, staging_buffer_bytes) / cache_line * cache_line, all.bytes - offset_);
    given = {{bytes_at(all.device, offset_), bytes_at(all.host, offset_), bytes, all.ready}, segment_};
    taken_ += bytes;
    left_ -= bytes;
    offset_ += bytes;
    return true;
  }

  /// To be called when the copy of a piece is enqueued. Announces the segments that are complete, in order, while other
  /// threads go on.
  void enqueued(const piece& done) {
    if (!completes(done)) return;
    const std::lock_guard lock{announcing_};
    for (; announced_ < segments_.size() && complete(announced_); ++announced_) arrived_(announced_);
  }

 private:
  bool completes(const piece& done) {
    const std::lock_guard lock{mutex_};
    return (missing_[done.of] -= done.bytes) == 0;
  }
  bool complete(std::size_t which) {
    const std::lock_guard lock{mutex_};
    return missing_[which] == 0;
  }

  std::mutex mutex_;
  const std::vector<segment>& segments_;
  function_ref<void(std::size_t)> arrived_;
  std::size_t lanes_;
  std::size_t least_ = 0;    ///< bytes of a piece
  std::size_t segment_ = 0;  ///< the segment that the next piece comes from,
  std::size_t offset_ = 0;   ///< and where it begins there
  std::size_t taken_ = 0;
  std::size_t left_ = 0;
  std::vector<std::size_t> missing_;  ///< bytes of each segment that are not enqueued
  std::mutex announcing_;
  std::size_t announced_ = 0;  ///< segments that were announced
};

/// One thread's buffers, used in turn, each with an event that shows when the device has finished with it.
class transfers::lane {
 public:
  lane(std::byte* first, std::byte* second) : slots_{slot{first}, slot{second}} {}

  void upload(pieces& work, cudaStream_t stream) {
    for (pieces::piece piece; work.next(piece);) {
      const slot& free = slots_[turn_++ % buffers_per_lane];
      free.done.wait(stream);  // at once if never recorded
      std::memcpy(free.buffer, piece.host, piece.bytes);
      copy_bytes(stream, piece.device, free.buffer, piece.bytes, cudaMemcpyHostToDevice);
      free.done.record(stream);
      work.enqueued(piece);
    }
  }

  void download(pieces& work, cudaStream_t stream) {
    std::array<pieces::piece, buffers_per_lane> under_way;
    cudaEvent_t awaited = nullptr;
    std::size_t asked = 0;
    std::size_t arrived = 0;
    for (bool more = true; more || arrived < asked;) {
      for (; more && asked < arrived + buffers_per_lane; ++asked) {
        pieces::piece& piece = under_way[asked % buffers_per_lane];
        more = work.next(piece);
        if (!more) break;
        if (piece.ready && piece.ready != awaited) wait_for(awaited = piece.ready, stream);
        const slot& free = slots_[asked % buffers_per_lane];
        copy_bytes(stream, free.buffer, piece.device, piece.bytes, cudaMemcpyDeviceToHost);
        free.done.record(stream);
      }
      if (arrived == asked) break;
      const slot& full = slots_[arrived % buffers_per_lane];
      const segment& piece = under_way[arrived++ % buffers_per_lane];
      full.done.wait(stream);
      copy_to_memory(static_cast<std::byte*>(piece.host), full.buffer, piece.bytes);
    }
  }

 private:
  struct slot {
    std::byte* buffer;
    own_event done{};
  };
  std::array<slot, buffers_per_lane> slots_;
  std::size_t turn_ = 0;
};

}  // namespace gpu::inline v1::detail::device
