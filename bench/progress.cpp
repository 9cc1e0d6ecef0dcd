#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string_view>

namespace bench {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median and, for several repetitions, the standard deviation relative to the mean.
std::string result_text(const std::vector<benchmark::BenchmarkReporter::Run>& runs) {
  std::vector<double> nanoseconds;
  for (const auto& run : runs) nanoseconds.push_back(run.GetAdjustedRealTime());
  const double typical = median(nanoseconds);
  char text[96];
  if (runs.front().run_name.function_name.starts_with("call_latency")) {
    std::snprintf(text, sizeof text, "%10.2f us", typical / 1e3);
  } else {
    const auto items = runs.front().counters.find("items_per_second");
    const double n = items == runs.front().counters.end() ? 0 : items->second * nanoseconds.front() / 1e9;
    std::snprintf(text, sizeof text, "%10.4g Gkeys/s", n / typical);
  }
  const auto count = static_cast<double>(nanoseconds.size());
  const double mean = std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0) / count;
  double squares = 0;
  for (const double time : nanoseconds) squares += (time - mean) * (time - mean);
  char spread[32] = "";
  if (nanoseconds.size() > 1)
    std::snprintf(spread, sizeof spread, "  +-%.1f %%", 100 * std::sqrt(squares / (count - 1)) / mean);
  return std::string{text} + spread;
}

}  // namespace

progress::progress(std::map<std::string, double> seconds) : seconds_{std::move(seconds)} {
  for (const auto& [name, time] : seconds_) expected_ += time;
}

void progress::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty() || runs.front().run_type == Run::RT_Aggregate) return;
  print_line(runs.front().run_name.function_name, runs);
}

void progress::print_line(const std::string& name, const std::vector<Run>& runs) {
  std::string text;
  if (const auto& first = runs.front(); first.error_occurred) {
    const bool left_out = first.error_message.starts_with(skipped);
    failures_ += left_out ? 0 : 1;
    text = (left_out ? "" : "FAILED: ") + first.error_message;
  } else {
    text = result_text(runs);
  }
  if (const auto found = seconds_.find(name); found != seconds_.end()) done_ += found->second;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double share = expected_ > 0 ? std::min(done_ / expected_, 1.0) : 1;
  constexpr double trust = 5;  // seconds until the observed pace outweighs the expected one
  const double left_seconds = std::max(expected_ - done_, 0.0) * (elapsed + trust) / (done_ + trust);
  const auto left = static_cast<long>(std::lround(left_seconds));
  std::printf("[%3.0f %%] %ld:%02ld left  %-56s %s\n", 100 * share, left / 60, left % 60, name.c_str(), text.c_str());
  std::fflush(stdout);
}

void json_file::ReportRuns(const std::vector<Run>& runs) {
  auto named = runs;
  for (Run& run : named) {
    run.run_name.iterations.clear();
    run.run_name.repetitions.clear();
    run.run_name.time_type.clear();
  }
  JSONReporter::ReportRuns(named);
}

}  // namespace bench
