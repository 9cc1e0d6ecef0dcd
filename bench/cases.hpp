// Which cases each extent has.
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

/// Problems that are posed to several contenders: every operation with every type, distribution and number.
struct group {
  std::vector<operation> operations;
  std::vector<std::string> types;
  std::vector<distribution> inputs;
  std::vector<std::size_t> sizes;
  std::vector<std::string> contenders;
  std::vector<std::size_t> ways = {2};  ///< of merges; elements to select, or of segments
  segment_lengths lengths = segment_lengths::alike;
};

/// The groups of an extent, as data. `host` names no device.
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
  double seconds = 0;    ///< that one call is expected to take

  /// operation/type/distribution/n/contender
  [[nodiscard]] std::string name() const { return asked.name() + '/' + contender; }
  /// What the whole case is expected to take.
  [[nodiscard]] double total_seconds() const;
};

struct selection {
  extent wanted = extent::quick;
  std::set<std::string> contenders = {};  ///< empty: all
  std::string filter = {};  ///< a regular expression that is found in the name; with a leading '-', that is not
};

struct case_list {
  std::vector<planned_case> cases;    ///< those of one problem beside each other
  std::vector<std::string> left_out;  ///< contenders that are not there, with the reason
};

/// A problem of the same kind that takes little time and memory.
[[nodiscard]] problem rehearsal_of(problem asked);

/// The cases of an extent that the contenders of this program can do. `device`: is there one?
/// Throws std::regex_error.
[[nodiscard]] case_list list_cases(const selection& wanted, bool device);

/// A guess at the time of one call, good to a small factor: it decides how often a case is repeated, and weighs the
/// cases in the time left. `cores`: of the host.
[[nodiscard]] double expected_seconds(const problem& asked, std::string_view contender, bool on_device, unsigned cores);

}  // namespace bench
