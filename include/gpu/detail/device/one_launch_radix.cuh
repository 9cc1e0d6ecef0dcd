// Radix sort as in radix_sort.cuh, but in one launch: for where only the device will know whether it is wanted, since
// one launch of nothing takes 2 us where those of all passes take 50 and more. Blocks take tiles until none is left,
// and wait for each other between passes: whoever has a tile is running, and waits only for tiles that were taken
// before, so that any number of blocks may run at once. Passes take up to 5 % longer than in launches of their own, but
// for those of keys alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda/atomic>

#include "../keys/key.hpp"
#include "block/digit_ranks.cuh"
#include "columns.cuh"
#include "launching/launch.cuh"
#include "launching/persistent.cuh"
#include "launching/scratch.cuh"
#include "radix_pass.cuh"
#include "tuning/radix.hpp"

namespace gpu::inline v1::detail::device {

template <class Bits, class Value>
struct one_launch_radix_scratch {
  static constexpr unsigned passes = sizeof(Bits);

  columns<Bits, Value> buffer;
  std::size_t portions;
  unsigned long long* counts;      ///< [passes][digits]
  unsigned long long* claims;      ///< [digits]
  unsigned* next_tile;             ///< of the counting, and of [passes][portions]
  unsigned* done;                  ///< how many of these tiles are done
  unsigned long long* next_bases;  ///< [digits]: where the digits of the next portion begin
  unsigned* states;                ///< [tiles of a portion, at most][digits]

  one_launch_radix_scratch(carver& carve, std::size_t n)
      : buffer{take_columns<Bits, Value>::from(carve, n)},
        portions{device::radix_portions(n)},
        counts{carve.take<unsigned long long>(passes * radix_digits)},
        claims{carve.take<unsigned long long>(radix_digits)},
        next_tile{carve.take<unsigned>(passes * portions + 1)},
        done{carve.take<unsigned>(passes * portions + 1)},
        next_bases{carve.take<unsigned long long>(radix_digits)},
        states{carve.take<unsigned>(device::most_radix_tiles<Bits, Value>(n) * radix_digits)} {}

  /// What is to be zero before the sort: counts, claims, next_tile and done, which follow each other.
  [[nodiscard]] unsigned* first_cleared() const { return reinterpret_cast<unsigned*>(counts); }
  [[nodiscard]] std::size_t words_cleared() const {
    return static_cast<std::size_t>(done + passes * portions + 1 - first_cleared());
  }
};

/// Where elements come from, and where they shall be: there, too, or elsewhere.
template <class Bits, class Value>
struct radix_ends {
  const Bits* keys;
  const Value* values;  ///< null: the places of keys
  columns<Bits, Value> destination;
  bool keep_keys;  ///< whether keys are wanted at the destination; if not, their memory serves on the way

  [[nodiscard]] GPUPAR_HOST_DEVICE bool in_place() const { return keys == destination.keys; }
};

/// Words of device memory that say whether the sort shall take place, and whether it has.
struct radix_choice {
  static constexpr std::size_t size = 4;

  unsigned* words;          ///< of so many two, or `size` if it knows a window
  bool has_window = false;  ///< whether it knows one

  /// That may vary; if zero, no key is looked at.
  GPUPAR_HOST_DEVICE unsigned* most_digits() const { return words; }
  /// Zero before; not zero if the keys have been sorted.
  GPUPAR_HOST_DEVICE unsigned* taken() const { return words + 1; }
  /// Of codes in a narrow window: where it begins, from where on they are counted, so that all digits from
  /// most_digits() on are zero; if they are not, no key is moved. Zero of others.
  GPUPAR_HOST_DEVICE std::uint64_t* window() const { return reinterpret_cast<std::uint64_t*>(words + 2); }
};

template <class Bits, class Value, class Rank, class Codec>
struct one_launch_radix_storage {
  radix_stage<Bits, Value, Rank, Codec> stage;
  unsigned long long bases[radix_digits];  ///< where the portion's digits go
  block::digit_sums<unsigned long long> starts;
  unsigned moved;  ///< tiles, by the block
  unsigned varying;
  radix_tile_storage<Bits, Value> tile;

