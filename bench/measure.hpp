// The timing of one case: calls on fresh inputs, one after the other, the first result checked. Clock and inputs are
// parameters; nothing here knows of CUDA or of Google Benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "contender.hpp"

namespace bench {

class clock {
 public:
  virtual ~clock() = default;
  /// Seconds from the begin of the call to the end of the work that it started.
  virtual double time(const std::function<void()>& call) = 0;
};

/// For calls that return when their work is done.
class wall_clock : public clock {
 public:
  double time(const std::function<void()>& call) override;
};

/// The data of a case: one or more slots with an input each.
class inputs {
 public:
  virtual ~inputs() = default;
  [[nodiscard]] virtual std::size_t slots() const = 0;
  /// Puts fresh data in every slot, different ones in every round, before it returns.
  virtual void renew(std::uint64_t round) = 0;
  [[nodiscard]] virtual arrays at(std::size_t slot) const = 0;
  /// What is wrong with the result of a call on the latest data of a slot, in words; empty if it is right.
  [[nodiscard]] virtual std::string fault_of(std::size_t slot, const outcome& result) = 0;
};

/// How often a case is called.
struct schedule {
  int warm_up = 1;        ///< calls that are not counted
  int iterations = 1;     ///< measurements of a repetition, whose mean is one result
  int repetitions = 1;    ///< results, of which median and spread are taken
  std::size_t batch = 1;  ///< calls within one measurement, each on its own slot, for calls too short to time alone

  friend bool operator==(const schedule&, const schedule&) = default;
};

/// A schedule for calls of about this many seconds: short calls are repeated often, so that a case takes about 20 ms;
/// calls of a quarter of a second or more get no warm-up.
[[nodiscard]] schedule schedule_for(double seconds, bool on_device);

struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A contender at work on a case.
class session {
 public:
  /// A batch is limited to the number of slots there are. Calls the contender `warm_up` times; calls `rehearse`, if
  /// given, whenever data have been made: this may take milliseconds, and after such a wait the host takes longer for
  /// the calls of the next sort, depending on who else uses its caches.
  /// Throws wrong_result if the first call's result is wrong, and what the call throws.
  session(std::unique_ptr<inputs> data, prepared call, clock& watch, int warm_up, std::size_t batch,
          std::function<void()> rehearse = {});

  /// Seconds of one call, on data that no call has seen. Throws as the constructor does if there was no warm-up.
  double next();

  [[nodiscard]] const prepared& call() const { return call_; }

 private:
  void check(std::size_t slot, const outcome& result);

  std::unique_ptr<inputs> data_;
  prepared call_;
  clock* watch_;
  std::function<void()> rehearse_;
  std::size_t batch_;
  std::size_t used_;  ///< slots of this round that a call has changed
  std::uint64_t round_ = 0;
  bool checked_ = false;
};

}  // namespace bench
