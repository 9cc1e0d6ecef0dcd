// Sorting on several devices of one process: one thread per device, each of which is a rank of one group.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "../../error.hpp"
#include "../boundary/array_view.hpp"
#include "../boundary/function_ref.hpp"
#include "calls.hpp"

namespace gpu::inline v1 {

/// Elements on several devices, one span for each; the sequence is the concatenation of the spans.
template <class T>
struct partitioned {
  std::vector<device_span<T>> spans;
};
template <class T>
partitioned(std::vector<device_span<T>>) -> partitioned<T>;

namespace detail {

/// Calls body(ranks, stream) in one thread per device, with that device current; the ranks copy from device to device.
/// `stream` belongs to the thread; work enqueued on the device's default stream before has completed. Throws gpu::error
/// (errc::no_device) for a device that does not exist or is listed twice.
GPUPAR_EXPORT void run_on_devices(array_view<int> ids, function_ref<void(communicator&, stream_handle)> body);

/// The ids of all devices.
[[nodiscard]] inline std::vector<int> all_devices() {
  std::vector<int> ids;
  for (int id = 0; id < device_count(); ++id) ids.push_back(id);
  return ids;
}

/// Memory of the current device, from a pool of the library that other devices can read if they have peer access.
[[nodiscard]] GPUPAR_EXPORT memory_resource& memory_for_peers();

/// Refuses pointers that are not to memory of their device; null is accepted for any device.
GPUPAR_EXPORT void require_on_devices(array_view<int> ids, array_view<const void*> pointers);

/// The part of a column of host memory that one device sorts.
template <class T>
class device_part {
 public:
  device_part(T* host, std::size_t count) : host_{host}, count_{count} {}

  void bring(execution_options options, int device) {
    options.resource = &memory_for_peers();
    memory_.emplace(location{memory_kind::device, device}, count_ * sizeof(T), alignof(T), options);
    detail::copy_rank_bytes(data(), host_, count_ * sizeof(T), options);
  }
  void put_back(const execution_options& options) const {
    detail::copy_rank_bytes(host_, data(), count_ * sizeof(T), options);
  }

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_->data()); }

 private:
  T* host_;
  std::size_t count_;
  std::optional<rank_memory> memory_;
};

/// A column in host memory, and room for its merged result.
template <class T>
class merged_column {
 public:
  merged_column(T* data, std::size_t count) : data_{data}, room_{count} {}

  [[nodiscard]] part_column<T> columns() { return {data_, room_.data()}; }
  void put_back() { host::parallel_relocate<host::default_tuning>(data_, room_.data(), room_.size()); }

 private:
  T* data_;
  host::buffer<T> room_;
};

inline namespace GPUPAR_UNIT {

/// The options for work on several devices: each works on a stream of its own.
inline execution_options options_on_devices(execution_options options) {
  if (options.stream != nullptr)
    refuse(errc::device_unsupported, "a policy on several devices has no stream: each device works on one of its own");
  options.progress = {};
  options.synchronous = true;
  return options;
}

/// Calls work(ranks, options) on all devices at once, each with a stream of its own.
template <class Work>
void on_ranks_of_devices(const std::vector<int>& ids, const execution_options& options, const Work& work) {
  detail::run_on_devices(ids, [&](communicator& ranks, stream_handle stream) {
    execution_options own = options;
    own.stream = stream;
    work(ranks, own);
  });
}

/// Calls work(rank, options) for all devices at once; if one fails, all throw the same rank_error.
template <class Work>
void on_each_device(const std::vector<int>& ids, const execution_options& options, const Work& work) {
  detail::on_ranks_of_devices(ids, options, [&](communicator& ranks, const execution_options& own) {
    detail::agreed(ranks, [&] { work(ranks.rank(), own); });
  });
}

/// Sorts columns in host memory: each device copies a part of them, all sort together, and each copies its part back.
template <bool Stable, placement Where, class Compare, class Projection, class... Columns>
void sort_on_devices(const std::vector<int>& ids, const execution_options& options, std::size_t count,
                     const Compare& compare, const Projection& projection, Columns*... columns) {
  const host::partition_of parts{count, ids.size()};
  detail::on_ranks_of_devices(ids, options, [&](communicator& ranks, const execution_options& own) {
    const std::size_t first = parts.begin(ranks.rank());
    const std::size_t some = parts.end(ranks.rank()) - first;
    const auto with_parts = [&](auto... part) {
      detail::agreed(ranks, [&] {
        const std::size_t wanted = 3 * some * (sizeof(Columns) + ...);  // including received elements and scratch
        if (!detail::is_within_limit(wanted, options)) GPUPAR_THROW(no_device_memory{});
        (part.bring(own, ids[ranks.rank()]), ...);
      });
      detail::sort_over<Stable, residence::device, Where>(ranks, own, {"sort", some, some, nullptr}, compare,
                                                          projection, detail::in_place(part.data())...);
      detail::agreed(ranks, [&] { (part.put_back(own), ...); });
    };
    with_parts(device_part<Columns>{columns + first, some}...);
  });
}

/// Sorts columns in host memory that do not fit in the memory of the devices: each device sorts its part through
/// windows, and the host merges the parts.
template <bool Stable, placement Where, class Compare, class Projection, class... Columns>
void sort_through_devices(const std::vector<int>& ids, const execution_options& options, std::size_t count,
                          const Compare& compare, const Projection& projection, Columns*... columns) {
  const host::partition_of parts{count, ids.size()};
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < ids.size(); ++r) counts.push_back(parts.end(r) - parts.begin(r));
  const auto with_room = [&](auto... merged) {
    detail::on_each_device(ids, options, [&](std::size_t r, const execution_options& own) {
      detail::sort_part<Stable, residence::ask, Where>(own, counts[r], compare, projection,
                                                       (columns + parts.begin(r))...);
    });
    execution_options merging = options;
    merging.where = placement::host_only;
    detail::merge_runs<residence::ask, placement::host_only>(merging, counts, compare, projection, merged.columns()...);
    (merged.put_back(), ...);
  };
  with_room(merged_column<Columns>{columns, count}...);
}

/// Sorts columns in host memory on devices, within the memory of the devices if that is sufficient.
template <bool Stable, placement Where, class Compare, class Projection, class... Columns>
void sort_host_columns(const std::vector<int>& ids, const execution_options& given, std::size_t count,
                       const Compare& compare, const Projection& projection, Columns*... columns) {
  (detail::require_memory(columns, count), ...);
  const execution_options options = detail::options_on_devices(given);
  GPUPAR_TRY { detail::sort_on_devices<Stable, Where>(ids, options, count, compare, projection, columns...); }
  GPUPAR_CATCH(const rank_error& failure) {
    if (failure.code() != std::errc::not_enough_memory) GPUPAR_RETHROW;
    detail::sort_through_devices<Stable, Where>(ids, options, count, compare, projection, columns...);
  }
}

/// Calls work(ranks, options) on each device that has a span of each of these parts; refuses spans that are elsewhere.
template <class Work, class... Parts>
void on_partitioned(const std::vector<int>& ids, const execution_options& given, const Work& work,
                    const Parts&... parts) {
  const auto require = [&](const auto& part) {
    std::vector<const void*> addresses;
    for (const auto& span : part.spans) addresses.push_back(span.empty() ? nullptr : span.data());
    detail::require_on_devices(ids, addresses);
  };
  (require(parts), ...);
  detail::on_ranks_of_devices(ids, detail::options_on_devices(given), work);
}

}  // namespace GPUPAR_UNIT
}  // namespace detail
}  // namespace gpu::inline v1
