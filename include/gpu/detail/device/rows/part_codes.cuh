// Codes of keys that have several parts, anywhere in rows or columns, and comparisons of rows by such codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../boundary/request.hpp"
#include "../columns.cuh"
#include "../erased_codes.cuh"
#include "../launching/launch.cuh"
#include "../launching/scratch.cuh"
#include "../tuning/rows.hpp"
#include "permute.cuh"

namespace gpu::inline v1::detail::device {

/// Where to read a part of row 0, and how to encode it.
struct part_reader {
  const std::byte* data;
  std::size_t row_bytes;
  part_codec codec;
  std::uint8_t bytes;
  bool aligned;
  std::uint8_t shift;  ///< of the part in the code

  __device__ std::uint64_t code(std::size_t row) const {
    std::uint64_t code;
    codes<1>(row, row + 1, [&](int, std::uint64_t made) { code = made; });
    return code;
  }

  /// Calls take(i, code) for the Items rows first + i * permute_threads, whose loads are all in flight at once; keys of
  /// rows from n on are taken as 0.
  template <int Items, class Take>
  __device__ void codes(std::size_t first, std::size_t n, const Take& take) const {
    if (!aligned) {
      each<Items>(first, n, take, [&](const std::byte* at) {
        std::uint64_t key = 0;
        for (unsigned i = 0; i < bytes; ++i) key |= static_cast<std::uint64_t>(at[i]) << 8 * i;
        return key;
      });
    } else if (bytes == 8) {
      each<Items>(first, n, take, read<std::uint64_t>);
    } else if (bytes == 4) {
      each<Items>(first, n, take, read<std::uint32_t>);
    } else if (bytes == 2) {
      each<Items>(first, n, take, read<std::uint16_t>);
    } else {
      each<Items>(first, n, take, read<std::uint8_t>);
    }
  }

 private:
  template <class Word>
  __device__ static std::uint64_t read(const std::byte* at) {
    return *reinterpret_cast<const Word*>(at);
  }

  template <int Items, class Take, class Read>
  __device__ void each(std::size_t first, std::size_t n, const Take& take, const Read& key_at) const {
    std::uint64_t keys[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const std::size_t row = first + static_cast<std::size_t>(i) * permute_threads;
      keys[i] = row < n ? key_at(data + row * row_bytes) : 0;
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) take(i, codec.encode(keys[i]));
  }
};

/// All parts of a key.
struct part_readers {
  part_reader all[most_key_parts];
  unsigned count = 0;

  /// `columns`: column c of the parts is columns[c].
  part_readers(const key_parts& parts, const column* columns, std::size_t code_bytes) {
    unsigned bits = static_cast<unsigned>(8 * code_bytes);
    for (const key_part& part : parts) {
      const column& from = columns[part.column];
      const auto* const data = static_cast<const std::byte*>(from.data) + part.offset;
      const bool aligned = (reinterpret_cast<std::uintptr_t>(data) | from.element_bytes) % part.bytes == 0;
      bits -= part.code_bits;
      all[count++] = {data,
                      from.element_bytes,
                      detail::make_part_codec(part),
                      part.bytes,
                      aligned,
                      static_cast<std::uint8_t>(bits)};
    }
  }

