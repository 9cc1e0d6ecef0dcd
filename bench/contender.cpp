#include "contender.hpp"

namespace bench {

std::vector<contender>& contenders() {
  static std::vector<contender> all;
  return all;
}

}  // namespace bench
