// Finds where to cut sorted sequences such that the pieces before the cuts are the first elements of their merge, for
// given numbers of these.
#pragma once

#include <cstddef>
#include <vector>

#include "../launching/scratch.cuh"
#include "../launching/wait.cuh"
#include "../rows/runs.hpp"
#include "multiway_selection.cuh"

namespace gpu::inline v1::detail::device {

static_assert(most_pieces == max_sequences);

/// See run_steps::cut; the pieces' keys are Keys as they are in memory.
template <class Key, class Less, class Codec>
void cut_pieces(const context& context, const std::vector<merge_input>& pieces, std::size_t step, std::size_t steps,
                std::size_t* cuts, Less less, Codec codec) {
  sequence_set<Key, no_value> set{};
  set.count = static_cast<int>(pieces.size());
  for (std::size_t s = 0; s < pieces.size(); ++s)
    set.items[s] = {{static_cast<const Key*>(pieces[s].data), nullptr}, pieces[s].count};
  const scratch<scratch_array<std::size_t>> memory{context, (steps + 1) * pieces.size()};
  device::select_cuts(context, set, step, 0, steps, memory->data, static_cast<Key*>(nullptr), less, codec);
  copy_bytes(context.stream, cuts, memory->data, steps * pieces.size() * sizeof(std::size_t), cudaMemcpyDeviceToHost);
  device::wait(context.stream);
}

}  // namespace gpu::inline v1::detail::device
