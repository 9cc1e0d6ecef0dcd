// In-place partition around a rank: the rows on the wrong side are listed, equally many on the left and on the right,
// and change places in pairs. No other row moves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../tuning/selection.hpp"
#include "keeping.cuh"
#include "rank.cuh"
#include "side_test.cuh"
#include "sides.cuh"

namespace gpu::inline v1::detail::device {

/// Lists the rows on the wrong side: on the left those greater than the threshold, on the right the others. Looks at
/// the positions of the side that no block has taken, and at its tiles that were left mixed. `pinned`: where the
/// threshold's own row has been moved, in exchange for the row that was there. `tile`: positions in a tile.
template <class Source, class Rank>
__global__ void __launch_bounds__(keeping_threads)
    stray_kernel(Source source, side from, bool on_left, unsigned tile, std::size_t pinned, const Rank* threshold,
                 const mixed_tile* mixed, side_state* state, Rank* strays, std::size_t capacity) {
  await_predecessors();
  __shared__ keeping_storage<Rank> shared;
  __shared__ unsigned long long base;
  const Rank border = *threshold;
  const std::size_t taken = min(state->claimed[on_left ? 0 : 1], static_cast<unsigned long long>(from.tiles));
  source_part part{from.begin + taken * tile, from.end};
  if (pinned != none_pinned) part.exchanged_a = pinned, part.exchanged_b = rank_parts<Rank>::index(border);
  unsigned long long* const count = &state->strays[on_left ? 0 : 1];
  const kept_ranks<Rank> kept{strays, capacity, count};
  side_test<Source, Rank>{source, {part, border}}.list(on_left, kept, shared);
  for (unsigned m = blockIdx.x; m < state->mixed; m += gridDim.x) {
    const mixed_tile& one = mixed[m];
    if (one.on_left != on_left) continue;
    const unsigned begin = on_left ? one.smaller : 0, end = on_left ? tile : one.smaller;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, static_cast<unsigned long long>(end - begin));
    __syncthreads();
    for (unsigned i = begin + threadIdx.x; i < end; i += keeping_threads)
      kept.put(base + (i - begin), rank_parts<Rank>::make(0u, part.former(one.begin + i)));
  }
}

template <class Word>
__device__ void swap_words(Word* a, Word* b, std::size_t i) {
  const Word held = a[i];
  a[i] = b[i];
  b[i] = held;
}

/// Exchanges the threshold's row with the row at the position where it belongs.
template <class Position>
__global__ void __launch_bounds__(exchange_threads)
    pin_kernel(std::byte* rows, std::size_t row_bytes, Position position, rank_indices threshold) {
  await_predecessors();
  const std::size_t from = threshold[0];
  if (from == position) return;
  for (std::size_t i = threadIdx.x; i < row_bytes; i += exchange_threads)
    swap_words(rows + from * row_bytes, rows + position * row_bytes, i);
}

/// Exchanges the rows of two lists, which are equally long unless the order is inconsistent. A thread handles one word
/// of a row at a time.
template <class Position>
__global__ void __launch_bounds__(exchange_threads)
    exchange_kernel(void* rows, std::size_t row_words, unsigned word_bytes, Position pinned, rank_indices threshold,
                    rank_indices left, rank_indices right, std::size_t capacity, const side_state* state) {
  await_predecessors();
  source_part part{0, 0};
  if (pinned != none_pinned) part.exchanged_a = pinned, part.exchanged_b = threshold[0];
  const auto listed = min(state->strays[0], state->strays[1]);
  const std::size_t words = min(listed, static_cast<unsigned long long>(capacity)) * row_words;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * exchange_threads + threadIdx.x; i < words;
       i += static_cast<std::size_t>(gridDim.x) * exchange_threads) {
    const std::size_t pair = row_words == 1 ? i : i / row_words, word = row_words == 1 ? 0 : i - pair * row_words;
    const std::size_t a = part.former(left[pair]) * row_words, b = part.former(right[pair]) * row_words;
    device::with_integer(word_bytes, [&]<class Word>(Word) {
      swap_words(static_cast<Word*>(rows) + a, static_cast<Word*>(rows) + b, word);
    });
  }
}

}  // namespace gpu::inline v1::detail::device
