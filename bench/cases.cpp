#include "cases.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "device.hpp"
#include "elements.hpp"
#include "recipe.hpp"

namespace bench {
namespace {

/// The contenders of that name: in extents with device data those for device data, if any, else those for host data.
std::vector<const contender*> find(const std::string& name, bool device_extent) {
  std::vector<const contender*> on_host, on_device;
  for (const contender& one : contenders())
    if (one.name == name) (one.needs_device ? on_device : on_host).push_back(&one);
  return device_extent && !on_device.empty() ? on_device : on_host;
}

bool matches(const std::string& name, const std::string& filter) {
  if (filter.empty() || filter == "all") return true;
  const bool inverted = filter.front() == '-';
  return std::regex_search(name, std::regex{inverted ? filter.substr(1) : filter}) != inverted;
}

/// Collects cases, each once, those of one problem adjacent.
class collector {
 public:
  collector(const selection& wanted, bool device) : wanted_{wanted}, device_{device} {}

  void add(const problem& asked, const std::string& name) {
    if (!wanted_.contenders.empty() && !wanted_.contenders.contains(name)) return;
    const auto found = find(name, wanted_.wanted != extent::host);
    if (found.empty()) {
      left_out_[name] = "not in this build";
    } else if (found.front()->needs_device && !device_) {
      left_out_[name] = "no CUDA device";
    } else {
      for (const contender* one : found)
        if (auto prepare = one->offer(asked)) add_case(asked, *one, std::move(prepare));
    }
  }

  case_list take() {
    case_list all;
    for (const auto& name : order_)
      for (auto& one : by_problem_[name]) all.cases.push_back(std::move(one));
    for (const auto& [name, reason] : left_out_) all.left_out.push_back(name + " (" + reason + ')');
    return all;
  }

 private:
  void add_case(const problem& asked, const contender& one, preparation prepare) {
    planned_case planned{asked, one.name, one.needs_device, std::move(prepare), one.offer(rehearsal_of(asked)), 0};
    const std::string name = planned.name();
    if (!names_.insert(name).second || !matches(name, wanted_.filter)) return;
    planned.seconds = expected_seconds(asked, one.name, one.needs_device, std::thread::hardware_concurrency());
    auto& together = by_problem_[asked.name()];
    if (together.empty()) order_.push_back(asked.name());
    together.push_back(std::move(planned));
  }

  selection wanted_;
  bool device_;
  std::set<std::string> names_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<planned_case>> by_problem_;
  std::map<std::string, std::string> left_out_;
};

void add_group(const group& from, collector& to) {
  for (const operation what : from.operations)
    for (const std::size_t ways : from.ways)
      for (const auto& type : from.types)
        for (const auto& input : from.inputs)
          for (const std::size_t n : from.sizes) {
            if (is_selection(what) && ways > n) continue;
            if (is_merge(what) && !has_sorted_sequences(input.kind)) continue;
            if (!tells_apart(input, key_bytes(type))) continue;
            for (const auto& name : from.contenders) to.add({what, ways, type, input, n, from.lengths}, name);
          }
}

}  // namespace

std::optional<extent> extent_named(std::string_view name) {
  if (name == "quick") return extent::quick;
  if (name == "full") return extent::full;
  if (name == "host") return extent::host;
  if (name == "real") return extent::real;
  if (name == "sizes") return extent::sizes;
  if (name == "kinds") return extent::kinds;
  return {};
}

problem rehearsal_of(problem asked) {
  constexpr std::size_t most = 1 << 20;  // enough for the algorithms for many elements to be chosen
  asked.n = std::min(asked.n, most);
  if (is_selection(asked.what)) asked.ways = std::min(asked.ways, asked.n);  // which are wanted
  return asked;
}

double planned_case::total_seconds() const {
  const schedule planned = schedule_for(seconds, on_device);
  const double calls = planned.warm_up + planned.iterations * planned.repetitions;
  const double bytes = static_cast<double>(asked.n * element_bytes(asked.element()));
  const bool in_device_memory = place_of(asked, on_device) == place::device;
  // Inputs are generated for every call.
  const double input_seconds = in_device_memory ? 2e-3 + bytes / 4e11 * calls : 1e-3 + bytes / 2e9 * calls;
  return input_seconds + seconds * static_cast<double>(planned.batch) * calls;
}

double expected_seconds(const problem& asked, std::string_view contender, bool on_device, unsigned cores) {
  const double bytes = static_cast<double>(asked.n * element_bytes(asked.element()));
  const bool slow = contender == "gpupar_bitonic";
  if (asked.what == operation::host_sort_pageable && on_device) return 2e-5 + bytes / 5e9;
  if (asked.what == operation::host_sort_pinned && on_device) return 2e-5 + bytes / 2e10;
  if (on_device && (is_selection(asked.what) || asked.what == operation::is_sorted)) return 4e-5 + bytes / 1e12;
  if (on_device) return 4e-5 + bytes / (slow ? 1.2e10 : is_merge(asked.what) ? 5e11 : 8e10);
  const double parallel = contender == "std" ? 1.0 : std::max(1.0, cores / 2.0);
  const double cheap = is_merge(asked.what) || asked.what == operation::is_sorted ? 8 : slow ? 0.3 : 1;
  return 2e-7 + bytes / (6e7 * cheap * (asked.n < 10'000 ? 2.0 : parallel));
}

case_list list_cases(const selection& wanted, bool device) {
  collector all{wanted, device};
  for (const group& one : groups_of(wanted.wanted)) add_group(one, all);
  return all.take();
}

}  // namespace bench
