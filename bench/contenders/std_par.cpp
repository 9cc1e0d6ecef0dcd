// The standard library with std::execution::par; GCC's uses oneTBB on all cores.
#include <algorithm>
#include <execution>

#include "host_calls.hpp"

namespace bench {
namespace {

struct library {
  template <class Iterator, class Less>
  static void sort(Iterator first, Iterator last, Less less) {
    std::sort(std::execution::par, first, last, less);
  }
  template <class Iterator, class Less>
  static void stable_sort(Iterator first, Iterator last, Less less) {
    std::stable_sort(std::execution::par, first, last, less);
  }
  template <class... Arguments>
  static void merge(Arguments... arguments) {
    std::merge(std::execution::par, arguments...);
  }
  template <class... Arguments>
  static void transform(Arguments... arguments) {
    std::transform(std::execution::par, arguments...);
  }
};

const registered contender{"std_par", false, offer_host<library>};

}  // namespace
}  // namespace bench
