#include "gpu/detail/device/quicksort.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "liars.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using keys_alone = device::columns<std::uint32_t, device::no_value>;

/// Each block has many tile ranges, of one subproblem and of several.
device::context by_few_blocks(device::context context) {
  context = by_rounds(context);
  context.device.multiprocessors = 1;
  return context;
}

struct precedes {
  template <class Key>
  GPUPAR_HOST_DEVICE bool operator()(const Key& left, const Key& right) const {
    return left < right;
  }
};

/// Keys that can be told from whatever else there is in memory.
constexpr std::uint32_t mark = 1009;
std::vector<std::uint32_t> marked_keys(const distribution& shape, std::size_t n) {
  auto keys = make_keys<std::uint32_t>(shape, n);
  for (std::uint32_t& key : keys) key = key / mark * mark + 1;
  return keys;
}

/// Orders marked keys, and counts those it is asked about that are none.
struct watchful {
  unsigned* strangers;
  __device__ bool operator()(std::uint32_t left, std::uint32_t right) const {
    if (left % mark != 1 || right % mark != 1) atomicAdd(strangers, 1u);
    return left < right;
  }
};

/// Keys of which the sample sees only the least, so that all others come to one partition.
std::vector<std::uint32_t> keys_hidden_from_sample(std::size_t n) {
  auto keys = make_keys<std::uint32_t>(uniform, n, 0);
  for (std::uint32_t& key : keys) key |= 1u << 31;
  for (unsigned i = 0; i < device::resident_sample; ++i)
    keys[gpu::detail::random_position(gpu::detail::process_sample_key().word(i), 0, i, n)] = i;
  return keys;
}

/// Even keys among which one is so frequent that a block cannot hold its bucket, yet not so that a sample tells.
template <class Key>
std::vector<Key> even_keys_and_a_heavy_one(std::size_t n) {
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 1; i < n; i += 33) keys[i] = keys[0];
  return keys;
}

/// Sorts by a comparator in rounds, as many as leave base cases to be gathered, and checks that all scratch is given
/// back.
template <class Key>
void check_gathered(workplace& here, const device::context& context, const std::vector<Key>& keys,
                    const std::string& what) {
  const storage<Key> data{memory::device, keys};
  device::quicksort(context, device::columns<Key, device::no_value>{data.data(), nullptr}, keys.size(), precedes{},
                    gpu::detail::identity_codec{});
  expect_none(sort_problem(keys, data.fetch(what), natural_less{}), what);
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
}

/// Scratch of a first round that moves to pages, however much these waste.
template <class Key, class Less>
struct scratch_in_pages : device::quicksort_scratch<Key, device::no_value, Less> {
  scratch_in_pages(device::carver& carve, std::size_t n)
      : device::quicksort_scratch<Key, device::no_value, Less>{carve, n, n} {}
};

/// Sorts in three rounds, the first of which moves to pages; checks that all elements are there, and their order if
/// `less` has one.
template <class Key, class Less = precedes>
void check_pages(const device::context& context, const std::vector<Key>& keys, const std::string& what,
                 Less less = {}) {
  const storage<Key> data{memory::device, keys};
  const device::scratch<scratch_in_pages<Key, Less>> memory{context, keys.size()};
  expect(memory->rounds.parts.plan.has_pages(), what + ": there are pages");
  device::quicksort(context, *memory, device::columns<Key, device::no_value>{data.data(), nullptr}, less,
                    gpu::detail::identity_codec{});
  const auto sorted = data.fetch(what);
  expect_none(
      std::is_same_v<Less, liar> ? permutation_problem(keys, sorted) : sort_problem(keys, sorted, natural_less{}),
      what);
}

/// About each of many places, far from each other, some 128 keys of so many values.
template <class Key>
std::vector<Key> crowds(std::size_t n, std::size_t values) {
  auto keys = make_keys<Key>(uniform, n, 0);
  constexpr auto spread = static_cast<Key>(0x9e3779b97f4a7c15u);
  for (Key& key : keys) key = static_cast<Key>(key % (n / 128) * spread + (key >> 16) % values);
  return keys;
}

