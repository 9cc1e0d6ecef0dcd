// In-place parallel super scalar samplesort by Axtmann, Witt, Ferizovic and Sanders: OpenMP on all cores.
#include <ips4o.hpp>
#include <parallel/algorithm>

#include "host_calls.hpp"

namespace bench {
namespace {

struct library {
  static constexpr bool only_sorts = true;

  template <class Iterator, class Less>
  static void sort(Iterator first, Iterator last, Less less) {
    ips4o::parallel::sort(first, last, less);
  }
  template <class... Arguments>
  static void transform(Arguments... arguments) {
    __gnu_parallel::transform(arguments...);
  }
};

const registered contender{"ips4o", false, offer_host<library>};

}  // namespace
}  // namespace bench
