#include "run_cuts.hpp"

#include <algorithm>
#include <cstring>

namespace gpu::inline v1::detail::device {
namespace {

std::size_t samples_of(const run_parts& runs, std::size_t distance) {
  std::size_t total = 0;
  for (std::size_t r = 0; r < runs.count(); ++r) total += runs.rows(r) / distance;
  return total;
}

/// Narrows, by samples, the parts that contain the cut before the first `rank` elements; false if the samples are
/// contradictory, because the comparator is inconsistent.
bool narrow(const context& context, const run_steps& steps, const column& keys, run_parts& undecided, std::size_t& rank,
            std::size_t distance) {
  const run_samples samples{context, keys, undecided, distance};
  const std::size_t runs = undecided.count();
  const std::size_t surely = rank / distance > runs ? rank / distance - runs : 0;
  const std::size_t enough = (rank + distance - 1) / distance;
  const std::vector<std::size_t> before = cut_pieces(context, steps, samples.pieces(), surely);
  const run_parts whole = undecided;
  for (std::size_t r = 0; r < runs; ++r) undecided.begins[r] += before[r] * distance;
  if (sum_of(before) != surely) return false;
  rank -= surely * distance;
  if (enough <= samples.total()) {
    const std::vector<std::size_t> reach = cut_pieces(context, steps, samples.pieces(), enough);
    for (std::size_t r = 0; r < runs; ++r)
      undecided.ends[r] = std::min(undecided.ends[r], whole.begins[r] + (reach[r] + 1) * distance - 1);
  }
  for (std::size_t r = 0; r < runs; ++r)
    if (undecided.begins[r] > undecided.ends[r]) return false;
  return rank <= undecided.rows() && undecided.rows() < whole.rows();
}

}  // namespace

std::vector<std::size_t> take_in_order(std::vector<std::size_t> counts, std::size_t rows) {
  for (std::size_t& count : counts) {
    count = std::min(count, rows);
    rows -= count;
  }
  return counts;
}

std::vector<std::size_t> cut_pieces(const context& context, const run_steps& steps,
                                    const std::vector<merge_input>& pieces, std::size_t rank) {
  std::vector<std::size_t> cuts(2 * pieces.size());  // zeros, then the wanted cuts
  if (rank > 0) steps.cut(context, pieces, rank, 2, cuts.data());
  return {cuts.begin() + static_cast<std::ptrdiff_t>(pieces.size()), cuts.end()};
}

std::size_t cut_bytes(std::size_t n, std::size_t pieces, std::size_t steps, std::size_t element_bytes) {
  constexpr std::size_t most_key_bytes = 16, alignment = 2 * 256;
  return n * std::min(element_bytes, most_key_bytes) + (steps + 1) * pieces * sizeof(std::size_t) + alignment;
}

std::size_t run_parts::rows() const noexcept { return sum_of(ends) - sum_of(begins); }

run_samples::run_samples(const context& context, const column& keys, const run_parts& runs, std::size_t distance)
    : total_{samples_of(runs, distance)},
      on_host_{total_ * keys.element_bytes},
      memory_{context, {keys}, std::max<std::size_t>(total_, 1)} {
  std::byte* next = on_host_.data();
  auto* on_device = static_cast<std::byte*>(memory_.columns()[0].data);
  for (std::size_t r = 0; r < runs.count(); ++r) {
    const std::size_t count = runs.rows(r) / distance;
    pieces_.push_back({on_device, count});
    on_device += count * keys.element_bytes;
    for (std::size_t i = 1; i <= count; ++i, next += keys.element_bytes)
      std::memcpy(next,
                  static_cast<const std::byte*>(keys.data) + (runs.begins[r] + i * distance - 1) * keys.element_bytes,
                  keys.element_bytes);
  }
  copy_bytes(context.stream, memory_.columns()[0].data, on_host_.data(), on_host_.size(), cudaMemcpyHostToDevice);
}

std::vector<std::size_t> cut_runs(const context& context, const run_steps& steps, const column& keys,
                                  const run_parts& runs, std::size_t rank, std::size_t most) {
  run_parts undecided = runs;
  const std::size_t all = rank;
  for (bool sensible = true; sensible && rank > 0 && rank < undecided.rows();) {
    const std::size_t distance = (undecided.rows() + most - 1) / most;
    if (distance > 1) {
      sensible = narrow(context, steps, keys, undecided, rank, distance);
      continue;
    }
    const std::vector<std::size_t> cuts =
        cut_pieces(context, steps, run_samples{context, keys, undecided, 1}.pieces(), rank);
    sensible = sum_of(cuts) == rank;
    for (std::size_t r = 0; r < undecided.count() && sensible; ++r) undecided.ends[r] = undecided.begins[r] += cuts[r];
    rank = 0;
  }
  std::vector<std::size_t>& cut = rank == 0 ? undecided.begins : undecided.ends;
  bool right = sum_of(cut) - sum_of(runs.begins) == all;
  for (std::size_t r = 0; r < runs.count(); ++r) right &= runs.begins[r] <= cut[r] && cut[r] <= runs.ends[r];
  if (right) return cut;
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < runs.count(); ++r) counts.push_back(runs.rows(r));
  counts = take_in_order(counts, all);  // the comparator is inconsistent
  for (std::size_t r = 0; r < runs.count(); ++r) counts[r] += runs.begins[r];
  return counts;
}

}  // namespace gpu::inline v1::detail::device