  /// The code of a row: its parts one after the other, the first at the upper end.
  template <class Bits>
  __device__ Bits code(std::size_t row) const {
    Bits code = 0;
    for (unsigned p = 0; p < count; ++p)
      code = static_cast<Bits>(code | static_cast<Bits>(static_cast<Bits>(all[p].code(row)) << all[p].shift));
    return code;
  }
};

template <class Code>
__global__ void __launch_bounds__(permute_threads)
    make_part_codes_kernel(const part_readers parts, void* codes, unsigned code_bytes, index_writer indices,
                           std::size_t n) {
  await_predecessors();
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * part_tile + threadIdx.x;
  Code made[part_items] = {};
  for (unsigned p = 0; p < parts.count; ++p) {
    const part_reader& part = parts.all[p];
    part.codes<part_items>(first, n,
                           [&](int i, std::uint64_t code) { made[i] |= static_cast<Code>(code) << part.shift; });
  }
  device::with_integer(code_bytes, [&]<class Bits>(Bits) {
#pragma unroll
    for (int i = 0; i < part_items; ++i) {
      const std::size_t row = first + static_cast<std::size_t>(i) * permute_threads;
      if (row >= n) return;
      static_cast<Bits*>(codes)[row] = static_cast<Bits>(made[i]);
      if (indices) indices.write(row, row);
    }
  });
}

/// keys[i] = the key of row i as it is to be sorted, for n rows whose elements are in columns[0]; the key's code if it
/// has several parts. Returns the format of `keys`. Writes the indices 0 to n - 1, if they are wanted.
template <class Bits>
key_format take_keys(const context& context, const keyed_elements& from, const column* columns, Bits* keys,
                     std::size_t n, index_writer indices = {}) {
  constexpr key_format codes{key_class::unsigned_integer, sizeof(Bits)};
  const column& rows = columns[0];
  if (from.parts.count > 0) {
    device::launch_early(context, {divide_up(n, part_tile), permute_threads}, make_part_codes_kernel<widest_code<Bits>>,
                         part_readers{from.parts, columns, sizeof(Bits)}, keys, static_cast<unsigned>(sizeof(Bits)),
                         indices, n);
    return codes;
  }
  if (from.key.is_of_parts()) {
    device::extract_keys(context, rows.data, rows.element_bytes, from.key_offset, keys, n, indices,
                         detail::make_codec<Bits>(from.key));
    return codes;
  }
  device::extract_keys(context, rows.data, rows.element_bytes, from.key_offset, keys, n, indices);
  return from.key;
}

/// Calls use(elements) with elements whose keys are single numbers: these n elements or, if their keys have several
/// parts, codes of the keys, in memory of their own.
template <class Use>
void with_single_keys(const context& context, const keyed_elements& elements, std::size_t n, const Use& use) {
  if (elements.parts.count == 0) return use(elements);
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    const scratch<scratch_array<Bits>> codes{context, n};
    const column rows{elements.data, elements.element_bytes};
    const key_format format = take_keys(context, elements, &rows, codes->data, n);
    use(keyed_elements{codes->data, sizeof(Bits), 0, format});
  });
}

/// compare(i, j) of rows by their keys, whose parts may be anywhere in the rows.
struct compare_part_rows {
  part_readers parts;

  __device__ bool operator()(std::size_t i, std::size_t j) const {
    return parts.code<uint128>(i) < parts.code<uint128>(j);
  }
};

/// Where to write the parts of codes back to: integers that fill a column each.
struct part_writers {
  struct part {
    std::byte* data;
    part_codec codec;
    std::uint8_t bytes;
    std::uint8_t shift;
  };
  part all[most_key_parts];
  unsigned count = 0;

  part_writers(const key_parts& parts, const column* columns, std::size_t code_bytes) {
    unsigned bits = static_cast<unsigned>(8 * code_bytes);
    for (const key_part& part : parts) {
      bits -= part.code_bits;
      all[count++] = {static_cast<std::byte*>(columns[part.column].data), detail::make_part_codec(part), part.bytes,
                      static_cast<std::uint8_t>(bits)};
    }
  }
};

template <class Word, class Code>
__device__ void write_part(const part_writers::part& part, const Code (&codes)[part_items], std::size_t first,
                           std::size_t n) {
#pragma unroll
  for (int i = 0; i < part_items; ++i) {
    const std::size_t row = first + static_cast<std::size_t>(i) * permute_threads;
    const std::uint64_t code = static_cast<std::uint64_t>(codes[i] >> part.shift) & part.codec.mask;
    if (row < n)
      reinterpret_cast<Word*>(part.data)[row] = static_cast<Word>(code ^ part.codec.invert ^ part.codec.flip);
  }
}

template <class Code>
__global__ void __launch_bounds__(permute_threads)
    write_parts_kernel(const part_writers parts, const void* codes, unsigned code_bytes, std::size_t n) {
  await_predecessors();
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * part_tile + threadIdx.x;
  std::size_t rows[part_items];
  Code read[part_items];
#pragma unroll
  for (int i = 0; i < part_items; ++i) rows[i] = min(first + static_cast<std::size_t>(i) * permute_threads, n - 1);
  device::read_numbers(codes, code_bytes, rows, read);
  for (unsigned p = 0; p < parts.count; ++p) {
    const part_writers::part& part = parts.all[p];
    if (part.bytes == 8)
      device::write_part<std::uint64_t>(part, read, first, n);
    else if (part.bytes == 4)
      device::write_part<std::uint32_t>(part, read, first, n);
    else if (part.bytes == 2)
      device::write_part<std::uint16_t>(part, read, first, n);
    else
      device::write_part<std::uint8_t>(part, read, first, n);
  }
}

/// Whether codes hold the key columns completely, so that these can be restored: each part is all of an aligned integer
/// column.
inline bool codes_hold_columns(const key_parts& parts, const column* columns) {
  std::size_t next = 0;
  for (const key_part& part : parts) {
    if (part.column != next++ || part.kind == key_class::floating_point || part.code_bits != 8 * part.bytes ||
        part.bytes != columns[part.column].element_bytes || !is_aligned(columns[part.column]))
      return false;
  }
  return next > 0;
}

}  // namespace gpu::inline v1::detail::device
