// The precompiled entries: requests of the headers, carried out by the kernels for their key's width. Plain keys, alone
// or with one column of 4- or 8-byte values, are sorted where they are; everything else by way of (key, place) and an
// order that all rows follow at the end.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/code_sort.hpp>
#include <gpu/detail/device/convert.cuh>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/part_codes.cuh>
#include <gpu/detail/device/rows/rows.cuh>
#include <gpu/detail/device/rows/runs.hpp>
#include <gpu/detail/device/rows/sorted.cuh>

#include "coded_columns.cuh"
#include "cuts.hpp"
#include "keys.hpp"
#include "merges.hpp"
#include "orders.hpp"

namespace gpu {
inline namespace v1 {
namespace detail {
namespace {

using namespace device;

/// Whether the sort that is asked for takes keys whose bytes it is to rearrange: not those that compare them as
/// integers.
bool takes_keys_as_they_are(const sort_request& request) {
  return !request.elements.key.is_of_parts() || !request.stable || request.how == algorithm::quicksort;
}

bool sorts_directly(const sort_request& request) {
  if (!request.elements.plain() || request.value_columns > 1 || !takes_keys_as_they_are(request)) return false;
  if (request.value_columns == 0) return true;
  if (!moves_along(request.values[0].element_bytes) || !is_aligned(request.values[0])) return false;
  if (!request.stable || request.how != algorithm::quicksort) return true;
  return with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    return key_kernels<Bits>::sorts_pairs(static_cast<const Bits*>(request.elements.data), request.values[0],
                                          request.count, request.elements.key, true);
  });
}

/// Whether the values are a column of integers that are too narrow for kernels to move.
bool has_narrow_values(const sort_request& request) {
  return request.value_columns == 1 && request.values[0].element_bytes < sizeof(std::uint32_t) &&
         std::has_single_bit(request.values[0].element_bytes) && is_aligned(request.values[0]);
}

/// The request with values elsewhere, of four bytes each.
struct widened_request : sort_request {
  column wide;
  widened_request(const sort_request& request, std::uint32_t* values)
      : sort_request{request}, wide{values, sizeof(std::uint32_t)} {
    this->values = &wide;
  }
  widened_request(const widened_request&) = delete;
};

/// What a sort of rows becomes: of codes that key columns are had back from; of plain keys, with a column of values or
/// none, which are widened if they are narrow; or of keys and places, whose order the rows follow.
enum class route : unsigned char { coded, direct, widened, by_places };

template <class Bits>
route route_of(const sort_request& request, const coded_columns& coded) {
  if (coded.apply && sorts_codes<Bits>(request, coded.values)) return route::coded;
  if (sorts_directly(request)) return route::direct;
  return has_narrow_values(request) && sorts_directly(widened_request{request, nullptr}) ? route::widened
                                                                                         : route::by_places;
}

template <class Bits>
void sort_directly(const context& context, const sort_request& request) {
  key_kernels<Bits>::sort(context, static_cast<Bits*>(request.elements.data),
                          request.value_columns > 0 ? request.values[0] : column{}, request.count, request.elements.key,
                          request.stable, request.how);
}

/// Calls body with the narrow values, as integers.
template <class Body>
void with_narrow_values(const sort_request& request, const Body& body) {
  void* const values = request.values[0].data;
  if (request.values[0].element_bytes == 1) return body(static_cast<std::uint8_t*>(values));
  body(static_cast<std::uint16_t*>(values));
}

/// Sorts keys and narrow values as values of four bytes: to bring them there and back takes less time than to sort
/// places and to fetch what lies at them.
template <class Bits>
void sort_widened(const context& context, const sort_request& request) {
  const std::size_t n = request.count;
  const scratch<scratch_array<std::uint32_t>> wide{context, n};
  with_narrow_values(request, [&](auto* values) {
    device::convert(context, values, n, wide->data);
    sort_directly<Bits>(context, widened_request{request, wide->data});
    device::convert(context, wide->data, n, values);
  });
}

/// Keys taken out of their rows, and the rows' order.
template <class Bits, class Index>
struct key_order : row_order<Index> {
  key_order(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : row_order<Index>{carve, n, most_row_bytes}, keys{carve.take<Bits>(n)} {}
  Bits* keys;
};

/// Whether keys are sorted as ranks, which equivalent ones share, so that their places decide: quicksort is stable
/// then.
bool sorts_ranks(const key_format& key, bool stable, algorithm how) {
  return stable && how == algorithm::quicksort && key.kind == key_class::floating_point;
}

/// Takes the keys out of n rows, as ranks if that is what will be sorted, and numbers them. Says what they are now.
template <class Bits>
key_format take_keys_or_ranks(const context& context, const column* columns, const keyed_elements& from, std::size_t n,
                              bool ranks, Bits* keys, index_writer places) {
  if constexpr (has_floating_v<Bits>)
    if (ranks) {
      extract_keys(context, columns[0].data, from.element_bytes, from.key_offset, keys, n, places,
                   make_rank_codec<Bits>(from.key));
      return {key_class::unsigned_integer, sizeof(Bits), 0, false};
    }
  return take_keys(context, from, columns, keys, n, places);
}

/// What sorting rows by way of their places takes: the places; the keys, unless they can be sorted where they are; and
/// a block that first serves the sort, then the rows on their way.
template <class Bits, class Index>
struct row_sort {
  bool ranks;  ///< sorted instead of keys
  bool in_place;
  Index* order;
  Bits* keys;
  std::size_t block_bytes;
  std::byte* block;

  row_sort(carver& carve, const sort_request& request, std::size_t row_bytes)
      : ranks{sorts_ranks(request.elements.key, request.stable, request.how)},
        in_place{request.elements.plain() && !ranks && takes_keys_as_they_are(request)},
        order{carve.take<Index>(request.count)},
        keys{in_place ? static_cast<Bits*>(request.elements.data) : carve.take<Bits>(request.count)},
        block_bytes{std::max(key_kernels<Bits>::sort_scratch_bytes(request.count, sizeof(Index), request.elements.key,
                                                                   request.stable, request.how),
                             request.count * row_bytes)},
        block{carve.take<std::byte>(block_bytes)} {}
};

/// compare(i, j) of rows by their keys, wherever in them these are.
template <class Bits>
struct compare_rows {
  const std::byte* first_key;
  std::size_t row_bytes;
  key_codec<Bits> codec;

  __device__ Bits code(std::size_t row) const {
    Bits key;
    std::memcpy(&key, first_key + row * row_bytes, sizeof(key));
    return codec.encode(key);
  }
  __device__ bool operator()(std::size_t i, std::size_t j) const { return code(i) < code(j); }
};

/// Sorts rows of any size in any number of columns; pointers are the device's.
template <class Bits, class Index>
void sort_rows(const context& context, const sort_request& request) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const std::vector<column> all = all_columns(request);
  try {
    const scratch<row_sort<Bits, Index>> memory{context, request, most_packed_bytes(all)};
    const auto unsorted = all.begin() + (memory->in_place ? 1 : 0);
    const std::vector<packed_columns> followers = pack_columns({unsorted, all.end()});  // there before keys move
    key_format format = elements.key;
    if (memory->in_place)
      fill_sequence(context, memory->order, n);
    else
      format = take_keys_or_ranks(context, all.data(), elements, n, memory->ranks, memory->keys, memory->order);
    lent_memory lent{memory->block, memory->block_bytes};
    key_kernels<Bits>::sort(lent.instead_of(context), memory->keys, {memory->order, sizeof(Index)}, n, format,
                            request.stable, request.how);
    reorder_columns(context, followers, memory->order, memory->block, n);
  } catch (const no_device_memory&) {  // thrown before any row has moved
    if (request.stable) throw;
    if (elements.parts.count > 0)
      return sort_rows_in_place(context, all.data(), all.size(), n,
                                compare_part_rows{{elements.parts, all.data(), sizeof(uint128)}});
    sort_rows_in_place(context, all.data(), all.size(), n,
                       compare_rows<Bits>{static_cast<const std::byte*>(elements.data) + elements.key_offset,
                                          elements.element_bytes, make_codec<Bits>(elements.key)});
  }
}

}  // namespace

void device::sort_reached(const context& context, const sort_request& request) {
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    const coded_columns coded{request};
    const route chosen = route_of<Bits>(request, coded);
    if (chosen == route::direct) return sort_directly<Bits>(context, request);
    try {
      if (chosen == route::coded) return sort_coded_columns<Bits>(context, request, coded.values);
      if (chosen == route::widened) return sort_widened<Bits>(context, request);
    } catch (const no_device_memory&) {  // before anything is written: what follows may take less
    }
    with_index(request.count, [&]<class Index>(Index) { sort_rows<Bits, Index>(context, request); });
  });
}

