#include "transfers.hpp"

#include <gpu/detail/host/executor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <numeric>
#include <utility>

#include "current_device.hpp"
#include "staging.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpu {
inline namespace v1 {
namespace detail::device {
namespace {

/// Threads that copy. Eight keep up with 55 GB/s; more gain nothing and take cores from the caller's other threads.
constexpr std::size_t most_lanes = 8;
/// Buffers of a lane: one is filled or emptied while the other travels.
constexpr std::size_t buffers_per_lane = 2;
/// Bytes of a piece at least, of few and of many: smaller ones take longer to enqueue than to copy, but what is small
/// as a whole must give every lane something to do.
constexpr std::size_t least_piece = std::size_t{1} << 18;
constexpr std::size_t least_of_many = std::size_t{1} << 20;
/// Of a few MiB that travel at once: what is copied at a time, at least, and from where on other threads are woken,
/// which takes some 50 us.
constexpr std::size_t least_part = std::size_t{1} << 17;
constexpr std::size_t worth_waking = std::size_t{3} << 18;
constexpr std::size_t parts_per_thread = 2;  ///< so that one that wakes late has less to do
constexpr std::size_t line = 64;             ///< bytes of a cache line

/// Copies around the caches: memory that nobody reads soon need not be read before it is written.
void copy_to_memory(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  const std::size_t head = std::min((line - reinterpret_cast<std::uintptr_t>(to) % line) % line, bytes);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + line <= bytes; at += line)
    for (std::size_t word = at; word < at + line; word += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + word),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word)));
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

std::byte* bytes_at(void* memory, std::size_t offset) { return static_cast<std::byte*>(memory) + offset; }

}  // namespace

/// Segments cut into pieces of one buffer at most, handed out in order to whoever asks. While the first pieces are
/// filled, or the last are emptied, the wire is idle: these are small.
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
        std::min(std::clamp(share, least_, staging_buffer_bytes) / line * line, all.bytes - offset_);
    given = {{bytes_at(all.device, offset_), bytes_at(all.host, offset_), bytes, all.ready}, segment_};
    taken_ += bytes;
    left_ -= bytes;
    offset_ += bytes;
    return true;
  }

  /// The copy of a piece is enqueued. Announces segments that are complete, while others go on.
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
  std::size_t segment_ = 0;  ///< the one that the next piece comes from,
  std::size_t offset_ = 0;   ///< and where it begins there
  std::size_t taken_ = 0;
  std::size_t left_ = 0;
  std::vector<std::size_t> missing_;  ///< bytes of each segment that are not enqueued
  std::mutex announcing_;
  std::size_t announced_ = 0;  ///< segments that were announced
};

/// What one thread uses: its buffers in turn, each with an event that tells when the device has done with it.
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

transfers::transfers() : own_{std::in_place}, stream_{own_->get()} { check(cudaGetDevice(&device_)); }

transfers::transfers(cudaStream_t stream) : stream_{stream} { check(cudaGetDevice(&device_)); }

transfers::~transfers() {
  (void)synchronize(stream());
  if (!buffers_.empty()) staging_pool::instance().give_back(buffers_);
}

/// Whether there are any.
bool transfers::open_lanes() {
  if (!lanes_.empty()) return true;
  const std::size_t wanted = std::min(most_lanes, host::concurrency()) * buffers_per_lane;
  lanes_.reserve(wanted / buffers_per_lane);
  take_buffers(wanted);
  for (std::size_t i = 0; i + 1 < buffers_.size(); i += buffers_per_lane)
    lanes_.emplace_back(buffers_[i], buffers_[i + 1]);
  return !lanes_.empty();
}

void transfers::take_buffers(std::size_t wanted) {
  if (buffers_.size() >= wanted) return;
  buffers_.reserve(wanted);  // so that nothing fails between taking and keeping them
  const auto more = staging_pool::instance().take(wanted - buffers_.size());
  buffers_.insert(buffers_.end(), more.begin(), more.end());
}

transfers::route transfers::route_of(const std::vector<segment>& segments) {
  std::vector<segment> pageable;
  std::size_t bytes = 0;
  for (const segment& all : segments) {
    if (!is_pageable(all.host)) continue;
    pageable.push_back(all);
    bytes += all.bytes;
  }
  if (!worth_staging(bytes)) return {way::directly, {}};
  if (!travels_at_once(bytes)) return {open_lanes() ? way::in_pieces : way::directly, {}};
  std::vector<part> parts = parts_of(pageable, bytes);
  const way how = parts.empty() ? way::directly : way::at_once;
  return {how, std::move(parts)};
}

