// Timing: how often contenders are called, on which data, and what the clock reads.
#include "../measure.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "../inputs.hpp"
#include "contenders.hpp"
#include "support.hpp"

namespace {

using namespace bench;

/// A clock that reads one second for every call.
struct counting_clock final : bench::clock {
  int calls = 0;
  double time(const std::function<void()>& call) override {
    call();
    return ++calls;
  }
};

/// Slots whose addresses encode their number and round; remembers what was renewed and checked.
struct numbered_inputs final : inputs {
  explicit numbered_inputs(std::size_t count, std::string fault = {}) : count{count}, fault{std::move(fault)} {}
  [[nodiscard]] std::size_t slots() const override { return count; }
  void renew(std::uint64_t number) override { round = number + 1; }
  [[nodiscard]] arrays at(std::size_t slot) const override { return {reinterpret_cast<void*>(round * 1000 + slot)}; }
  [[nodiscard]] std::string fault_of(std::size_t, const outcome&) override { return fault; }
  std::size_t count;
  std::uint64_t round = 0;
  std::string fault;
};

prepared remember(std::vector<const void*>& seen, bool has_result = true) {
  return {[&seen](const arrays& on) {
            seen.push_back(on.keys);
            return outcome{on.keys, nullptr};
          },
          {},
          has_result};
}

/// Median seconds of a call of the contender.
double median_time(const std::string& name) {
  const problem asked{operation::sort, 1, "u32", {"uniform", testing::form::uniform}, 1000};
  const auto& all = contenders();
  const auto found = std::ranges::find(all, name, &contender::name);
  REQUIRE(found != all.end());
  arena memory{place::pageable};
  wall_clock watch;
  session measured{make_host_inputs(asked, 1, memory), found->offer(asked)(), watch, 1, 1};
  std::vector<double> seconds(9);
  for (double& time : seconds) time = measured.next();
  std::ranges::nth_element(seconds, seconds.begin() + 4);
  return seconds[4];
}

}  // namespace

TEST_CASE("bench measure: every call has data of its own") {
  std::vector<const void*> seen;
  counting_clock watch;
  session measured{std::make_unique<numbered_inputs>(3), remember(seen), watch, 2, 1};
  CHECK(watch.calls == 2);
  for (int i = 0; i < 8; ++i) measured.next();
  CHECK(watch.calls == 10);
  CHECK(seen.size() == 10);
  CHECK(std::set(seen.begin(), seen.end()).size() == 10);
}

TEST_CASE("bench measure: a rehearsal follows whenever data are made, and is not timed") {
  std::vector<const void*> seen;
  counting_clock watch;
  int rehearsals = 0;
  session measured{std::make_unique<numbered_inputs>(3), remember(seen), watch, 0, 1, [&] {
                     CHECK(seen.size() == static_cast<std::size_t>(3 * rehearsals));
                     ++rehearsals;
                   }};
  for (int i = 0; i < 7; ++i) measured.next();
  CHECK(rehearsals == 3);
  CHECK(watch.calls == 7);
}

TEST_CASE("bench measure: a batch is timed as one and divided") {
  std::vector<const void*> seen;
  counting_clock watch;
  session measured{std::make_unique<numbered_inputs>(10), remember(seen), watch, 0, 4};
  CHECK(measured.next() == 1.0 / 4);
  CHECK(measured.next() == 2.0 / 4);
  CHECK(measured.next() == 3.0 / 4);
  CHECK(std::set(seen.begin(), seen.end()).size() == 12);
}

TEST_CASE("bench measure: a wrong result is refused once it is there") {
  std::vector<const void*> seen;
  counting_clock watch;
  const auto wrong = [] { return std::make_unique<numbered_inputs>(1, "wrong"); };
  CHECK_THROWS_AS(session(wrong(), remember(seen), watch, 1, 1), wrong_result);
  session unwarmed{wrong(), remember(seen), watch, 0, 1};
  CHECK_THROWS_AS(unwarmed.next(), wrong_result);
  session without_result{wrong(), remember(seen, false), watch, 1, 1};
  CHECK_NOTHROW(without_result.next());
}

TEST_CASE("bench measure: a slowed contender shows as slower by about that") {
  const double slower = median_time("std_par") - median_time("std");
  const double added = std::chrono::duration<double>(slowed_by).count();
  CAPTURE(slower);
  CHECK(slower > 0.9 * added);
  CHECK(slower < 5 * added);
}

TEST_CASE("bench measure: short calls are repeated, long ones are not") {
  const schedule shortest = schedule_for(1e-7, false), shortish = schedule_for(1e-4, true),
                 longest = schedule_for(2.0, false);
  CHECK(shortest.batch >= 100);
  CHECK(schedule_for(1e-7, true).batch == 1);
  CHECK(shortish.iterations == 20);
  CHECK(shortish.repetitions >= 7);
  CHECK(longest == schedule{0, 1, 1, 1});
}
