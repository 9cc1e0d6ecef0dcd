// The standard library on one core.
#include <algorithm>

#include "host_calls.hpp"

namespace bench {
namespace {

struct library {
  template <class Iterator, class Less>
  static void sort(Iterator first, Iterator last, Less less) {
    std::sort(first, last, less);
  }
  template <class Iterator, class Less>
  static void stable_sort(Iterator first, Iterator last, Less less) {
    std::stable_sort(first, last, less);
  }
  template <class... Arguments>
  static void merge(Arguments... arguments) {
    std::merge(arguments...);
  }
  template <class Iterator>
  static void nth_element(Iterator first, Iterator nth, Iterator last) {
    std::nth_element(first, nth, last);
  }
  template <class Iterator>
  static void partial_sort(Iterator first, Iterator middle, Iterator last) {
    std::partial_sort(first, middle, last);
  }
  template <class Iterator>
  static void inplace_merge(Iterator first, Iterator middle, Iterator last) {
    std::inplace_merge(first, middle, last);
  }
  template <class Iterator>
  static bool is_sorted(Iterator first, Iterator last) {
    return std::is_sorted(first, last);
  }
  template <class Iterator>
  static void partial_sort_copy(Iterator first, Iterator last, Iterator out, Iterator out_last) {
    std::partial_sort_copy(first, last, out, out_last, std::greater<>{});
  }
  template <class... Arguments>
  static void transform(Arguments... arguments) {
    std::transform(arguments...);
  }
};

const registered contender{"std", false, offer_host<library>};

}  // namespace
}  // namespace bench
