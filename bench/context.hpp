// Describes the system on which the figures were measured.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Commit, extent, host, device and the contenders left out. Measures the speeds of copies.
[[nodiscard]] std::map<std::string, std::string> describe_run(std::string_view extent,
                                                              const std::vector<std::string>& left_out);

}  // namespace bench
