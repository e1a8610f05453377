#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "runtime/admission.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

/// One run of the stress test; counts how often it was decided.
class StressRun final : public AdmissionWaiter {
 public:
  void admitted(AdmissionPermit permit) override {
    base::MutexLock lock(mutex_);
    permit_ = std::move(permit);
    ++decided_;
  }
  void refused(RefusalReason) override {
    base::MutexLock lock(mutex_);
    ++decided_;
  }
  void decided_at_once(AdmissionPermit permit) { admitted(std::move(permit)); }

  [[nodiscard]] int decided() const {
    base::MutexLock lock(mutex_);
    return decided_;
  }
  [[nodiscard]] AdmissionPermit take_permit() {
    base::MutexLock lock(mutex_);
    return std::move(permit_);
  }

 private:
  mutable base::Mutex mutex_;
  AdmissionPermit permit_ MR_GUARDED_BY(mutex_);
  int decided_ MR_GUARDED_BY(mutex_) = 0;
};

/// The work of one thread: asks for admission, serves admitted runs, cancels some, polls.
class StressThread {
 public:
  StressThread(std::size_t shard, Admission& gate, ShardedReadyGauge& gauge)
      : shard_(shard), gate_(gate), gauge_(gauge), random_(shard + 1) {}

  void work(int run_count) {
    for (int i = 0; i < run_count; ++i) {
      ask(i);
      if (random_.chance(0.1) && gate_.cancel(*runs_[random_.below(runs_.size())])) ++cancelled;
      if (random_.chance(0.3)) serve_all(i);
      gate_.poll(at(i));
    }
  }

  /// Runs everything that holds a permit; returns true if there was anything.
  bool serve_all(std::int64_t now) {
    bool has_served = false;
    for (const std::unique_ptr<StressRun>& run : runs_) {
      AdmissionPermit permit = run->take_permit();
      if (!permit.valid()) continue;
      has_served = true;
      gauge_.add(shard_, 3);
      permit.started();
      if (random_.chance(0.2)) {
        gate_.add_abandoned();
        gate_.sub_abandoned(at(now));
      }
      gauge_.sub(shard_, 3);
      if (random_.chance(0.5)) permit.release(at(now));
    }
    return has_served;
  }

  [[nodiscard]] int decided() const {
    int sum = 0;
    for (const std::unique_ptr<StressRun>& run : runs_) {
      EXPECT_LE(run->decided(), 1);
      sum += run->decided();
    }
    return sum;
  }

  int cancelled = 0;
  int refused_at_once = 0;

 private:
  void ask(std::int64_t now) {
    runs_.push_back(std::make_unique<StressRun>());
    AdmissionDecision decision =
        gate_.try_admit({.now = at(now),
                         .deadline = at(now + 1 + static_cast<std::int64_t>(random_.below(50))),
                         .estimated_cost = base::Duration(random_.below(10)),
                         .waiter = random_.chance(0.8) ? runs_.back().get() : nullptr});
    if (decision.outcome == AdmissionOutcome::kAdmitted) {
      runs_.back()->decided_at_once(std::move(decision.permit));
    } else if (decision.outcome == AdmissionOutcome::kRefused) {
      ++refused_at_once;
    }
  }

  std::size_t shard_;
  Admission& gate_;
  ShardedReadyGauge& gauge_;
  base::SplitMix64 random_;
  std::vector<std::unique_ptr<StressRun>> runs_;
};

TEST(AdmissionConcurrencyTest, B4_EveryRunIsDecidedExactlyOnceUnderContention) {
  constexpr std::size_t kThreadCount = 4;
  constexpr int kRunCount = 400;
  ShardedReadyGauge gauge(kThreadCount);
  const auto gate =
      Admission::create({.high_water = 4, .low_water = 2, .queue_max = 16, .runs_max = 8}, gauge)
          .value();
  std::vector<std::unique_ptr<StressThread>> parts;
  parts.reserve(kThreadCount);
  for (std::size_t i = 0; i < kThreadCount; ++i) {
    parts.push_back(std::make_unique<StressThread>(i, *gate, gauge));
  }
  {
    std::vector<std::jthread> threads;
    threads.reserve(parts.size());
    for (const auto& part : parts) threads.emplace_back([&part] { part->work(kRunCount); });
  }
  // Nobody polls any more: releasing permits must be enough to let every waiter through.
  bool has_served = true;
  while (has_served) {
    has_served = false;
    for (const auto& part : parts) has_served |= part->serve_all(kRunCount);
  }

  const AdmissionStats stats = gate->stats();
  EXPECT_EQ(stats.waiting_count, 0);
  EXPECT_EQ(stats.run_count, 0);
  EXPECT_EQ(stats.received, kThreadCount * kRunCount);
  EXPECT_EQ(stats.accepted + stats.refused, stats.received);
  int decided = 0;
  for (const auto& part : parts)
    decided += part->decided() + part->cancelled + part->refused_at_once;
  EXPECT_EQ(static_cast<std::uint64_t>(decided), stats.received);
  EXPECT_EQ(gauge.ready_count(), 0);
}

}  // namespace
}  // namespace millrace::runtime
