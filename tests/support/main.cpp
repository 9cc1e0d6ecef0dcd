// Runs the cases of a test executable; prints the seed with every failure and counts at the end what was skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <mutex>
#include <set>

#include "gpu/plan.hpp"
#include "inputs.hpp"
#include "support.hpp"

namespace testing {
namespace {

std::mutex skips_mutex;
std::set<std::string> skips;

std::string current_case() {
  const auto* test = doctest::getContextOptions()->currentTest;
  return test ? test->m_name : "outside any case";
}

/// Follows every failed check or thrown exception with the seed that repeats it.
class seed_printer : public doctest::IReporter {
 public:
  explicit seed_printer(const doctest::ContextOptions&) {}
  void log_assert(const doctest::AssertData& assertion) override {
    if (assertion.m_failed) print();
  }
  void log_message(const doctest::MessageData&) override { print(); }
  void test_case_exception(const doctest::TestCaseException&) override { print(); }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static void print() {
    std::printf("seed: GPUPAR_SEED=%llu\n", static_cast<unsigned long long>(seed()));
    std::fflush(stdout);
  }
};

REGISTER_LISTENER("seed", 1, seed_printer);

}  // namespace

void expect(bool ok, const std::string& what, source_line where) {
  if (ok)
    CHECK(ok);
  else
    ADD_FAIL_CHECK_AT(where.file, where.line, what);
}

void expect_none(const std::string& problem, const std::string& what, source_line where) {
  expect(problem.empty(), problem.empty() ? problem : what + ": " + problem, where);
}

void skip(const std::string& why) {
  const std::lock_guard lock{skips_mutex};
  const std::string line = current_case() + ": " + why;
  if (!skips.insert(line).second) return;
  std::printf("skipped: %s\n", line.c_str());
  std::fflush(stdout);
}

bool no_device(const std::string& what) {
  if (gpu::device_count() > 0) return false;
  skip(what + ": no device");
  return true;
}

void figure(const std::string& name, std::uint64_t value) {
  std::printf("figure: %s = %llu\n", name.c_str(), static_cast<unsigned long long>(value));
  std::fflush(stdout);
}

std::string describe(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& caught) {
    return std::string{"\""} + caught.what() + '"';
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace testing

int main(int argument_count, char** arguments) {
  doctest::Context context{argument_count, arguments};
  const int result = context.run();
  if (!testing::skips.empty())
    std::printf("%zu parts of cases skipped, see the lines \"skipped: …\" above\n", testing::skips.size());
  return result;
}
