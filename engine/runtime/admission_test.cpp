#include "runtime/admission.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

/// A gauge that shows the number that the test sets.
class FixedGauge final : public ReadyGauge {
 public:
  [[nodiscard]] std::int64_t ready_count() const override { return count; }
  std::int64_t count = 0;
};

/// Keeps its permit and logs how it was decided.
class LoggedWaiter final : public AdmissionWaiter {
 public:
  LoggedWaiter(std::string name, std::vector<std::string>& log)
      : name_(std::move(name)), log_(log) {}
  void admitted(AdmissionPermit given) override {
    log_.push_back("+" + name_);
    permit = std::move(given);
  }
  void refused(RefusalReason reason) override {
    log_.push_back("-" + name_ + " " + std::to_string(static_cast<int>(reason)));
  }

  AdmissionPermit permit;

 private:
  std::string name_;
  std::vector<std::string>& log_;
};

class AdmissionTest : public ::testing::Test {
 protected:
  void open(const AdmissionSettings& settings) {
    admission = Admission::create(settings, gauge).value();
  }
  AdmissionDecision ask(std::int64_t now, AdmissionWaiter* waiter = nullptr) {
    return admission->try_admit({.now = at(now), .waiter = waiter});
  }
  AdmissionDecision ask_until(std::int64_t now,
                              std::int64_t deadline,
                              std::int64_t cost,
                              AdmissionWaiter* waiter) {
    return admission->try_admit({.now = at(now),
                                 .deadline = at(deadline),
                                 .estimated_cost = base::Duration(cost),
                                 .waiter = waiter});
  }
  [[nodiscard]] LoggedWaiter waiter(const std::string& name) { return {name, log}; }

  FixedGauge gauge;
  std::vector<std::string> log;
  std::unique_ptr<Admission> admission;
};

using enum AdmissionOutcome;

TEST_F(AdmissionTest, SettingsThatContradictThemselvesAreNamed) {
  const auto error_of = [this](const AdmissionSettings& settings) {
    const auto made = Admission::create(settings, gauge);
    return made.has_value() ? std::string("none") : made.error().to_string();
  };
  EXPECT_EQ(error_of({}), "none");
  EXPECT_EQ(error_of({.high_water = 1, .low_water = 1, .queue_max = 0, .runs_max = 1}), "none");
  EXPECT_THAT(error_of({.high_water = 0, .low_water = 0}), HasSubstr("high_water"));
  EXPECT_THAT(error_of({.high_water = -5, .low_water = 1}), HasSubstr("-5"));
  EXPECT_THAT(error_of({.high_water = 5, .low_water = 0}), HasSubstr("low_water"));
  EXPECT_THAT(error_of({.high_water = 5, .low_water = 6}), HasSubstr("above the high-water"));
  EXPECT_THAT(error_of({.queue_max = -1}), HasSubstr("queue_max"));
  EXPECT_THAT(error_of({.runs_max = 0}), HasSubstr("runs_max"));
}

TEST_F(AdmissionTest, B1_ClosesAboveHighWaterAndOpensBelowLowWater) {
  open({.high_water = 10, .low_water = 4});
  gauge.count = 10;
  AdmissionDecision first = ask(0);
  EXPECT_EQ(first.outcome, kAdmitted);
  first.permit.started();
  gauge.count = 11;
  EXPECT_EQ(ask(1).outcome, kRefused);
  gauge.count = 4;  // between the marks the gate does not change
  EXPECT_EQ(ask(2).outcome, kRefused);
  gauge.count = 3;
  AdmissionDecision second = ask(3);
  EXPECT_EQ(second.outcome, kAdmitted);
  second.permit.started();
  gauge.count = 10;
  EXPECT_EQ(ask(4).outcome, kAdmitted);
}

TEST_F(AdmissionTest, B1_WaitersAreLetInInOrderOnceThereIsRoom) {
  open({.high_water = 10, .low_water = 5, .queue_max = 2});
  gauge.count = 11;
  LoggedWaiter first = waiter("first");
  LoggedWaiter second = waiter("second");
  LoggedWaiter third = waiter("third");
  EXPECT_EQ(ask(0, &first).outcome, kQueued);
  EXPECT_EQ(ask(0, &second).outcome, kQueued);
  const AdmissionDecision full = ask(0, &third);
  EXPECT_EQ(full.outcome, kRefused);
  EXPECT_EQ(full.reason, RefusalReason::kBusy);
  admission->poll(at(1));
  EXPECT_THAT(log, IsEmpty());
  gauge.count = 4;
  admission->poll(at(2));
  EXPECT_THAT(log, ElementsAre("+first", "+second"));
}