  /// Before tiles are moved there is room for these.
  __device__ unsigned* sums() {  // [passes][digits]
    static_assert(sizeof(tile.of.codes) >= sizeof(Bits) * radix_digits * sizeof(unsigned));
    return reinterpret_cast<unsigned*>(&tile.of);
  }
};

/// A function of its own, without arguments: what the loop around it keeps would take registers that a tile needs.
template <class Bits, class Value, class Rank, class Codec>
__device__ __noinline__ void move_one_tile() {
  auto& shared = device::dynamic_shared<one_launch_radix_storage<Bits, Value, Rank, Codec>>();
  device::move_radix_tile(shared.tile, shared.stage);
}

/// One block's part in the sort; its members are the steps, each called by every thread of every block.
template <class Bits, class Value, class Rank, class Codec>
class radix_block {
  using storage = one_launch_radix_storage<Bits, Value, Rank, Codec>;
  using scratch_type = one_launch_radix_scratch<Bits, Value>;
  using word = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
  static constexpr int items = radix_tile_of<Bits, Value>.items;
  static constexpr std::size_t tile_size = radix_tile_of<Bits, Value>.size();
  static constexpr unsigned passes = scratch_type::passes;
  static constexpr bool any_order = !has_value_v<Value>;  ///< of equal keys, so that the first pass need not be stable

 public:
  __device__ radix_block(const radix_ends<Bits, Value>& ends, const scratch_type& memory, std::size_t n, Bits least,
                         Rank rank, Codec codec)
      : shared_{device::dynamic_shared<storage>()},
        ends_{ends},
        memory_{memory},
        n_{n},
        least_{least},
        rank_{rank},
        codec_{codec} {}

  /// Counts the digits of all keys, and clears the states of tiles.
  __device__ void count_digits() {
    unsigned* const sums = shared_.sums();
    for (unsigned i = threadIdx.x; i < passes * radix_digits; i += blockDim.x) sums[i] = 0;
    const unsigned tiles = tiles_of(n_);
    begin_tiles(0);
    while (has_tile(tiles)) {
      const std::size_t first = shared_.tile.number * tile_size;
      if (first < radix_portion && threadIdx.x < radix_digits)
        memory_.states[shared_.tile.number * std::size_t{radix_digits} + threadIdx.x] = 0;
      count_tile(first, static_cast<unsigned>(min(tile_size, n_ - first)));
      next_tile(0);
    }
    if (shared_.moved > 0)
      for (unsigned i = threadIdx.x; i < passes * radix_digits; i += blockDim.x)
        if (sums[i] > 0) atomicAdd(&memory_.counts[i], static_cast<unsigned long long>(sums[i]));
    end_tiles(0, tiles);
  }

  /// Which digits vary, a bit each. The same in all blocks.
  __device__ unsigned varying_digits() {
    if (threadIdx.x == 0) shared_.varying = (1u << passes) - 1;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < passes * radix_digits; i += blockDim.x)
      if (__ldcg(&memory_.counts[i]) == n_) atomicAnd(&shared_.varying, ~(1u << i / radix_digits));
    __syncthreads();
    return shared_.varying;
  }

