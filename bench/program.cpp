#include "program.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cases.hpp"
#include "context.hpp"
#include "device.hpp"
#include "elements.hpp"
#include "inputs.hpp"
#include "progress.hpp"

namespace bench {
namespace {

/// Memory and clocks for all cases, and the session of the running one, which the repetitions of a case share.
class workshop {
 public:
  /// The session of a case, started at its first repetition. Throws what the session throws.
  session& session_of(const planned_case& wanted) {
    if (current_ != &wanted) {
      current_ = nullptr;
      session_.reset();
      begin(wanted);
      current_ = &wanted;
    }
    return *session_;
  }

 private:
  void begin(const planned_case& wanted) {
    const schedule planned = schedule_for(wanted.seconds, wanted.on_device);
    const place where = place_of(wanted.asked, wanted.on_device);
    arena& memory = where == place::device ? device_ : where == place::pinned ? pinned_ : pageable_;
    if (wanted.on_device && resident_.data() == nullptr) resident_ = block{place::device, 256};
    if (where == place::device && !events_) events_ = make_event_clock();
    auto data = where == place::device ? make_device_inputs(wanted.asked, memory)
                                       : make_host_inputs(wanted.asked, planned.batch, memory);
    const bool by_events = where == place::device && wanted.asked.what != operation::call_latency;
    clock& watch = by_events ? *events_ : wall_;
    session_ = std::make_unique<session>(std::move(data), wanted.prepare(), watch, planned.warm_up, planned.batch,
                                         by_events ? rehearsal(wanted) : nullptr);
  }

  /// A call of the case's contender with fewer elements, on the same data every time.
  std::function<void()> rehearsal(const planned_case& wanted) {
    if (!wanted.rehearse) return {};
    const std::shared_ptr<inputs> data = make_device_inputs(rehearsal_of(wanted.asked), rehearsed_);
    data->renew(0);
    return [data, call = wanted.rehearse()] { call.run(data->at(0)); };
  }

  /// A small piece of device memory that stays allocated, as in most programs. CUDA cuts small pieces from a larger
  /// block, which it gets from the driver for the first piece and returns with the last: without this one, contenders
  /// that allocate within the call would pay for that in every call.
  block resident_;
  wall_clock wall_;
  std::unique_ptr<clock> events_;
  arena pageable_{place::pageable}, pinned_{place::pinned}, device_{place::device}, rehearsed_{place::device};
  const planned_case* current_ = nullptr;
  std::unique_ptr<session> session_;
};

void run_case(benchmark::State& state, const planned_case& wanted, workshop& tools) {
  try {
    session& measured = tools.session_of(wanted);
    for (auto _ : state) state.SetIterationTime(measured.next());
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(wanted.asked.n));
    state.counters["bytes_per_key"] = static_cast<double>(element_bytes(wanted.asked.element()));
    if (const auto bytes = measured.call().scratch_bytes) state.counters["scratch_bytes"] = static_cast<double>(*bytes);
  } catch (const wrong_result& fault) {
    state.SkipWithError(fault.what());
  } catch (const std::bad_alloc&) {
    state.SkipWithError((std::string{skipped} + "not enough memory").c_str());
  } catch (const std::exception& failure) {
    state.SkipWithError((std::string{"failed: "} + failure.what()).c_str());
  }
}

void register_cases(const std::vector<planned_case>& cases, workshop& tools) {
  for (const planned_case& one : cases) {
    const schedule planned = schedule_for(one.seconds, one.on_device);
    benchmark::RegisterBenchmark(one.name().c_str(),
                                 [&one, &tools](benchmark::State& state) { run_case(state, one, tools); })
        ->UseManualTime()
        ->Iterations(planned.iterations)
        ->Repetitions(planned.repetitions);
  }
}

/// Removes --name=value from the arguments and returns the value, or `otherwise` if there is none.
std::string take_option(std::vector<char*>& arguments, const std::string& name, std::string otherwise) {
  const std::string start = "--" + name + '=';
  std::erase_if(arguments, [&](const char* argument) {
    const std::string text{argument};
    if (!text.starts_with(start)) return false;
    otherwise = text.substr(start.size());
    return true;
  });
  return otherwise;
}

std::set<std::string> split(const std::string& list) {
  std::set<std::string> names;
  std::istringstream text{list};
  for (std::string name; std::getline(text, name, ',');) names.insert(name);
  return names;
}

/// Runs the cases; returns the number of those that failed.
std::size_t run_cases(const std::vector<planned_case>& cases, bool to_file) {
  workshop tools;
  register_cases(cases, tools);
  std::map<std::string, double> seconds;
  for (const planned_case& one : cases) seconds[one.name()] = one.total_seconds();
  progress display{std::move(seconds)};
  json_file file;
  // The filter was applied to the names of the cases; Google Benchmark's names are longer.
  if (to_file)
    benchmark::RunSpecifiedBenchmarks(&display, &file, ".");
  else
    benchmark::RunSpecifiedBenchmarks(&display, ".");
  return display.failures();
}

int complain(const std::string& what) {
  std::fprintf(stderr, "gpupar_bench: %s\n", what.c_str());
  return EXIT_FAILURE;
}

/// run_program() without handling exceptions.
int select_and_run(int argument_count, char** arguments) {
  std::vector<char*> rest(arguments, arguments + argument_count);
  const std::string extent_name = take_option(rest, "extent", has_device() ? "quick" : "host");
  const std::set<std::string> only = split(take_option(rest, "contenders", ""));
  const auto wanted = extent_named(extent_name);
  if (!wanted) return complain("--extent must be quick, full, real, sizes, kinds or host, not " + extent_name);
  const bool to_file =
      std::ranges::any_of(rest, [](const char* one) { return std::string_view{one}.starts_with("--benchmark_out="); });
  const bool listing = std::ranges::any_of(
      rest, [](const char* one) { return std::string_view{one}.starts_with("--benchmark_list_tests"); });
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return EXIT_FAILURE;

  const case_list all = list_cases({*wanted, only, benchmark::GetBenchmarkFilter()}, has_device());
  if (listing) {
    for (const planned_case& one : all.cases) std::puts(one.name().c_str());
    return EXIT_SUCCESS;
  }
  for (const auto& name : all.left_out) std::printf("left out: %s\n", name.c_str());
  if (all.cases.empty()) return complain("no case is left: see --extent, --contenders and --benchmark_filter");
  double seconds = 0;
  for (const planned_case& one : all.cases) seconds += one.total_seconds();
  std::printf("%zu cases, about %.0f s\n", all.cases.size(), seconds);
  for (const auto& [key, value] : describe_run(extent_name, all.left_out)) benchmark::AddCustomContext(key, value);
  const std::size_t failures = run_cases(all.cases, to_file);
  if (failures > 0) return complain(std::to_string(failures) + " cases were wrong or failed");
  return EXIT_SUCCESS;
}

}  // namespace

int run_program(int argument_count, char** arguments) {
  try {
    return select_and_run(argument_count, arguments);
  } catch (const std::regex_error& fault) {
    return complain(std::string{"--benchmark_filter is no regular expression: "} + fault.what());
  } catch (const std::exception& failure) {
    return complain(failure.what());
  }
}

}  // namespace bench
