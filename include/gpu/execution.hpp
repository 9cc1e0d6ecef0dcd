// Execution policies: where an algorithm may run, on which stream, with which memory, by which algorithm.
// A policy is a small value; each of its functions returns a changed copy.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "detail/config.hpp"

struct CUstream_st;  // what cudaStream_t points to; named here so that plain C++ needs no CUDA header

namespace gpu::inline v1 {

class memory_resource;  // memory.hpp
class communicator;     // communicator.hpp
template <class Policy>
class policy_over_ranks;  // distributed.hpp
template <class Policy>
class policy_on_devices;  // distributed.hpp

/// A CUDA stream; the same type as cudaStream_t. nullptr is the legacy default stream, even in translation units
/// compiled with per-thread default streams.
using stream_handle = CUstream_st*;

/// The algorithms of the library; each runs on both backends. `automatic` lets the library choose.
enum class algorithm : unsigned char {
  automatic,
  bitonic,      ///< sorting network, in place, not stable; O(n log^2 n)
  quicksort,    ///< two-phase quicksort with many pivots, not stable
  sample_sort,  ///< stable k-way distribution by sampled splitters
  merge_sort,   ///< stable, by merge path
  radix,        ///< stable distribution by digits; arithmetic keys in natural order only
};

/// Where an algorithm runs.
enum class backend : unsigned char { host, device };

namespace detail {

/// Where a policy allows a call to run, as a compile-time value.
enum class placement : unsigned char { anywhere, device_only, host_only };

/// Refers to the callable that receives a call's progress, or to none. Does not own it.
struct progress_listener {
  void* object = nullptr;
  void (*function)(void* object, double fraction) = nullptr;

  void operator()(double fraction) const {
    if (function) function(object, fraction);
  }
};

/// The run-time settings of a policy. Same layout in every translation unit.
struct execution_options {
  stream_handle stream = nullptr;
  memory_resource* resource = nullptr;  ///< nullptr: the library's stream-ordered pool of the data's device
  algorithm forced = algorithm::automatic;
  bool synchronous = true;
  placement where = placement::anywhere;
  std::size_t memory_limit = 0;  ///< limit in bytes of device memory for host data and scratch; 0: all that is free
  progress_listener progress;
  bool beside_others = false;  ///< no launch needs more than one free multiprocessor to start
};

/// How a policy holds its listener: not at all, by value, or as a pointer to the caller's object.
struct no_listener {
  [[nodiscard]] static constexpr progress_listener get() noexcept { return {}; }
};
template <class Listener>
struct held_listener {
  mutable Listener listener;

  [[nodiscard]] constexpr progress_listener get() const noexcept {
    return {const_cast<void*>(static_cast<const void*>(std::addressof(listener))),
            [](void* object, double fraction) { (*static_cast<Listener*>(object))(fraction); }};
  }
};
template <class Listener>
struct held_listener<Listener&> {
  Listener* listener;

  [[nodiscard]] constexpr progress_listener get() const noexcept {
    return {const_cast<void*>(static_cast<const void*>(listener)),
            [](void* object, double fraction) { (*static_cast<Listener*>(object))(fraction); }};
  }
};

}  // namespace detail

/// The type of `gpu::par` and `gpu::par_nosync` and of every policy made from them.
/// Calls with a `Synchronous` policy return when the result is complete. Calls with other policies may return while a
/// sort or merge of device data is still running on the stream; for host data there is no difference.
template <bool Synchronous, detail::placement Where, class Listener = detail::no_listener>
class basic_policy {
  static constexpr bool nothrow = std::is_nothrow_copy_constructible_v<Listener>;

 public:
  constexpr basic_policy() noexcept = default;

  /// Orders the work on `stream`: work on device data is enqueued there, and the host waits for `stream` before it
  /// processes any data itself.
  [[nodiscard]] constexpr basic_policy on(stream_handle stream) const noexcept(nothrow) {
    auto copy = *this;
    copy.stream_ = stream;
    return copy;
  }
  /// The same for any type whose get() returns a stream, such as cuda::stream_ref.
  template <class Stream>
    requires requires(const Stream& stream) { static_cast<stream_handle>(stream.get()); }
  [[nodiscard]] constexpr basic_policy on(const Stream& stream) const noexcept(nothrow) {
    return on(static_cast<stream_handle>(stream.get()));
  }

  /// Scratch memory on the device comes from `resource`, which must outlive the work.
  [[nodiscard]] constexpr basic_policy with(memory_resource& resource) const noexcept(nothrow) {
    auto copy = *this;
    copy.resource_ = &resource;
    return copy;
  }

  /// Uses this algorithm for every input. The call throws gpu::error (errc::unsuitable_algorithm) if the algorithm
  /// cannot do the work: bitonic or quicksort for a stable sort, or radix for anything but arithmetic keys in natural
  /// order.
  [[nodiscard]] constexpr basic_policy using_algorithm(algorithm chosen) const noexcept(nothrow) {
    auto copy = *this;
    copy.forced_ = chosen;
    return copy;
  }

  /// Makes every kernel able to start as soon as there is room for one of its blocks, so that the work proceeds while
  /// kernels of others occupy all multiprocessors but one, even if these kernels wait for it. Without this, a sort of a
  /// few thousand elements or more may be one launch whose blocks all run at the same time, on up to eight neighbouring
  /// multiprocessors or on the whole device, and which starts only when these are free: faster if nothing else is
  /// running. (Load the kernels beforehand, by a first call or with CUDA_MODULE_LOADING=EAGER: CUDA may wait for
  /// running kernels before it loads others.)
  [[nodiscard]] constexpr basic_policy beside_others() const noexcept(nothrow) {
    auto copy = *this;
    copy.beside_others_ = true;
    return copy;
  }

