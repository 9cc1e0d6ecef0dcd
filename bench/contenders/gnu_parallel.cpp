// The parallel mode of GCC's standard library: OpenMP on all cores.
#include <parallel/algorithm>

#include "host_calls.hpp"

namespace bench {
namespace {

struct library {
  template <class Iterator, class Less>
  static void sort(Iterator first, Iterator last, Less less) {
    __gnu_parallel::sort(first, last, less);
  }
  template <class Iterator, class Less>
  static void stable_sort(Iterator first, Iterator last, Less less) {
    __gnu_parallel::stable_sort(first, last, less);
  }
  template <class... Arguments>
  static void merge(Arguments... arguments) {
    __gnu_parallel::merge(arguments...);
  }
  template <class... Arguments>
  static void transform(Arguments... arguments) {
    __gnu_parallel::transform(arguments...);
  }
  template <class Key>
  static void multiway_merge(const std::vector<std::pair<Key*, Key*>>& sequences, Key* out, std::size_t n) {
    auto copied = sequences;  // the call advances its iterators
    __gnu_parallel::multiway_merge(copied.begin(), copied.end(), out, static_cast<std::ptrdiff_t>(n), std::less<>{},
                                   __gnu_parallel::parallel_tag{});
  }
};

const registered contender{"gnu_parallel", false, offer_host<library>};

}  // namespace
}  // namespace bench
