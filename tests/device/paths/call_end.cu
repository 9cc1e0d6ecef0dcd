#include "gpu/detail/device/launching/call_end.hpp"

#include <memory>
#include <set>

#include "gpu/detail/device/bitonic_sort.cuh"
#include "gpu/detail/device/tile_sort.cuh"
#include "paths.hpp"

using namespace testing;

namespace {

constexpr std::size_t words = 64;  // of a process

/// Checks that enqueue(context, keys, n, codec) sorts. Returns whether its last kernel signals its end.
template <class Enqueue>
bool tells(std::size_t n, Enqueue enqueue) {
  workplace here;
  device::context context = here.context();
  device::call_end end;
  context.end = &end;
  const auto keys = make_keys<std::uint32_t>(n);
  const storage<std::uint32_t> data{memory::device, keys};
  enqueue(context, device::columns<std::uint32_t, device::no_value>{data.data(), nullptr}, n,
          codec_of<std::uint32_t>());
  synchronize_device();
  expect_none(sort_problem(keys, data.fetch(), natural_less{}), "sorted, " + std::to_string(n));
  return end.was_raised();
}

const auto by_bins = [](const auto&... arguments) { expect(device::sort_tile(arguments...), "a tile"); };
const auto by_network = [](const auto& context, const auto& data, std::size_t n, auto codec) {
  device::bitonic_sort(context, data, n, gpu::detail::code_less{}, codec);
};

}  // namespace

TEST_CASE("device paths: one block or one cluster tells the host that it has ended") {
  if (no_device()) return;
  for (const std::size_t n : {2, 100, 1000, 4096}) {
    expect(tells(n, by_bins), "by bins, " + std::to_string(n));
    expect(tells(n, by_network), "by the network, " + std::to_string(n));
  }
  expect(!tells(1, by_network), "nothing was launched");
  expect(!tells(5000, by_network), "many blocks");
}

TEST_CASE("device paths: what is launched after a block that tells takes its word back") {
  if (no_device()) return;
  const auto twice = [](const auto& context, const auto& data, std::size_t n, auto codec) {
    by_bins(context, data, n, codec);
    device::launch(context, device::shape{1, 32},
                   device::bitonic_step_kernel<1, std::uint32_t, device::no_value, gpu::detail::code_less>, data, n, 1,
                   false, gpu::detail::code_less{});
  };
  expect(!tells(1000, twice), "another kernel follows");
}

TEST_CASE("device paths: as many calls are told of their end as there are words, each by its own") {
  if (no_device()) return;
  std::vector<std::unique_ptr<device::call_end>> ends;
  std::set<unsigned*> taken;
  for (std::size_t i = 0; i < words; ++i) {
    ends.push_back(std::make_unique<device::call_end>());
    taken.insert(ends.back()->take().word);
    expect(!ends.back()->was_raised(), "nobody has told");
  }
  expect(taken.size() == words && !taken.contains(nullptr), "a word for each");
  expect(device::call_end{}.take().word == nullptr, "and for no more");
  ends.pop_back();
  const device::signal first = device::call_end{}.take(), second = device::call_end{}.take();
  expect(first.word != nullptr && first.word == second.word, "what is given back is taken again");
  expect(first.number != second.number, "for another number");
}
