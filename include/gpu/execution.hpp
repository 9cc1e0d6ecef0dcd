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

/// A CUDA stream, as cudaStream_t is defined. nullptr is the legacy default stream, also in units that are compiled
/// with a default stream per thread.
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

/// What a policy allows, as a compile-time value.
enum class placement : unsigned char { anywhere, device_only, host_only };

/// A callable that is called with a call's progress, or none. Does not own it.
struct progress_listener {
  void* object = nullptr;
  void (*function)(void* object, double fraction) = nullptr;

  void operator()(double fraction) const {
    if (function) function(object, fraction);
  }
};

/// What a policy says at run time. Same layout in every translation unit.
struct execution_options {
  stream_handle stream = nullptr;
  memory_resource* resource = nullptr;  ///< nullptr: the library's stream-ordered pool of the data's device
  algorithm forced = algorithm::automatic;
  bool synchronous = true;
  placement where = placement::anywhere;
  std::size_t memory_limit = 0;  ///< bytes of device memory for host data and scratch; 0: what is free
  progress_listener progress;
  bool beside_others = false;  ///< no launch waits for more than one free multiprocessor
};

/// Where a policy has its listener: nowhere, in itself, or with the caller.
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
/// `Synchronous` policies return when the result is there. The others may return while a sort or merge of device
/// data still runs on the stream; with host data there is no difference.
template <bool Synchronous, detail::placement Where, class Listener = detail::no_listener>
class basic_policy {
  static constexpr bool nothrow = std::is_nothrow_copy_constructible_v<Listener>;

 public:
  constexpr basic_policy() noexcept = default;

  /// Work is ordered on `stream`: that on device data is enqueued there, and the host waits for `stream` before it
  /// works on any data itself.
  [[nodiscard]] constexpr basic_policy on(stream_handle stream) const noexcept(nothrow) {
    auto copy = *this;
    copy.stream_ = stream;
    return copy;
  }
  /// The same for anything with a get() that is a stream, as cuda::stream_ref.
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

  /// Uses this algorithm whatever the input. Throws gpu::error (errc::unsuitable_algorithm) from the call if the
  /// algorithm cannot do it: a stable sort by bitonic or quicksort, or radix without arithmetic keys in natural order.
  [[nodiscard]] constexpr basic_policy using_algorithm(algorithm chosen) const noexcept(nothrow) {
    auto copy = *this;
    copy.forced_ = chosen;
    return copy;
  }

  /// No kernel waits for more than a free place for one of its blocks, so that work goes on while kernels of others
  /// stay on all multiprocessors but one, even if these wait for it. Otherwise a sort of some thousand elements may be
  /// one launch whose blocks run at once, on up to eight neighbours or on the whole device, and begins when those are
  /// free: that takes less time where nothing else runs. (Load kernels before, by a first call or
  /// CUDA_MODULE_LOADING=EAGER: CUDA may wait for running kernels to load others.)
  [[nodiscard]] constexpr basic_policy beside_others() const noexcept(nothrow) {
    auto copy = *this;
    copy.beside_others_ = true;
    return copy;
  }

  /// A sort of host data takes at most so many bytes of device memory, scratch included; 0: as many as are free. Data
  /// that need more are sorted in runs, which are merged through the device; that takes as much host memory as the data
  /// once more. Where it is an order of indices that is sorted, the host does it. A few hundred elements are always in.
  [[nodiscard]] constexpr basic_policy with_memory_limit(std::size_t bytes) const noexcept(nothrow) {
    auto copy = *this;
    copy.memory_limit_ = bytes;
    return copy;
  }

  /// Calls listener(fraction) from the calling thread: with 0 as a call begins, with 1 when it has done its work (which
  /// par_nosync has when that is enqueued), and with rising fractions between as a sort of host data in runs goes on. A
  /// temporary is moved into the policy; a listener that has a name must outlive the calls. If it throws, the exception
  /// reaches the caller, and what is sorted is a permutation of what it was.
  template <class Function>
    requires std::invocable<Function&, double>
  [[nodiscard]] constexpr auto on_progress(Function&& listener) const {
    if constexpr (std::is_lvalue_reference_v<Function> && !std::is_function_v<std::remove_reference_t<Function>>)
      return rebind<Where>(detail::held_listener<Function>{std::addressof(listener)});
    else
      return rebind<Where>(detail::held_listener<std::decay_t<Function>>{std::forward<Function>(listener)});
  }

  /// Runs on the device or not at all: what cannot is a compile-time error where types tell, a gpu::error otherwise.
  [[nodiscard]] constexpr auto require_device() const noexcept(nothrow) {
    return rebind<detail::placement::device_only>(listener_);
  }

  /// Runs on the CPU; kernels are not even compiled, so any host comparator will do in a .cu.
  [[nodiscard]] constexpr auto require_host() const noexcept(nothrow) {
    return rebind<detail::placement::host_only>(listener_);
  }

  /// Over the ranks of a communicator, each of which calls with its part: needs <gpu/distributed.hpp>.
  template <std::derived_from<communicator> Communicator>
  [[nodiscard]] constexpr policy_over_ranks<basic_policy> over(Communicator& ranks) const noexcept(nothrow) {
    return policy_over_ranks<basic_policy>{*this, ranks};
  }

  /// On several devices of this process at once, each listed once by its number: needs <gpu/distributed.hpp>.
  template <class Ids = std::initializer_list<int>>
    requires std::same_as<Ids, std::initializer_list<int>> || std::convertible_to<const Ids&, std::span<const int>>
  [[nodiscard]] policy_on_devices<basic_policy> on_devices(const Ids& ids) const {
    return policy_on_devices<basic_policy>{*this, {std::begin(ids), std::end(ids)}};
  }
  /// On all devices that there are; on the host where there is none, unless the policy requires a device.
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