void device::order_reached(const context& context, const argsort_request& request, const std::vector<column>& keys) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  const column& order = request.indices;
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    const bool keys_stay = key_kernels<Bits>::sorts_places(n, request.how) &&
                           (request.how == algorithm::quicksort || !elements.key.is_of_parts());
    if (keys_stay && elements.plain())
      return key_kernels<Bits>::sort_places(context, static_cast<const Bits*>(keys[0].data), order, n, elements.key,
                                            request.how);
    const scratch<scratch_array<Bits>> taken{context, n};
    if (keys_stay) {
      const key_format format = take_keys(context, elements, keys.data(), taken->data, n);
      return key_kernels<Bits>::sort_places(context, taken->data, order, n, format, request.how);
    }
    const bool ranks = sorts_ranks(elements.key, request.stable, request.how);
    const key_format format = take_keys_or_ranks(context, keys.data(), elements, n, ranks, taken->data,
                                                 index_writer{order.data, order.element_bytes});
    key_kernels<Bits>::sort(context, taken->data, order, n, format, request.stable, request.how);
  });
}

namespace {

/// The request for the first n elements of other columns.
sort_request request_for(const sort_request& request, const std::vector<column>& all, std::size_t n) {
  sort_request other = request;
  other.elements.data = all[0].data;
  other.values = all.data() + 1;
  other.count = n;
  return other;
}

/// Calls use(steps) with the steps that sort the request's elements in runs.
template <class Use>
auto with_run_steps(const sort_request& request, const std::vector<column>& all, const Use& use) {
  const auto sort = [&](const context& context, const std::vector<column>& columns, std::size_t n) {
    sort_reached(context, request_for(request, columns, n));
  };
  const auto merge = [&](const context& context, const sorted_pieces& pieces) {
    merge_reached(context, pieces, request.elements);
  };
  const auto cut = [&](const context& context, const std::vector<merge_input>& pieces, std::size_t step,
                       std::size_t steps,
                       std::size_t* cuts) { cut_elements(context, request.elements, pieces, step, steps, cuts); };
  const auto sort_bytes = [&](std::size_t n) { return device_sort_scratch_bytes(request_for(request, all, n)); };
  const auto bytes_of_merge = [&](std::size_t n, std::size_t inputs) {
    return merge_bytes(request.elements, all, n, inputs);
  };
  return use(run_steps{sort, merge, cut, sort_bytes, bytes_of_merge, merges_directly(request.elements, all)});
}

}  // namespace

