#include "context.hpp"

#include <cstdlib>
#include <fstream>
#include <thread>

#include "commit.hpp"
#include "device.hpp"

namespace bench {
namespace {

std::string host_cpu() {
  std::ifstream info{"/proc/cpuinfo"};
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

std::map<std::string, std::string> describe_run(std::string_view extent, const std::vector<std::string>& left_out) {
  auto facts = device_facts();
  const char* const commit = std::getenv("GPUPAR_BENCH_COMMIT");
  facts["commit"] = commit != nullptr && *commit != '\0' ? commit : built_from_commit;
  facts["extent"] = extent;
  facts["host_cpu"] = host_cpu();
  facts["host_threads"] = std::to_string(std::thread::hardware_concurrency());
  auto& names = facts["left_out"];
  for (const auto& name : left_out) names += (names.empty() ? "" : ", ") + name;
  return facts;
}

}  // namespace bench