TEST_F(AdmissionTest, B1_NobodyOvertakesThoseWhoWait) {
  open({.high_water = 1, .low_water = 1, .queue_max = 5, .runs_max = 1});
  AdmissionDecision running = ask(0);
  LoggedWaiter first = waiter("first");
  LoggedWaiter second = waiter("second");
  EXPECT_EQ(ask(0, &first).outcome, kQueued);
  EXPECT_EQ(ask(0, &second).outcome, kQueued);
  EXPECT_EQ(ask(0).outcome, kRefused);
  running.permit.release(at(1));
  EXPECT_THAT(log, ElementsAre("+first"));
  first.permit.release(at(2));
  EXPECT_THAT(log, ElementsAre("+first", "+second"));
}

TEST_F(AdmissionTest, B1_RunsThatHaveNotStartedCountSoThatABurstCannotSlipIn) {
  open({.high_water = 3, .low_water = 1, .queue_max = 0});
  std::vector<AdmissionPermit> permits;
  for (int i = 0; i < 10; ++i) {
    AdmissionDecision decision = ask(0);
    if (decision.outcome == kAdmitted) permits.push_back(std::move(decision.permit));
  }
  EXPECT_EQ(permits.size(), 4u);
  for (AdmissionPermit& permit : permits) permit.started();
  permits.front().started();  // repeating it changes nothing
  EXPECT_EQ(ask(0).outcome, kAdmitted);
}

TEST_F(AdmissionTest, B2_OneReadyNodeIsEnoughForEveryGraph) {
  open({.high_water = 1, .low_water = 1, .queue_max = 100});
  std::vector<std::unique_ptr<LoggedWaiter>> waiters;
  for (int i = 0; i < 100; ++i) {
    waiters.push_back(std::make_unique<LoggedWaiter>(std::to_string(i), log));
    AdmissionDecision decision = ask(i, waiters.back().get());
    if (decision.outcome == kAdmitted) waiters.back()->permit = std::move(decision.permit);
  }
  // Each run makes a thousand nodes ready, far above the mark, and finishes them all.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(waiters[i]->permit.valid()) << i;
    gauge.count += 1000;
    waiters[i]->permit.started();
    gauge.count -= 1000;
    waiters[i]->permit.release(at(1000 + i));
  }
  EXPECT_EQ(admission->stats().accepted, 100u);
}

TEST_F(AdmissionTest, B3_WaiterIsRefusedOnceItsDeadlineCannotBeMet) {
  open({.high_water = 10, .low_water = 5});
  gauge.count = 11;
  LoggedWaiter tight = waiter("tight");
  LoggedWaiter loose = waiter("loose");
  EXPECT_EQ(ask_until(0, 100, 30, &tight).outcome, kQueued);
  EXPECT_EQ(ask_until(0, 200, 30, &loose).outcome, kQueued);
  EXPECT_EQ(admission->next_expiry(), at(71));
  admission->poll(at(70));
  EXPECT_THAT(log, IsEmpty());
  admission->poll(at(71));
  EXPECT_THAT(log, ElementsAre("-tight 1"));
  EXPECT_EQ(admission->next_expiry(), at(171));
  EXPECT_EQ(admission->stats().refused_deadline, 1u);
  gauge.count = 0;
  admission->poll(at(170));
  EXPECT_THAT(log, ElementsAre("-tight 1", "+loose"));
  EXPECT_EQ(admission->next_expiry(), std::nullopt);
}

TEST_F(AdmissionTest, B3_LateWaiterIsRefusedEvenWhenRoomAppearsAtThatMoment) {
  open({.high_water = 10, .low_water = 5});
  gauge.count = 11;
  LoggedWaiter late = waiter("late");
  EXPECT_EQ(ask_until(0, 100, 30, &late).outcome, kQueued);
  gauge.count = 0;
  admission->poll(at(71));
  EXPECT_THAT(log, ElementsAre("-late 1"));
}

