// The boundary between the headers and the precompiled library: plain structures and a handful of functions, free of
// templates, the same for a .cpp and a .cu. Elements are described by their size, their key by offset and format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "../../error.hpp"
#include "../../execution.hpp"
#include "../../plan.hpp"
#include "../calls/segments.hpp"
#include "../config.hpp"
#include "../keys/key.hpp"
#include "../keys/key_parts.hpp"

namespace gpu::inline v1::detail {

// Memory locations.

enum class memory_kind : std::uint8_t { pageable, pinned, managed, device };

struct location {
  memory_kind kind = memory_kind::pageable;
  int device = -1;  ///< the owner of managed and device memory
};

/// Asks CUDA what kind of memory a pointer refers to; pageable without CUDA. Never throws.
[[nodiscard]] GPUPAR_EXPORT location locate(const void* pointer) noexcept;

/// The location that decides where a call runs: the first one, or device memory if any of them is.
inline location ruling_location(std::span<const location> all) {
  location ruling = all.front();
  for (const location& at : all)
    if (at.kind == memory_kind::device) ruling = at;
  return ruling;
}

/// Whether the host can dereference pointers to it.
[[nodiscard]] constexpr bool host_reaches(const location& at) noexcept { return at.kind != memory_kind::device; }

/// Whether kernels can dereference pointers to it; otherwise the data are staged in device memory.
[[nodiscard]] constexpr bool kernels_reach(const location& at) noexcept {
  return at.kind == memory_kind::device || at.kind == memory_kind::managed;
}

/// Bytes of device memory needed to make `bytes` bytes at this location accessible to kernels.
[[nodiscard]] constexpr std::size_t staging_bytes(const location& at, std::size_t bytes) noexcept {
  return kernels_reach(at) ? 0 : bytes;
}

// The description of a call, and the one function that decides where and how it runs.

enum class operation : std::uint8_t {
  sort,
  stable_sort,
  sort_by_key,
  stable_sort_by_key,
  argsort,
  merge,
  inplace_merge,
  merge_by_key,
  multiway_merge,
  sorted_prefix,
  sort_indexed,
  segmented_sort,
  segmented_stable_sort,
  segmented_sort_by_key,
  segmented_stable_sort_by_key,
  segmented_argsort,
  segmented_top_k,
  nth_element,
  partial_sort,
  partial_sort_copy,
  top_k,
  arg_top_k,
  top_k_by_key,
  gather,
  permute
};

/// What the translation unit can run on the device for this call, from nothing to everything.
enum class device_way : std::uint8_t {
  none,           ///< the host backend only
  keys_by_index,  ///< keys extracted on the host, sorted with their index on the device, elements permuted on the host
  precompiled,    ///< natural order of contiguous elements with the key in place: the library's own kernels
  instantiated    ///< kernels compiled in this unit for this comparator
};

/// The composition of a key that is converted to a code.
struct key_shape {
  std::uint16_t parts = 0;  ///< 0: the key is one number, or there is none
  std::uint8_t code_bits = 0;
  bool leads = false;  ///< the code determines only a part of the order
};

struct workload {
  operation what = operation::sort;
  device_way way = device_way::none;
  location at;
  std::size_t count = 0;          ///< elements (of all inputs)
  std::size_t element_bytes = 0;  ///< of one element of the keys' range
  std::size_t value_bytes = 0;    ///< of one element of all value columns together
  std::size_t value_columns = 0;
  key_format key;  ///< bytes == 0: a custom order
  bool key_is_element = false;
  bool typed_device = false;  ///< the type states device memory, as device_span does
  std::size_t selected = 0;   ///< in a selection: elements wanted, or before the wanted one; else: segments
  key_shape shape;
};

/// Decides backend and algorithm. scratch_bytes is complete for precompiled ways and left to the translation unit for
/// instantiated ones. Throws gpu::error for work that the policy forbids or that cannot be done.
[[nodiscard]] GPUPAR_EXPORT plan choose(const workload& work, const execution_options& options);

/// Prints one line to stderr if GPUPAR_LOG is set to anything but 0.
GPUPAR_EXPORT void announce(const workload& work, const plan& decided);

/// Why device_count() is 0, and the remedy, as the end of a sentence. The text remains valid for the life of the
/// process.
[[nodiscard]] const char* device_problem() noexcept;

/// Whether announce() prints anything.
[[nodiscard]] GPUPAR_EXPORT bool announces() noexcept;

/// Throws a gpu::error with the message of the category and this text.
[[noreturn]] GPUPAR_EXPORT void refuse(int code, const char* what);
[[noreturn]] inline void refuse(errc code, const char* what) { refuse(static_cast<int>(code), what); }

/// Called before the host works on data at `at`: waits for earlier work on the policy's stream if it may affect them,
/// which is the case for all data if the policy names a stream, and otherwise for data that kernels and copies can
/// access. Does not wait while the stream is being captured.
GPUPAR_EXPORT void await_stream(const location& at, const execution_options& options) noexcept;

/// There is not enough device memory for a call, and either nothing has been written or the data written so far are a
/// permutation of the input: the host, or a sort without scratch, may still do the work. Later failures for lack of
/// memory, as of a launch or a copy, are not reported by this type.
class GPUPAR_EXPORT no_device_memory : public std::bad_alloc {};

// Requests to the precompiled kernels. Each pointer may be to host or device memory, independently of the others;
// inputs are not written.

struct column {
  void* data = nullptr;
  std::size_t element_bytes = 0;
};

/// Whether the elements of a column are aligned as words of their size; types with a weaker alignment need not be.
[[nodiscard]] inline bool is_aligned(const column& words) noexcept {
  return reinterpret_cast<std::uintptr_t>(words.data) % words.element_bytes == 0;
}

/// Elements of any size with a key of known format at a fixed offset, or with a key in several parts, from which codes
/// of that format are made.
struct keyed_elements {
  void* data = nullptr;
  std::size_t element_bytes = 0;
  std::size_t key_offset = 0;
  key_format key;
  key_parts parts = {};
  const column* more = nullptr;  ///< columns 1 … of the parts, unless these are value columns of the request