  /// Moves all elements by each of these digits, and brings them to their destination.
  __device__ void sort(unsigned digits) {
    const auto count = static_cast<unsigned>(__popc(digits));
    const bool copies = ends_.in_place() && count % 2 == 1;
    unsigned stage = 0;
    for (unsigned pass = 0; pass < count; ++pass, digits &= digits - 1)
      for (unsigned portion = 0; portion < memory_.portions; ++portion) {
        const std::size_t begin = portion * radix_portion, end = min(n_, begin + radix_portion);
        const auto digit = static_cast<unsigned>(__ffs(static_cast<int>(digits))) - 1;
        find_bases(digit, pass == 0 && any_order ? 0 : portion);
        ++stage;
        if (threadIdx.x == 0) begin_stage(pass, count, begin, end, digit, stage);
        move_tiles(stage, tiles_of(end - begin));
      }
    if (copies || (count == 0 && !ends_.in_place())) finish(copies);
  }

 private:
  [[nodiscard]] __device__ static unsigned tiles_of(std::size_t count) {
    return static_cast<unsigned>(device::divide_up(count, tile_size));
  }

  /// Takes the first tile of a stage, 0 for counting.
  __device__ void begin_tiles(unsigned stage) {
    if (threadIdx.x > 0) return;
    shared_.moved = 0;
    shared_.tile.number = atomicAdd(&memory_.next_tile[stage], 1u);
  }
  /// Whether there is a tile of that number. Synchronises before.
  __device__ bool has_tile(unsigned tiles) {
    __syncthreads();
    return shared_.tile.number < tiles;
  }
  /// Takes another one. Synchronises before.
  __device__ void next_tile(unsigned stage) {
    __syncthreads();
    if (threadIdx.x > 0) return;
    ++shared_.moved;
    shared_.tile.number = atomicAdd(&memory_.next_tile[stage], 1u);
  }
  /// Tells that the block's tiles are done, and waits for all others. Synchronises before and after.
  __device__ void end_tiles(unsigned stage, unsigned tiles) {
    __syncthreads();
    if (threadIdx.x == 0) {
      word done{memory_.done[stage]};
      if (shared_.moved > 0) done.fetch_add(shared_.moved, ::cuda::memory_order_release);
      while (done.load(::cuda::memory_order_acquire) < tiles) __nanosleep(64);
    }
    __syncthreads();
  }

  /// Adds the digits of a tile to the block's counts.
  __device__ void count_tile(std::size_t first, unsigned count) {
    Bits codes[items];
    device::load_items(ends_.keys + first, count, codes);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (block::item_index<items>(i) >= count) continue;
      const auto rank = static_cast<Bits>(rank_(codec_.encode(codes[i])) - least_);
      for (unsigned p = 0; p < passes; ++p)
        atomicAdd(&shared_.sums()[p * radix_digits + device::radix_digit(rank, p)], 1u);
    }
  }

  /// shared_.bases become those of a digit in a portion.
  __device__ void find_bases(unsigned digit, unsigned portion) {
    const bool own = threadIdx.x < radix_digits;
    unsigned long long base = 0;
    if (portion > 0) {
      if (own) base = __ldcg(&memory_.next_bases[threadIdx.x]);
    } else {
      if (own) base = __ldcg(&memory_.counts[digit * radix_digits + threadIdx.x]);
      base = block::digit_starts(shared_.starts, own, base);
    }
    if (own) shared_.bases[threadIdx.x] = base;
  }

  /// Called by one thread. Passes alternate between buffer and destination: in place, the first one moves to the
  /// buffer, else the last one to the destination.
  __device__ void begin_stage(unsigned pass, unsigned count, std::size_t begin, std::size_t end, unsigned digit,
                              unsigned stage) {
    const auto goes_to_destination = [&](unsigned which) {
      return ends_.in_place() ? which % 2 == 1 : (count - 1 - which) % 2 == 0;
    };
    const bool first = pass == 0, last = pass + 1 == count;
    const columns<Bits, Value> from = !first && goes_to_destination(pass - 1) ? ends_.destination : memory_.buffer;
    columns<Bits, Value> to = goes_to_destination(pass) ? ends_.destination : memory_.buffer;
    if (last && !ends_.keep_keys) to.keys = nullptr;
    shared_.stage = {first ? ends_.keys : from.keys,
                     first ? ends_.values : from.values,
                     to,
                     begin,
                     end,
                     shared_.bases,
                     memory_.next_bases,
                     memory_.states,
                     first && any_order ? memory_.claims : nullptr,
                     digit,
                     stage - (any_order ? static_cast<unsigned>(memory_.portions) : 0),  // the first ones look not back
                     first,
                     last,
                     least_,
                     rank_,
                     codec_};
  }

  __device__ void move_tiles(unsigned stage, unsigned tiles) {
    begin_tiles(stage);
    while (has_tile(tiles)) {
      device::move_one_tile<Bits, Value, Rank, Codec>();
      next_tile(stage);
    }
    end_tiles(stage, tiles);
  }

  /// Brings the elements to their destination from the buffer or, if no digit varies, from where they are.
  __device__ void finish(bool from_buffer) {
    const Bits* const keys = from_buffer ? memory_.buffer.keys : ends_.keys;
    [[maybe_unused]] const Value* const values = from_buffer ? memory_.buffer.values : ends_.values;
    for (std::size_t first = blockIdx.x * tile_size; first < n_; first += gridDim.x * tile_size) {
      if (ends_.keep_keys) copy_tile(keys, first, ends_.destination.keys);
      if constexpr (has_value_v<Value>) copy_tile(values, first, ends_.destination.values);
    }
  }
  template <class Element>
  __device__ void copy_tile(const Element* from, std::size_t first, Element* to) const {
    const auto count = static_cast<unsigned>(min(tile_size, n_ - first));
    Element elements[items];
    device::load_or_number(from, first, count, elements);
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (block::item_index<items>(i) < count) to[first + block::item_index<items>(i)] = elements[i];
  }

  storage& shared_;
  const radix_ends<Bits, Value>& ends_;
  const scratch_type& memory_;
  std::size_t n_;
  Bits least_;
  Rank rank_;
  Codec codec_;
};

