// Records of every size that the tests need, without padding, so that they can be compared bitwise; and awkward types.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"

namespace testing {

/// A key and its position in the input, which makes stability visible.
template <class Key, class Index = std::uint32_t>
struct indexed {
  Key key;
  Index index;
  friend bool operator==(const indexed&, const indexed&) = default;
};

/// For keys narrower than the index: the bytes between the two are zero, because all bytes are compared.
template <class Key, class Index>
  requires(sizeof(Key) < sizeof(Index))
struct indexed<Key, Index> {
  Key key{};
  unsigned char zeros[sizeof(Index) - sizeof(Key)]{};
  Index index{};

  indexed() = default;
  indexed(Key k, Index i) : key{k}, index{i} {}
  friend bool operator==(const indexed&, const indexed&) = default;
};

using record8 = indexed<std::uint32_t>;
using record16 = indexed<double, std::uint64_t>;

/// `Bytes` bytes, the first of which is the key.
template <std::size_t Bytes>
struct bytes_record {
  std::uint8_t key;
  std::uint8_t rest[Bytes - 1];
};

/// An arithmetic key between words of payload.
template <class Key, std::size_t Before, std::size_t After>
struct padded_record {
  std::uint32_t before[Before];
  Key key;
  std::uint32_t after[After];
};
using record12 = padded_record<float, 1, 1>;
using record24 = padded_record<std::int64_t, 2, 2>;
using record64 = padded_record<std::uint32_t, 3, 12>;
using record1000 = padded_record<std::int64_t, 4, 244>;

/// A record of the sort benchmark: 10 bytes of key, 90 of payload.
struct record100 {
  std::array<unsigned char, 10> key;
  std::array<unsigned char, 90> payload;
};
inline bool lexicographic(const record100& left, const record100& right) {
  return std::memcmp(left.key.data(), right.key.data(), left.key.size()) < 0;
}

static_assert(sizeof(record12) == 12 && sizeof(record24) == 24 && sizeof(record64) == 64);
static_assert(sizeof(record100) == 100 && sizeof(record1000) == 1000 && sizeof(record16) == 16);

/// Aligned more strictly than any allocator does by default.
struct alignas(128) over_aligned {
  std::uint32_t key;
  std::uint32_t rest[31];
};

enum class colour : std::uint8_t {};
enum class level : std::int64_t {};

/// Cannot be copied. An element that was lost or duplicated is noticed by its missing key.
class move_only {
 public:
  explicit move_only(std::uint32_t key) : key_{std::make_unique<std::uint32_t>(key)} {}
  [[nodiscard]] std::uint32_t key() const { return key_ ? *key_ : ~std::uint32_t{0}; }
  [[nodiscard]] bool empty() const { return key_ == nullptr; }
  friend auto operator<=>(const move_only& left, const move_only& right) { return left.key() <=> right.key(); }
  friend bool operator==(const move_only& left, const move_only& right) { return left.key() == right.key(); }

 private:
  std::unique_ptr<std::uint32_t> key_;
};

/// Has no default constructor, and has operators that generic code must not use.
class awkward {
 public:
  explicit awkward(std::uint32_t key) : key_{key} {}
  [[nodiscard]] std::uint32_t key() const { return key_; }
  void operator&() const = delete;
  template <class Other>
  void operator,(Other&&) const = delete;
  friend bool operator<(const awkward& left, const awkward& right) { return left.key_ < right.key_; }
  friend bool operator==(const awkward& left, const awkward& right) { return left.key_ == right.key_; }

 private:
  std::uint32_t key_;
};

/// Keys with their indices.
template <class Key, class Index = std::uint32_t>
std::vector<indexed<Key, Index>> with_index(const std::vector<Key>& keys) {
  std::vector<indexed<Key, Index>> records(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) records[i] = {keys[i], static_cast<Index>(i)};
  return records;
}

/// Columns of keys and of indices, of equal length, as records.
template <class Key, class Index>
std::vector<indexed<Key, Index>> with_index(const std::vector<Key>& keys, const std::vector<Index>& indices) {
  std::vector<indexed<Key, Index>> records(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) records[i] = {keys[i], indices[i]};
  return records;
}

/// Records of any trivially copyable type: filled with random bytes, then given keys of a distribution.
template <class Record>
std::vector<Record> make_records(const distribution& chosen, std::size_t count) {
  std::vector<Record> records(count);
  random_source random{seed() + sizeof(Record)};
  const auto positions = make_positions(chosen, count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<unsigned char, sizeof(Record)> bytes;
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    std::memcpy(static_cast<void*>(std::addressof(records[i])), bytes.data(), bytes.size());
    using key_type = decltype(records[i].key);
    if constexpr (std::is_arithmetic_v<key_type>)
      records[i].key = key_at<key_type>(positions[i]);
    else
      std::memcpy(&records[i].key, &positions[i], sizeof(positions[i]));
  }
  return records;
}

}  // namespace testing
