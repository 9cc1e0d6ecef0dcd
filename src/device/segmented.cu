// The precompiled entry of segmented sorts. Plain keys alone, or with values of the same width, are sorted in place; if
// indices are wanted, plain keys of 4 or 8 bytes are joined with their indices in the segment as they are read.
// Everything else goes by an order of indices: keys of up to 8 bytes are joined with these, and sorted as plain keys;
// wider ones are compared.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/row_columns.hpp>
#include <gpu/detail/device/segmented/bounds.cuh>
#include <gpu/detail/device/segmented/code_segments.cuh>
#include <gpu/detail/device/segmented/counted_keys.cuh>
#include <gpu/detail/device/segmented/key_words.cuh>
#include <gpu/detail/device/segmented/labelled.cuh>
#include <gpu/detail/device/segmented/listed_tiles.cuh>
#include <gpu/detail/device/segmented/order.cuh>
#include <gpu/detail/index.hpp>
#include <gpu/detail/keys/shared_codes.hpp>

#include <cstring>
#include <limits>

#include "keys/keys.hpp"
#include "rows.cuh"

namespace gpu::inline v1::detail {
namespace {

using namespace device;

template <class Bits>
std::size_t code_bytes(std::size_t n, std::size_t segments) {
  return scratch_bytes<code_segments_scratch<Bits>>(n, segments, segment_kernels<Bits, false>::rounds(n));
}

/// Sorts the segments of keys[0, n) in memory that `carve` hands out. Not stable.
template <class Bits>
void sort_codes(const context& context, carver carve, Bits* keys, std::size_t n, const segment_bounds& bounds,
                const key_format& format) {
  const code_segments_scratch<Bits> memory{carve, n, bounds.count, segment_kernels<Bits, false>::rounds(n)};
  memory.groups.clear(context);
  const long_lists others = segment_kernels<Bits, false>::begin(context, n, memory.rounds);
  const bool coded =
      sort_short_segments<Bits>(context, keys, n, bounds, memory.groups, others, make_codec<Bits>(format));
  if (n > longest_group<Bits>)
    segment_kernels<Bits, false>::sort(context, keys, nullptr, n, format, memory.rounds, coded);
}

/// Keys and values of the same width, or indices: each pair is sorted as one integer.
template <class Bits>
struct segment_pairs {
  using pair = bits_of_size<2 * sizeof(Bits)>;

  code_segments_scratch<pair> memory;

  segment_pairs(carver& carve, std::size_t n, std::size_t segments)
      : memory{carve, n, segments, segment_kernels<Bits, true>::rounds(n)} {}

  /// Sorts the segments that a block or less can sort. Returns where the others are listed.
  template <class Data, class Codec>
  long_lists sort_short(const context& context, const Data& data, std::size_t n, const segment_bounds& bounds,
                        const Codec& codec) const {
    memory.groups.clear(context);
    long_lists others = segment_kernels<Bits, true>::begin(context, n, memory.rounds);
    others.coded = sort_short_segments<pair>(context, data, n, bounds, memory.groups, others,
                                             joined_codec<pair, Bits, Bits, Codec>{codec});
    return others;
  }
  /// Sorts the listed segments.
  void sort_long(const context& context, Bits* keys, Bits* values, std::size_t n, const key_format& format,
                 bool coded) const {
    segment_kernels<Bits, true>::sort(context, keys, values, n, format, memory.rounds, coded);
  }
  [[nodiscard]] static bool all_short(std::size_t n) { return n <= longest_group<pair>; }
};

template <class Bits>
void sort_pairs(const context& context, Bits* keys, Bits* values, std::size_t n, const segment_bounds& bounds,
                const key_format& format) {
  const scratch<segment_pairs<Bits>> pairs{context, n, bounds.count};
  using data = joined_pointer<typename segment_pairs<Bits>::pair, Bits, Bits>;
  const long_lists others = pairs->sort_short(context, data{keys, values}, n, bounds, make_codec<Bits>(format));
  if (!pairs->all_short(n)) pairs->sort_long(context, keys, values, n, format, others.coded);
}

/// Keys and their indices in the segments.
template <class Bits>
struct segment_indices {
  segment_pairs<Bits> pairs;
  counted_copies<Bits> copies;

