// Quicksort by comparators: what they are called with, base cases that a round gathers, partitions that no block can
// hold.
#include "gpu/detail/device/quicksort.cuh"

#include <string>
#include <type_traits>

#include "liars.hpp"
#include "paths.hpp"
#include "tried.hpp"

using namespace testing;

namespace {

using keys_alone = device::columns<std::uint32_t, device::no_value>;

struct precedes {
  template <class Key>
  GPUPAR_HOST_DEVICE bool operator()(const Key& left, const Key& right) const {
    return left < right;
  }
};

/// Keys that can be distinguished from anything else in memory.
constexpr std::uint32_t mark = 1009;
std::vector<std::uint32_t> marked_keys(const distribution& shape, std::size_t n) {
  auto keys = make_keys<std::uint32_t>(shape, n);
  for (std::uint32_t& key : keys) key = key / mark * mark + 1;
  return keys;
}

/// Orders marked keys, and counts the comparisons of anything else.
struct watchful {
  unsigned* strangers;
  __device__ bool operator()(std::uint32_t left, std::uint32_t right) const {
    if (left % mark != 1 || right % mark != 1) atomicAdd(strangers, 1u);
    return left < right;
  }
};

/// Keys of which the sample contains only the least, so that all others fall in one partition.
std::vector<std::uint32_t> keys_hidden_from_sample(std::size_t n) {
  auto keys = make_keys<std::uint32_t>(uniform, n, 0);
  for (std::uint32_t& key : keys) key |= 1u << 31;
  for (unsigned i = 0; i < device::resident_sample; ++i)
    keys[gpu::detail::random_position(gpu::detail::process_sample_key().word(i), 0, i, n)] = i;
  return keys;
}

/// Sorts keys by a comparator in rounds, so many that base cases are gathered, and checks that all scratch is freed.
template <class Key>
void check_gathered(workplace& here, const device::context& context, const std::vector<Key>& keys,
                    const std::string& what) {
  const storage<Key> data{memory::device, keys};
  device::quicksort(context, device::columns<Key, device::no_value>{data.data(), nullptr}, keys.size(), precedes{},
                    gpu::detail::identity_codec{});
  expect_none(sort_problem(keys, data.fetch(what), natural_less{}), what);
  expect(here.resource().outstanding() == 0, what + ": scratch is given back");
}

}  // namespace

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
  auto hidden = keys_hidden_from_sample(6'000'000);  // one subproblem has more tiles than base cases are gathered from
  check_gathered(here, by_rounds(here.context()), hidden, "hidden from the sample");
  for (std::uint32_t& key : hidden)  // mostly heavy keys, with few others between them
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
