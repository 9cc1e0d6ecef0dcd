// Sorting by keys of one width on the host. Keys without values are encoded in place, sorted as codes and decoded.
// Elements with a key are sorted through integers that combine code and index; no two of these are equal, so every
// algorithm is stable.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/host/sort.hpp>

#include <cstring>
#include <vector>

#include "codes.hpp"
#include "counting.hpp"

namespace gpu::inline v1::detail::host {

/// Sorts codes with the algorithm `how`; for automatic and radix, by digits or by counting.
template <class Code>
void sort_codes_by(Code* codes, std::size_t n, algorithm how) {
  if (how != algorithm::automatic && how != algorithm::radix) return host::sort(codes, n, code_less{}, how);
  if constexpr (sizeof(Code) <= 2)
    if (pays_to_count<Code>(n) && sort_by_counting(codes, n)) return;
  sort_codes(codes, n);
}

/// Replaces keys by their codes; decodes them on destruction.
template <class Bits>
class encoded {
 public:
  encoded(Bits* keys, std::size_t n, const key_codec<Bits>& codec) : keys_{keys}, n_{n}, codec_{codec} {
    replace([](const key_codec<Bits>& with, Bits key) { return with.encode(key); });
  }
  encoded(const encoded&) = delete;
  encoded& operator=(const encoded&) = delete;
  ~encoded() {
    replace([](const key_codec<Bits>& with, Bits code) { return with.decode(code); });
  }

 private:
  template <class Map>
  void replace(Map map) {
    if (codec_.changes_nothing()) return;
    for_each_part<default_tuning>(n_, [&](std::size_t begin, std::size_t end) {
      const key_codec<Bits> codec = codec_;  // a local copy, which no write to a key can alias: the loop vectorises
      Bits* const keys = keys_;
      for (std::size_t i = begin; i < end; ++i) keys[i] = map(codec, keys[i]);
    });
  }

  Bits* keys_;
  std::size_t n_;
  key_codec<Bits> codec_;
};

/// Floating-point keys that are equivalent although their bits differ: zeros of either sign, and NaNs. Remembers their
/// codes in the original order and restores this order after a sort by code.
template <class Bits>
class equivalent_codes {
 public:
  equivalent_codes(const Bits* codes, std::size_t n, const key_format& format)
      : less_{make_floating_code_less<Bits>(format)},
        zero_{rank_of_key(format, 0)},
        nan_{rank_of_key(format, static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1))))} {
    if (host::all_hold<default_tuning>(n, [&](std::size_t i) { return less_.rank(codes[i]) == codes[i]; })) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (less_.rank(codes[i]) == zero_) zeros_.push_back(codes[i]);
      if (less_.rank(codes[i]) == nan_) nans_.push_back(codes[i]);
    }
  }

  /// Restores the original order of equivalent keys in sorted codes.
  void restore(Bits* codes, std::size_t n) const {
    restore(codes, n, zeros_, zero_);
    restore(codes, n, nans_, nan_);
  }

 private:
  Bits rank_of_key(const key_format& format, Bits key) const {
    return less_.rank(make_codec<Bits>(format).encode(key));
  }

  void restore(Bits* codes, std::size_t n, const std::vector<Bits>& members, Bits rank) const {
    if (members.empty()) return;
    Bits* const first = std::partition_point(codes, codes + n, [&](Bits code) { return less_.rank(code) < rank; });
    std::copy(members.begin(), members.end(), first);
  }

  floating_code_less<Bits> less_;
  Bits zero_;
  Bits nan_;
  std::vector<Bits> zeros_;
  std::vector<Bits> nans_;
};

/// Sorts keys without values; stable.
template <class Bits>
void sort_keys(Bits* keys, std::size_t n, const sort_request& request) {
  const key_format& format = request.elements.key;
  const encoded<Bits> as_codes(keys, n, make_codec<Bits>(format));
  if (request.stable && format.kind == key_class::floating_point) {
    const equivalent_codes<Bits> equivalents(keys, n, format);
    sort_codes_by(keys, n, request.how);
    equivalents.restore(keys, n);
  } else {
    sort_codes_by(keys, n, request.how);
  }
}

/// The code of the key of element i; equivalent keys have equal codes.
template <class Bits>
class key_reader {
 public:
  explicit key_reader(const keyed_elements& elements)
      : keys_{static_cast<const std::byte*>(elements.data) + elements.key_offset},
        stride_{elements.element_bytes},
        codec_{make_codec<Bits>(elements.key)},
        floating_{elements.key.kind == key_class::floating_point} {
    if (floating_) less_ = make_floating_code_less<Bits>(elements.key);
  }

  Bits operator()(std::size_t i) const noexcept {
    Bits key;
    std::memcpy(&key, keys_ + i * stride_, sizeof(key));
    const Bits code = codec_.encode(key);
    return floating_ ? less_.rank(code) : code;
  }

