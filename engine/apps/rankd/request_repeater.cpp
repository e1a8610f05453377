#include "apps/rankd/request_repeater.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/check.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::rankd {

class RequestRepeater::Slot final : public rank::RankCall {
 public:
  Slot(RequestRepeater& owner, rank::Ranker& ranker) : owner_(owner), ranker_(ranker) {}

  void start_next() {
    // An answer may come before `start` returns: then the loop here goes on, not the stack.
    for (;;) {
      if (!owner_.take_next()) return owner_.done_.release();
      state_.store(kStarting, std::memory_order_relaxed);
      ranker_.start(*this, reader_, owner_.request_);
      int expected = kStarting;
      if (state_.compare_exchange_strong(expected, kWaiting, std::memory_order_acq_rel)) return;
    }
  }

  std::vector<base::Duration> latencies;
  std::uint64_t round_trips = 0;
  std::int64_t failed = 0;
  std::string first_error;

 private:
  static constexpr int kStarting = 0;
  static constexpr int kWaiting = 1;
  static constexpr int kAnswered = 2;

  void on_answer() override {
    latencies.push_back(took());
    round_trips += store_round_trips();
    if (owner_.show_response_) owner_.show_response_(response());
    if (!ok() && failed++ == 0) first_error = response();
    owner_.count_answer();
    // Whoever comes second goes on.
    if (state_.exchange(kAnswered, std::memory_order_acq_rel) == kWaiting) start_next();
  }

  RequestRepeater& owner_;
  rank::Ranker& ranker_;
  rank::RequestReader reader_;
  // Hands the slot from the thread that started a request to the one that answered it.
  std::atomic<int> state_{kStarting};
};

base::Duration process_cpu_time() {
  timespec time{};
  MR_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

RequestRepeater::RequestRepeater(Engine& engine, std::int64_t concurrency) {
  for (std::int64_t index = 0; index < concurrency; ++index) {
    const auto loop = static_cast<std::size_t>(index) % engine.loop_count();
    slots_.push_back(std::make_unique<Slot>(*this, engine.ranker(loop)));
  }
}

RequestRepeater::~RequestRepeater() = default;

void RequestRepeater::on_progress(std::function<void(std::int64_t, std::int64_t)> show) {
  show_progress_ = std::move(show);
}

void RequestRepeater::on_response(std::function<void(std::string_view)> show) {
  show_response_ = std::move(show);
}

Repeated RequestRepeater::run(std::string_view request, std::int64_t count) {
  request_ = request;
  count_ = count;
  started_.store(0, std::memory_order_relaxed);
  answered_.store(0, std::memory_order_relaxed);
  const auto parallel = std::min(static_cast<std::int64_t>(slots_.size()), count);
  for (const auto& slot : slots_) {
    slot->latencies.clear();
    slot->latencies.reserve(static_cast<std::size_t>(2 * count / parallel + 1));
    slot->round_trips = 0;
    slot->failed = 0;
    slot->first_error.clear();
  }
  Repeated result;
  const base::TimePoint begin = base::steady_clock().now();
  const base::Duration cpu_before = process_cpu_time();
  for (std::int64_t index = 0; index < parallel; ++index)
    slots_[static_cast<std::size_t>(index)]->start_next();
  for (std::int64_t index = 0; index < parallel; ++index) done_.acquire();
  result.cpu = process_cpu_time() - cpu_before;
  result.elapsed = base::steady_clock().now() - begin;
  for (const auto& slot : slots_) {
    result.latencies.insert(result.latencies.end(), slot->latencies.begin(), slot->latencies.end());
    result.store_round_trips += slot->round_trips;
    result.failed += slot->failed;
    if (result.first_error.empty()) result.first_error = slot->first_error;
  }
  result.last_response = slots_.front()->response();
  std::sort(result.latencies.begin(), result.latencies.end());
  return result;
}

void RequestRepeater::count_answer() {
  if (!show_progress_) return;
  const std::int64_t answered = answered_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (answered % std::max<std::int64_t>(count_ / 100, 1) == 0) show_progress_(answered, count_);
}

}  // namespace millrace::rankd
