// A call of the library in which one thing after the other fails, and what must hold afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <string>

#include "device_memory.hpp"
#include "failing_cuda.hpp"
#include "failing_new.hpp"
#include "gpu/error.hpp"
#include "support.hpp"

namespace testing {

// cudaErrorMemoryAllocation, cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorUnknown
inline constexpr int out_of_memory = 2, insufficient_driver = 35, absent_device = 100, unknown_error = 999;

/// What was tried, of failures that last in particular, and how often something was lost.
struct failure_count {
  std::size_t points = 0, lasting = 0, lost = 0;
};
inline failure_count counted;

/// A call on data in some memory. `changed`, `missing` and `wrong` say what is the matter with the data: that they are
/// not as they were, not all there, not what a call that succeeds makes of them. Calls that only read or that write
/// elsewhere have data that stay as they were.
struct scenario {
  std::string name;
  bool on_host;  ///< the data must be as they were after a failure, else all there
  std::function<void()> prepare, call;
  std::function<std::string()> changed, missing, wrong;
  bool in_parts = false;       ///< results return in several copies, of which a device that is lost may leave out some
  bool kept_for_good = false;  ///< all there even if the device is lost while results return
  std::size_t every = 1;       ///< which points of failure are tried, where all of them would take too long
};

/// What a call of the library did while something failed.
struct ending {
  bool happened = false, threw = false;
  bool last = false;        ///< what failed was the last thing to be done
  bool afterwards = false;  ///< what failed came after all that was to be done
  bool launched = false;    ///< kernels had been launched by then
  bool for_memory = false;  ///< an allocation of the host failed
  bool strange = false;     ///< threw something else than it should
  outage how = outage::once;
  std::string failure;  ///< what failed
};

template <class Failure, class Call>
ending run_with(const Failure& failure, int code, const Call& call) {
  ending end;
  try {
    call();
  } catch (const std::bad_alloc&) {
    end.threw = true;
  } catch (const gpu::error&) {
    end.threw = true;
    end.strange = code == 0;  // for want of memory
  } catch (...) {
    end.threw = end.strange = true;
  }
  end.happened = failure.happened();
  return end;
}

template <class Call>
ending fail_cuda(std::size_t k, int code, outage how, const Call& call) {
  std::string name;
  ending end;
  {
    const failing_cuda_call failure{k, code, how};
    end = run_with(failure, code, call);
    name = failure.name();
    end.last = failure.was_last();
    end.afterwards = end.happened && failure.calls() <= k;
    end.launched = failure.launched();
  }
  end.how = how;
  end.failure = name + " (call " + std::to_string(k) + (how == outage::once ? ")" : " and all after it)") +
                " answers " + std::to_string(code);
  return end;
}

template <class Call>
ending fail_new(std::size_t k, const Call& call) {
  ending end;
  {
    constexpr auto never = static_cast<std::size_t>(-1);
    const failing_cuda_call watched{never, unknown_error};
    const failing_allocation failure{k};
    end = run_with(failure, 0, call);
    end.launched = watched.launched();
  }
  end.for_memory = true;
  end.failure = "allocation " + std::to_string(k);
  return end;
}

/// What is the matter with the data after a failure. One that lasts may leave elements that were under way in scratch,
/// which nothing can bring back; before the first launch none is.
inline std::string damage(const scenario& one, const ending& end) {
  if (!end.threw) return cuda_is_pretended ? "" : one.wrong();
  // What real kernels would have moved, those that do nothing leave where it was.
  if (cuda_is_pretended && end.for_memory && end.launched && !one.on_host) return "no memory when kernels had run";
  const bool may_lose = (!one.on_host || one.in_parts) && !one.kept_for_good;
  if (end.how == outage::from_then_on && end.launched && may_lose) return {};
  const std::string problem = one.on_host ? one.changed() : one.missing();
  const bool all_done = cuda_is_pretended ? end.last : one.on_host && one.wrong().empty();
  return all_done ? "" : problem;  // the last wait failed
}

inline void check_ending(const scenario& one, const ending& end) {
  (end.how == outage::once ? counted.points : counted.lasting) += end.happened;
  synchronize_device();  // copies may be under way
  std::string problem = damage(one, end);
  if (end.strange) problem = "threw another exception than it should";
  if (end.threw && !end.happened) problem = "threw although nothing failed";
  counted.lost += !problem.empty();
  if (!problem.empty()) expect(false, one.name + ", " + end.failure + ": " + problem);
}

/// Calls fail() with a scenario's data in place. Objects that were taken meanwhile and not given back.
template <class Fail>
std::ptrdiff_t left_by(const scenario& one, const Fail& fail) {
  one.prepare();
  const std::ptrdiff_t objects = live_cuda_objects();
  const auto allocations = static_cast<std::ptrdiff_t>(live_allocations());
  (void)fail();
  synchronize_device();  // copies may be under way, into what the next run prepares
  return std::max(live_cuda_objects() - objects, static_cast<std::ptrdiff_t>(live_allocations()) - allocations);
}

/// Runs a scenario with one failure; and again to see what leaks: what is kept for later calls is kept once, and a
/// thread of oneTBB that happens to start holds memory for a while. What leaks does so whenever it is tried.
template <class Fail>
bool survives(const scenario& one, Fail fail) {
  constexpr int attempts = 8;
  one.prepare();
  const ending end = fail();
  check_ending(one, end);
  if (!end.happened) return false;
  std::ptrdiff_t leaked = left_by(one, fail);
  for (int i = 1; i < attempts && leaked > 0; ++i) leaked = std::min(leaked, left_by(one, fail));
  if (leaked > 0) expect(false, one.name + ", " + end.failure + ": leaked " + std::to_string(leaked) + " objects");
  return true;
}

/// Lets everything fail that a call does: once, with either answer, and for good.
inline void fail_everything(const scenario& one) {
  one.prepare();
  one.call();  // loads kernels, and takes what is taken once
  const auto each = [&](auto fail) {
    for (std::size_t k = 0; survives(one, [&] { return fail(k); }); k += one.every) {
    }
  };
  each([&](std::size_t k) { return fail_cuda(k, out_of_memory, outage::once, one.call); });
  each([&](std::size_t k) { return fail_cuda(k, unknown_error, outage::once, one.call); });
  each([&](std::size_t k) { return fail_cuda(k, unknown_error, outage::from_then_on, one.call); });
  each([&](std::size_t k) { return fail_new(k, one.call); });
  one.prepare();
  one.call();
  if (!cuda_is_pretended) expect_none(one.wrong(), one.name + ": the next call");
}

}  // namespace testing
