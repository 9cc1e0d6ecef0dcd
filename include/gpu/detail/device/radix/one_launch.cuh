// Radix sort as in radix_sort.cuh, but in one launch, for where only the device knows whether the sort is wanted: one
// empty launch takes 2 us, those of all passes 50 us and more. Passes take up to 5 % longer than in launches of their
// own, except those of keys alone. The leading digits of wide keys are often enough to distinguish nearly all of them:
// then passes by these digits are followed by steps that order the keys that tie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../keys/key.hpp"
#include "../block/digit_ranks.cuh"
#include "../columns.cuh"
#include "../launching/launch.cuh"
#include "../launching/persistent.cuh"
#include "../tuning/radix.hpp"
#include "digit_counts.cuh"
#include "one_launch_memory.cuh"
#include "pass.cuh"
#include "tied_runs.cuh"
#include "tile_queue.cuh"

namespace gpu::inline v1::detail::device {

/// A block's shared memory. The task lies there, too, since tiles need the registers.
template <class Bits, class Value, class Codec>
struct one_launch_radix_storage {
  radix_task<Bits, Value, Codec> task;
  columns<Bits, Value> origin;  ///< where gathered elements come from
  const std::size_t* indices;   ///< of gathered elements in `origin`; null if none have been gathered
  radix_stage<Bits, Value, Codec, false> stage;
  unsigned long long bases[radix_digits];  ///< where the portion's digits go
  block::digit_sums<unsigned long long> starts;
  unsigned tiles_taken;
  unsigned varying;
  union {
    typename digit_counts<Bits>::memory counts;  ///< while digits are counted
    radix_tile_storage<Bits, Value, false> tile;
    tied_tile<Bits, Value> tied;  ///< once the passes are done
  };
};

/// A separate function without arguments: inlined, the loop around it would take registers that a tile needs.
template <class Bits, class Value, class Codec>
__device__ __noinline__ void move_one_tile() {
  auto& shared = device::dynamic_shared<one_launch_radix_storage<Bits, Value, Codec>>();
  device::move_radix_tile(shared.tile, shared.stage, code_rank{});
}

/// One block's part in the sort; its members are the steps, each called by every thread of every block.
template <class Bits, class Value, class Codec>
class radix_block {
  using storage = one_launch_radix_storage<Bits, Value, Codec>;
  using scratch_type = one_launch_radix_scratch<Bits, Value>;
  using task_type = radix_task<Bits, Value, Codec>;
  static constexpr int items = radix_tile_of<Bits, Value>.items;
  static constexpr std::size_t tile_size = radix_tile_of<Bits, Value>.size();
  static constexpr unsigned passes = scratch_type::passes;
  static constexpr bool any_order = !has_value_v<Value>;  ///< of equal keys: the first pass need not be stable
  enum stage_number : unsigned { counting, copy_back, ordering_ties, listing_ties, gathering_ties, first_pass };
  static_assert(first_pass == scratch_type::stages_beside);

 public:
  /// Called first; synchronises.
  __device__ static void begin(const task_type& task) {
    if (threadIdx.x == 0) device::dynamic_shared<storage>().task = task;
    __syncthreads();
  }

  /// Counts the digits of all keys, and clears the states of tiles.
  __device__ void count_digits() {
    if constexpr (may_leave_ties_v<Bits, Value>)
      if (task_.first_digit > 0) return count_digits<false>();
    count_digits<true>();
  }

  /// A bit for each digit that varies, from the task's first one on. The same in all blocks.
  __device__ unsigned varying_digits() {
    if (threadIdx.x == 0) shared_.varying = (1u << passes) - (1u << task_.first_digit);
    __syncthreads();
    for (unsigned i = task_.first_digit * radix_digits + threadIdx.x; i < passes * radix_digits; i += blockDim.x)
      if (__ldcg(&task_.counters.counts[i]) == task_.n) atomicAnd(&shared_.varying, ~(1u << i / radix_digits));
    __syncthreads();
    return shared_.varying;
  }

  /// Changes the task to a sort by all digits of the codes, relative to `least`. `indices`: where gathered elements
  /// come from, or null.
  __device__ void begin_anew(Bits least, const std::size_t* indices) {
    if (threadIdx.x == 0) {
      task_.least = least;
      task_.counters = task_.memory.counters_of_ties;
      task_.first_digit = 0;
      shared_.indices = indices;
    }
    __syncthreads();
  }

  /// Moves all elements by each of these digits, and brings them to their destination.
  __device__ void sort(unsigned digits) {
    const auto count = static_cast<unsigned>(__popc(digits));
    const bool copies = task_.ends.in_place() && count % 2 == 1;
    const auto portions = static_cast<unsigned>(device::radix_portions(task_.n));
    unsigned number = 0;
    for (unsigned pass = 0; pass < count; ++pass, digits &= digits - 1)
      for (unsigned portion = 0; portion < portions; ++portion, ++number) {
        const std::size_t begin = portion * radix_portion, end = min(task_.n, begin + radix_portion);
        const auto digit = static_cast<unsigned>(__ffs(static_cast<int>(digits))) - 1;
        find_bases(digit, pass == 0 && any_order ? 0 : portion);
        if (threadIdx.x == 0) begin_stage(pass, count, begin, end, digit, number);
        queue().for_each(first_pass + number, tiles_of(end - begin),
                         [] { device::move_one_tile<Bits, Value, Codec>(); });
      }
    if (copies || (count == 0 && !task_.ends.in_place())) copy_to_destination(copies);
  }

