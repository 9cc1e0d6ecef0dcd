// One call between a public function and the backends: locating the data, describing the work, making the plan,
// announcing it, trying the device, and falling back to the host. An operation provides only what is specific to it:
//
//   way, memory, where, host_serves    known from the types
//   done_at_once(options)              refuses wrong arguments; does the work, if any, that takes less time than a plan
//   locations()                        of each of its columns, in the order in which requests list them
//   describe(at)                       the workload, given the ruling location
//   complete(plan, at, options)        fills in the scratch of a plan, which decides nothing; optional
//   on_device(how, locations, options) throws no_device_memory if no data have been lost
//   on_host(how, options)
//   finish()                           the last step, wherever the work was done; optional
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>

#include "../../execution.hpp"
#include "../../plan.hpp"
#include "../boundary/dispatch.hpp"
#include "../boundary/request.hpp"
#include "../keys/ordering.hpp"

namespace gpu::inline v1::detail {

/// The properties of a call that are known at compile time.
template <residence Memory, placement Where, bool Stable = false>
struct call_terms {
  static constexpr residence memory = Memory;
  static constexpr placement where = Where;
  static constexpr bool stable = Stable;
};

/// std::apply with the callable as the last argument.
template <class Tuple, class Work>
constexpr decltype(auto) with_all(Tuple& all, const Work& work) {
  return std::apply(work, all);
}

/// Whether the policy allows `bytes` bytes of device memory.
inline bool is_within_limit(std::size_t bytes, const execution_options& options) {
  return options.memory_limit == 0 || bytes <= options.memory_limit;
}

/// Throws no_device_memory if the policy allows fewer than `bytes` bytes.
inline void require_within_limit(std::size_t bytes, const execution_options& options) {
  if (!is_within_limit(bytes, options)) GPUPAR_THROW(no_device_memory{});
}

/// Whether the host may process a few elements in these locations without a plan: no stream to wait for, no forced
/// algorithm, no log, and all memory pageable.
template <class Locations>
bool needs_no_plan(const Locations& locations, const execution_options& options) {
  return options.stream == nullptr && options.forced == algorithm::automatic && !announces() &&
         std::ranges::all_of(locations, [](const location& at) { return at.kind == memory_kind::pageable; });
}

/// The host's plan for a call for which the device has too little memory.
inline plan plan_without_device(const workload& work, execution_options options) {
  options.where = placement::host_only;
  plan decided = choose(work, options);  // the device's algorithm need not be one of the host's
  decided.reason = "there is too little memory on the device";
  return decided;
}

/// Refuses a call that has to run on the host with a comparator or projection that only kernels can call.
[[noreturn]] inline void refuse_device_callable() {
  refuse(errc::device_unsupported,
         "the call has to run on the host, but its comparator or projection is for the device alone: make it __host__ "
         "__device__");
}

template <execution_policy Policy>
execution_options options_of(const Policy& policy) {
  return policy.options();
}
inline const execution_options& options_of(const execution_options& options) { return options; }

inline namespace GPUPAR_UNIT {

/// The workload of a call on `count` elements of `element_bytes` bytes, for choose().
template <class Call>
workload describe(operation what, const location& at, std::size_t count, std::size_t element_bytes) {
  workload work;
  work.what = what;
  work.way = Call::way;
  work.at = at;
  work.count = count;
  work.element_bytes = element_bytes;
  work.typed_device = Call::memory == residence::device;
  return work;
}

/// The same for a call whose order of elements matters.
template <class Call, class T, class Compare, class Projection>
workload describe(operation what, const location& at, std::size_t count) {
  using order = ordering<T, Compare, Projection>;
  auto work = detail::describe<Call>(what, at, count, sizeof(T));
  if constexpr (order::natural || order::textual || order::led) work.key = order::format;
  work.key_is_element = is_identity_v<Projection> && !order::compound && !order::led;
  if constexpr (order::compound || order::led) {
    work.shape.parts = static_cast<std::uint16_t>(order::traits::extent.parts);
    work.shape.code_bits = static_cast<std::uint8_t>(order::led ? 8 * order::format.bytes : order::traits::extent.bits);
    work.shape.leads = order::led;
  }
  return work;
}

/// Base of calls that move elements in place: [first, first + count) in contiguous memory.
template <class Terms, class Iterator, class Compare, class Projection>
struct call_on_elements : Terms {
  using T = std::iter_value_t<Iterator>;
  static constexpr bool host_serves = host_may_serve<Terms::where, Terms::memory, Compare, Projection>;

  contiguous_elements<Iterator> elements;
  std::size_t count;
  const Compare& compare;
  const Projection& projection;

  call_on_elements(Terms, const Iterator& first, std::size_t given_count, const Compare& given_compare,
                   const Projection& given_projection)
      : elements{first, given_count}, count{given_count}, compare{given_compare}, projection{given_projection} {}

  [[nodiscard]] auto locations() const { return std::array{detail::locate(elements.data())}; }
  void finish() { elements.put_back(); }
};

/// Fills in the parts of a plan that are only reported.
template <class Call>
void complete(plan& decided, const Call& call, const location& at, const execution_options& options) {
  if constexpr (requires { call.complete(decided, at, options); })
    if (decided.where == backend::device) call.complete(decided, at, options);
  (void)decided, (void)call, (void)at, (void)options;
}

/// Carries out a call, either with a policy, whose listener is called with 0 before and with 1 after it, or with
/// options, as part of another call.
template <class Policy, class Call>
void run_call(const Policy& policy, Call&& call) {
  using own = std::remove_cvref_t<Call>;
  detail::require_way<own::way, own::where, own::memory>();
  constexpr bool has_listener = execution_policy<Policy>;
  const execution_options& options = detail::options_of(policy);
  if constexpr (has_listener) options.progress(0);
  if (!call.done_at_once(options)) {
    const auto locations = call.locations();
    const location at = detail::ruling_location(locations);
    const workload work = call.describe(at);
    plan decided = choose(work, options);
    const auto announce_plan = [&] {
      if (!announces()) return;
      plan announced = decided;
      detail::complete(announced, call, at, options);
      announce(work, announced);
    };
    announce_plan();
    if (decided.where == backend::device) {
      GPUPAR_TRY { call.on_device(decided.how, locations.data(), options); }
      GPUPAR_CATCH(const no_device_memory&) {
        if (!own::host_serves || !host_reaches(at)) GPUPAR_RETHROW;
        decided = plan_without_device(work, options);
        announce_plan();
      }
    }
    if (decided.where == backend::host) {
      if constexpr (own::host_serves) {
        await_stream(at, options);
        call.on_host(decided.how, options);
      } else {
        refuse_device_callable();
      }
    }
  }
  if constexpr (requires { call.finish(); }) call.finish();
  if constexpr (has_listener) options.progress(1);
}

}  // namespace GPUPAR_UNIT
}  // namespace gpu::inline v1::detail
