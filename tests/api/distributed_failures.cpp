// Failures over ranks: all ranks throw the same error, none waits forever, no element is lost.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace testing;

/// Calls work(ranks) on p threads; every rank must throw a rank_error with this code that contains these words and
/// names the rank `failing`.
template <class Work>
void expect_all_throw(std::size_t p, std::size_t failing, std::error_code code, const std::string& words,
                      const Work& work) {
  std::atomic<std::size_t> thrown = 0;
  gpu::on_threads(p, [&](gpu::communicator& ranks) {
    try {
      work(ranks);
    } catch (const gpu::rank_error& caught) {
      ++thrown;
      expect(caught.rank() == failing, "rank " + std::to_string(caught.rank()) + ": " + caught.what());
      expect(caught.code() == code, "code: " + caught.code().message());
      expect(std::string{caught.what()}.find(words) != std::string::npos, caught.what());
    }
  });
  expect(thrown == p, std::to_string(thrown) + " of " + std::to_string(p) + " ranks threw: " + words);
}

struct thrown_at {
  std::size_t rank;
  std::size_t call;
};

}  // namespace

TEST_CASE("distributed: a comparator that throws on one rank throws on all, whenever that is") {
  constexpr std::size_t p = 4, n = 400;
  const auto parts = make_parts(divisions[0], key_shapes[0], p, n, [](std::uint64_t key, std::size_t, std::size_t) {
    return static_cast<int>(key % 1000);
  });
  auto all = joined(parts);
  std::sort(all.begin(), all.end());

  // The first iteration throws nothing and counts the comparisons of rank 2; then selected ones throw in turn.
  std::size_t most = 0;
  for (std::size_t call = 0; call <= most; call += call < 50 ? 1 : 1 + most / 60) {
    auto got = parts;
    std::atomic<std::size_t> thrown = 0, nested = 0;
    gpu::on_threads(p, [&](gpu::communicator& ranks) {
      std::size_t calls = 0;
      const auto less = [&](int a, int b) {
        if (++calls == call && ranks.rank() == 2) throw std::runtime_error{"enough"};
        return a < b;
      };
      try {
        gpu::stable_sort(gpu::par.require_host().over(ranks), got[ranks.rank()], less);
      } catch (const gpu::rank_error& caught) {
        ++thrown;
        expect(caught.rank() == 2 && caught.code() == gpu::errc::rank_failed, caught.what());
        expect(std::string{caught.what()} == "gpupar: rank 2 of 4: enough: a rank failed", caught.what());
        try {
          std::rethrow_if_nested(caught);
        } catch (const std::runtime_error&) {
          ++nested;
        }
      }
      if (ranks.rank() == 2 && call == 0) most = calls;
    });
    expect(thrown == (call == 0 ? 0 : p), "call " + std::to_string(call) + ": " + std::to_string(thrown) + " threw");
    expect(nested == (call == 0 ? 0 : 1), "the rank itself has the exception");
    auto left = joined(got);
    std::sort(left.begin(), left.end());
    expect(left == all, "call " + std::to_string(call) + ": an element is lost");
  }
  expect(most > 1000, "comparisons: " + std::to_string(most));
}