  /// The elements are their keys, and aligned as words of that size.
  [[nodiscard]] bool plain() const noexcept { return fills() && is_aligned({data, element_bytes}); }
  /// The elements are their keys, at any alignment.
  [[nodiscard]] bool fills() const noexcept { return element_bytes == key.bytes && parts.count == 0; }
};

/// Sorts `count` elements and the value columns with them.
struct sort_request {
  keyed_elements elements;
  std::size_t count = 0;
  const column* values = nullptr;
  std::size_t value_columns = 0;
  bool stable = false;
  algorithm how = algorithm::merge_sort;
  const location* at = nullptr;  ///< of elements and each value column: CUDA is asked once; unused by *_bytes
};
GPUPAR_EXPORT void device_sort(const sort_request& request, const execution_options& options);
[[nodiscard]] GPUPAR_EXPORT std::size_t device_sort_scratch_bytes(const sort_request& request);
/// Total device memory if every column is in host memory.
[[nodiscard]] GPUPAR_EXPORT std::size_t device_sort_host_data_bytes(const sort_request& request,
                                                                    const execution_options& options);

/// Writes the sorting permutation of the elements to `indices`; the elements are not changed.
struct argsort_request {
  keyed_elements elements;
  std::size_t count = 0;
  column indices;  ///< 4 or 8 bytes
  bool stable = true;
  algorithm how = algorithm::merge_sort;
  const location* at = nullptr;  ///< of the elements and of the indices; unused by *_bytes
};
/// Whether quicksort sorts keys of this many bytes joined with their indices as one integer, and hence stably.
constexpr bool joins_index(std::size_t key_bytes) { return key_bytes > 0 && key_bytes <= 8; }
GPUPAR_EXPORT void device_argsort(const argsort_request& request, const execution_options& options);
/// In addition to the elements, the indices, and a copy of the keys.
[[nodiscard]] GPUPAR_EXPORT std::size_t device_argsort_scratch_bytes(const argsort_request& request);

/// Sorts every segment of `count` elements together with the value columns. If there are indices, instead writes the
/// permutation that sorts each segment, counted from 0, to those of the segment. If there is an output, instead writes
/// the first `each` elements of segment i in stable order to output[i * each] and following; places for which a shorter
/// segment has no elements are not changed.
struct segmented_request {
  keyed_elements elements;
  std::size_t count = 0;
  segment_bounds segments;
  const column* values = nullptr;
  std::size_t value_columns = 0;
  bool stable = false;
  column indices = {};           ///< 4 or 8 bytes, or null
  const location* at = nullptr;  ///< of elements, each value column, indices, output, begins and ends
  column output = {};            ///< elements, or null
  std::size_t each = 0;
};
GPUPAR_EXPORT void device_sort_segments(const segmented_request& request, const execution_options& options);

/// A sorted sequence.
struct merge_input {
  const void* data = nullptr;
  std::size_t count = 0;
};
/// The data of a merge: `inputs`, where input_values[i * value_columns + c] is value column c of input i and
/// output_values[c] that of the output. at[i * (value_columns + 1) + c] is the location of column c of input i, column
/// 0 being its elements; the output follows after the inputs. CUDA is asked once for each.
struct merge_data {
  const merge_input* inputs = nullptr;
  std::size_t input_count = 0;
  const location* at = nullptr;
  const void* const* input_values = nullptr;
  const column* output_values = nullptr;
  std::size_t value_columns = 0;

