// Calls over the ranks of MPI_COMM_WORLD, as many as mpirun starts: every rank knows the parts of all ranks and the
// expected result for its own.
#include <gpu/mpi.hpp>

#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace testing;

struct record {
  int key;
  std::uint16_t rank;
  std::uint16_t spare;
  std::uint32_t place;
};

/// MPI_COMM_WORLD. The first call initialises MPI, which is finalised at the end of the program.
gpu::communicator& world() {
  struct session {
    session() { MPI_Init(nullptr, nullptr); }
    ~session() { MPI_Finalize(); }
  };
  static session running;
  static gpu::mpi_communicator ranks{MPI_COMM_WORLD};
  return ranks;
}

template <class Check>
void for_every_input(const Check& check) {
  for (const std::size_t n : {7, 5000})
    for (const division& sizes : divisions)
      for (const key_shape& keys : key_shapes)
        check(make_parts(sizes, keys, world().size(), n,
                         [](std::uint64_t key, std::size_t rank, std::size_t place) {
                           return record{static_cast<int>(key), static_cast<std::uint16_t>(rank), 0,
                                         static_cast<std::uint32_t>(place)};
                         }),
              std::string{keys.name} + ", " + sizes.name + ", n " + std::to_string(n));
}

}  // namespace

TEST_CASE("mpi: sorts leave every rank its part of the sorted sequence") {
  const std::size_t me = world().rank();
  for_every_input([&](const parts_of<record>& parts, const std::string& what) {
    auto all = joined(parts);
    std::stable_sort(all.begin(), all.end(), by(std::ranges::less{}, &record::key));
    const auto expected = divided(all, parts);
    auto mine = parts;
    gpu::stable_sort(gpu::par.over(world()), mine[me], {}, &record::key);
    expect_none(difference(parts_of<record>{mine[me]}, {expected[me]}), "stable_sort, " + what);

    std::vector<int> keys;
    std::vector<std::uint64_t> values;
    for (const record& one : parts[me]) {
      keys.push_back(one.key);
      values.push_back((std::uint64_t{one.rank} << 32) + one.place);
    }
    gpu::stable_sort_by_key(gpu::par.over(world()), keys, values);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const record& right = expected[me][i];
      if (keys[i] != right.key || values[i] != (std::uint64_t{right.rank} << 32) + right.place)
        expect(false, "stable_sort_by_key, " + what + ", element " + std::to_string(i));
    }
    expect(gpu::is_sorted(gpu::par.over(world()), keys), "is_sorted, " + what);

    gpu::sort_balanced(gpu::par.over(world()), keys);
    const std::size_t p = world().size();
    expect(keys.size() == all.size() / p + (me < all.size() % p ? 1 : 0), "sort_balanced, " + what);
  });
}

TEST_CASE("mpi: merges and permutations over all ranks") {
  const std::size_t me = world().rank(), p = world().size();
  for_every_input([&](const parts_of<record>& parts, const std::string& what) {
    auto all = joined(parts);
    std::vector<std::uint64_t> order(all.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return all[i].key < all[j].key; });
    std::vector<std::uint64_t> places(parts[me].size());
    gpu::argsort(gpu::par.over(world()), parts[me], places, {}, &record::key);
    expect(places == divided(order, parts)[me], "argsort, " + what);

    std::stable_sort(all.begin(), all.end(), by(std::ranges::less{}, &record::key));
    const auto sorted = divided(all, parts);
    auto expected = all;
    expected.insert(expected.end(), all.begin(), all.end());
    std::inplace_merge(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(all.size()), expected.end(),
                       by(std::ranges::less{}, &record::key));
    const std::size_t first = expected.size() * me / p, last = expected.size() * (me + 1) / p;
    std::vector<record> merged(last - first);
    gpu::merge(gpu::par.over(world()), sorted[me], sorted[me], merged, {}, &record::key);
    expect(std::equal(merged.begin(), merged.end(), expected.begin() + static_cast<std::ptrdiff_t>(first),
                      [](const record& a, const record& b) { return same(a, b); }),
           "merge, " + what);
  });
}

TEST_CASE("mpi: a failure of one rank reaches all") {
  const std::size_t failing = world().size() - 1;
  std::vector<int> values(1000);
  std::iota(values.rbegin(), values.rend(), 0);
  try {
    gpu::sort(gpu::par.require_host().over(world()), values, [&](int a, int b) {
      if (world().rank() == failing && a == 500) throw std::runtime_error{"enough"};
      return a < b;
    });
    expect(false, "nothing was thrown");
  } catch (const gpu::rank_error& caught) {
    expect(caught.rank() == failing && caught.code() == gpu::errc::rank_failed, caught.what());
    expect(std::string{caught.what()}.find("enough") != std::string::npos, caught.what());
  }
  // All ranks can go on using the communicator.
  gpu::sort(gpu::par.over(world()), values);
  expect(gpu::is_sorted(gpu::par.over(world()), values), "the next call");
}

TEST_CASE("mpi: different calls are found out") {
  if (world().size() == 1) return;
  std::vector<int> numbers{3, 1, 2};
  std::vector<double> others{3, 1, 2};
  try {
    if (world().rank() == 0)
      gpu::sort(gpu::par.over(world()), others);
    else
      gpu::sort(gpu::par.over(world()), numbers);
    expect(false, "nothing was thrown");
  } catch (const gpu::rank_error& caught) {
    expect(caught.code() == gpu::errc::ranks_disagree && caught.rank() == 1, caught.what());
  }
}
