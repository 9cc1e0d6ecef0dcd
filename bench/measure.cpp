#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bench {

double wall_clock::time(const std::function<void()>& call) {
  using steady = std::chrono::steady_clock;
  const auto start = steady::now();
  call();
  return std::chrono::duration<double>(steady::now() - start).count();
}

schedule schedule_for(double seconds, bool on_device) {
  constexpr double slow = 0.25, repetition = 2e-3, shortest_timed = 2e-5;
  schedule planned;
  planned.repetitions = seconds < 0.02 ? 9 : seconds < 0.1 ? 5 : seconds < slow ? 3 : 1;
  planned.warm_up = seconds < 1e-3 ? 10 : seconds < 0.02 ? 2 : seconds < slow ? 1 : 0;
  planned.iterations = static_cast<int>(std::clamp(repetition / seconds, 1.0, 20.0));
  if (!on_device) planned.batch = static_cast<std::size_t>(std::clamp(shortest_timed / seconds, 1.0, 1000.0));
  return planned;
}

session::session(std::unique_ptr<inputs> data, prepared call, clock& watch, int warm_up, std::size_t batch,
                 std::function<void()> rehearse)
    : data_{std::move(data)},
      call_{std::move(call)},
      watch_{&watch},
      rehearse_{std::move(rehearse)},
      batch_{std::min(batch, data_->slots())},
      used_{data_->slots()} {
  for (int i = 0; i < warm_up; ++i) next();
}

double session::next() {
  if (used_ + batch_ > data_->slots()) {
    data_->renew(round_++);
    used_ = 0;
    if (rehearse_) rehearse_();
  }
  outcome result;
  const std::size_t first = std::exchange(used_, used_ + batch_);
  const double seconds = watch_->time([&] {
    for (std::size_t slot = first; slot < used_; ++slot) result = call_.run(data_->at(slot));
  });
  if (!std::exchange(checked_, true) && call_.has_result) check(used_ - 1, result);
  return seconds / static_cast<double>(batch_);
}

void session::check(std::size_t slot, const outcome& result) {
  if (const auto fault = data_->fault_of(slot, result); !fault.empty()) throw wrong_result{fault};
}

}  // namespace bench