  /// The ruling location of all columns.
  [[nodiscard]] location ruling() const { return ruling_location({at, (input_count + 1) * (value_columns + 1)}); }
};
/// Merges stably.
struct merge_request {
  keyed_elements output;  ///< data, size, key offset and format of output elements, the same in all inputs
  merge_data rows;
};
GPUPAR_EXPORT void device_merge(const merge_request& request, const execution_options& options);
[[nodiscard]] GPUPAR_EXPORT std::size_t device_merge_scratch_bytes(const merge_request& request);

/// Merges [0, middle) and [middle, count) in place, stably.
GPUPAR_EXPORT void device_inplace_merge(const keyed_elements& elements, std::size_t middle, std::size_t count,
                                        const execution_options& options);

/// Writes the rows of the first `selected` elements, in stable order, from each of up to two inputs to the
/// corresponding output, and their indices to `indices` unless that is null. Inputs are not changed. at[i] are the
/// locations of the elements, then of each input, then of each output, then of the indices.
struct selection_request {
  keyed_elements elements;
  std::size_t count = 0;
  std::size_t selected = 0;
  const column* inputs = nullptr;
  const column* outputs = nullptr;
  std::size_t columns = 0;
  column indices;  ///< 4 or 8 bytes
  const location* at = nullptr;
};
GPUPAR_EXPORT void device_select(const selection_request& request, const execution_options& options);

/// Moves the first `selected` elements to the front: sorted, or otherwise with only the last of them in its sorted
/// position; the rest follow in any order. 0 < selected < count.
struct partition_request {
  keyed_elements elements;
  std::size_t count = 0;
  std::size_t selected = 0;
  bool sorted = false;
  location at;
};
GPUPAR_EXPORT void device_partition(const partition_request& request, const execution_options& options);

/// Length of the sorted prefix. Synchronises with the stream.
[[nodiscard]] GPUPAR_EXPORT std::size_t device_sorted_prefix(const keyed_elements& elements, std::size_t count,
                                                             const execution_options& options);

}  // namespace gpu::inline v1::detail