  /// Orders keys that tie in the digits that passes have sorted by, by the lower digits. If some lie in long runs,
  /// gathers them, changes the task to a sort of these by all digits, or of all elements if too many are gathered, and
  /// returns true.
  __device__ bool order_ties() {
    const auto tiles = static_cast<unsigned>(device::divide_up(task_.n, tied_runs_memory<Bits, Value>::tile));
    const columns<Bits, Value> data = task_.ends.destination;
    const scratch_type& memory = task_.memory;
    tied_runs<Bits, Value, Codec> runs{shared_.tied, task_};
    constexpr unsigned in_turn = 4;  // tiles, by warps that do not wait for each other
    queue().for_each(ordering_ties, (tiles + in_turn - 1) / in_turn, [&] {
      for (unsigned i = 0; i < in_turn; ++i) runs.order(shared_.stage.tile * in_turn + i);
    });
    if (__ldcg(&memory.found->long_runs) == 0) return false;

    const gathered_elements<Bits, Value> gathered{memory.buffer, task_.n};
    queue().for_each(listing_ties, 1, [&] { runs.list_unordered(tiles); });
    const auto unordered = static_cast<unsigned>(__ldcg(&memory.found->tiles));
    queue().for_each(gathering_ties, unordered, [&] { runs.gather(shared_.stage.tile, gathered); });
    const std::size_t count = __ldcg(&memory.found->gathered);
    const bool fit = count <= gathered.limit;
    if (threadIdx.x == 0) {
      const columns<Bits, Value> rest = fit ? gathered.elements : data;
      task_.ends = {rest.keys, rest.values, rest, true};
      if (fit) task_.memory.buffer = gathered.buffer, task_.n = count;
      shared_.origin = data;
    }
    begin_anew(task_.least, fit ? gathered.indices : nullptr);
    return true;
  }

  /// Brings gathered elements back, if there are any.
  __device__ void put_back() {
    const columns<Bits, Value> from = task_.ends.destination, to = shared_.origin;
    const std::size_t* const indices = shared_.indices;
    if (indices == nullptr) return;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < task_.n; i += gridDim.x * blockDim.x)
      to.set(indices[i], from.keys[i], from.value(i));
  }

 private:
  [[nodiscard]] __device__ tile_queue queue() const {
    return {shared_.stage.tile, shared_.tiles_taken, task_.counters.next_tile, task_.counters.done};
  }

  [[nodiscard]] __device__ static unsigned tiles_of(std::size_t count) {
    return static_cast<unsigned>(device::divide_up(count, tile_size));
  }

  /// Counts all digits, or those from the task's first one on.
  template <bool All>
  __device__ void count_digits() {
    digit_counts<Bits> digits{shared_.counts};
    const Bits least = task_.least;
    const Codec codec = task_.codec;
    const auto count = [&] {
      const std::size_t first = shared_.stage.tile * tile_size;
      const auto count = static_cast<unsigned>(min(tile_size, task_.n - first));
      if (first < radix_portion && threadIdx.x < radix_digits)
        task_.memory.states[shared_.stage.tile * std::size_t{radix_digits} + threadIdx.x] = 0;
      if constexpr (!All) task_.memory.ties.clear(first, count);
      digits.template add_tile<items, All>(
          task_.ends.keys + first, count,
          [&](Bits key) { return static_cast<Bits>(codec.encode(key) - least); }, task_.counters.counts,
          task_.first_digit);
    };
    queue().for_each(counting, tiles_of(task_.n), count, [&] { digits.add_to(task_.counters.counts); });
  }

  /// Sets shared_.bases to where the values of a digit go in a portion.
  __device__ void find_bases(unsigned digit, unsigned portion) {
    const bool own = threadIdx.x < radix_digits;
    unsigned long long base = 0;
    if (portion > 0) {
      if (own) base = __ldcg(&task_.memory.next_bases[threadIdx.x]);
    } else {
      if (own) base = __ldcg(&task_.counters.counts[digit * radix_digits + threadIdx.x]);
      base = block::digit_starts(shared_.starts, own, base);
    }
    if (own) shared_.bases[threadIdx.x] = base;
  }

