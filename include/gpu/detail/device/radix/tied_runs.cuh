// What passes by the leading digits alone leave to be done: keys that tie in these lie in runs, most of them of one
// key. A tile orders short runs by the rank of each key in its run. Elements of long runs, if few, are gathered, sorted
// by all digits, and put back in the same places, since runs are already in order among themselves.
#pragma once

#include <cstddef>

#include "../columns.cuh"
#include "../scan.cuh"
#include "../thread/packed.cuh"
#include "../warp/shuffle.cuh"
#include "one_launch_memory.cuh"

namespace gpu::inline v1::detail::device {

/// The steps that a block takes with each tile, after the passes by the task's digits.
template <class Bits, class Value, class Codec>
class tied_runs {
  using storage = tied_tile<Bits, Value>;
  using memory_type = tied_runs_memory<Bits, Value>;
  static constexpr unsigned lanes = warp::threads, own_slots = storage::own;
  static constexpr int words = storage::words;

 public:
  __device__ tied_runs(storage& shared, const radix_task<Bits, Value, Codec>& task)
      : shared_{shared},
        keys_{shared.keys[threadIdx.x / lanes]},
        data_{task.ends.destination},
        n_{task.n},
        shift_{block::digit_bits * task.first_digit},
        memory_{task.memory.ties},
        found_{*task.memory.found},
        codec_{task.codec},
        least_{task.least} {}

  /// Orders short runs that begin in the tile; marks long ones that are not in order.
  __device__ void order(unsigned tile) {
    if (!load(tile)) return;
    unsigned begins[words], descents[words];
    if (!find_runs(begins, descents)) return;
    unsigned moved = 0, unordered = 0;  // a bit for each word
    thread::packed<words, block::slot_bits> targets;
    Value values[words];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      unsigned target = slot_of(i);
      const neighbours near = words_around(i, descents, 0u);
      if ((near.before | near.own | near.behind) != 0 && target <= last_) {
        target = target_of(target, words_around(i, begins, ~0u), near);
        if (target == long_run) unordered |= 1u << i, target = slot_of(i);
      }
      targets.set(i, target);
      if (target == slot_of(i)) continue;
      moved |= 1u << i;
      values[i] = data_.values[begin_ + slot_of(i)];
    }
    __syncwarp();  // none is written before all are read
#pragma unroll
    for (int i = 0; i < words; ++i) {
      if ((moved >> i & 1u) == 0) continue;
      data_.keys[begin_ + targets[i]] = keys_[slot_of(i)];
      data_.values[begin_ + targets[i]] = values[i];
    }
    bool enters = false;
    for (; unordered != 0; unordered &= unordered - 1) {
      const unsigned head = first_tied_with(slot_of(__ffs(static_cast<int>(unordered)) - 1));
      enters |= head == 0;
      if (head > 0) mark(begin_ + head);
    }
    if (!__any_sync(warp::all_lanes, enters)) return;
    const std::size_t head = head_of(begin_);
    if (lane() == 0 && is_long(head)) mark(head);
  }

  /// Lists the tiles that have part of a marked run. Called by one block; synchronises.
  __device__ void list_unordered(unsigned tiles) {
    unsigned count = 0;
    for (unsigned first = 0; first < tiles; first += blockDim.x) {
      const unsigned tile = first + threadIdx.x;
      const bool own = tile < tiles && memory_.unordered[tile] != 0;
      const unsigned bits = __ballot_sync(warp::all_lanes, own);
      __syncthreads();
      if (lane() == 0) shared_.counts[threadIdx.x / lanes] = static_cast<unsigned>(__popc(bits));
      __syncthreads();
      unsigned index = count + static_cast<unsigned>(__popc(bits & warp::lanes_before()));
      for (unsigned w = 0; w < storage::warps; ++w) {
        index += w < threadIdx.x / lanes ? shared_.counts[w] : 0;
        count += shared_.counts[w];
      }
      if (own) memory_.list[index] = tile;
    }
    if (threadIdx.x == 0) found_.tiles = count;
  }