void device::sort_codes_unless(const context& context, const unsigned* unwanted, void* keys, std::size_t n,
                               const key_format& format, void* memory) {
  with_bits(format.bytes, [&]<class Bits>(Bits) {
    key_kernels<Bits>::sort_unless(context, unwanted, static_cast<Bits*>(keys), n, format, memory);
  });
}

std::size_t device::code_sort_bytes(std::size_t n, std::size_t key_bytes) {
  return with_bits(key_bytes, [&]<class Bits>(Bits) { return key_kernels<Bits>::code_sort_bytes(n); });
}

void device_sort(const sort_request& request, const execution_options& options) {
  std::vector<column> all = all_columns(request);
  const location ruling = ruling_location({request.at, all.size()});
  if (staging_bytes(ruling, 1) > 0 && with_run_steps(request, all, [&](const run_steps& steps) {
        return sort_by_runs(options, all, request.count, steps);
      }))
    return;
  call here{options, ruling};
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c].data = here.reach(request.at[c], all[c].data, request.count * all[c].element_bytes, access::read_write);
  here.listen();
  here.carry_out(sort_reached, request_for(request, all, request.count));
}

std::size_t device_sort_host_data_bytes(const sort_request& request, const execution_options& options) {
  const std::vector<column> all = all_columns(request);
  return with_run_steps(request, all,
                        [&](const run_steps& steps) { return host_data_bytes(options, all, request.count, steps); });
}

