// The order of rows by way of codes: of keys that are numbers or arrays of them, by the bytes of them in front; else by
// the bytes that the comparator has been found to follow. An order that does not follow from the codes alone is proved
// by the comparator, and where the proof fails the comparator sorts the places. Only the device knows: everything is
// enqueued, and finds out there whether it is wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "../code_sort.hpp"
#include "../quicksort.cuh"
#include "../sample_sort.cuh"
#include "coded_rows.cuh"
#include "followed_bytes.cuh"
#include "packed_columns.cuh"
#include "permute.cuh"
#include "proved_order.cuh"

namespace gpu {
inline namespace v1 {
namespace detail::device {

/// The codes of elements in an order.
template <class Less>
using codes_for = coded_bits<codes_are_whole_v<Less> ? order_coder<Less>::bytes : most_code_bytes>;

/// Whether it pays to find the order of n elements by way of codes: of keys that have some, and else if a block has
/// room to look for the bytes that the comparator follows.
template <bool Stable, class T, class Less>
[[nodiscard]] bool orders_by_codes(std::size_t n) {
  const bool has_room = has_codes_v<Less> || sizeof(follow_storage<T>) <= least_shared_bytes();
  return n >= enough_to_code(sizeof(T), has_codes_v<Less>, Stable) && n < most_coded_rows && has_room;
}

/// What sorts places, or elements themselves, by the comparator if codes do not.
template <bool Stable, class Key, class Less>
struct code_fallback {
  using memory =
      std::conditional_t<Stable, sample_sort_scratch<Key, no_value, Less>, quicksort_scratch<Key, no_value, Less>>;

  static std::size_t bytes(std::size_t n) { return device::scratch_bytes<memory>(n); }

  /// Sorts keys[0, n), in a block of so many bytes, unless *unwanted, in device memory, is not zero.
  static void sort(const context& context, void* block, Key* keys, std::size_t n, Less less, const unsigned* unwanted) {
    carver carve{block};
    const memory scratch{carve, n};
    const columns<Key, no_value> data{keys, nullptr};
    if constexpr (Stable)
      device::sample_sort(context, scratch, data, less, identity_codec{}, unwanted);
    else
      device::quicksort(context, scratch, data, less, identity_codec{}, unwanted);
  }
};

/// Device memory of an order by codes; `block`, of at least so many bytes, is free again when the order has been found.
template <class Less>
struct code_order_memory {
  using bits = codes_for<Less>;

  followed_bytes* found;
  proof_memory proof;
  bits* codes;
  std::size_t block_bytes;
  std::byte* block;

  code_order_memory(carver& carve, std::size_t n, std::size_t least_block)
      : found{carve.take<followed_bytes>(1)},
        proof{carve, codes_are_whole_v<Less> ? 0 : n},
        codes{carve.take<bits>(n)},
        block_bytes{std::max({least_block, device::code_sort_bytes(n, sizeof(bits)),
                              has_codes_v<Less> ? 0 : device::code_sort_bytes(n, 2 * narrow_code_bytes)})},
        block{carve.take<std::byte>(block_bytes)} {}
};

template <class Bits, class Index>
__global__ void __launch_bounds__(code_threads) take_places_kernel(const Bits* codes, Index* order, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * code_threads + threadIdx.x;
  if (i < n) order[i] = device::place_of(codes[i]);
}

/// Makes the codes of elements[0, n), and sorts them, unless *unwanted, in device memory, is not zero.
template <class Bits, class T, class Less, class Coder>
void sort_codes_of(const context& context, const code_order_memory<Less>& memory, const T* elements, std::size_t n,
                   const Coder& coder, const unsigned* unwanted) {
  constexpr key_format format{key_class::unsigned_integer, sizeof(Bits), 0, false};
  Bits* const codes = reinterpret_cast<Bits*>(memory.codes);
  device::make_codes(context, elements, codes, n, coder);
  device::sort_codes_unless(context, unwanted, codes, n, format, memory.block);
}

/// By the bytes that the comparator is found to follow: sorts codes, and asks it about their places.
template <bool Stable, class T, class Index, class Less>
void order_by_followed_bytes(const context& context, const code_order_memory<Less>& memory,
                             const ordered_places<Stable, T, Index, Less>& places) {
  const followed_bytes* const found = memory.found;
  device::launch(context, shape{1, follow_threads, sizeof(follow_storage<T>)}, follow_bytes_kernel<T, Less>,
                 places.elements, std::size_t{places.n}, places.less, detail::process_sample_key().second,
                 memory.found);
  device::begin_proof(context, memory.proof, &found->refuted);
  const auto order_by = [&]<class Bits>(Bits, const unsigned* unwanted) {
    device::sort_codes_of<Bits>(context, memory, places.elements, places.n, followed_coder<T>{found, unwanted},
                                unwanted);
    device::prove_codes<false>(context, reinterpret_cast<const Bits*>(memory.codes), places, memory.proof, unwanted);
  };
  order_by(coded_bits<narrow_code_bytes>{}, &found->skips_narrow);
  order_by(coded_bits<most_code_bytes>{}, &found->skips_wide);
}

/// order[0, n) becomes the places of elements[0, n) in the order of `less`, stably if Stable, if codes can tell; else a
/// word of device memory is zero, which is returned. It is null if codes are all that there is to know. n as
/// orders_by_codes() says. Enqueues on the context's stream, without waiting; launches depend on n alone. Throws
/// gpu::error if one is refused.
template <bool Stable, class T, class Index, class Less>
const unsigned* find_order(const context& context, const code_order_memory<Less>& memory, const T* elements,
                           Index* order, std::size_t n, Less less) {
  using bits = codes_for<Less>;
  if constexpr (codes_are_whole_v<Less>) {
    device::sort_codes_of<bits>(context, memory, elements, n, order_coder<Less>{less}, nullptr);
    device::launch(context, {divide_up(n, code_threads), code_threads}, take_places_kernel<bits, Index>, memory.codes,
                   order, n);
    return nullptr;
  } else {
    const ordered_places<Stable, T, Index, Less> places{elements, order, static_cast<std::uint32_t>(n), less};
    if constexpr (has_codes_v<Less>) {
      device::begin_proof(context, memory.proof, nullptr);
      device::sort_codes_of<bits>(context, memory, elements, n, order_coder<Less>{less}, nullptr);
      device::prove_codes<true>(context, memory.codes, places, memory.proof, nullptr);
    } else {
      device::order_by_followed_bytes(context, memory, places);
    }
    device::mend_order(context, places, memory.proof);
    return &memory.proof.proof->sorted;
  }
}

/// The same, and where codes cannot tell, the comparator does.
template <bool Stable, class T, class Index, class Less>
void find_whole_order(const context& context, const code_order_memory<Less>& memory, const T* elements, Index* order,
                      std::size_t n, Less less) {
  const unsigned* const sorted = device::find_order<Stable>(context, memory, elements, order, n, less);
  if constexpr (!codes_are_whole_v<Less>) {
    using by_index = compare_by_index<T, Index, Less>;
    device::fill_sequence(context, order, n, sorted);
    code_fallback<Stable, Index, by_index>::sort(context, memory.block, order, n, by_index{elements, less}, sorted);
  }
}

/// Bytes that find_whole_order needs the memory's block to have.
template <bool Stable, class T, class Index, class Less>
std::size_t whole_order_block(std::size_t n) {
  if constexpr (codes_are_whole_v<Less>)
    return 0;
  else
    return code_fallback<Stable, Index, compare_by_index<T, Index, Less>>::bytes(n);
}

/// Memory of a sort of rows by codes: that of an order, and the order unless the codes are.
template <class Less>
struct coded_row_memory : code_order_memory<Less> {
  std::uint32_t* order;

  coded_row_memory(carver& carve, std::size_t n, std::size_t least_block)
      : code_order_memory<Less>{carve, n, least_block},
        order{carve.take<std::uint32_t>(codes_are_whole_v<Less> ? 0 : n)} {}
};

/// Sorts n rows of elements T and the columns behind them by an order that codes tell; where they cannot, comparisons
/// sort the elements alone, if Direct, or their places.
template <bool Stable, bool Direct, class T, class Less>
class coded_row_sort {
  using as = movable<T, Less>;
  using compare_rows = decltype(as::compare(std::declval<Less>()));
  using element_fallback = code_fallback<Stable, typename as::key, compare_rows>;

 public:
  static std::size_t scratch_bytes(const std::vector<column>& all, std::size_t n) {
    return device::scratch_bytes<coded_row_memory<Less>>(n, block_bytes(all, n));
  }

  /// Throws no_device_memory before anything is written, gpu::error.
  static void sort(const context& context, const std::vector<column>& all, std::size_t n, Less less) {
    const scratch<coded_row_memory<Less>> memory{context, n, block_bytes(all, n)};
    T* const elements = static_cast<T*>(all[0].data);
    if constexpr (codes_are_whole_v<Less>) {
      device::sort_codes_of<codes_for<Less>>(context, *memory, elements, n, order_coder<Less>{less}, nullptr);
      device::reorder_columns(context, all, places_of_codes<codes_for<Less>>{memory->codes}, memory->block, n);
    } else if constexpr (Direct) {
      const unsigned* const sorted = device::find_order<Stable>(context, *memory, elements, memory->order, n, less);
      device::reorder_columns(context, all, memory->order, memory->block, n, sorted);
      element_fallback::sort(context, memory->block, reinterpret_cast<typename as::key*>(elements), n,
                             as::compare(less), sorted);
    } else {
      device::find_whole_order<Stable>(context, *memory, elements, memory->order, n, less);
      device::reorder_columns(context, all, memory->order, memory->block, n);
    }
  }

 private:
  static std::size_t block_bytes(const std::vector<column>& all, std::size_t n) {
    std::size_t fallback = 0;
    if constexpr (!codes_are_whole_v<Less> && Direct)
      fallback = element_fallback::bytes(n);
    else
      fallback = device::whole_order_block<Stable, T, std::uint32_t, Less>(n);
    return std::max(fallback, n * most_packed_bytes(all));
  }
};

}  // namespace detail::device
}  // namespace v1
}  // namespace gpu
