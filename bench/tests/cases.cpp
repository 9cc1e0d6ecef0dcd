// The lists of cases: names, filters, unavailable contenders.
#include "../cases.hpp"

#include <algorithm>
#include <set>

#include "support.hpp"

namespace {

using namespace bench;

std::vector<std::string> names_of(const selection& wanted) {
  std::vector<std::string> names;
  for (const auto& one : list_cases(wanted, false).cases) names.push_back(one.name());
  return names;
}

}  // namespace

TEST_CASE("bench cases: one problem's contenders stand together, and no name twice") {
  const auto names = names_of({extent::host});
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
  std::set<std::string> seen;
  std::string last;
  for (const auto& name : names) {
    const auto asked = name.substr(0, name.rfind('/'));
    if (asked != last) CHECK(seen.insert(asked).second);
    last = asked;
    CHECK(std::ranges::count(name, '/') == 4);
  }
}

TEST_CASE("bench cases: filters and contenders") {
  using list = std::vector<std::string>;
  const std::string one = "sort/u32/uniform/4096/";
  CHECK(names_of({extent::host, {}, "^" + one + "std$"}) == list{one + "std"});
  CHECK(names_of({extent::host, {"std", "gpupar"}, "^" + one}) == list{one + "gpupar", one + "std"});
  for (const auto& name : names_of({extent::host, {}, "-uniform"})) CHECK(name.find("uniform") == std::string::npos);
  CHECK_THROWS_AS(names_of({extent::host, {}, "("}), std::regex_error);
}

TEST_CASE("bench cases: bytes that keys do not have are left out") {
  const auto named = [](const std::string& input) {
    return names_of({extent::host, {"std"}, "^sort/u32/" + input + "/"});
  };
  CHECK(named("only_byte_3").size() == 1);
  CHECK(named("only_byte_4").empty());
  CHECK(named("zero").size() == 1);
}

TEST_CASE("bench cases: who is not there is left out aloud") {
  const auto left_out = list_cases({extent::quick}, false).left_out;
  CHECK(std::ranges::find(left_out, "cub_radix (not in this build)") != left_out.end());
  CHECK(std::ranges::find(left_out, "std (not in this build)") == left_out.end());
}

TEST_CASE("bench cases: the host's extent stays within its five minutes") {
  double sum = 0;
  for (const auto& one : list_cases({extent::host}, false).cases) sum += one.total_seconds();
  CHECK(sum < 300);
}

TEST_CASE("bench cases: a rehearsal is the same with fewer elements") {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1} << 26}) {
    const problem asked{operation::multiway_merge, 8, "u32", {"sorted", testing::form::sorted}, n};
    problem rehearsed = rehearsal_of(asked);
    CHECK(rehearsed.n == std::min(n, std::size_t{1} << 20));
    rehearsed.n = n;
    CHECK(rehearsed.name() == asked.name());
  }
  const problem half{operation::top_k, 1 << 27, "u32", {"uniform", testing::form::uniform}, 1 << 28};
  CHECK(rehearsal_of(half).ways == rehearsal_of(half).n);
}

TEST_CASE("bench cases: extents by name") {
  CHECK(extent_named("full") == extent::full);
  CHECK(!extent_named("medium"));
}