std::size_t device_sort_scratch_bytes(const sort_request& request) {
  const std::size_t n = request.count;
  return with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    const coded_columns coded{request};
    const route chosen = route_of<Bits>(request, coded);
    if (chosen == route::coded) return scratch_bytes<coded_column_memory<Bits>>(request, coded.values);
    const bool widens = has_narrow_values(request);
    const std::size_t given_bytes = request.value_columns ? request.values[0].element_bytes : 0;
    const std::size_t value_bytes = widens ? sizeof(std::uint32_t) : given_bytes;
    const bool one_column = request.value_columns <= 1 && moves_along(value_bytes);
    std::size_t directly = 0;  // or not, by the alignment of columns, which staging changes
    if (request.elements.plain() && one_column)
      directly =
          key_kernels<Bits>::sort_scratch_bytes(n, value_bytes, request.elements.key, request.stable, request.how) +
          (widens ? scratch_bytes<scratch_array<std::uint32_t>>(n) : 0);
    if (chosen == route::direct || chosen == route::widened) return directly;
    return with_index(n, [&]<class Index>(Index) {
      return std::max(directly, scratch_bytes<row_sort<Bits, Index>>(request, most_packed_bytes(all_columns(request))));
    });
  });
}

/// The columns of keys where kernels can read them, the elements first.
static std::vector<column> reach_keys(call& here, const location& at, const keyed_elements& elements, std::size_t n) {
  std::vector<column> columns{{elements.data, elements.element_bytes}};
  if (elements.more != nullptr)
    columns.insert(columns.end(), elements.more, elements.more + elements.parts.columns() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c)
    columns[c].data =
        here.reach(c == 0 ? at : locate(columns[c].data), columns[c].data, n * columns[c].element_bytes, access::read);
  return columns;
}

void device_argsort(const argsort_request& request, const execution_options& options) {
  const keyed_elements& elements = request.elements;
  const std::size_t n = request.count;
  call here{options, ruling_location({request.at, 2})};
  const std::vector<column> columns = reach_keys(here, request.at[0], elements, n);
  argsort_request reached = request;
  reached.indices.data =
      here.reach(request.at[1], request.indices.data, n * request.indices.element_bytes, access::write);
  here.listen();
  here.carry_out(order_reached, reached, columns);
}

std::size_t device_argsort_scratch_bytes(const argsort_request& request) {
  return with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    if (key_kernels<Bits>::sorts_places(request.count, request.how))
      return key_kernels<Bits>::sort_places_scratch_bytes(request.count, request.indices.element_bytes, request.how);
    return key_kernels<Bits>::sort_scratch_bytes(request.count, request.indices.element_bytes, request.elements.key,
                                                 request.stable, request.how);
  });
}

void device_inplace_merge(const keyed_elements& elements, std::size_t middle, std::size_t count,
                          const execution_options& options) {
  call here{options, locate(elements.data)};
  void* const rows = here.reach(elements.data, count * elements.element_bytes, access::read_write);
  const context& context = here.work();
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    if (elements.plain() && !elements.key.is_of_parts())
      return key_kernels<Bits>::inplace_merge(context, static_cast<Bits*>(rows), {}, middle, count, elements.key);
    with_index(count, [&]<class Index>(Index) {
      const scratch<key_order<Bits, Index>> memory{context, count, elements.element_bytes};
      const column all{rows, elements.element_bytes};
      const key_format format = take_keys(context, elements, &all, memory->keys, count, memory->order);
      key_kernels<Bits>::inplace_merge(context, memory->keys, {memory->order, sizeof(Index)}, middle, count, format);
      reorder(context, {rows, elements.element_bytes}, memory->order, memory->rows, count);
    });
  });
  here.finish();
}

std::size_t device_sorted_prefix(const keyed_elements& elements, std::size_t count, const execution_options& options) {
  call here{options, locate(elements.data)};
  const std::vector<column> columns = reach_keys(here, locate(elements.data), elements, count);
  const context& context = here.work();
  const bool in_place = elements.plain() && !elements.key.is_of_parts();
  std::size_t length = 0;
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    const scratch<scratch_array<Bits>> taken{context, in_place ? 0 : count};
    const scratch<single_result> result{context};
    const key_format format =
        in_place ? elements.key : take_keys(context, elements, columns.data(), taken->data, count);
    key_kernels<Bits>::sorted_until(context, in_place ? static_cast<const Bits*>(columns[0].data) : taken->data, count,
                                    format, result->value);
    length = fetch(context, result->value);
  });
  return length;
}

}  // namespace detail
}  // namespace v1
}  // namespace gpu
