#include "runtime/adaptive_limit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::runtime {
namespace {

using namespace std::chrono_literals;

class AdaptiveLimitTest : public ::testing::Test {
 protected:
  /// Lets a window pass in which every sample is `delay`.
  void pass_window(base::Duration delay, std::int64_t peak = 1000, int samples = 16) {
    for (int sample = 0; sample < samples; ++sample) limit.add_sample(delay);
    now += 100ms;
    limit.end_window(now, peak);
  }

  base::TimePoint now{1h};
  AdaptiveLimit limit{{}, now};
};

TEST_F(AdaptiveLimitTest, S31_TheThreeStepsOfTheRule) {
  EXPECT_EQ(limit.limit(), 256);
  pass_window(2500us);
  EXPECT_EQ(limit.limit(), 282);  // 256 * 1.1 + 1
  pass_window(5ms);
  EXPECT_EQ(limit.limit(), 283);
  pass_window(10ms);
  EXPECT_EQ(limit.limit(), 212);  // 283.6 * (1 + 0.5) / 2
}

TEST_F(AdaptiveLimitTest, S31_AWindowNeedsTimeSamplesAndUse) {
  for (int sample = 0; sample < 16; ++sample) limit.add_sample(1s);
  limit.end_window(now + 99ms, 1000);
  EXPECT_EQ(limit.limit(), 256);
  EXPECT_FALSE(limit.is_window_full(now + 99ms));
  EXPECT_TRUE(limit.is_window_full(now + 100ms));

  AdaptiveLimit few({}, now);
  for (int sample = 0; sample < 15; ++sample) few.add_sample(1s);
  few.end_window(now + 1h, 1000);
  EXPECT_EQ(few.limit(), 256);

  AdaptiveLimit idle({}, now);
  for (int sample = 0; sample < 16; ++sample) idle.add_sample(1s);
  idle.end_window(now + 100ms, 102);  // 0.4 * 256 = 102.4
  EXPECT_EQ(idle.limit(), 256);
  EXPECT_EQ(idle.last_delay(), base::Duration(1s));
}

TEST_F(AdaptiveLimitTest, S31_TheLowerQuartileDecides) {
  // A quarter of the runs waits for nothing: no overload, however long the others wait.
  for (int sample = 0; sample < 5; ++sample) limit.add_sample(0ms);
  for (int sample = 0; sample < 11; ++sample) limit.add_sample(1s);
  limit.end_window(now + 100ms, 1000);
  EXPECT_EQ(limit.last_delay(), base::Duration(0));
  EXPECT_EQ(limit.limit(), 282);
}

TEST_F(AdaptiveLimitTest, S31_StaysWithinItsBounds) {
  for (int turn = 0; turn < 100; ++turn) pass_window(1h);
  EXPECT_EQ(limit.limit(), 4);
  for (int turn = 0; turn < 100; ++turn) pass_window(0ms);
  EXPECT_EQ(limit.limit(), 1024);
  EXPECT_EQ(AdaptiveLimit({.least = 8, .most = 100, .start = 256}, now).limit(), 100);
}

TEST_F(AdaptiveLimitTest, ManySamplesAreThinnedOutEvenly) {
  for (int sample = 0; sample < 100'000; ++sample)
    limit.add_sample(sample % 10 < 7 ? base::Duration(1ms) : base::Duration(20ms));
  limit.end_window(now + 100ms, 1000);
  EXPECT_EQ(limit.last_delay(), base::Duration(1ms));
}

/// Requests that come at random, wait 20 ms for a store, and then need a processor. What they wait
/// for a processor is their own delay. Everything is virtual time and one seed.
class OverloadModel {
 public:
  OverloadModel(double per_second, std::uint64_t seed) : random_(seed), per_second_(per_second) {
    schedule(base::Duration(0), [this] { arrive(); });
  }

  void run_until(base::Duration end) {
    while (!events_.empty() && events_.top().when <= end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.happen();
    }
    now_ = end;
  }

  AdaptiveLimit limit{{.least = 4}, base::TimePoint()};
  base::Duration cpu_time{1ms};
  std::int64_t answered = 0;
  std::int64_t refused = 0;
  base::Duration longest_wait{};

 private:
  struct Event {
    base::Duration when;
    std::uint64_t number;
    std::function<void()> happen;
    bool operator>(const Event& other) const {
      return std::pair(when, number) > std::pair(other.when, other.number);
    }
  };

  void schedule(base::Duration after, std::function<void()> happen) {
    events_.push({now_ + after, next_number_++, std::move(happen)});
  }
  void arrive() {
    const double uniform = (static_cast<double>(random_.below(1U << 30)) + 1) / (1U << 30);
    schedule(base::Duration(static_cast<std::int64_t>(-std::log(uniform) / per_second_ * 1e9)),
             [this] { arrive(); });
    if (inflight_ >= limit.limit()) {
      ++refused;
      return;
    }
    peak_ = std::max(peak_, ++inflight_);
    schedule(20ms, [this] {
      ready_.push_back(now_);
      start_some();
    });
  }
  void start_some() {
    while (free_ > 0 && !ready_.empty()) {
      --free_;
      const base::Duration waited = now_ - ready_.front();
      ready_.pop_front();
      longest_wait = std::max(longest_wait, waited);
      schedule(cpu_time, [this, waited] { answer(waited); });
    }
  }
  void answer(base::Duration waited) {
    ++free_;
    ++answered;
    limit.add_sample(waited);
    if (limit.is_window_full(base::TimePoint(now_))) {
      limit.end_window(base::TimePoint(now_), peak_);
      peak_ = inflight_ - 1;
    }
    --inflight_;
    start_some();
  }

  base::SplitMix64 random_;
  const double per_second_;
  base::Duration now_{};
  std::uint64_t next_number_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<base::Duration> ready_;
  int free_ = 2;
  std::int64_t inflight_ = 0;
  std::int64_t peak_ = 0;
};

/// Two processors at 1 ms each: 2 000 per second. Looks at the seconds from `begin` to `end`.
void expect_full_use(OverloadModel& model,
                     base::Duration begin,
                     base::Duration end,
                     double capacity) {
  model.run_until(begin);
  const std::int64_t before = model.answered;
  model.longest_wait = {};
  const double seconds = std::chrono::duration<double>(end - begin).count();
  const double latency = 0.020 + 2 / capacity;
  for (base::Duration at = begin; at <= end; at += 100ms) {
    model.run_until(at);
    const auto limit = static_cast<double>(model.limit.limit());
    EXPECT_GE(limit, 0.7 * capacity * latency) << at.count();
    EXPECT_LE(limit, 2.0 * capacity * latency) << at.count();
  }
  const double goodput = static_cast<double>(model.answered - before) / seconds;
  EXPECT_GE(goodput, 0.95 * capacity);
  EXPECT_LE(model.longest_wait, base::Duration(40ms));
}

TEST(AdaptiveLimitModelTest, S31_TheLimitFollowsACapacityThatHalvesAndReturnsWithinTwoSeconds) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    SCOPED_TRACE(seed);
    OverloadModel model(6000, seed);
    expect_full_use(model, 2s, 8s, 2000);
    model.cpu_time = 2ms;
    expect_full_use(model, 10s, 16s, 1000);
    model.cpu_time = 1ms;
    expect_full_use(model, 18s, 24s, 2000);
    EXPECT_GT(model.refused, model.answered);
  }
}

TEST(AdaptiveLimitModelTest, S31_ASlowStoreLowersNothing) {
  // Three quarters of what the processors can do: nothing waits for them, however slow the store.
  OverloadModel model(1500, 7);
  model.run_until(10s);
  EXPECT_EQ(model.refused, 0);
  EXPECT_GE(model.limit.limit(), 256);
}

}  // namespace
}  // namespace millrace::runtime