  /// Limits a sort of host data to `bytes` bytes of device memory, scratch included; 0: all that is free. Data that
  /// need more are sorted in runs, which are then merged through the device; this takes as much additional host memory
  /// as the data occupy. If the sort orders indices instead of the elements themselves, the host does it. A few hundred
  /// elements are always within the limit.
  [[nodiscard]] constexpr basic_policy with_memory_limit(std::size_t bytes) const noexcept(nothrow) {
    auto copy = *this;
    copy.memory_limit_ = bytes;
    return copy;
  }

  /// Calls listener(fraction) on the calling thread: with 0 when a call begins, with 1 when its work is done (with
  /// par_nosync: when it is enqueued), and with increasing fractions in between during a sort of host data in runs. A
  /// temporary is moved into the policy; a named listener must outlive the calls. An exception thrown by the listener
  /// reaches the caller, and leaves the range being sorted as a permutation of its original elements.
  template <class Function>
    requires std::invocable<Function&, double>
  [[nodiscard]] constexpr auto on_progress(Function&& listener) const {
    if constexpr (std::is_lvalue_reference_v<Function> && !std::is_function_v<std::remove_reference_t<Function>>)
      return rebind<Where>(detail::held_listener<Function>{std::addressof(listener)});
    else
      return rebind<Where>(detail::held_listener<std::decay_t<Function>>{std::forward<Function>(listener)});
  }

  /// Runs on the device or not at all: a call that cannot run there is a compile-time error if its types show this, and
  /// throws gpu::error otherwise.
  [[nodiscard]] constexpr auto require_device() const noexcept(nothrow) {
    return rebind<detail::placement::device_only>(listener_);
  }

  /// Runs on the CPU. No kernels are compiled, so a .cu may use any host comparator.
  [[nodiscard]] constexpr auto require_host() const noexcept(nothrow) {
    return rebind<detail::placement::host_only>(listener_);
  }

  /// Runs over the ranks of a communicator, each of which makes the call with its own part of the data. Needs
  /// <gpu/distributed.hpp>.
  template <std::derived_from<communicator> Communicator>
  [[nodiscard]] constexpr policy_over_ranks<basic_policy> over(Communicator& ranks) const noexcept(nothrow) {
    return policy_over_ranks<basic_policy>{*this, ranks};
  }

  /// Runs on several devices of this process at once; `ids` lists each device number once. Needs <gpu/distributed.hpp>.
  template <class Ids = std::initializer_list<int>>
    requires std::same_as<Ids, std::initializer_list<int>> || std::convertible_to<const Ids&, std::span<const int>>
  [[nodiscard]] policy_on_devices<basic_policy> on_devices(const Ids& ids) const {
    return policy_on_devices<basic_policy>{*this, {std::begin(ids), std::end(ids)}};
  }
  /// Runs on all devices; on the host if there is none, unless the policy requires a device.
  template <class Policy = basic_policy>
  [[nodiscard]] policy_on_devices<Policy> on_all_devices() const {
    return policy_on_devices<Policy>::on_all(*this);
  }

  [[nodiscard]] constexpr detail::execution_options options() const noexcept {
    return {stream_, resource_, forced_, Synchronous, Where, memory_limit_, listener_.get(), beside_others_};
  }

  static constexpr detail::placement where = Where;

 private:
  template <bool, detail::placement, class>
  friend class basic_policy;

  template <detail::placement Other, class OtherListener>
  constexpr auto rebind(OtherListener listener) const {
    return basic_policy<Synchronous, Other, OtherListener>{*this, std::move(listener)};
  }

  template <detail::placement Other, class OtherListener>
  constexpr basic_policy(const basic_policy<Synchronous, Other, OtherListener>& other, Listener listener)
      : stream_{other.stream_},
        resource_{other.resource_},
        forced_{other.forced_},
        memory_limit_{other.memory_limit_},
        beside_others_{other.beside_others_},
        listener_{std::move(listener)} {}

  stream_handle stream_ = nullptr;
  memory_resource* resource_ = nullptr;
  algorithm forced_ = algorithm::automatic;
  std::size_t memory_limit_ = 0;
  bool beside_others_ = false;
  [[no_unique_address]] Listener listener_{};
};

using parallel_policy = basic_policy<true, detail::placement::anywhere>;
using parallel_nosync_policy = basic_policy<false, detail::placement::anywhere>;

/// Sorts and merges on a GPU if there is one and the data allow it, else on all CPU cores. Returns when done.
inline constexpr parallel_policy par{};
/// As `par`, but work on device data is only enqueued on the policy's stream.
inline constexpr parallel_nosync_policy par_nosync{};

template <class T>
struct is_execution_policy : std::false_type {};
template <bool Synchronous, detail::placement Where, class Listener>
struct is_execution_policy<basic_policy<Synchronous, Where, Listener>> : std::true_type {};

template <class T>
inline constexpr bool is_execution_policy_v = is_execution_policy<std::remove_cvref_t<T>>::value;

template <class T>
concept execution_policy = is_execution_policy_v<T>;

}  // namespace gpu::inline v1
