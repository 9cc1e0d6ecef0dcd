// What can be called: wrong arguments are rejected by concepts, so that callers can test for them.
#include <concepts>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/algorithm.hpp"
#include "records.hpp"
#include "support.hpp"

namespace {

using policy = gpu::parallel_policy;
using vector = std::vector<int>;
using iterator = vector::iterator;

template <class Function, class... Arguments>
inline constexpr bool callable = std::invocable<const Function&, Arguments...>;

using sort = decltype(gpu::sort);
static_assert(callable<sort, policy, vector&> && callable<sort, policy, iterator, iterator>);
static_assert(callable<sort, const gpu::parallel_nosync_policy&, vector&, std::greater<>>);
static_assert(callable<sort, policy, vector&, std::ranges::less, std::negate<>>);
static_assert(callable<sort, policy, int (&)[5]> && callable<sort, policy, int*, int*>);
static_assert(callable<sort, policy, std::vector<testing::move_only>&>);
static_assert(callable<sort, policy, std::vector<bool>&>);

using explain = decltype(gpu::explain);
static_assert(callable<explain, policy, const vector&> && callable<explain, policy, vector::const_iterator, iterator>);
static_assert(!callable<explain, policy, std::list<int>&>);
static_assert(!callable<sort, vector&>, "no policy");
static_assert(!callable<sort, iterator, iterator>, "no policy");
static_assert(!callable<sort, policy>, "no range");
static_assert(!callable<sort, policy, std::list<int>&>, "bidirectional");
static_assert(!callable<sort, policy, std::forward_list<int>&>, "forward");
static_assert(!callable<sort, policy, std::list<int>::iterator, std::list<int>::iterator>, "bidirectional");
static_assert(!callable<sort, policy, const vector&>, "not writable");
static_assert(!callable<sort, policy, vector::const_iterator, vector::const_iterator>, "not writable");
static_assert(!callable<sort, policy, vector&, int>, "not a comparator");
static_assert(!callable<sort, policy, vector&, std::negate<>>, "a comparator of one argument");
static_assert(!callable<sort, policy, vector&, std::less<std::string>>, "a comparator of something else");
static_assert(!callable<sort, policy, vector&, std::less<>, int>, "not a projection");
static_assert(!callable<sort, policy, vector&, std::less<>, std::plus<>>, "a projection of two arguments");
static_assert(!callable<sort, policy, vector&, std::less<>, int std::pair<int, int>::*>, "a member of something else");
static_assert(!callable<sort, policy, iterator, std::string::iterator>, "ends of different ranges");

using stable_sort = decltype(gpu::stable_sort);
static_assert(callable<stable_sort, policy, vector&> && !callable<stable_sort, policy, vector&, int>);
static_assert(!callable<stable_sort, policy, std::list<int>&> && !callable<stable_sort, vector&>);

using by_key = decltype(gpu::sort_by_key);
static_assert(!callable<by_key, policy, vector&, const vector&> &&
                  !callable<by_key, policy, iterator, iterator, vector::const_iterator>,
              "values that cannot be written");
static_assert(callable<by_key, policy, vector&, std::string&> && callable<by_key, policy, iterator, iterator, char*>);
static_assert(callable<by_key, policy, vector&, std::string&, vector&, std::greater<>, std::negate<>>);
static_assert(!callable<by_key, policy, vector&>, "no values");
static_assert(!callable<by_key, policy, iterator, iterator>, "no values");
static_assert(!callable<by_key, vector&, vector&>, "no policy");
static_assert(!callable<by_key, policy, std::list<int>&, vector&>, "bidirectional keys");
static_assert(!callable<by_key, policy, vector&, vector&, int>, "not a comparator");

using argsort =
    decltype([](auto&&... arguments) -> decltype(gpu::argsort(std::forward<decltype(arguments)>(arguments)...)) {
      return gpu::argsort(std::forward<decltype(arguments)>(arguments)...);
    });
static_assert(callable<argsort, policy, const vector&, std::vector<unsigned>&>, "keys are only read");
static_assert(callable<argsort, policy, const vector&, std::vector<std::int64_t>&, std::greater<>>);
static_assert(!callable<argsort, policy, const vector&, std::vector<double>&>, "indices are integers");
static_assert(!callable<argsort, policy, const vector&, const std::vector<unsigned>&>, "indices are written");
static_assert(callable<argsort, policy, int*, int*, int*> && !callable<argsort, policy, int*, int (&)[3], int*>,
              "an array is no end");

using merge = decltype(gpu::merge);
static_assert(callable<merge, policy, const vector&, const vector&, int*>);
static_assert(callable<merge, policy, const vector&, const vector&, std::back_insert_iterator<vector>>);
static_assert(!callable<merge, const vector&, const vector&, int*>, "no policy");
static_assert(!callable<merge, policy, const vector&, std::list<int>&, int*>, "bidirectional");
static_assert(!callable<merge, policy, const vector&, const vector&, int*, int>, "not a comparator");
static_assert(!callable<merge, policy, const vector&, const std::vector<std::string>&, int*>, "not comparable");

static_assert(!callable<merge, policy, const vector&, const vector&, const int*>, "not writable");
static_assert(!callable<merge, policy, const vector&, const vector&, std::vector<int>*>, "of another type");
static_assert(
    !callable<merge, policy, const vector&, const vector&, std::back_insert_iterator<std::vector<std::string>>>,
    "of another type");
static_assert(!callable<merge, policy, int*, int*, int*, int*, const int*>, "not writable");
static_assert(!callable<merge, policy, vector&, vector&, vector&>, "a range as output");
using owners = std::vector<std::unique_ptr<int>>;
using moved = std::move_iterator<owners::iterator>;
static_assert(callable<merge, policy, moved, moved, moved, moved, owners::iterator>);
static_assert(!callable<merge, policy, owners&, owners&, owners::iterator>, "elements that can only be moved");

using merge_by_key = decltype(gpu::merge_by_key);
static_assert(callable<merge_by_key, policy, int*, int*, long*, long*, char*, char*, long*, char*>);
static_assert(!callable<merge_by_key, policy, int*, int*, int*, int*, char*, char*, const int*, char*>, "not writable");
static_assert(!callable<merge_by_key, policy, int*, int*, int*, int*, char*, char*, int*, std::string::const_iterator>,
              "not writable");
static_assert(!callable<merge_by_key, policy, int*, int*, int*, int*, std::string*, char*, int*, char*>,
              "values of another type");
static_assert(!callable<merge_by_key, policy, int*, int*, std::string*, std::string*, char*, char*, int*, char*>,
              "keys that do not compare");

using inplace_merge = decltype(gpu::inplace_merge);
static_assert(callable<inplace_merge, policy, vector&, iterator>);
static_assert(!callable<inplace_merge, policy, const vector&, vector::const_iterator>, "not writable");

using multiway_merge = decltype(gpu::multiway_merge);
static_assert(callable<multiway_merge, policy, const std::vector<vector>&, int*>);
static_assert(!callable<multiway_merge, policy, const vector&, int*>, "not a range of ranges");
static_assert(!callable<multiway_merge, policy, const std::vector<vector>&, const int*>, "not writable");
static_assert(!callable<multiway_merge, policy, const std::vector<owners>&, owners::iterator>, "not copyable");
using made_anew = std::ranges::transform_view<std::ranges::iota_view<int, int>, vector (*)(int)>;
static_assert(!callable<multiway_merge, policy, made_anew, int*>, "ranges that end before they are merged");

using is_sorted = decltype(gpu::is_sorted);
static_assert(callable<is_sorted, policy, const vector&> && !callable<is_sorted, const vector&>);
static_assert(!callable<is_sorted, policy, const vector&, int>, "not a comparator");

using sort_indexed = decltype(gpu::sort_indexed);
static_assert(callable<sort_indexed, policy, int, int, std::less<>, std::plus<>>);
struct truth {
  explicit operator bool() const;
};
static_assert(callable<sort_indexed, policy, int, int, truth (*)(int, int), std::plus<>>, "converts when asked to");
static_assert(!callable<sort_indexed, policy, double, double, std::less<>, std::plus<>>, "not an index");
static_assert(callable<sort_indexed, policy, int, std::size_t, std::less<>, std::plus<>>, "ends of two types");
static_assert(!callable<sort_indexed, policy, int, int, std::negate<>, std::plus<>>, "not a comparison");

// Each mistake has its own name, whichever algorithm is called.
namespace misuse = gpu::detail::misuse;
using none = misuse::none;
template <class Mistake, class Misuse, class P, class A, class B = none, class C = none, class D = none, class E = none,
          class F = none>
inline constexpr bool is_mistake_in =
    std::is_same_v<Mistake, gpu::detail::mistake_in<Misuse, P, A, B, C, D, E, F, none, none, none, none>>;

using by_key_misuse = gpu::detail::misuse_of_sort_by_key;
static_assert(is_mistake_in<misuse::none, by_key_misuse, policy, vector&, vector&, std::greater<>>);
static_assert(is_mistake_in<misuse::none, by_key_misuse, policy, int (&)[3], int*, int (&)[3], int (&)[3]>);
static_assert(
    is_mistake_in<misuse::the_first_argument_must_be_a_policy_such_as_gpu_par, by_key_misuse, vector&, vector&>);
static_assert(
    is_mistake_in<misuse::a_value_column_is_needed_after_the_keys, by_key_misuse, policy, vector&, std::less<>>);
static_assert(is_mistake_in<misuse::a_value_column_is_const_or_has_no_random_access, by_key_misuse, policy, iterator,
                            iterator, vector&>);
static_assert(is_mistake_in<misuse::the_comparator_cannot_be_called_with_two_projected_elements, by_key_misuse, policy,
                            vector&, vector&, std::negate<>>);
static_assert(
    is_mistake_in<misuse::elements_are_const_or_cannot_be_moved, by_key_misuse, policy, const vector&, vector&>);

using argsort_misuse = gpu::detail::misuse_of_argsort;
static_assert(is_mistake_in<misuse::none, argsort_misuse, policy, const vector&, vector&, none, std::negate<>>);
static_assert(
    is_mistake_in<misuse::elements_need_random_access_iterators, argsort_misuse, policy, std::list<int>&, vector&>);
static_assert(is_mistake_in<misuse::indices_must_be_writable_integers_of_32_or_64_bits, argsort_misuse, policy,
                            iterator, iterator, double*>);

using merge_misuse = gpu::detail::misuse_of_merge;
static_assert(is_mistake_in<misuse::none, merge_misuse, policy, int (&)[2], int (&)[2], int*>);
static_assert(is_mistake_in<misuse::the_output_must_be_an_iterator_that_takes_the_elements, merge_misuse, policy,
                            vector&, vector&>);
static_assert(is_mistake_in<misuse::the_end_is_of_another_range, merge_misuse, policy, iterator, iterator, iterator,
                            std::string::iterator, int*>);
static_assert(is_mistake_in<misuse::the_projection_cannot_be_called_with_an_element, merge_misuse, policy, vector&,
                            vector&, int*, none, std::plus<>>);
static_assert(is_mistake_in<misuse::the_middle_is_of_another_range, gpu::detail::misuse_of_range_with_position, policy,
                            vector&, int>);
static_assert(is_mistake_in<misuse::merge_by_key_takes_iterators_and_no_ranges, gpu::detail::misuse_of_merge_by_key,
                            policy, vector&, vector&, vector&, vector&, int*, int*>);
static_assert(is_mistake_in<misuse::a_range_of_random_access_ranges_is_needed, gpu::detail::misuse_of_multiway_merge,
                            policy, vector&, int*>);

// Function objects, not templates: no argument-dependent lookup, and they can be passed to other functions.
static_assert(std::is_object_v<sort> && std::semiregular<std::remove_const_t<sort>>);

}  // namespace

TEST_CASE("concepts: algorithms are objects that can be passed on") {
  const auto call = [](const auto& algorithm, auto&&... arguments) { return algorithm(gpu::par, arguments...); };
  std::vector<int> v{2, 3, 1};
  testing::expect(call(gpu::sort, v) == v.end() && v == std::vector{1, 2, 3}, "sorted through another function");
}