void transfers::make_ready(const std::vector<segment>& segments) { (void)route_of(segments); }

void transfers::enqueue(const segment& whole, cudaMemcpyKind direction) const {
  const bool up = direction == cudaMemcpyHostToDevice;
  if (whole.ready) wait_for(whole.ready, stream());
  copy_bytes(stream(), up ? whole.device : whole.host, up ? whole.host : whole.device, whole.bytes, direction);
}

template <class Copy>
void transfers::in_threads(std::size_t count, const Copy& copy) {
  host::for_each_index(count, [&](std::size_t index) {
    const current_device here{device_};  // a thread of the executor has its own
    copy(index);
  });
}

std::vector<transfers::part> transfers::parts_of(const std::vector<segment>& pageable, std::size_t all_bytes) {
  const std::size_t shares = parts_per_thread * std::min(most_lanes, host::concurrency());
  const std::size_t bytes =
      std::clamp(all_bytes / shares, least_part, staging_buffer_bytes - line) / line * line + line;
  std::vector<part> parts;
  for (const segment& all : pageable) {
    for (std::size_t at = 0; at < all.bytes; at += bytes) {
      const std::size_t here = std::min(bytes, all.bytes - at);
      parts.push_back({{bytes_at(all.device, at), bytes_at(all.host, at), here, all.ready}, nullptr});
    }
  }
  const std::size_t in_buffer = staging_buffer_bytes / bytes;
  take_buffers((parts.size() + in_buffer - 1) / in_buffer);
  if (parts.size() > buffers_.size() * in_buffer) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].buffer = buffers_[i / in_buffer] + i % in_buffer * bytes;
  return parts;
}

bool transfers::wakes_threads(const std::vector<part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                         [](std::size_t sum, const part& one) { return sum + one.bytes; }) >= worth_waking;
}

void transfers::upload_at_once(const std::vector<part>& parts) {
  wait();  // for copies out of the same buffers
  const auto send = [&](std::size_t index) {
    const part& own = parts[index];
    std::memcpy(own.buffer, own.host, own.bytes);
    copy_bytes(stream(), own.device, own.buffer, own.bytes, cudaMemcpyHostToDevice);
  };
  if (wakes_threads(parts)) return in_threads(parts.size(), send);
  for (std::size_t i = 0; i < parts.size(); ++i) send(i);
}

/// All have arrived before any is copied on, and nothing can fail from then on.
void transfers::download_at_once(const std::vector<part>& parts) {
  for (const part& one : parts) {
    if (one.ready) wait_for(one.ready, stream());
    copy_bytes(stream(), one.buffer, one.device, one.bytes, cudaMemcpyDeviceToHost);
  }
  wait();
  const auto receive = [&](std::size_t index) {
    std::memcpy(parts[index].host, parts[index].buffer, parts[index].bytes);
  };
  if (wakes_threads(parts)) return host::for_each_index(parts.size(), receive);
  for (std::size_t i = 0; i < parts.size(); ++i) receive(i);
}

void transfers::upload(const std::vector<segment>& segments, function_ref<void(std::size_t)> arrived) {
  const auto [how, parts] = route_of(segments);
  if (how == way::in_pieces) {
    pieces work{segments, lanes_.size(), arrived};
    return in_threads(lanes_.size(), [&](std::size_t index) { lanes_[index].upload(work, stream()); });
  }
  if (how == way::at_once) upload_at_once(parts);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (how == way::directly || !is_pageable(segments[i].host)) enqueue(segments[i], cudaMemcpyHostToDevice);
    arrived(i);
  }
}

void transfers::download(const std::vector<segment>& segments) {
  const route chosen = route_of(segments);
  const way how = chosen.how;
  const auto is_staged = [&](const segment& all) { return how != way::directly && is_pageable(all.host); };
  std::vector<segment> through_buffers;  // the memory that this takes is there before anything arrives
  through_buffers.reserve(segments.size());
  std::copy_if(segments.begin(), segments.end(), std::back_inserter(through_buffers), is_staged);
  pieces work{through_buffers, std::max<std::size_t>(lanes_.size(), 1), nobody};
  if (how == way::at_once) download_at_once(chosen.parts);
  for (const segment& all : segments)
    if (!is_staged(all)) enqueue(all, cudaMemcpyDeviceToHost);
  if (how == way::in_pieces)
    in_threads(lanes_.size(), [&](std::size_t index) { lanes_[index].download(work, stream()); });
}

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