TEST_F(AdmissionTest, B3_RunThatWouldWaitInVainIsRefusedOnArrival) {
  open({.high_water = 10, .low_water = 5});
  gauge.count = 11;
  LoggedWaiter hopeless = waiter("hopeless");
  const AdmissionDecision decision = ask_until(0, 100, 101, &hopeless);
  EXPECT_EQ(decision.outcome, kRefused);
  EXPECT_EQ(decision.reason, RefusalReason::kDeadline);
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(AdmissionTest, B3_RunThatNeedNotWaitMayTryAgainstItsEstimate) {
  open({});
  EXPECT_EQ(ask_until(0, 100, 101, nullptr).outcome, kAdmitted);
  EXPECT_EQ(ask_until(100, 100, 0, nullptr).outcome, kRefused);
}

TEST_F(AdmissionTest, B3_HugeCostsAndDeadlinesDoNotWrapAround) {
  open({.high_water = 10, .low_water = 5});
  gauge.count = 11;
  LoggedWaiter patient = waiter("patient");
  LoggedWaiter greedy = waiter("greedy");
  constexpr auto kHuge = base::Duration::max();
  EXPECT_EQ(
      admission->try_admit({.now = at(5), .estimated_cost = kHuge, .waiter = &patient}).outcome,
      kQueued);
  EXPECT_EQ(
      admission
          ->try_admit(
              {.now = at(5), .deadline = at(-100), .estimated_cost = kHuge, .waiter = &greedy})
          .outcome,
      kRefused);
  EXPECT_EQ(admission->next_expiry(), std::nullopt);
  gauge.count = 0;
  admission->poll(at(6));
  EXPECT_THAT(log, ElementsAre("+patient"));
}

TEST_F(AdmissionTest, B4_AdmittedRunsAreBoundedEvenIfNoneIsEverReady) {
  open({.queue_max = 0, .runs_max = 3});
  std::vector<AdmissionPermit> permits;
  for (int i = 0; i < 10; ++i) {
    AdmissionDecision decision = ask(i);
    decision.permit.started();
    if (decision.outcome == kAdmitted) permits.push_back(std::move(decision.permit));
  }
  EXPECT_EQ(permits.size(), 3u);
  const AdmissionStats stats = admission->stats();
  EXPECT_EQ(stats.received, 10u);
  EXPECT_EQ(stats.accepted, 3u);
  EXPECT_EQ(stats.refused, 7u);
  EXPECT_EQ(stats.run_count, 3);
}

TEST_F(AdmissionTest, B4_CancelledWaiterCountsAsRefused) {
  open({.runs_max = 1});
  AdmissionDecision running = ask(0);
  LoggedWaiter first = waiter("first");
  LoggedWaiter second = waiter("second");
  EXPECT_EQ(ask(0, &first).outcome, kQueued);
  EXPECT_EQ(ask(0, &second).outcome, kQueued);
  EXPECT_TRUE(admission->cancel(first));
  EXPECT_FALSE(admission->cancel(first));
  running.permit.release();
  EXPECT_THAT(log, ElementsAre("+second"));
  EXPECT_FALSE(admission->cancel(second));
  const AdmissionStats stats = admission->stats();
  EXPECT_EQ(stats.received, stats.accepted + stats.refused);
  EXPECT_EQ(stats.refused, 1u);
}

TEST_F(AdmissionTest, C2_AbandonedBodiesCountAgainstAdmission) {
  open({.high_water = 2, .low_water = 2});
  for (int i = 0; i < 3; ++i) admission->add_abandoned();
  LoggedWaiter waiting = waiter("waiting");
  EXPECT_EQ(ask(0, &waiting).outcome, kQueued);
  admission->sub_abandoned(at(1));
  EXPECT_THAT(log, IsEmpty());
  admission->sub_abandoned(at(2));
  EXPECT_THAT(log, ElementsAre("+waiting"));
  admission->sub_abandoned(at(3));
}

TEST_F(AdmissionTest, PermitIsGivenBackOnEveryPath) {
  open({.runs_max = 2});
  {
    AdmissionDecision decision = ask(0);
    AdmissionPermit moved = std::move(decision.permit);
    EXPECT_FALSE(decision.permit.valid());
    EXPECT_EQ(admission->stats().run_count, 1);
    moved = ask(0).permit;  // the old permit is released
    EXPECT_EQ(admission->stats().run_count, 1);
    moved.release();
    moved.release();
    EXPECT_EQ(admission->stats().run_count, 0);
    (void)ask(0);  // the permit is released at once
    EXPECT_EQ(admission->stats().run_count, 0);
    moved = ask(0).permit;
  }
  EXPECT_EQ(admission->stats().run_count, 0);
}

TEST_F(AdmissionTest, ShutDownRefusesThoseWhoWaitAndThoseWhoCome) {
  open({.runs_max = 1});
  AdmissionDecision running = ask(0);
  LoggedWaiter waiting = waiter("waiting");
  EXPECT_EQ(ask(0, &waiting).outcome, kQueued);
  admission->shut_down();
  EXPECT_THAT(log, ElementsAre("-waiting 3"));
  running.permit.release();
  EXPECT_EQ(ask(1).reason, RefusalReason::kShutDown);
}

/// Drops its permit inside its own call, which makes room for the next waiter.
class DroppingWaiter final : public AdmissionWaiter {
 public:
  explicit DroppingWaiter(int& depth_max) : depth_max_(depth_max) {}
  void admitted(AdmissionPermit permit) override {
    static int depth = 0;
    depth_max_ = std::max(depth_max_, ++depth);
    permit.release();
    --depth;
  }
  void refused(RefusalReason) override {}

 private:
  int& depth_max_;
};

TEST_F(AdmissionTest, CallsNeverNestHoweverManyRunsEndInThem) {
  open({.queue_max = 10'000, .runs_max = 1});
  AdmissionDecision running = ask(0);
  int depth_max = 0;
  std::vector<std::unique_ptr<DroppingWaiter>> waiters;
  for (int i = 0; i < 10'000; ++i) {
    waiters.push_back(std::make_unique<DroppingWaiter>(depth_max));
    EXPECT_EQ(ask(0, waiters.back().get()).outcome, kQueued);
  }
  running.permit.release();
  EXPECT_EQ(depth_max, 1);
  EXPECT_EQ(admission->stats().accepted, 10'001u);
}

}  // namespace
}  // namespace millrace::runtime