  segment_indices(carver& carve, std::size_t n, std::size_t segments, std::size_t index_bytes)
      : pairs{carve, n, segments},
        copies{carve, n, longest_group<typename segment_pairs<Bits>::pair> + 1, index_bytes == sizeof(Bits)} {}
};

/// Writes the indices that sort the segments of keys[0, n), stably.
template <class Bits>
void write_indices(const context& context, const Bits* keys, const column& indices, std::size_t n,
                   const segment_bounds& bounds, const key_format& format) {
  const scratch<segment_indices<Bits>> memory{context, n, bounds.count, indices.element_bytes};
  const auto& [pairs, copies] = *memory;
  const auto codes = make_shared_codes<Bits>(format);
  const index_writer written{indices.data, indices.element_bytes};
  const counted_keys<typename segment_pairs<Bits>::pair, Bits> data{keys, written};
  const long_lists others = pairs.sort_short(context, data, n, bounds, codes);
  if (pairs.all_short(n)) return;
  Bits* const counted = copies.indices != nullptr ? copies.indices : static_cast<Bits*>(indices.data);
  copies.list(context, n, others);
  walk_tiles(context, n, copies.tiles, copy_counted{{keys, sizeof(Bits), 0, codes}, copies.codes, counted});
  pairs.sort_long(context, copies.codes, counted, n, {key_class::unsigned_integer, sizeof(Bits), 0, false}, true);
  if (copies.indices != nullptr) walk_tiles(context, n, copies.tiles, write_index{counted, written, false});
}

/// Whether equivalent keys may differ where their order matters.
bool ties_show(const segmented_request& request) {
  return request.stable && request.elements.key.kind == key_class::floating_point;
}

bool sorts_keys_alone(const segmented_request& request) {
  return request.elements.plain() && request.value_columns == 0 && request.indices.data == nullptr &&
         !ties_show(request);
}

bool sorts_pairs(const segmented_request& request) {
  return request.elements.plain() && request.value_columns == 1 && !request.stable &&
         request.values[0].element_bytes == request.elements.element_bytes && is_aligned(request.values[0]);
}

/// Whether plain keys can be joined with indices.
bool counts_keys(const segmented_request& request) {
  const std::size_t bytes = request.elements.element_bytes;
  return request.elements.plain() && request.indices.data != nullptr &&
         (bytes > sizeof(std::uint32_t) || request.count <= std::numeric_limits<std::uint32_t>::max());
}

segment_selection selection_of(const segmented_request& request, const void* elements) {
  return {{elements, request.output.data, request.output.element_bytes}, request.each};
}

order_use use_of(const segmented_request& request) {
  if (request.output.data != nullptr) return {{}, {}, selection_of(request, request.elements.data)};
  if (request.indices.data != nullptr) return {{}, request.indices};
  return {all_columns(request), {}};
}

/// Writes the first keys of every segment, from a sorted copy.
template <class Bits>
void select_codes(const context& context, const segmented_request& request, const segment_bounds& bounds) {
  const std::size_t n = request.count;
  const scratch<scratch_array<Bits>> sorted{context, n};
  const scratch<scratch_array<std::byte>> memory{context, code_bytes<Bits>(n, bounds.count)};
  copy_bytes(context.stream, sorted->data, request.elements.data, n * sizeof(Bits), cudaMemcpyDeviceToDevice);
  sort_codes(context, carver{memory->data}, sorted->data, n, bounds, request.elements.key);
  write_selection<std::uint32_t>(context, nullptr, n, bounds, selection_of(request, sorted->data));
}

/// Words of keys and indices, and the memory for sorting them.
template <class Word>
struct word_memory {
  Word* words;
  std::size_t sort_bytes;
  std::byte* sort;

  word_memory(carver& carve, std::size_t n, std::size_t segments)
      : words{carve.take<Word>(n)},
        sort_bytes{code_bytes<Word>(n, segments)},
        sort{carve.take<std::byte>(sort_bytes)} {}
};

/// Sorts by an order of indices, which are joined with the keys.
template <class Bits, class Index>
void sort_by_words(const context& context, const keyed_elements& keys, std::size_t n, const segment_bounds& bounds,
                   const order_use& use) {
  using word = key_word<Bits, Index>;
  constexpr unsigned spare_bits = word_parts<Bits, Index>::spare_bits;
  const scratch<segment_order<Index>> memory{context, n, scratch_bytes<word_memory<word>>(n, bounds.count), use};
  carver carve{memory->block};
  const word_memory<word> joined{carve, n, bounds.count};
  const shape all{divide_up(n, word_threads), word_threads};
  const record_keys<word> codes{keys.data, keys.element_bytes, keys.key_offset, make_shared_codes<Bits>(keys.key)};
  launch(context, all, make_key_words_kernel<word>, codes, n, spare_bits, joined.words);
  sort_codes(context, carver{joined.sort}, joined.words, n, bounds,
             {key_class::unsigned_integer, sizeof(word), 0, false});
  launch(context, all, take_indices_kernel<word>, joined.words, n, spare_bits, memory->order);
  use_order(context, *memory, n, bounds, use);
}

/// Loads a key from an array of elements, at any alignment.
template <class Bits>
__device__ Bits load_key(const std::byte* first_key, std::size_t element_bytes, std::size_t i) {
  const std::byte* const at = first_key + i * element_bytes;
  Bits key;
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Bits) == 0)
    key = *reinterpret_cast<const Bits*>(at);
  else
    std::memcpy(&key, at, sizeof(key));
  return key;
}

