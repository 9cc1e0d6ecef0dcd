// How inputs are generated and results are checked, element by element, the same on host and device. An input is never
// kept for comparison: its hash is recomputed from the recipe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "elements.hpp"
#include "kinds/key.hpp"
#include "problem.hpp"

namespace bench {

/// The input of one slot.
struct recipe {
  testing::shape chosen;
  std::uint64_t n = 0;
  std::uint64_t sequences = 0;  ///< 0: one input to sort; else the number of sorted ones to merge
  std::uint64_t seed = 0;
  kinds::kind real = kinds::kind::none;  ///< the kind of keys, in place of `chosen`

  /// Length of the sequences to merge, except the last.
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t sequence_length() const { return (n + sequences - 1) / sequences; }

  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t position(std::uint64_t i) const {
    return sequences == 0 ? chosen.position(i, n, seed) : sorted_position(i);
  }

  template <class Key>
  [[nodiscard]] GPUPAR_HOST_DEVICE Key key(std::uint64_t i) const {
    if constexpr (std::is_arithmetic_v<Key> || std::is_same_v<Key, uint128>)
      if (real != kinds::kind::none) return kinds::key_of_kind<Key>(real, {i, n, seed});
    return make_key<Key>(position(i), i);
  }

 private:
  /// Sorted keys of the distribution: uniform ones, few distinct values, equal ones, or sequences that follow each
  /// other (sorted) or precede each other (reverse).
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t sorted_position(std::uint64_t i) const {
    const std::uint64_t length = sequence_length(), sequence = i / length, begin = sequence * length;
    const std::uint64_t count = n - begin < length ? n - begin : length;
    const std::uint64_t uniform = testing::pattern::sorted({i - begin, count, 0, testing::random_at(seed, sequence)});
    const std::uint64_t part = testing::pattern::greatest / sequences;
    switch (chosen.kind) {
      case testing::form::zero:
        return testing::pattern::greatest / 2;
      case testing::form::few_distinct:
        return testing::pattern::spread(testing::scaled(uniform, chosen.parameter), chosen.parameter);
      case testing::form::sorted:
        return sequence * part + testing::scaled(uniform, part);
      case testing::form::reverse:
        return (sequences - 1 - sequence) * part + testing::scaled(uniform, part);
      default:
        return uniform;
    }
  }
};

/// Whether sorted sequences of this distribution can be made, for merging.
[[nodiscard]] constexpr bool has_sorted_sequences(testing::form kind) {
  using testing::form;
  return kind == form::uniform || kind == form::zero || kind == form::few_distinct || kind == form::sorted ||
         kind == form::reverse;
}

/// Whether the distribution differs from all others for keys of this many bytes. If only a byte below them varies, all
/// keys are equal, as with `zero`.
[[nodiscard]] constexpr bool tells_apart(const testing::shape& input, std::size_t key_bytes) {
  return input.kind != testing::form::only_byte || input.parameter < key_bytes;
}

/// Sums over a range of a result or of an input.
struct tally {
  std::uint64_t hash = 0;        ///< of the multiset: the sum of its elements' hashes
  std::uint64_t disordered = 0;  ///< neighbours in the wrong order
};

template <class Element>
using key_of = typename Element::key_type;
template <class Element>
using value_of = typename Element::value_type;

/// The hash of a key and its value, truncated to the value type.
template <class Element>
GPUPAR_HOST_DEVICE std::uint64_t row_hash(const key_of<Element>& key, std::uint64_t value) {
  if constexpr (Element::has_values)
    return hash_of(key, static_cast<std::uint64_t>(static_cast<value_of<Element>>(value)));
  else
    return hash_of(key, 0);
}

/// The hash of the i-th row of an input. Values are indices.
template <class Element>
GPUPAR_HOST_DEVICE std::uint64_t input_hash(const recipe& from, std::uint64_t i) {
  return row_hash<Element>(from.template key<made_key<key_of<Element>>>(i), i);
}

/// Sorted rows: keys, and their values if the element has any. With `by_index`, the rows are given by the values alone,
/// which are indices into the keys.
template <class Element>
struct rows {
  const key_of<Element>* keys;
  const value_of<Element>* values;
  std::uint64_t n;
  bool by_index;
  bool stable;
  const std::uint32_t* heads = nullptr;  ///< a bit per row that begins a segment; null: all rows are one segment

  /// Adds the i-th row to `sum`, and whether it is out of order with the row before it.
  GPUPAR_HOST_DEVICE void add(std::uint64_t i, tally& sum) const {
    const auto key = key_at(i);
    const std::uint64_t tag = tag_at(i, key);
    sum.hash += row_hash<Element>(key, Element::has_values ? tag : 0);
    if (i == 0 || (heads != nullptr && (heads[i / 32] >> i % 32 & 1) != 0)) return;
    const auto before = key_at(i - 1);
    const bool wrong = less{}(key, before) || (stable && !less{}(before, key) && tag < tag_at(i - 1, before));
    sum.disordered += wrong ? 1 : 0;
  }

 private:
  [[nodiscard]] GPUPAR_HOST_DEVICE key_of<Element> key_at(std::uint64_t i) const {
    if constexpr (Element::has_values) {
      if (by_index) i = values[i] < n ? static_cast<std::uint64_t>(values[i]) : 0;
    }
    return keys[i];
  }

  /// The row's index in the input, if the row contains it.
  [[nodiscard]] GPUPAR_HOST_DEVICE std::uint64_t tag_at(std::uint64_t i, const key_of<Element>& key) const {
    if constexpr (Element::has_values)
      return static_cast<std::uint64_t>(values[i]);
    else if constexpr (is_record_v<key_of<Element>>)
      return key.index;
    else
      return 0;
  }
};

}  // namespace bench
