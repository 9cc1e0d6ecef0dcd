// Segments on the host: validating them, and dividing them among the threads.
#include <gpu/detail/host/segments.hpp>

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/host/buffer.hpp>
#include <gpu/detail/host/parallel.hpp>
#include <gpu/detail/host/sort.hpp>
#include <gpu/error.hpp>

namespace gpu::inline v1::detail {
namespace {

using host::default_tuning;

/// Whether all pairs of neighbours satisfy `right`, a function of the index of the first one.
template <class Right>
bool all_neighbours(std::size_t count, const Right& right) {
  return host::all_hold<default_tuning>(count > 0 ? count - 1 : 0, right);
}

/// Whether any segments share elements. Segments may be in any order; empty ones share none.
bool overlap(const segment_bounds& bounds, std::size_t n) {
  if (all_neighbours(bounds.count, [&](std::size_t i) { return bounds.of(i, n).end <= bounds.of(i + 1, n).begin; }))
    return false;
  host::buffer<segment_range> filled(bounds.count);
  std::size_t count = 0;
  for (std::size_t i = 0; i < bounds.count; ++i)
    if (const segment_range one = bounds.of(i, n); one.count() > 0) filled[count++] = one;
  host::sort(filled.data(), count, [](const segment_range& a, const segment_range& b) { return a.begin < b.begin; });
  return !all_neighbours(count, [&](std::size_t i) { return filled[i].end <= filled[i + 1].begin; });
}

/// The work for segments [first, last): their elements, plus a constant cost per segment.
std::size_t weight(const segment_bounds& bounds, std::size_t n, std::size_t first, std::size_t last) {
  constexpr std::size_t each = 4;
  const std::size_t beside = each * (last - first);
  if (bounds.are_neighbours()) return bounds.of(last - 1, n).end - bounds.of(first, n).begin + beside;
  std::size_t elements = 0;
  for (std::size_t i = first; i < last; ++i) elements += bounds.of(i, n).count();
  return elements + beside;
}

void divide_segments(const segment_bounds& bounds, std::size_t n, std::size_t first, std::size_t last,
                     function_ref<void(std::size_t, std::size_t)> body) {
  constexpr std::size_t grain = default_tuning::parallel_grain;
  if (last - first <= 1 || weight(bounds, n, first, last) <= grain) return body(first, last);
  const std::size_t middle = first + (last - first) / 2;
  host::fork_join([&] { divide_segments(bounds, n, first, middle, body); },
                  [&] { divide_segments(bounds, n, middle, last, body); });
}

}  // namespace

void require_segments(const segment_bounds& bounds, std::size_t n) {
  if (!host::all_hold<default_tuning>(bounds.count, [&](std::size_t i) { return bounds.is_valid(i, n); }))
    refuse(errc::invalid_range,
           "a segment ends before it begins, or behind the last element: offsets ascend, from 0 to the range's size");
  if (!bounds.are_neighbours() && overlap(bounds, n))
    refuse(errc::invalid_range, "segments overlap: an element belongs to one segment at most");
}

void host::for_segments(const segment_bounds& bounds, std::size_t n,
                        function_ref<void(std::size_t, std::size_t)> body) {
  if (bounds.count == 0) return;
  if (concurrency() == 1) return body(0, bounds.count);
  divide_segments(bounds, n, 0, bounds.count, body);
}

}  // namespace gpu::inline v1::detail
