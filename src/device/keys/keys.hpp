// The precompiled kernels: sorts and merges of keys in natural order.
#pragma once

#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/segmented/long_lists.hpp>
#include <gpu/detail/keys/key.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace gpu::inline v1::detail::device {

/// Whether kernels move values of this many bytes along with the keys; 0: no values.
[[nodiscard]] constexpr bool moves_along(std::size_t value_bytes) {
  return value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
}
/// Passes by digits also move values of wide_value_bytes along, with keys of at most widest_key_of_wide_values bytes:
/// these need few passes, which take less time than fetching values by their indices.
inline constexpr std::size_t wide_value_bytes = 16, widest_key_of_wide_values = 4;

/// Whether keys of this width may be floating-point numbers.
template <class Bits>
inline constexpr bool has_floating_v = sizeof(Bits) == 2 || sizeof(Bits) == 4 || sizeof(Bits) == 8;

/// Calls body(less, codec) with the codec and with the comparator of codes that keeps equivalent keys equivalent, as
/// stable algorithms need.
template <class Bits, class Body>
decltype(auto) with_exact_less(const key_format& format, const Body& body) {
  if constexpr (has_floating_v<Bits>)
    if (format.kind == key_class::floating_point)
      return body(make_floating_code_less<Bits>(format), make_codec<Bits>(format));
  return body(code_less{}, make_integer_codec<Bits>(format));
}

/// A sorted input of a merge; `values` is null without values.
struct key_sequence {
  const void* keys;
  const void* values;
  std::size_t count;
};

// The following are compiled in units of their own, or together (CMakeLists.txt), since CUDA loads one unit at a time.
// All work on device memory and the context's stream.

/// Sorts of keys with values of ValueBytes bytes each, or of keys alone.
template <class Bits, std::size_t ValueBytes>
struct sort_kernels {
  /// Sorts, stably if requested. Without scratch, sorts that are not stable degrade, stable ones throw std::bad_alloc.
  /// Quicksort is stable for keys alone; for values that are the elements' indices, if keys have at most 8 bytes and
  /// are not floating-point numbers; and if it sorts_pairs().
  static void sort(const context& context, Bits* keys, void* values, std::size_t n, const key_format& format,
                   bool stable, algorithm how);
  [[nodiscard]] static std::size_t scratch_bytes(std::size_t n, const key_format& format, bool stable, algorithm how);

  /// Makes CUDA load the unit that contains these kernels.
  static void load(const context& context);

  /// Whether quicksort sorts keys with these values as pairs, stably if requested.
  [[nodiscard]] static bool sorts_pairs(const Bits* keys, const void* values, std::size_t n, const key_format& format,
                                        bool stable);
};

/// Sorts by digits with values of wide_value_bytes, stably or with equivalent keys in any order. Throws std::bad_alloc
/// before anything is written.
template <class Bits>
struct wide_value_kernels {
  static void sort(const context& context, Bits* keys, void* values, std::size_t n, const key_format& format,
                   bool stable);
  [[nodiscard]] static std::size_t scratch_bytes(std::size_t n);
};

/// Quicksorts of keys alone that depend on values in device memory, and whether keys are sorted.
template <class Bits>
struct code_kernels {
  /// Sorts the first *count keys, at most `most`, in one launch; returns false if the device cannot. Sets the keys
  /// behind them, up to `most`, to the one with the code *rest, unless `rest` is null.
  static bool sort_front(const context& context, Bits* keys, std::size_t most, const unsigned long long* count,
                         const Bits* rest, const key_format& format);
  /// Whether sort_front() can sort `most` keys, if nothing else runs on the device.
  [[nodiscard]] static bool sorts_front(const context& context, std::size_t most);

  /// Sorts keys unless *unwanted is non-zero. `memory`: scratch of code_sort_bytes(n) bytes.
  static void sort_unless(const context& context, const unsigned* unwanted, Bits* keys, std::size_t n,
                          const key_format& format, void* memory);
  [[nodiscard]] static std::size_t code_sort_bytes(std::size_t n);

  static void sorted_until(const context& context, const Bits* keys, std::size_t n, const key_format& format,
                           std::size_t* result);
};

/// What a rank does with its n keys before they are sent. `memory`: scratch of bytes(n, draws) bytes.
template <class Bits>
struct division_kernels {
  /// The codes of `draws` keys drawn at random.
  [[nodiscard]] static std::vector<Bits> draw(const context& context, const Bits* keys, std::size_t n,
                                              const key_format& format, std::size_t draws);
  [[nodiscard]] static std::size_t bytes(std::size_t n, std::size_t draws);
  /// How many keys are in each of the buckets chosen by a sample of at least one code.
  [[nodiscard]] static std::vector<std::uint64_t> count(const context& context, Bits* keys, std::size_t n,
                                                        const key_format& format, const std::vector<Bits>& sample,
                                                        void* memory);
  /// Moves the keys to their buckets in to[0, n), which lie there in the given order.
  static void move(const context& context, Bits* keys, std::size_t n, const key_format& format, std::size_t draws,
                   const std::vector<std::uint16_t>& order, Bits* to, void* memory);
};

