#include "transfers.hpp"

#include <gpu/detail/host/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "current_device.hpp"
#include "staging.hpp"
#include "transfer_lanes.hpp"

namespace gpu::inline v1::detail::device {
namespace {

/// Threads that copy. Eight keep up with 55 GB/s; more gain nothing and take cores from the caller's other threads.
constexpr std::size_t most_lanes = 8;
/// For a few MiB that are copied at once: the least bytes of a part, and the size from which on other threads are
/// woken, which takes some 50 us.
constexpr std::size_t least_part = std::size_t{1} << 17;
constexpr std::size_t worth_waking = std::size_t{3} << 18;
constexpr std::size_t parts_per_thread = 2;  ///< so that a thread that wakes late has less to do

}  // namespace

transfers::transfers() : own_{std::in_place}, stream_{own_->get()} { check(cudaGetDevice(&device_)); }

transfers::transfers(cudaStream_t stream) : stream_{stream} { check(cudaGetDevice(&device_)); }

transfers::~transfers() {
  (void)synchronize(stream());
  if (!buffers_.empty()) staging_pool::instance().give_back(buffers_);
}

/// Opens the lanes, if none are open; returns whether there are any.
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
      std::clamp(all_bytes / shares, least_part, staging_buffer_bytes - cache_line) / cache_line * cache_line +
      cache_line;
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

/// All parts are in the buffers before any is copied to its target, and nothing can fail from then on.
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
  std::vector<segment> through_buffers;  // allocated before anything arrives
  through_buffers.reserve(segments.size());
  std::copy_if(segments.begin(), segments.end(), std::back_inserter(through_buffers), is_staged);
  pieces work{through_buffers, std::max<std::size_t>(lanes_.size(), 1), nobody};
  if (how == way::at_once) download_at_once(chosen.parts);
  for (const segment& all : segments)
    if (!is_staged(all)) enqueue(all, cudaMemcpyDeviceToHost);
  if (how == way::in_pieces)
    in_threads(lanes_.size(), [&](std::size_t index) { lanes_[index].download(work, stream()); });
}

}  // namespace gpu::inline v1::detail::device