TEST_CASE("distributed: calls that differ are found out before any element moves") {
  const auto code = gpu::make_error_code(gpu::errc::ranks_disagree);
  const std::vector<int> before{3, 1, 2};
  const auto disagree = [&](const std::string& words, const auto& other) {
    expect_all_throw(3, 1, code, words, [&](gpu::communicator& ranks) {
      std::vector<int> values = before;
      if (ranks.rank() == 1) return other(ranks);
      try {
        gpu::sort(gpu::par.over(ranks), values);
      } catch (...) {
        expect(values == before, "nothing has moved");
        throw;
      }
    });
  };
  disagree("rank 1 calls sort of float (4 bytes) by std::ranges::less, rank 0 sort of int (4 bytes)",
           [](gpu::communicator& ranks) {
             std::vector<float> values{2, 1};
             gpu::sort(gpu::par.over(ranks), values);
           });
  disagree("stable_sort of int", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    gpu::stable_sort(gpu::par.over(ranks), values);
  });
  disagree("std::ranges::greater", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    gpu::sort(gpu::par.over(ranks), values, std::ranges::greater{});
  });
  disagree("sort_by_key of int (4 bytes) with char (1 bytes)", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    std::vector<char> column{1, 2};
    gpu::sort_by_key(gpu::par.over(ranks), values, column);
  });
  disagree("sort of int (4 bytes) by std::ranges::less using merge_sort, rank 0 sort of int (4 bytes) by",
           [](gpu::communicator& ranks) {
             std::vector<int> values{2, 1};
             gpu::sort(gpu::par.using_algorithm(gpu::algorithm::merge_sort).over(ranks), values);
           });
  disagree("on the host", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    gpu::sort(gpu::par.require_host().over(ranks), values);
  });
  disagree("is_sorted of int", [](gpu::communicator& ranks) {
    const std::vector<int> values{2, 1};
    (void)gpu::is_sorted(gpu::par.over(ranks), values);
  });
}

TEST_CASE("distributed: what one rank cannot do is refused on all") {
  const auto invalid = gpu::make_error_code(gpu::errc::invalid_range);
  expect_all_throw(3, 2, invalid, "null pointer", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    int* const data = ranks.rank() == 2 ? nullptr : values.data();
    gpu::sort(gpu::par.over(ranks), data, data + 2);
  });
  expect_all_throw(3, 0, invalid, "shorter than the keys", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1}, column(ranks.rank() == 0 ? 1 : 2);
    gpu::sort_by_key(gpu::par.over(ranks), values, column);
  });
  expect_all_throw(2, 0, gpu::make_error_code(gpu::errc::unsuitable_algorithm), "rank 0 of 2",
                   [](gpu::communicator& ranks) {
                     std::vector<int> values{2, 1};
                     gpu::stable_sort(gpu::par.using_algorithm(gpu::algorithm::bitonic).over(ranks), values);
                   });
  for (const double when : {0.0, 1.0})
    expect_all_throw(3, 1, gpu::make_error_code(gpu::errc::rank_failed), "no more", [&](gpu::communicator& ranks) {
      std::vector<int> values{3, 1, 2};
      const auto hear = [&](double fraction) {
        if (ranks.rank() == 1 && fraction == when) throw std::runtime_error{"no more"};
      };
      gpu::sort(gpu::par.on_progress(hear).over(ranks), values);
    });
  // The same with a single rank.
  expect_all_throw(1, 0, gpu::make_error_code(gpu::errc::rank_failed), "enough", [](gpu::communicator& ranks) {
    std::vector<int> values{2, 1};
    gpu::sort(gpu::par.require_host().over(ranks), values,
              [](int, int) -> bool { throw std::runtime_error{"enough"}; });
  });
}

TEST_CASE("distributed: nobody waits for a thread that has ended") {
  std::atomic<std::size_t> thrown = 0;
  gpu::on_threads(4, [&](gpu::communicator& ranks) {
    if (ranks.rank() == 3) return;
    std::vector<int> values{2, 1};
    try {
      gpu::sort(gpu::par.over(ranks), values);
    } catch (const gpu::rank_error& caught) {
      ++thrown;
      expect(caught.rank() == 3 && caught.code() == gpu::errc::rank_failed, caught.what());
      expect(values == std::vector<int>{2, 1}, "nothing has moved");
    }
  });
  expect(thrown == 3, "all others are told");
  expect_throw<std::logic_error>("the first exception is that of on_threads", [] {
    gpu::on_threads(3, [](gpu::communicator& ranks) {
      if (ranks.rank() == 1) throw std::logic_error{"mine"};
      const char mine = 0;
      char all[3];
      ranks.all_gather(&mine, 1, all);
    });
  });
}
