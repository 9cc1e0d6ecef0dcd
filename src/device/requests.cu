// The precompiled entries: requests from the headers, carried out by the kernels for their key's width. Plain keys,
// alone or with one column of 4- or 8-byte values, are sorted in place; everything else by (key, index) pairs, whose
// order all rows follow at the end.
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/device/code_sort.hpp>
#include <gpu/detail/device/launching/call.hpp>
#include <gpu/detail/device/rows/rows.cuh>
#include <gpu/detail/device/rows/runs.hpp>
#include <gpu/detail/device/rows/sorted.cuh>

#include "coded_columns.cuh"
#include "cuts.hpp"
#include "direct_sort.cuh"
#include "kernel_loading.hpp"
#include "keys/keys.hpp"
#include "merges.hpp"
#include "orders.hpp"
#include "row_sort.cuh"
#include "rows.cuh"

namespace gpu::inline v1::detail {
namespace {

using namespace device;

/// How rows are sorted: as codes from which the key columns are restored; as plain keys, with a column of values or
/// none; as one of these with narrow values widened; or as keys and indices, whose order the rows follow.
enum class route : unsigned char { coded, direct, widened, by_indices };

template <class Bits>
route route_of(const sort_request& request, const coded_columns& coded) {
  if (coded.apply && sorts_codes<Bits>(request, coded.values)) return route::coded;
  if (sorts_directly(request)) return route::direct;
  if (!has_narrow_values(request)) return route::by_indices;
  const widened_request wide{request, nullptr};
  return route_of<Bits>(wide, coded_columns{wide}) == route::by_indices ? route::by_indices : route::widened;
}

/// The request, with wider keys if there are no kernels for its own.
sort_request by_wide_keys(const sort_request& request) {
  sort_request wide = request;
  if (is_narrow(request.elements.key) && !sorts_directly(request))
    wide.elements = with_wide_keys(request.elements, request.how);
  return wide;
}

/// Keys extracted from their rows, and the rows' order.
template <class Bits, class Index>
struct key_order : row_order<Index> {
  key_order(carver& carve, std::size_t n, std::size_t most_row_bytes)
      : row_order<Index>{carve, n, most_row_bytes}, keys{carve.take<Bits>(n)} {}
  Bits* keys;
};

}  // namespace

void device::sort_reached(const context& context, const sort_request& given) {
  const sort_request request = by_wide_keys(given);
  with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    const coded_columns coded{request};
    const route chosen = route_of<Bits>(request, coded);
    const bool falls_back = sizeof(Bits) >= least_wide_bytes && !moves_wide_values(request);
    if (chosen == route::direct && falls_back) return sort_directly<Bits>(context, request);
    try {
      if (chosen == route::direct) return sort_directly<Bits>(context, request);
      if (chosen == route::coded) return sort_coded_columns<Bits>(context, request, coded.values);
      if (chosen == route::widened)
        return sort_widened(context, request, [&](const sort_request& wide) { sort_reached(context, wide); });
    } catch (const no_device_memory&) {  // thrown before anything is written; the next way may need less
    }
    with_index(request.count, [&]<class Index>(Index) { sort_rows<Bits, Index>(context, request); });
  });
}

void device::order_reached(const context& context, const argsort_request& request, const std::vector<column>& keys) {
  const keyed_elements elements = with_wide_keys(request.elements, request.how);
  const std::size_t n = request.count;
  const column& order = request.indices;
  with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    const bool keys_stay = key_kernels<Bits>::argsorts(n, request.how) &&
                           (request.how == algorithm::quicksort || !elements.key.is_of_parts());
    if (keys_stay && elements.plain())
      return key_kernels<Bits>::argsort(context, static_cast<const Bits*>(keys[0].data), order, n, elements.key,
                                        request.how);
    const scratch<scratch_array<Bits>> taken{context, n};
    if (keys_stay) {
      const key_format format = take_keys(context, elements, keys.data(), taken->data, n);
      return key_kernels<Bits>::argsort(context, taken->data, order, n, format, request.how);
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

/// Begins to load the kernels that sort such rows, unless this has been begun before.
void begin_loading(kernel_loading& loading, const sort_request& request) {
  const bool alone = request.elements.plain() && request.value_columns == 0;
  with_bits(by_wide_keys(request).elements.key.bytes, [&]<class Bits>(Bits) {
    const auto begin = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
      static std::atomic<bool> begun{false};
      loading.begin(begun, [](int device) {
        sort_kernels<Bits, Bytes>::load(context{cudaStreamLegacy, nullptr, properties(device)});
      });
    };
    if (alone)
      begin(std::integral_constant<std::size_t, 0>{});
    else
      begin(std::integral_constant<std::size_t, sizeof(std::uint32_t)>{});
  });
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
  kernel_loading loading;
  if (!kernels_reach(ruling)) {
    begin_loading(loading, request);
    const auto sort = [&](const run_steps& steps) { return sort_by_runs(options, all, request.count, steps); };
    if (with_run_steps(request, all, sort)) return;
  }
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

std::size_t device_sort_scratch_bytes(const sort_request& given) {
  const sort_request request = by_wide_keys(given);
  const std::size_t n = request.count;
  return with_bits(request.elements.key.bytes, [&]<class Bits>(Bits) {
    const coded_columns coded{request};
    const route chosen = route_of<Bits>(request, coded);
    if (chosen == route::coded) return scratch_bytes<coded_column_memory<Bits>>(request, coded.values);
    if (chosen == route::widened)
      return scratch_bytes<scratch_array<std::uint32_t>>(n) +
             device_sort_scratch_bytes(widened_request{request, nullptr});
    const std::size_t directly = direct_scratch_bytes<Bits>(request);  // or not: staging changes where columns lie
    if (chosen == route::direct) return directly;
    return with_index(n, [&]<class Index>(Index) {
      return std::max(directly, scratch_bytes<row_sort<Bits, Index>>(request, most_packed_bytes(all_columns(request))));
    });
  });
}

/// Makes the columns of keys accessible to kernels, the elements first.
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
  const keyed_elements elements = with_wide_keys(request.elements, request.how);
  return with_bits(elements.key.bytes, [&]<class Bits>(Bits) {
    if (key_kernels<Bits>::argsorts(request.count, request.how))
      return key_kernels<Bits>::argsort_scratch_bytes(request.count, request.indices.element_bytes, request.how);
    return key_kernels<Bits>::sort_scratch_bytes(request.count, request.indices.element_bytes, elements.key,
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
    const scratch<scratch_array<std::size_t>> result{context, std::size_t{1}};
    const key_format format =
        in_place ? elements.key : take_keys(context, elements, columns.data(), taken->data, count);
    key_kernels<Bits>::sorted_until(context, in_place ? static_cast<const Bits*>(columns[0].data) : taken->data, count,
                                    format, result->data);
    length = fetch(context, result->data);
  });
  return length;
}

}  // namespace gpu::inline v1::detail