 private:
  const std::byte* keys_;
  std::size_t stride_;
  key_codec<Bits> codec_;
  floating_code_less<Bits> less_;
  bool floating_;
};

/// The unsigned integer of twice the width, void for the widest.
template <class Bits>
using double_width = bits_of_size<2 * sizeof(Bits) <= 16 ? 2 * sizeof(Bits) : 0>;

/// Keys with one value of the same size each: in a column, or in the other half of a record.
struct valued_keys {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  std::size_t stride = 0;
};

/// The request's elements in this form; with null pointers if they do not have it.
inline valued_keys as_valued_keys(const sort_request& request) {
  const keyed_elements& elements = request.elements;
  const std::size_t bytes = elements.key.bytes;
  auto* const data = static_cast<std::byte*>(elements.data);
  if (request.value_columns == 1 && elements.plain() && request.values->element_bytes == bytes)
    return {data, static_cast<std::byte*>(request.values->data), bytes};
  const bool at_an_end = elements.key_offset == 0 || elements.key_offset == bytes;
  if (request.value_columns == 0 && elements.element_bytes == 2 * bytes && at_an_end)
    return {data + elements.key_offset, data + (bytes - elements.key_offset), 2 * bytes};
  return {};
}

/// Sorts keys with values, not stably, as integers that combine both, so that nothing is fetched by an index.
template <class Bits>
void sort_valued_keys(const valued_keys& rows, std::size_t n, const sort_request& request) {
  using pair = double_width<Bits>;
  constexpr unsigned value_bits = 8 * sizeof(Bits);
  const auto codec = make_codec<Bits>(request.elements.key);
  few_or_buffer<pair, 1024 / sizeof(pair)> pairs(n);
  pair* const all = pairs.data();
  for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Bits key, value;
      std::memcpy(&key, rows.keys + i * rows.stride, sizeof(key));
      std::memcpy(&value, rows.values + i * rows.stride, sizeof(value));
      all[i] = static_cast<pair>(static_cast<pair>(pair{codec.encode(key)} << value_bits) | pair{value});
    }
  });
  sort_codes_by(all, n, request.how);
  for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Bits key = codec.decode(static_cast<Bits>(all[i] >> value_bits));
      const auto value = static_cast<Bits>(all[i]);
      std::memcpy(rows.keys + i * rows.stride, &key, sizeof(key));
      std::memcpy(rows.values + i * rows.stride, &value, sizeof(value));
    }
  });
}

/// Code and index in one integer.
template <class Pair, class Bits>
struct packed_entry {
  static constexpr unsigned index_bits = 4 * sizeof(Pair);

  static Pair make(Bits code, std::size_t i) { return static_cast<Pair>(Pair{code} << index_bits | Pair{i}); }
  static std::size_t index(Pair pair) {
    return static_cast<std::size_t>(pair & static_cast<Pair>((Pair{1} << index_bits) - 1));
  }
  static void sort(Pair* entries, std::size_t n, algorithm how) { sort_codes_by(entries, n, how); }
};

/// Code and index in separate members, for keys that leave no room for an index in an integer.
struct wide_pair {
  uint128 code;
  std::size_t index;
};
struct wide_entry {
  static wide_pair make(uint128 code, std::size_t i) { return {code, i}; }
  static std::size_t index(const wide_pair& entry) { return entry.index; }
  static void sort(wide_pair* entries, std::size_t n, algorithm how) {
    const auto less = [](const wide_pair& a, const wide_pair& b) {
      return a.code != b.code ? a.code < b.code : a.index < b.index;
    };
    host::sort(entries, n, less, how == algorithm::radix ? algorithm::automatic : how);
  }
};

/// Sorts entries of code and index, then calls use(index_of): index_of(i) is the index of the element that belongs at
/// position i.
template <class Entry, class Bits, class Use>
void with_order_by(const keyed_elements& elements, std::size_t n, algorithm how, const Use& use) {
  using pair = decltype(Entry::make(Bits{}, 0));
  few_or_buffer<pair, 1024 / sizeof(pair)> entries(n);
  pair* const all = entries.data();
  const key_reader<Bits> code{elements};
  for_each_part<default_tuning>(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = Entry::make(code(i), i);
  });
  Entry::sort(all, n, how);
  use([all](std::size_t position) { return Entry::index(all[position]); });
}

template <class Bits, class Use>
void with_order(const keyed_elements& elements, std::size_t n, algorithm how, const Use& use) {
  if constexpr (sizeof(Bits) == 16)
    with_order_by<wide_entry, Bits>(elements, n, how, use);
  else if (sizeof(Bits) == 8 || n > std::size_t{1} << 32)
    with_order_by<packed_entry<uint128, Bits>, Bits>(elements, n, how, use);
  else if constexpr (sizeof(Bits) <= 4)
    with_order_by<packed_entry<std::uint64_t, Bits>, Bits>(elements, n, how, use);
}

}  // namespace gpu::inline v1::detail::host