/// compare(i, j) of elements by their keys, at any offset in the element.
template <class Bits>
struct compare_keys {
  const std::byte* first_key;
  std::size_t element_bytes;
  key_codec<Bits> codec;

  __device__ Bits code(std::size_t index) const {
    return codec.encode(load_key<Bits>(first_key, element_bytes, index));
  }
  __device__ bool operator()(std::size_t i, std::size_t j) const { return code(i) < code(j); }
};

/// Sorts by an order of indices, found by comparing keys.
template <class Bits, class Index>
void sort_by_comparing(const context& context, const keyed_elements& keys, std::size_t n, const segment_bounds& bounds,
                       const order_use& use) {
  const scratch<segment_order<Index>> memory{context, n, scratch_bytes<labelled_scratch<Index>>(n), use};
  carver carve{memory->block};
  const compare_keys<Bits> less{static_cast<const std::byte*>(keys.data) + keys.key_offset, keys.element_bytes,
                                make_codec<Bits>(keys.key)};
  order_labelled(context, labelled_scratch<Index>{carve, n}, n, bounds, less, memory->order);
  use_order(context, *memory, n, bounds, use);
}

/// Sorts a request whose pointers are the device's.
void sort_reached(const context& context, const segmented_request& request, const segment_bounds& bounds) {
  const std::size_t n = request.count;
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    if (sorts_keys_alone(request)) {
      if (request.output.data != nullptr) return select_codes<Bits>(context, request, bounds);
      const scratch<scratch_array<std::byte>> memory{context, code_bytes<Bits>(n, bounds.count)};
      return sort_codes(context, carver{memory->data}, static_cast<Bits*>(request.elements.data), n, bounds,
                        request.elements.key);
    }
    if constexpr (is_segment_pair_v<Bits>) {
      if (sorts_pairs(request))
        return sort_pairs(context, static_cast<Bits*>(request.elements.data),
                          static_cast<Bits*>(request.values[0].data), n, bounds, request.elements.key);
      if (counts_keys(request))
        return write_indices(context, static_cast<const Bits*>(request.elements.data), request.indices, n, bounds,
                             request.elements.key);
    }
    with_single_keys(context, request.elements, n, [&](const keyed_elements& keys) {
      with_index(n, [&]<class Index>(Index) {
        if constexpr (sizeof(Bits) <= 8)
          sort_by_words<Bits, Index>(context, keys, n, bounds, use_of(request));
        else
          sort_by_comparing<Bits, Index>(context, keys, n, bounds, use_of(request));
      });
    });
  });
}

}  // namespace

void device_sort_segments(const segmented_request& request, const execution_options& options) {
  const bool writes_indices = request.indices.data != nullptr, selects = request.output.data != nullptr;
  if (request.count == 0 || request.segments.count == 0) return;
  const location* at = request.at;
  const std::size_t columns = 1 + request.value_columns + (writes_indices ? 1 : 0) + (selects ? 1 : 0);
  call here{options, ruling_location({at, columns + 2})};
  const auto reach = [&](void* data, std::size_t bytes, access how) {
    return here.reach(*at++, data, request.count * bytes, how);
  };
  const access of_elements = writes_indices || selects ? access::read : access::read_write;
  segmented_request reached = request;
  reached.elements.data = reach(request.elements.data, request.elements.element_bytes, of_elements);
  std::vector<column> values(request.values, request.values + request.value_columns);
  for (column& each : values) each.data = reach(each.data, each.element_bytes, access::read_write);
  reached.values = values.data();
  if (writes_indices)  // what belongs to no segment stays
    reached.indices.data = reach(request.indices.data, request.indices.element_bytes, access::read_write);
  if (selects)  // so does the output that a short segment has no elements for
    reached.output.data =
        here.reach(*at++, request.output.data, request.segments.count * request.each * request.output.element_bytes,
                   access::read_write);
  here.carry_out([&](const context& context) {
    const scratch<bounds_copy> copy{context, request.segments};
    sort_reached(context, reached, copy->bring(context, request.segments));
  });
}

}  // namespace gpu::inline v1::detail