/// Sorts keys as codes, and compares with what they were.
template <class Key>
void check_codes(const device::context& context, const std::vector<Key>& keys, const std::string& what) {
  const storage<Key> data{memory::device, keys};
  device::quicksort(context, device::columns<Key, device::no_value>{data.data(), nullptr}, keys.size(),
                    gpu::detail::code_less{}, codec_of<Key>());
  expect_none(sort_problem(keys, data.fetch(what), natural_less{}), what);
}

/// As many different keys, `step` apart from each other, each of them many times; every so many of them is a stranger,
/// which shares no low bit with the others.
template <class Key>
std::vector<Key> keys_in_steps(std::size_t n, std::size_t different, Key step, std::size_t strangers_apart) {
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>(static_cast<Key>(-1) / 1000 + keys[i] % different * step +
                               (i % strangers_apart == strangers_apart - 1));
  return keys;
}

/// Quicksort by rounds of keys that share the low bits of `step`, all of them or all but few.
template <class Key>
void check_steps(Key step) {
  workplace here;
  const std::size_t n = reduced() ? 40'001 : 300'007;
  for (const std::size_t different : tried({1000, 5, 60, 20'000, 150'000}))
    for (const std::size_t strangers_apart : {n + 1, std::size_t{1009}}) {
      const std::string name = std::to_string(different) + " keys in steps of " + std::to_string(step) +
                               ", strangers " + std::to_string(strangers_apart) + " apart";
      check_codes(by_rounds(here.context()), keys_in_steps(n, different, step, strangers_apart), name);
    }
}

/// Floating-point keys whose values are what lies evenly, with so few NaNs that a sample sees none.
template <class Key>
void check_rare_nans(std::size_t n, bool descending) {
  const std::string name =
      std::string{descending ? "descending" : "ascending"} + " floats of " + std::to_string(sizeof(Key)) + " bytes";
  workplace here;
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 1; i <= 8; ++i)
    keys[n / 9 * i] = std::copysign(std::numeric_limits<Key>::quiet_NaN(), static_cast<Key>(i % 2 == 0 ? 1 : -1));
  auto expected = raw(keys);
  const storage<bits_of<Key>> data{memory::device, expected};
  const auto codec = codec_of<Key>(descending);
  device::quicksort(by_rounds(here.context()), device::columns<bits_of<Key>, device::no_value>{data.data(), nullptr}, n,
                    gpu::detail::code_less{}, codec);
  std::sort(expected.begin(), expected.end(),
            [&](auto left, auto right) { return codec.encode(left) < codec.encode(right); });
  expect(data.fetch(name) == expected, name);
}

/// Sums of so many numbers that lie evenly, about zero: values that lie three times as densely there as on the average,
/// in one launch.
template <class Key>
void check_values_about_zero(std::size_t n, int summands, bool descending) {
  const std::string name = "values about zero, " + std::to_string(summands) + " summands, " +
                           std::to_string(sizeof(Key)) + " bytes, " + std::to_string(n);
  workplace here;
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    for (int s = 0; s < summands; ++s)
      keys[i] +=
          static_cast<Key>(static_cast<double>(random_at(i, static_cast<std::uint64_t>(s)) >> 11) * 0x1p-53 - 0.4);
  auto expected = raw(keys);
  const storage<bits_of<Key>> data{memory::device, expected};
  const auto codec = codec_of<Key>(descending);
  device::quicksort(here.context(), device::columns<bits_of<Key>, device::no_value>{data.data(), nullptr}, n,
                    gpu::detail::code_less{}, codec);
  std::sort(expected.begin(), expected.end(),
            [&](auto left, auto right) { return codec.encode(left) < codec.encode(right); });
  expect(data.fetch(name) == expected, name);
}

}  // namespace

TEST_CASE("device paths: quicksort of floats that crowd about zero") {
  if (no_device()) return;
  for (const int summands : {1, 6})
    for (const std::size_t n : tried({20'000, 300'007, std::size_t{1} << 20})) {
      check_values_about_zero<float>(n, summands, summands == 1);
      check_values_about_zero<double>(n, summands, false);
    }
}