template <class Bits, class Value, class Rank, class Codec>
__global__ void __launch_bounds__(radix_tile_of<Bits, Value>.threads, radix_blocks(radix_tile_of<Bits, Value>))
    one_launch_radix_kernel(radix_ends<Bits, Value> ends, one_launch_radix_scratch<Bits, Value> memory, std::size_t n,
                            radix_choice choice, Rank rank, Codec codec) {
  await_predecessors();
  const unsigned most = *choice.most_digits();
  if (most == 0) return;
  const auto least = static_cast<Bits>(choice.has_window ? *choice.window() : 0);
  radix_block<Bits, Value, Rank, Codec> own{ends, memory, n, least, rank, codec};
  own.count_digits();
  const unsigned digits = own.varying_digits();
  if (static_cast<unsigned>(__popc(digits)) > most || (least != 0 && digits >> most != 0)) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) *choice.taken() = 1;
  own.sort(digits);
}

/// Sorts elements by rank(code), an unsigned integer as wide as the code, n > 0, if `choice` allows it; stably if they
/// have values. Enqueues on the context's stream; the launch depends on n alone. What memory.first_cleared() says is
/// zero. sizeof(Bits) passes over the data at most.
template <class Bits, class Value, class Rank, class Codec>
void one_launch_radix_sort(const context& context, const one_launch_radix_scratch<Bits, Value>& memory,
                           const radix_ends<Bits, Value>& ends, std::size_t n, const radix_choice& choice, Rank rank,
                           Codec codec) {
  constexpr tile_shape tile = radix_tile_of<Bits, Value>;
  constexpr std::size_t shared_bytes = sizeof(one_launch_radix_storage<Bits, Value, Rank, Codec>);
  device::launch_persistent(context, {divide_up(n, tile.size()), tile.threads, shared_bytes},
                            one_launch_radix_kernel<Bits, Value, Rank, Codec>, ends, memory, n, choice, rank, codec);
}

}  // namespace gpu::inline v1::detail::device
