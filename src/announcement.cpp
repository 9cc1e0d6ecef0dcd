// Announcing decisions on stderr under GPUPAR_LOG=1.
#include <gpu/detail/keys/key_remark.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "choice.hpp"

namespace gpu::inline v1::detail {

bool announces() noexcept {
  static const bool wanted = [] {
    const char* value = std::getenv("GPUPAR_LOG");
    return value != nullptr && *value != '\0' && std::string_view{value} != "0";
  }();
  return wanted;
}

void tell_of_key(const workload& work, plan& decided) {
  if (work.shape.parts == 0) return;
  static std::mutex adding;
  static auto& remarks = *new std::set<std::string>;  // never destroyed, because plans refer to its strings
  std::ostringstream words;
  if (!decided.remark.empty()) words << decided.remark << "; ";
  words << "key: " << work.shape.parts << (work.shape.parts == 1 ? " part, " : " parts, ")
        << unsigned{work.shape.code_bits} << " bits";
  if (work.shape.leads) words << ", then what follows";
  const std::lock_guard lock{adding};
  decided.remark = *remarks.insert(words.str()).first;
}

void announce(const workload& work, const plan& chosen) {
  if (!announces()) return;
  plan decided = chosen;
  tell_of_key(work, decided);
  std::ostringstream line;
  line << "gpupar: " << facts_of(work.what).name << " of ";
  if (is_in(family::selection, work)) line << work.selected << " of ";
  line << work.count << " x " << work.element_bytes + work.value_bytes << " bytes on the " << decided << '\n';
  std::fputs(line.str().c_str(), stderr);
}

}  // namespace gpu::inline v1::detail