TEST_CASE("device paths: quicksort of floats by value, few of which are no numbers") {
  if (no_device()) return;
  const std::size_t n = reduced() ? 100'001 : 1'000'001;
  for (const bool descending : {false, true}) {
    check_rare_nans<float>(n, descending);
    check_rare_nans<double>(n, descending);
  }
}

TEST_CASE("device paths: quicksort of 64-bit codes by rounds") {
  if (no_device()) return;
  check_keys<std::int64_t>("quicksort", [](const auto& context, std::uint64_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_rounds(context), device::columns<std::uint64_t, device::no_value>{keys, nullptr}, n,
                      gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(context, keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes by rounds") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_rounds(context), keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes by few blocks") {
  if (no_device()) return;
  check_keys<std::int32_t>("quicksort", [](const auto& context, std::uint32_t* keys, std::size_t n, auto codec) {
    device::quicksort(by_few_blocks(context), keys_alone{keys, nullptr}, n, gpu::detail::code_less{}, codec);
  });
}

TEST_CASE("device paths: quicksort of codes that share their low bits") {
  if (no_device()) return;
  for (const std::size_t step : tried({128, 1, 3, 20'480})) check_steps(static_cast<std::uint32_t>(step));
  for (const unsigned bits : {20, 1, 13, 34, 40}) check_steps(std::uint64_t{1} << bits);
}

TEST_CASE("device paths: quicksort of codes that occur several times") {
  if (no_device()) return;
  workplace here;
  const auto check = [&]<class Key>(Key, const device::context& context, std::size_t n, std::size_t times) {
    const std::string what = std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes that occur " +
                             std::to_string(times) + " times";
    check_codes(context, repeated_keys<Key>(n, times), what);
  };
  for (const std::size_t times : tried({7, 30, 100, 600}))
    for (const std::size_t n : tried({4096, 40'001, 300'007})) {
      check(std::uint32_t{}, here.context(), n, times);
      check(std::uint64_t{}, here.context(), n, times);
      check(std::uint32_t{}, by_rounds(here.context()), n, times);
      check(std::uint64_t{}, by_rounds(here.context()), n, times);
    }
}

TEST_CASE("device paths: quicksort of codes that crowd about few places") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t values : {3, 16, 40})
    for (const std::size_t n : tried({4096, 40'001, 300'007})) {
      const std::string what = std::to_string(n) + " keys, " + std::to_string(values) + " values about each place";
      check_codes(by_rounds(here.context()), crowds<std::uint32_t>(n, values), what + ", 32 bits");
      check_codes(by_rounds(here.context()), crowds<std::uint64_t>(n, values), what + ", 64 bits");
    }
}

TEST_CASE("device paths: quicksort of codes a few of which lie far away") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({20'011, 70'001, 300'007, 1'200'011}))
    for (const std::size_t apart : tried({4096, 500, 60'000}))
      for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{5'000'000}, ~std::uint64_t{0} - 4'000'000}) {
        const std::string what = std::to_string(n) + " keys from " + std::to_string(begin) + ", one of " +
                                 std::to_string(apart) + " anywhere";
        const auto narrow = static_cast<std::uint32_t>(begin);
        check_codes(here.context(), keys_and_outsiders<std::uint64_t>(n, begin, 4'000'000, apart), what);
        check_codes(here.context(), keys_and_outsiders<std::uint32_t>(n, narrow, 4'000'000, apart), what + ", narrow");
        check_codes(by_rounds(here.context()), keys_and_outsiders<std::uint64_t>(n, begin, 4'000'000, apart),
                    what + ", by rounds");
      }
}

TEST_CASE("device paths: quicksort in one launch of partitions that no block can hold") {
  if (no_device()) return;
  workplace here;
  const auto check = [&](const std::string& name, std::size_t n, auto less) {
    const auto keys = keys_hidden_from_sample(n);
    const storage<std::uint32_t> data{memory::device, keys};
    const bool sorted = device::resident_quicksort(here.context(), keys_alone{data.data(), nullptr}, n, less,
                                                   gpu::detail::identity_codec{});
    expect(sorted, name + ": the device holds so many elements");
    expect_none(sort_problem(keys, data.fetch(name), natural_less{}), name);
  };
  check("codes", 20'000, gpu::detail::code_less{});
  check("codes, large tiles", 200'001, gpu::detail::code_less{});
  check("codes, larger tiles", 700'001, gpu::detail::code_less{});
  check("comparator", 30'001, precedes{});
}

TEST_CASE("device paths: quicksort in one launch of even keys one of which is heavy") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({100'003, 300'007, std::size_t{1} << 20})) {
    check_codes(here.context(), even_keys_and_a_heavy_one<std::uint32_t>(n), std::to_string(n) + " keys of 4 bytes");
    check_codes(here.context(), even_keys_and_a_heavy_one<std::uint64_t>(n), std::to_string(n) + " keys of 8 bytes");
  }
}

TEST_CASE("device paths: quicksort by a comparator that gathers base_cases") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({1'100'001, 2'500'000, 5'000'003}))
    for (const auto& shape : {uniform, few_values, distribution{"sorted", form::sorted},
                              distribution{"zipf", form::zipf}, distribution{"repeated_500", form::repeated, 500}}) {
      const std::string what = shape.name + ", " + std::to_string(n);
      check_gathered(here, by_rounds(here.context()), make_keys<std::uint32_t>(shape, n), what + ", 32 bits");
      check_gathered(here, by_rounds(here.context()), make_keys<std::uint64_t>(shape, n), what + ", 64 bits");
    }
  check_gathered(here, by_few_blocks(here.context()), make_keys<std::uint32_t>(uniform, 1'500'000), "few blocks");
  auto hidden = keys_hidden_from_sample(6'000'000);  // a subproblem of more tiles than a base case is gathered from
  check_gathered(here, by_rounds(here.context()), hidden, "hidden from the sample");
  for (std::uint32_t& key : hidden)  // mostly heavy keys, between which lie few
    if (key >> 31 != 0 && key % 97 != 0) key = 1u << 31 | key % 40 << 25;
  check_gathered(here, by_rounds(here.context()), hidden, "heavy keys hidden from the sample");
}

TEST_CASE("device paths: the round that gathers is not the first one, and ends where the elements shall be") {
  constexpr std::size_t base_case = 3968, tile = 24'576, grouped = 12'288;
  const auto planned = [](std::size_t n) {
    device::distribution_plan plan{n, base_case, tile, 1, 512};
    plan.gather_last(grouped);
    return plan;
  };
  expect(!planned(base_case).gathers() && !planned(1'000'000).gathers(), "one round and the mending one move");
  expect(planned(1'100'000).gathered_round == 1 && planned(std::size_t{1} << 28).gathered_round == 1, "two rounds");
  expect(planned(std::size_t{1} << 29).gathered_round == 2, "three rounds");
  for (const std::size_t n :
       {std::size_t{1'100'000}, std::size_t{1} << 28, std::size_t{1} << 29, std::size_t{1} << 33}) {
    const device::distribution_plan plan = planned(n);
    const unsigned round = plan.gathered_round;
    expect(plan.label(round - 1) == round - 1, "rounds before go by their numbers");
    expect(plan.label(round) % 2 == 1 && plan.label(round + 1) == plan.label(round) + 1, "home, then to the buffer");
    const std::size_t piece = plan.piece < grouped ? plan.piece : grouped;
    expect(plan.piece_of(round) == piece && plan.piece_of(round - 1) == plan.piece, "tiles of their own");
    expect(plan.tile_range_limit() >= device::divide_up(n, piece), "room for their tile_ranges");
    expect(plan.entry_limit() >= plan.most_buckets * (n / piece), "and for where their buckets end");
  }
}

TEST_CASE("device paths: quicksort by a comparator that moves to pages") {
  if (no_device()) return;
  if (device::least_shared_bytes() < std::size_t{128} << 10) return skip("pages: this device counts in smaller tiles");
  workplace here;
  for (const std::size_t n : tried({3'400'001, 5'000'003}))
    for (const auto& shape :
         {uniform, few_values, distribution{"sorted", form::sorted}, distribution{"zipf", form::zipf},
          distribution{"repeated_500", form::repeated, 500}, distribution{"all_equal", form::repeated, 1}}) {
      const std::string what = shape.name + " in pages, " + std::to_string(n);
      check_pages(here.context(), make_keys<std::uint32_t>(shape, n), what + ", 32 bits");
      check_pages(here.context(), make_keys<std::uint64_t>(shape, n), what + ", 64 bits");
    }
  for (const std::size_t n : tried({6'000'000})) {
    check_pages(here.context(), keys_hidden_from_sample(n), "pages of keys hidden from the sample");
    check_pages(by_few_blocks(here.context()), make_keys<std::uint64_t>(uniform, n), "pages by few blocks");
    for (const lie which : {lie::always, lie::random, lie::mostly_right, lie::confused_in_part})
      check_pages(here.context(), make_keys<double>(uniform, n), std::string{"pages, "} + to_string(which),
                  liar{which});
    const storage<unsigned> strangers{memory::device, {0}};
    check_pages(here.context(), marked_keys(uniform, n), "pages, watched", watchful{strangers.data()});
    expect(strangers.fetch("pages")[0] == 0, "comparisons of what is no element");
  }
}

TEST_CASE("device paths: a first round moves to pages where these waste little and have short numbers") {
  constexpr std::size_t base_case = 3840, tile = 12'288, grouped = 6144, million = 1'000'000;
  const auto planned = [](std::size_t n) {
    device::distribution_plan plan{n, base_case, tile, 1, 512};
    plan.gather_last(grouped);
    const std::size_t counted = plan.base_case_limit();
    plan.move_to_pages(n / device::page_waste);
    expect(plan.base_case_limit() < counted || !plan.has_pages(), "fewer base_cases than anywhere");
    return plan;
  };
  for (const std::size_t n : {2 * million, 16 * million, 33 * million})
    expect(!planned(n).has_pages() && planned(n).room() == n, "too few elements for as many buckets");
  expect(!planned(410 * million).has_pages() && !planned(600 * million).has_pages(), "too many pages or rounds");
  for (const std::size_t n : {70 * million, 134 * million, 268 * million, 390 * million}) {
    const device::distribution_plan plan = planned(n);
    const std::size_t buckets = plan.page_buckets;
    expect(plan.has_pages() && buckets * buckets >= 2 * n / base_case, "two rounds make base_cases of half the length");
    expect(plan.page_limit() >= device::divide_up(n - (buckets - 1), grouped) + buckets - 1, "one of all but nothing");
    expect(plan.page_limit() < 65'536, "numbers and one have 16 bits");
    expect(plan.room() <= n + n / device::page_waste && plan.room() >= n, "little waste");
    expect(plan.subproblems_at_once(1) >= buckets && plan.subproblems_at_once(0) > n / base_case,
           "room for subproblems");
    expect(plan.entry_limit() >= buckets * plan.most_pages(), "the table has the room of the counters");
  }
}

TEST_CASE("device paths: quicksort asks a comparator about elements and nothing else") {
  if (no_device()) return;
  workplace here;
  for (const std::size_t n : tried({2, 33, 1000, 4001, 70'001, 1'300'001}))
    for (const auto& shape : {uniform, few_values}) {
      const std::string name = shape.name + ", " + std::to_string(n);
      const auto keys = marked_keys(shape, n);
      const storage<std::uint32_t> data{memory::device, keys};
      const storage<unsigned> strangers{memory::device, {0}};
      device::quicksort(by_rounds(here.context()), keys_alone{data.data(), nullptr}, n, watchful{strangers.data()},
                        gpu::detail::identity_codec{});
      expect_none(sort_problem(keys, data.fetch(name), natural_less{}), name);
      expect(strangers.fetch(name)[0] == 0, name + ": comparisons of what is no element");
    }
}
