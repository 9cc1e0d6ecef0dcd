// The output of the program: a line per case with the time left, and Google Benchmark's JSON under the plain names of
// the cases.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bench {

/// Prints a line per case. Counts the cases that were wrong or failed.
class progress : public benchmark::BenchmarkReporter {
 public:
  /// `seconds`: the expected time of every case, by name.
  explicit progress(std::map<std::string, double> seconds);

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  [[nodiscard]] std::size_t failures() const { return failures_; }

 private:
  void print_line(const std::string& name, const std::vector<Run>& runs);

  std::map<std::string, double> seconds_;
  double expected_ = 0, done_ = 0;
  std::size_t failures_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Google Benchmark's JSON, without the suffixes of its names (iterations, repetitions, kind of time).
class json_file : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

/// Errors that begin with this word are skipped cases, not failures.
inline constexpr const char* skipped = "skipped: ";

}  // namespace bench
