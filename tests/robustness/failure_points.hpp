// Lets each CUDA call and each allocation in a call of the library fail in turn, and checks what must hold afterwards.
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

/// The numbers of failures tried that happen once and that last, and of those after which something was wrong.
struct failure_count {
  std::size_t points = 0, lasting = 0, lost = 0;
};
inline failure_count counted;

/// A call on data in some kind of memory. `changed`, `missing` and `wrong` return a description of the problem if the
/// data are not as before, not complete, or not the result of a successful call, respectively. For calls that only read
/// or that write elsewhere, the data are the input, which stays unchanged.
struct scenario {
  std::string name;
  bool on_host;  ///< after a failure the data must be unchanged, else only complete
  std::function<void()> prepare, call;
  std::function<std::string()> changed, missing, wrong;
  bool in_parts = false;       ///< results are copied back in several parts, some of which a lost device may omit
  bool kept_for_good = false;  ///< complete even if the device is lost while results are copied back
  std::size_t every = 1;       ///< distance between points of failure that are tried, where all would take too long
};

/// What a call of the library did while something failed.
struct ending {
  bool happened = false, threw = false;
  bool last = false;        ///< what failed was the last call that did any work
  bool afterwards = false;  ///< what failed came after all calls that did any work
  bool launched = false;    ///< kernels had been launched before
  bool for_memory = false;  ///< a host allocation failed
  bool strange = false;     ///< threw another exception than it should
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
    end.strange = code == 0;  // lack of memory must throw std::bad_alloc
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

/// What is wrong with the data after a failure. A lasting failure may leave elements in scratch, from which nothing can
/// bring them back; before the first launch there are none.
inline std::string damage(const scenario& one, const ending& end) {
  if (!end.threw) return cuda_is_pretended ? "" : one.wrong();
  // Kernels that do nothing hide that real ones would have moved elements by now.
  if (cuda_is_pretended && end.for_memory && end.launched && !one.on_host) return "no memory when kernels had run";
  const bool may_lose = (!one.on_host || one.in_parts) && !one.kept_for_good;
  if (end.how == outage::from_then_on && end.launched && may_lose) return {};
  const std::string problem = one.on_host ? one.changed() : one.missing();
  const bool all_done = cuda_is_pretended ? end.last : one.on_host && one.wrong().empty();
  return all_done ? "" : problem;  // only the last wait failed
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

/// Calls fail() on a scenario's data. Returns the number of objects that were allocated meanwhile and not freed.
template <class Fail>
std::ptrdiff_t left_by(const scenario& one, const Fail& fail) {
  one.prepare();
  const std::ptrdiff_t objects = live_cuda_objects();
  const auto allocations = static_cast<std::ptrdiff_t>(live_allocations());
  (void)fail();
  synchronize_device();  // copies may be under way, into what the next run prepares
  return std::max(live_cuda_objects() - objects, static_cast<std::ptrdiff_t>(live_allocations()) - allocations);
}

/// Runs a scenario with one failure, then repeats it to find leaks: objects that are cached for later calls are
/// allocated once, and a oneTBB thread that happens to start holds memory for a while, whereas a leak recurs in every
/// run. Returns false if the call has no such point of failure.
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

/// Lets everything that a call does fail in turn: once with either error code, and for good.
inline void fail_everything(const scenario& one) {
  one.prepare();
  one.call();  // loads kernels, and allocates what is allocated once
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
