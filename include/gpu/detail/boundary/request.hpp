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

// Where memory is.

enum class memory_kind : std::uint8_t { pageable, pinned, managed, device };

struct location {
  memory_kind kind = memory_kind::pageable;
  int device = -1;  ///< the owner of managed and device memory
};

/// Asks CUDA what a pointer is; pageable without CUDA. Never throws.
[[nodiscard]] GPUPAR_EXPORT location locate(const void* pointer) noexcept;

/// The location that rules: the first, or device memory if any of them is.
inline location ruling_location(std::span<const location> all) {
  location ruling = all.front();
  for (const location& at : all)
    if (at.kind == memory_kind::device) ruling = at;
  return ruling;
}

/// Can the host dereference it?
[[nodiscard]] constexpr bool host_reaches(const location& at) noexcept { return at.kind != memory_kind::device; }

/// Bytes of device memory that `bytes` at a location need before kernels reach them.
[[nodiscard]] constexpr std::size_t staging_bytes(const location& at, std::size_t bytes) noexcept {
  return at.kind == memory_kind::device || at.kind == memory_kind::managed ? 0 : bytes;
}

// What is asked, and the one place that decides.

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

/// What the translation unit can bring to the device for this call, from nothing to everything.
enum class device_way : std::uint8_t {
  none,           ///< the host backend only
  keys_by_index,  ///< keys extracted on the host, sorted with their index on the device, elements permuted on the host
  precompiled,    ///< natural order of contiguous elements with the key in place: the library's own kernels
  instantiated    ///< kernels compiled in this unit for this comparator
};

/// What a key that becomes a code is made of.
struct key_shape {
  std::uint16_t parts = 0;  ///< 0: the key is one number, or there is none
  std::uint8_t code_bits = 0;
  bool leads = false;  ///< the code tells but a part of the order
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
  bool typed_device = false;  ///< a device_span: device memory by its type
  std::size_t selected = 0;   ///< of a selection: elements wanted, or before the wanted one; else: segments
  key_shape shape;
};

/// Decides backend and algorithm. scratch_bytes is complete for precompiled ways and left to the unit for instantiated
/// ones. Throws gpu::error for what the policy forbids or cannot be done.
[[nodiscard]] GPUPAR_EXPORT plan choose(const workload& work, const execution_options& options);

/// One line on stderr if GPUPAR_LOG is set to anything but 0.
GPUPAR_EXPORT void announce(const workload& work, const plan& decided);

/// Why device_count() is 0, and the remedy: the end of a sentence. It stays for as long as the process.
[[nodiscard]] const char* device_problem() noexcept;

/// Whether announce() prints anything.
[[nodiscard]] GPUPAR_EXPORT bool announces() noexcept;

/// A gpu::error with the category's and this text.
[[noreturn]] GPUPAR_EXPORT void refuse(int code, const char* what);
[[noreturn]] inline void refuse(errc code, const char* what) { refuse(static_cast<int>(code), what); }

/// The host is about to work on data at `at`: waits for what the policy's stream has to do before, if it may concern
/// them, which is any data where the policy names a stream, and else what kernels and copies can reach. Not while the
/// stream is being captured.
GPUPAR_EXPORT void await_stream(const location& at, const execution_options& options) noexcept;

/// There is no device memory for a call, and nothing has been written, or what has been is a permutation: the host may
/// do it, or a sort without scratch. What fails for want of memory later, as a launch or a copy may, is no such case.
class GPUPAR_EXPORT no_device_memory : public std::bad_alloc {};

// Work for the precompiled kernels. Pointers may be host or device memory, each on its own; inputs are not written.

struct column {
  void* data = nullptr;
  std::size_t element_bytes = 0;
};

/// Whether the elements of a column are where words of their size may be, as types aligned to less need not.
[[nodiscard]] inline bool is_aligned(const column& words) noexcept {
  return reinterpret_cast<std::uintptr_t>(words.data) % words.element_bytes == 0;
}

/// Elements of any size with a key of known format at a fixed offset, or in parts, which make codes of that format.
struct keyed_elements {
  void* data = nullptr;
  std::size_t element_bytes = 0;
  std::size_t key_offset = 0;
  key_format key;
  key_parts parts = {};
  const column* more = nullptr;  ///< columns 1 … of the parts, unless they are value columns of the request

  /// Elements are keys, and where a word of that size may be.
  [[nodiscard]] bool plain() const noexcept { return fills() && is_aligned({data, element_bytes}); }
  /// Elements are keys, wherever they are.
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
  const location* at = nullptr;  ///< of the elements and of each value column: CUDA is asked once; no matter for bytes
};
GPUPAR_EXPORT void device_sort(const sort_request& request, const execution_options& options);
[[nodiscard]] GPUPAR_EXPORT std::size_t device_sort_scratch_bytes(const sort_request& request);
/// Device memory in all, if every column is in host memory.
[[nodiscard]] GPUPAR_EXPORT std::size_t device_sort_host_data_bytes(const sort_request& request,
                                                                    const execution_options& options);

/// Writes the sorting permutation of the elements to `indices`; the elements stay as they are.
struct argsort_request {
  keyed_elements elements;
  std::size_t count = 0;
  column indices;  ///< 4 or 8 bytes
  bool stable = true;
  algorithm how = algorithm::merge_sort;
  const location* at = nullptr;  ///< of the elements and of the indices; no matter for bytes
};
/// Whether quicksort sorts keys of so many bytes, joined with their indices, as one integer, and hence stably.
constexpr bool joins_index(std::size_t key_bytes) { return key_bytes > 0 && key_bytes <= 8; }
GPUPAR_EXPORT void device_argsort(const argsort_request& request, const execution_options& options);
/// Beside the elements, the indices, and a copy of the keys.
[[nodiscard]] GPUPAR_EXPORT std::size_t device_argsort_scratch_bytes(const argsort_request& request);

/// Sorts every segment of `count` elements, and the value columns with them; or, if there are indices, writes to those
/// of each segment the permutation that sorts it, from 0 on; or, if there is an output, writes the first `each`
/// elements of segment i in stable order to output[i * each] and behind, and leaves what a shorter one has no elements
/// for.
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
/// What is merged: `inputs`, with input_values[i * value_columns + c] beside input i and output_values[c] beside the
/// output. at[i * (value_columns + 1) + c] is where column c of input i is, its elements being column 0, and the output
/// comes after the inputs: CUDA is asked once for each.
struct merge_data {
  const merge_input* inputs = nullptr;
  std::size_t input_count = 0;
  const location* at = nullptr;
  const void* const* input_values = nullptr;
  const column* output_values = nullptr;
  std::size_t value_columns = 0;

  /// Of all columns.
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

/// Brings the rows of the `selected` first elements, in stable order, from each of up to two inputs to the output
/// beside it, and their indices to `indices`, unless that is null. Inputs stay as they are. at[i]: of the elements,
/// then of each input, then of each output, then of the indices.
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

/// Moves the `selected` first elements to the front: sorted, or else with the last of them where it belongs, and
/// the rest in any order. 0 < selected < count.
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