  /// Called by one thread.
  __device__ void begin_stage(unsigned pass, unsigned count, std::size_t begin, std::size_t end, unsigned digit,
                              unsigned number) {
    radix_ends<Bits, Value> ends = task_.ends;  // copies: nvcc 13.0 reads a choice of two as if both were aligned
    ends.keep_keys = keeps_keys();
    const radix_route<Bits, Value> route =
        device::route_of(ends, columns<Bits, Value>{task_.memory.buffer}, pass, count);
    const bool first = pass == 0;
    const unsigned looking_not_back = any_order ? static_cast<unsigned>(device::radix_portions(task_.n)) : 0;
    shared_.stage = {route.keys,
                     route.values,
                     route.to,
                     begin,
                     end,
                     shared_.bases,
                     task_.memory.next_bases,
                     task_.memory.states,
                     first && any_order ? task_.counters.claims : nullptr,
                     0,
                     digit,
                     number + 1 - looking_not_back,
                     first,
                     pass + 1 == count,
                     task_.least,
                     task_.codec,
                     0};
  }

  /// Brings the elements to their destination from the buffer or, if no digit varies, from where they are.
  __device__ void copy_to_destination(bool from_buffer) {
    const radix_ends<Bits, Value> ends = task_.ends;
    const columns<Bits, Value> buffer = task_.memory.buffer;
    const Bits* const keys = from_buffer ? buffer.keys : ends.keys;
    [[maybe_unused]] const Value* const values = from_buffer ? buffer.values : ends.values;
    queue().for_each(copy_back, tiles_of(task_.n), [&] {
      const std::size_t first = shared_.stage.tile * tile_size;
      if (keeps_keys()) copy_tile(keys, first, task_.ends.destination.keys);
      if constexpr (has_value_v<Value>) copy_tile(values, first, task_.ends.destination.values);
    });
  }
  template <class Element>
  __device__ void copy_tile(const Element* from, std::size_t first, Element* to) const {
    const auto count = static_cast<unsigned>(min(tile_size, task_.n - first));
    Element elements[items];
    device::load_or_number<items, false>(from, first, count, block::own_items{items, count}, elements);
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (block::item_index<items>(i) < count) to[first + block::item_index<items>(i)] = elements[i];
  }

  /// Whether the last pass writes keys: the steps that order ties read them.
  [[nodiscard]] __device__ bool keeps_keys() const { return task_.ends.keep_keys || task_.first_digit > 0; }

  storage& shared_ = device::dynamic_shared<storage>();
  task_type& task_ = shared_.task;
};

/// A separate function for the same reason.
template <class Bits, class Value, class Codec>
__device__ __noinline__ bool order_ties() {
  return radix_block<Bits, Value, Codec>{}.order_ties();
}

template <class Bits, class Value, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks(radix_tile_of<Bits, Value>))
    one_launch_radix_kernel(radix_ends<Bits, Value> ends, one_launch_radix_scratch<Bits, Value> memory, std::size_t n,
                            radix_choice choice, Codec codec) {
  await_predecessors();
  const unsigned most = *choice.most_digits();
  if (most == 0) return;
  const auto least = static_cast<Bits>(choice.sampled ? *choice.window() : 0);
  const unsigned first_digit = choice.sampled && may_leave_ties_v<Bits, Value> ? *choice.first_digit() : 0;
  using block = radix_block<Bits, Value, Codec>;
  block::begin({ends, memory, memory.counters, n, first_digit, least, codec});
  block own;
  bool rest = false;  // whether this sorts what order_ties() has left, or everything again
  do {
    own.count_digits();
    const unsigned digits = own.varying_digits();
    if (!rest && (static_cast<unsigned>(__popc(digits)) > most || (least != 0 && digits >> most != 0))) {
      if (!may_leave_ties_v<Bits, Value> || choice.rounds_follow) return;
      own.begin_anew(0, nullptr);  // some key's code lies outside of the window
      rest = true;
      continue;
    }
    own.sort(digits);
    if constexpr (may_leave_ties_v<Bits, Value>) {
      if (rest) own.put_back();
      rest = !rest && first_digit > 0 && device::order_ties<Bits, Value, Codec>();
    }
  } while (rest);
  if (blockIdx.x == 0 && threadIdx.x == 0) *choice.taken() = 1;
}

/// Sorts n > 0 elements by their codes if `choice` allows it; stably if they have values. Enqueues on the context's
/// stream; the launch depends on n alone. The memory.words_cleared() words from memory.first_cleared() on have to be
/// zero. At most sizeof(Bits) passes over the data, and as many again over at most a third of the elements or, where
/// the choice of leading digits was wrong, over all of them.
template <class Bits, class Value, class Codec>
void one_launch_radix_sort(const context& context, const one_launch_radix_scratch<Bits, Value>& memory,
                           const radix_ends<Bits, Value>& ends, std::size_t n, const radix_choice& choice,
                           Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  constexpr std::size_t shared_bytes = sizeof(one_launch_radix_storage<Bits, Value, Codec>);
  static_assert(shared_bytes <= radix_shared_bytes);
  device::launch_persistent(context, {divide_up(n, tile.size()), tile.threads, shared_bytes},
                            one_launch_radix_kernel<Bits, Value, Codec>, ends, memory, n, choice, codec);
}

}  // namespace gpu::inline v1::detail::device
