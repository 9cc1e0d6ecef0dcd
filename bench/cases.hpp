// The cases of each extent.
#pragma once

#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "contender.hpp"
#include "measure.hpp"

namespace bench {

enum class extent { quick, full, host, real, sizes, kinds };
[[nodiscard]] std::optional<extent> extent_named(std::string_view name);

/// Problems for several contenders: every combination of operation, type, distribution and number of elements.
struct group {
  std::vector<operation> operations;
  std::vector<std::string> types;
  std::vector<distribution> inputs;
  std::vector<std::size_t> sizes;
  std::vector<std::string> contenders;
  std::vector<std::size_t> ways = {2};  ///< sequences to merge, elements to select, or elements of segments
  segment_lengths lengths = segment_lengths::alike;
};

/// The groups of an extent, as data. `host` includes no device contenders.
[[nodiscard]] std::vector<group> groups_of(extent wanted);
/// Those of `real`, of `sizes` and of `kinds`.
[[nodiscard]] std::vector<group> real_groups();
[[nodiscard]] std::vector<group> size_groups();
[[nodiscard]] std::vector<group> kind_groups();

/// One contender's part of a problem.
struct planned_case {
  problem asked;
  std::string contender;
  bool on_device = false;  ///< the contender needs the device
  preparation prepare;
  preparation rehearse;  ///< the same with fewer elements; empty if the contender cannot
  double seconds = 0;    ///< expected time of one call

  /// operation/type/distribution/n/contender
  [[nodiscard]] std::string name() const { return asked.name() + '/' + contender; }
  /// Expected seconds of the whole case.
  [[nodiscard]] double total_seconds() const;
};

struct selection {
  extent wanted = extent::quick;
  std::set<std::string> contenders = {};  ///< empty: all
  std::string filter = {};  ///< a regular expression to be found in the name; with a leading '-', not to be found
};

struct case_list {
  std::vector<planned_case> cases;    ///< those of one problem are adjacent
  std::vector<std::string> left_out;  ///< contenders that are unavailable, with the reason
};

/// A similar problem that takes little time and memory.
[[nodiscard]] problem rehearsal_of(problem asked);

/// The cases of an extent that the contenders of this program can run. `device`: whether there is one.
/// Throws std::regex_error.
[[nodiscard]] case_list list_cases(const selection& wanted, bool device);

/// An estimate of the time of one call, accurate to a small factor: it decides how often a case is repeated, and
/// weights the cases in the time left. `cores`: the number of cores of the host.
[[nodiscard]] double expected_seconds(const problem& asked, std::string_view contender, bool on_device, unsigned cores);

}  // namespace bench
