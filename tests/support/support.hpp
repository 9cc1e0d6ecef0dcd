// The basis of every test: expectations, and skips that are reported and counted.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <exception>
#include <string>

#include "gpu/error.hpp"

namespace testing {

/// The location of a call, as a default argument: like std::source_location, but also for compilers without it.
struct source_line {
  const char* file;
  int line;
  constexpr source_line(const char* name = __builtin_FILE(), int number = __builtin_LINE())
      : file{name}, line{number} {}
};

/// Records a check of the current test case; `what` is printed if it fails.
void expect(bool ok, const std::string& what, source_line where = source_line{});

/// The same for a description of what is wrong, which is empty if nothing is.
void expect_none(const std::string& problem, const std::string& what, source_line where = source_line{});

/// Reports that part of the current test case cannot run, and counts it; once per case and reason.
void skip(const std::string& why);

/// Returns whether there is no device, and if so reports and counts that `what`, a part of the tests, is skipped.
bool no_device(const std::string& what);

/// Prints how much was tried, as a line "figure: name = value" for the scoreboard.
void figure(const std::string& name, std::uint64_t value);

/// The description of an exception in a failure message.
std::string describe(std::exception_ptr thrown);

/// Calls `action`, which must throw gpu::error with this code.
template <class Action>
void expect_error(gpu::errc code, const std::string& what, Action action, source_line where = source_line{}) {
  try {
    action();
  } catch (const gpu::error& caught) {
    expect(caught.code() == gpu::make_error_code(code),
           what + ": expected \"" + gpu::make_error_code(code).message() + "\", got \"" + caught.what() + '"', where);
    return;
  } catch (...) {
    expect(false, what + ": threw " + describe(std::current_exception()), where);
    return;
  }
  expect(false, what + ": threw nothing, expected \"" + gpu::make_error_code(code).message() + '"', where);
}

/// Calls `action`, which must throw an Exception.
template <class Exception, class Action>
void expect_throw(const std::string& what, Action action, source_line where = source_line{}) {
  try {
    action();
  } catch (const Exception&) {
    expect(true, what, where);
    return;
  } catch (...) {
    expect(false, what + ": threw " + describe(std::current_exception()), where);
    return;
  }
  expect(false, what + ": threw nothing", where);
}

}  // namespace testing