  /// Gathers elements of marked runs in tile `number` of the list; those for which there is no room are only counted.
  /// Synchronises.
  __device__ void gather(unsigned number, const gathered_elements<Bits, Value>& to) {
    unsigned wanted[words] = {}, count = 0;
    if (load(memory_.list[number])) {
      unsigned begins[words], descents[words];
      find_runs(begins, descents);
      const bool goes_on = first_ == 0 && (begins[0] & 2u) == 0;
      const std::size_t entering = goes_on ? head_of(begin_) : 0;
      const bool enters = goes_on && is_marked(entering);
      unsigned last = 0;  // where the last run before the word begins
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const unsigned slot = slot_of(i), before = begins[i] & warp::lanes_up_to_here();
        const unsigned head = before == 0 ? last : last_bit(i, before);
        const bool is_own = slot > 0 && slot <= own_slots && slot <= last_;
        wanted[i] = __ballot_sync(warp::all_lanes, is_own && (head == 0 ? enters : is_marked(begin_ + head)));
        count += static_cast<unsigned>(__popc(wanted[i]));
        if (begins[i] != 0) last = last_bit(i, begins[i]);
      }
    }
    if (lane() == 0) shared_.counts[threadIdx.x / lanes] = count;
    __syncthreads();
    if (threadIdx.x < lanes) {
      const unsigned own = lane() < storage::warps ? shared_.counts[lane()] : 0, up_to_here = warp::inclusive_sum(own);
      if (lane() < storage::warps) shared_.counts[lane()] = up_to_here - own;
      const unsigned sum = __shfl_sync(warp::all_lanes, up_to_here, lanes - 1);
      const std::size_t before = device::look_back(memory_.states, number, sum);
      if (lane() == 0) {
        shared_.before = before;
        if (number + 1 == found_.tiles) found_.gathered = before + sum;
      }
    }
    __syncthreads();
    std::size_t index = shared_.before + shared_.counts[threadIdx.x / lanes];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const std::size_t own = index + static_cast<unsigned>(__popc(wanted[i] & warp::lanes_before()));
      index += static_cast<unsigned>(__popc(wanted[i]));
      if ((wanted[i] >> lane() & 1u) == 0 || own >= to.limit) continue;
      const std::size_t element = begin_ + slot_of(i);
      to.indices[own] = element;
      to.elements.set(own, keys_[slot_of(i)], data_.value(element));
    }
  }

 private:
  /// Words of bits around a slot.
  struct neighbours {
    unsigned before;
    unsigned own;
    unsigned behind;
  };
  __device__ static neighbours words_around(int word, const unsigned (&of)[words], unsigned beyond) {
    return {word > 0 ? of[word - 1] : 0, of[word], word + 1 < words ? of[word + 1] : beyond};
  }
  static constexpr unsigned long_run = ~0u;  ///< no slot

  __device__ static unsigned lane() { return threadIdx.x % lanes; }
  __device__ static unsigned slot_of(int word) { return static_cast<unsigned>(word) * lanes + lane(); }
  __device__ static unsigned last_bit(int word, unsigned bits) {
    return static_cast<unsigned>(word) * lanes + (lanes - 1) - static_cast<unsigned>(__clz(static_cast<int>(bits)));
  }
  __device__ Bits code_of(Bits key) const { return static_cast<Bits>(codec_.encode(key) - least_); }
  __device__ bool tied(Bits code, Bits other) const { return (code ^ other) >> shift_ == 0; }
  __device__ Bits code_at(unsigned slot) const { return code_of(keys_[slot]); }

  /// Loads the warp's keys into shared memory; returns whether there are any. Slot 0 is that of element begin_.
  __device__ bool load(unsigned tile) {
    const std::size_t first = std::size_t{tile} * storage::size + threadIdx.x / lanes * own_slots;
    __syncwarp();
    if (first >= n_) return false;
    begin_ = first - 1;
    first_ = first == 0 ? 1 : 0;
    last_ = static_cast<unsigned>(min(std::size_t{storage::slots - 1}, n_ - first));
    Bits keys[words];
#pragma unroll
    for (int i = 0; i < words; ++i)
      if (slot_of(i) >= first_ && slot_of(i) <= last_) keys[i] = data_.keys[begin_ + slot_of(i)];
#pragma unroll
    for (int i = 0; i < words; ++i) keys_[slot_of(i)] = keys[i];
    __syncwarp();
    return true;
  }

  /// Sets bits of slots where a run begins, and of slots whose key is less than the one before it in its run. Returns
  /// to all threads of the warp whether there are any of the latter.
  __device__ bool find_runs(unsigned (&begins)[words], unsigned (&descents)[words]) const {
    unsigned any = 0;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned slot = slot_of(i);
      bool begin = true, descends = false;
      if (slot > first_ && slot <= last_) {
        const Bits own = code_at(slot), before = code_at(slot - 1);
        begin = !tied(own, before);
        descends = !begin && own < before;
      }
      begins[i] = __ballot_sync(warp::all_lanes, begin);
      any |= descents[i] = __ballot_sync(warp::all_lanes, descends);
    }
    return any != 0;
  }

  /// The slot where an element belongs, if it is in a short run that begins in the tile. In other runs, long_run if it
  /// is less than the element before it, else its own slot.
  __device__ unsigned target_of(unsigned slot, const neighbours& begins, const neighbours& descents) const {
    static_assert(short_run == lanes);
    const unsigned bit = lane();
    // Slots up to this one, with this one in the most significant bit; slots behind it, with the next one in the least.
    const unsigned up_to_here = __funnelshift_rc(begins.before, begins.own, bit + 1);
    const unsigned behind = __funnelshift_rc(begins.own, begins.behind, bit + 1);
    const auto distance = static_cast<unsigned>(__clz(static_cast<int>(up_to_here)));
    const auto rest = behind == 0 ? lanes : static_cast<unsigned>(__ffs(static_cast<int>(behind))) - 1;
    const unsigned head = slot - distance;
    if (distance + rest < short_run && head > 0) {
      const unsigned less = __funnelshift_rc(descents.before, descents.own, bit + 1) >> (lanes - 1 - distance) |
                            (__funnelshift_rc(descents.own, descents.behind, bit + 1) & ((1u << rest) - 1));
      if (less == 0 || head > own_slots) return slot;
      const Bits code = code_at(slot);
      unsigned target = head;
      for (unsigned other = head; other < slot; ++other) target += code < code_at(other) ? 0 : 1;
      for (unsigned other = slot + 1; other <= slot + rest; ++other) target += code_at(other) < code ? 1 : 0;
      return target;
    }
    return (descents.own >> bit & 1u) != 0 && slot <= own_slots ? long_run : slot;
  }

  /// The first slot whose key ties with that of `slot`.
  __device__ unsigned first_tied_with(unsigned slot) const {
    const Bits own = code_at(slot);
    unsigned other = first_, head = slot;  // those before `other` do not
    while (other < head) {
      const unsigned middle = (other + head) / 2;
      if (tied(code_at(middle), own))
        head = middle;
      else
        other = middle + 1;
    }
    return head;
  }

  /// Where the run of an element begins. Called by a full warp.
  __device__ std::size_t head_of(std::size_t element) const {
    const Bits own = code_of(data_.keys[element]);
    const std::size_t distance = std::size_t{1} << lane();
    while (true) {
      const bool alike = distance <= element && tied(code_of(data_.keys[element - distance]), own);
      const unsigned others = ~__ballot_sync(warp::all_lanes, alike);
      if ((others & 1u) != 0) return element;
      const unsigned far = others == 0 ? lanes : static_cast<unsigned>(__ffs(static_cast<int>(others))) - 1;
      element -= std::size_t{1} << (far - 1);
    }
  }
  /// The last element of the run that begins at `head`.
  __device__ std::size_t tail_of(std::size_t head) const {
    const Bits own = code_of(data_.keys[head]);
    const auto alike = [&](std::size_t element) { return element < n_ && tied(code_of(data_.keys[element]), own); };
    std::size_t tail = head, distance = 1;
    for (; alike(tail + distance); distance *= 2) tail += distance;
    for (; distance > 0; distance /= 2)
      if (alike(tail + distance)) tail += distance;
    return tail;
  }

  __device__ bool is_long(std::size_t head) const {
    return head + short_run < n_ && tied(code_of(data_.keys[head]), code_of(data_.keys[head + short_run]));
  }

  // Long runs begin too far apart to share a mark. A short run, which is in order, may share one with a long run: it is
  // gathered, too, and comes back as it was.
  __device__ unsigned mark_of(std::size_t head) const { return 1u << head / short_run % 32; }
  __device__ bool is_marked(std::size_t head) const {
    return (__ldcg(&memory_.long_runs[head / memory_type::per_word]) & mark_of(head)) != 0;
  }
  __device__ void mark(std::size_t head) const {
    const unsigned own = mark_of(head);
    if (is_marked(head) || (atomicOr(&memory_.long_runs[head / memory_type::per_word], own) & own) != 0) return;
    found_.long_runs = 1;
    const std::size_t last = tail_of(head) / memory_type::tile;
    for (std::size_t tile = head / memory_type::tile; tile <= last; ++tile) memory_.unordered[tile] = 1;
  }

  storage& shared_;
  Bits (&keys_)[storage::slots];  ///< the warp's
  columns<Bits, Value> data_;
  std::size_t n_;
  unsigned shift_;
  memory_type memory_;
  tied_runs_found& found_;
  Codec codec_;
  Bits least_;
  std::size_t begin_ = 0;
  unsigned first_ = 0;
  unsigned last_ = 0;
};

}  // namespace gpu::inline v1::detail::device
