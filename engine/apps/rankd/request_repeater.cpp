#include "apps/rankd/request_repeater.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/check.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "rank/rank_error.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::rankd {
namespace {

// Room that a slot takes for its latencies at once.
constexpr std::int64_t kReservedMax = 1'000'000;

}  // namespace

/// What the slots of one loop share.
/// Threading: `reader` belongs to the loop thread.
struct RequestRepeater::LoopPart {
  LoopPart(loop::Loop& its_loop, rank::Ranker& its_ranker) : loop(its_loop), ranker(its_ranker) {}
  loop::Loop& loop;
  rank::Ranker& ranker;
  rank::RequestReader reader;
};

/// Runs one request after another. Each is started by a job on the loop, as a request from a
/// connection would be, so that the memory of one request is used at one time, however many other
/// requests wait.
class RequestRepeater::Slot final : public rank::RankCall, loop::Job {
 public:
  Slot(RequestRepeater& owner, LoopPart& part)
      : Job([](Job& job) { static_cast<Slot&>(job).start(); }), owner_(owner), part_(part) {}

  /// Issues the next request, if there is one.
  void issue(base::TimePoint now) {
    request_ = owner_.take_next();
    if (request_ == nullptr) return owner_.done_.release();
    issued_ = now;
    part_.loop.post(*this);
  }

  std::vector<base::Duration> latencies;
  std::uint64_t round_trips = 0;
  std::int64_t refused = 0;
  std::int64_t failed = 0;
  std::string first_error;

 private:
  void start() { part_.ranker.start(*this, part_.reader, *request_); }

  void on_answer() override {
    const base::TimePoint now = part_.loop.clock().now();
    const bool is_refused = outcome() == rank::RankOutcome::kRefused;
    if (is_refused) {
      ++refused;
    } else {
      latencies.push_back(now - issued_);
    }
    round_trips += store_round_trips();
    if (owner_.show_response_) owner_.show_response_(response());
    if (!ok() && !is_refused && failed++ == 0) first_error = response();
    owner_.count_answer();
    issue(now);
  }

  RequestRepeater& owner_;
  LoopPart& part_;
  const std::string* request_ = nullptr;
  base::TimePoint issued_{};
};

base::Duration process_cpu_time() {
  timespec time{};
  MR_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

RequestRepeater::RequestRepeater(host::Engine& engine, std::int64_t concurrency) {
  for (std::size_t loop = 0; loop < engine.loop_count(); ++loop)
    parts_.push_back(std::make_unique<LoopPart>(engine.loop(loop), engine.ranker(loop)));
  // Those of one loop are made one after another, as a loop makes what its connections need: else
  // each would share cache lines with slots of other loops.
  const auto loop_count = std::ssize(parts_);
  for (std::int64_t index = 0; index < concurrency; ++index) {
    const auto part = static_cast<std::size_t>(index * loop_count / concurrency);
    slots_.push_back(std::make_unique<Slot>(*this, *parts_[part]));
  }
}

RequestRepeater::~RequestRepeater() = default;

void RequestRepeater::on_progress(std::function<void(std::int64_t, std::int64_t)> show) {
  show_progress_ = std::move(show);
}

void RequestRepeater::on_response(std::function<void(std::string_view)> show) {
  show_response_ = std::move(show);
}

Repeated RequestRepeater::run(std::span<const std::string> requests, std::int64_t count) {
  requests_ = requests;
  count_ = count;
  started_.store(0, std::memory_order_relaxed);
  answered_.store(0, std::memory_order_relaxed);
  const auto parallel = std::min(static_cast<std::int64_t>(slots_.size()), count);
  for (const auto& slot : slots_) {
    slot->latencies.clear();
    slot->latencies.reserve(
        static_cast<std::size_t>(std::min(2 * count / parallel + 1, kReservedMax)));
    slot->round_trips = 0;
    slot->refused = 0;
    slot->failed = 0;
    slot->first_error.clear();
  }
  Repeated result;
  const base::TimePoint begin = base::steady_clock().now();
  const base::Duration cpu_before = process_cpu_time();
  for (std::int64_t index = 0; index < parallel; ++index)
    slots_[static_cast<std::size_t>(index)]->issue(begin);
  for (std::int64_t index = 0; index < parallel; ++index) done_.acquire();
  result.cpu = process_cpu_time() - cpu_before;
  result.elapsed = base::steady_clock().now() - begin;
  for (const auto& slot : slots_) {
    result.latencies.insert(result.latencies.end(), slot->latencies.begin(), slot->latencies.end());
    result.store_round_trips += slot->round_trips;
    result.refused += slot->refused;
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