/// Sorts of segments too long for a warp, of keys alone or, if Paired, joined with values of the same width. In
/// `memory` of rounds(n) bytes, begin() makes empty lists for them, and sort() sorts the segments listed since, parts
/// of keys[0, n) and values[0, n). `coded`: whether listed base cases hold codes. Not stable.
template <class Bits, bool Paired>
struct segment_kernels {
  [[nodiscard]] static rounds_bytes rounds(std::size_t n);
  [[nodiscard]] static long_lists begin(const context& context, std::size_t n, void* memory);
  static void sort(const context& context, Bits* keys, Bits* values, std::size_t n, const key_format& format,
                   void* memory, bool coded);
};

/// Permutations that sort keys, which themselves stay as they are.
template <class Bits>
struct argsort_kernels {
  /// Whether argsort() supports n keys and that algorithm.
  [[nodiscard]] static bool argsorts(std::size_t n, algorithm how);
  /// Argsort: writes the indices of keys[0, n) to `output`, of 4 or 8 bytes each, in the stable order of the keys.
  static void argsort(const context& context, const Bits* keys, const column& output, std::size_t n,
                          const key_format& format, algorithm how);
  [[nodiscard]] static std::size_t argsort_scratch_bytes(std::size_t n, std::size_t index_bytes, algorithm how);
};

template <class Bits, std::size_t ValueBytes>
struct merge_kernels {
  static void merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys, void* values,
                    const key_format& format);
  [[nodiscard]] static std::size_t scratch_bytes(std::size_t n, std::size_t inputs);
  static void inplace_merge(const context& context, Bits* keys, void* values, std::size_t middle, std::size_t n,
                            const key_format& format);
};

/// Calls body with the bytes of a value, see moves_along(), as a constant.
template <class Body>
decltype(auto) with_value_bytes(std::size_t bytes, const Body& body) {
  switch (bytes) {
    case 0:
      return body(std::integral_constant<std::size_t, 0>{});
    case 4:
      return body(std::integral_constant<std::size_t, 4>{});
    default:
      return body(std::integral_constant<std::size_t, 8>{});
  }
}

/// All kernels for keys of one width, with values of a size that moves_along(); `values.data` is null for size 0.
template <class Bits>
struct key_kernels : code_kernels<Bits>, argsort_kernels<Bits>, division_kernels<Bits> {
  static void sort(const context& context, Bits* keys, const column& values, std::size_t n, const key_format& format,
                   bool stable, algorithm how) {
    with_value_bytes(values.element_bytes, [&](auto bytes) {
      sort_kernels<Bits, bytes>::sort(context, keys, values.data, n, format, stable, how);
    });
  }
  [[nodiscard]] static std::size_t sort_scratch_bytes(std::size_t n, std::size_t value_bytes, const key_format& format,
                                                      bool stable, algorithm how) {
    return with_value_bytes(
        value_bytes, [&](auto bytes) { return sort_kernels<Bits, bytes>::scratch_bytes(n, format, stable, how); });
  }
  [[nodiscard]] static bool sorts_pairs(const Bits* keys, const column& values, std::size_t n, const key_format& format,
                                        bool stable) {
    return with_value_bytes(values.element_bytes, [&](auto bytes) {
      return sort_kernels<Bits, bytes>::sorts_pairs(keys, values.data, n, format, stable);
    });
  }

  static void merge(const context& context, const std::vector<key_sequence>& inputs, Bits* keys, const column& values,
                    const key_format& format) {
    with_value_bytes(values.element_bytes, [&](auto bytes) {
      merge_kernels<Bits, bytes>::merge(context, inputs, keys, values.data, format);
    });
  }
  [[nodiscard]] static std::size_t merge_scratch_bytes(std::size_t n, std::size_t inputs, std::size_t value_bytes) {
    return with_value_bytes(value_bytes,
                            [&](auto bytes) { return merge_kernels<Bits, bytes>::scratch_bytes(n, inputs); });
  }
  static void inplace_merge(const context& context, Bits* keys, const column& values, std::size_t middle, std::size_t n,
                            const key_format& format) {
    with_value_bytes(values.element_bytes, [&](auto bytes) {
      merge_kernels<Bits, bytes>::inplace_merge(context, keys, values.data, middle, n, format);
    });
  }
};

}  // namespace gpu::inline v1::detail::device
