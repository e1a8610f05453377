#include "runtime/admission.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

using ::testing::HasSubstr;

base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

/// A gauge that shows what the test wants and counts how often it was looked at.
class FixedGauge final : public ReadyGauge {
 public:
  [[nodiscard]] std::int64_t ready_count() const override {
    ++looks;
    return count;
  }
  std::int64_t count = 0;
  mutable int looks = 0;
};

class AdmissionTest : public ::testing::Test {
 protected:
  void open(const AdmissionSettings& settings) {
    admission = Admission::create(settings, gauge).value();
  }
  std::expected<AdmissionPermit, RefusalReason> ask(
      std::uint32_t node_count = AdmissionRequest::kUnknownNodes) {
    return admission->try_admit({.now = at(0), .node_count = node_count});
  }
  /// Asks and keeps the permit; says whether there was one.
  bool enter(std::uint32_t node_count = AdmissionRequest::kUnknownNodes) {
    auto permit = ask(node_count);
    if (permit) permits.push_back(*std::move(permit));
    return permit.has_value();
  }

  FixedGauge gauge;
  std::unique_ptr<Admission> admission;
  std::vector<AdmissionPermit> permits;
};

TEST_F(AdmissionTest, SettingsThatContradictThemselvesAreNamed) {
  const auto error_of = [this](const AdmissionSettings& settings) {
    const auto made = Admission::create(settings, gauge);
    return made.has_value() ? std::string("none") : made.error().to_string();
  };
  EXPECT_EQ(error_of({}), "none");
  EXPECT_EQ(error_of({.high_water = 1, .low_water = 1, .inflight_max = 1}), "none");
  EXPECT_THAT(error_of({.high_water = 0, .low_water = 0}), HasSubstr("high_water"));
  EXPECT_THAT(error_of({.high_water = -5, .low_water = 1}), HasSubstr("-5"));
  EXPECT_THAT(error_of({.high_water = 1'000'001}), HasSubstr("high_water"));
  EXPECT_THAT(error_of({.high_water = 5, .low_water = 0}), HasSubstr("low_water"));
  EXPECT_THAT(error_of({.high_water = 5, .low_water = 6}), HasSubstr("above the high-water"));
  EXPECT_THAT(error_of({.inflight_max = 0}), HasSubstr("inflight_max"));
  EXPECT_THAT(error_of({.inflight_max = 1'000'001}), HasSubstr("inflight_max"));
}

TEST_F(AdmissionTest, B1_ClosesAboveHighWaterAndOpensBelowLowWater) {
  open({.high_water = 10, .low_water = 4});
  gauge.count = 10;
  EXPECT_TRUE(ask());
  gauge.count = 11;
  const auto refused = ask();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), RefusalReason::kHighWater);
  EXPECT_FALSE(admission->stats().is_open);
  gauge.count = 4;  // between the marks it stays as it was
  EXPECT_FALSE(ask());
  gauge.count = 3;
  EXPECT_TRUE(ask());
  gauge.count = 10;
  EXPECT_TRUE(ask());
}

TEST_F(AdmissionTest, B1_TheLoadIsNotLookedAtWhileTheNodesOfAllRunsFitBelowHighWater) {
  open({.high_water = 10, .low_water = 4});
  EXPECT_TRUE(enter(5));
  EXPECT_TRUE(enter(5));
  EXPECT_EQ(gauge.looks, 0);
  gauge.count = 10;
  EXPECT_TRUE(enter(1));  // eleven nodes could be ready, so it looks
  EXPECT_EQ(gauge.looks, 1);
  gauge.count = 11;
  EXPECT_FALSE(enter(1));
  gauge.count = 0;
  permits.clear();
  EXPECT_TRUE(enter(1));  // a closed gate looks whether it may open
  EXPECT_EQ(gauge.looks, 3);
  EXPECT_TRUE(enter(1));
  EXPECT_EQ(gauge.looks, 3);
}

// A body that is late may have a job in the pool's queue: its node is ready and abandoned, both.
TEST_F(AdmissionTest, B1_AbandonedRunsMakeTheGateLookAtTheLoad) {
  open({.high_water = 3, .low_water = 1});
  EXPECT_TRUE(enter(1));
  EXPECT_TRUE(enter(1));
  for (AdmissionPermit& permit : permits) permit.abandon();
  gauge.count = 2;
  EXPECT_FALSE(enter(1)) << "the load is 4";
  EXPECT_EQ(gauge.looks, 1);
}

TEST_F(AdmissionTest, B1_BesideARunOfUnknownSizeEveryRunLooksAtTheLoad) {
  open({.high_water = 10, .low_water = 4});
  EXPECT_TRUE(enter());
  EXPECT_TRUE(enter(1));
  EXPECT_EQ(gauge.looks, 2);
}

TEST_F(AdmissionTest, B2_OneReadyNodeIsEnoughForEveryGraph) {
  open({.high_water = 1, .low_water = 1});
  for (int run = 0; run < 100; ++run) {
    // Each run makes a thousand nodes ready, far above the mark, and finishes them all.
    ASSERT_TRUE(enter(1000)) << run;
    gauge.count = 1000;
    EXPECT_FALSE(enter(1000));
    gauge.count = 0;
    permits.clear();
  }
  EXPECT_EQ(admission->stats().accepted, 100U);
}

TEST_F(AdmissionTest, B3_ARunWhoseDeadlineHasPassedIsRefusedWhateverTheLoad) {
  open({});
  const auto late = admission->try_admit({.now = at(100), .deadline = at(100)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), RefusalReason::kDeadline);
  EXPECT_TRUE(admission->try_admit({.now = at(99), .deadline = at(100)}));
  EXPECT_EQ(admission->stats().refused_deadline, 1U);
  EXPECT_EQ(admission->stats().refused, 1U);
}

TEST_F(AdmissionTest, B4_AdmittedRunsAreBoundedEvenIfNoneIsEverReady) {
  open({.inflight_max = 3});
  for (int run = 0; run < 10; ++run) EXPECT_EQ(enter(1), run < 3) << run;
  EXPECT_EQ(ask().error(), RefusalReason::kLimit);
  const AdmissionStats stats = admission->stats();
  EXPECT_EQ(stats.accepted, 3U);
  EXPECT_EQ(stats.refused, 8U);
  EXPECT_EQ(stats.run_count, 3);
  permits.pop_back();
  EXPECT_TRUE(enter(1));
}

TEST_F(AdmissionTest, B4_TheLargestLimitsDoNotOverflow) {
  open({.high_water = AdmissionSettings::kLimitMax,
        .low_water = 1,
        .inflight_max = AdmissionSettings::kLimitMax});
  permits.reserve(AdmissionSettings::kLimitMax);
  for (std::int64_t run = 0; run < AdmissionSettings::kLimitMax; ++run) ASSERT_TRUE(enter());
  EXPECT_FALSE(enter());
  EXPECT_EQ(admission->stats().run_count, AdmissionSettings::kLimitMax);
  permits.clear();
  EXPECT_EQ(admission->stats().run_count, 0);
}

TEST_F(AdmissionTest, C2_RunsWithAbandonedBodiesCountAgainstAdmission) {
  open({.high_water = 2, .low_water = 2});
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(enter());
  for (AdmissionPermit& permit : permits) permit.abandon();
  permits.front().abandon();  // repeating it changes nothing
  EXPECT_EQ(admission->stats().abandoned_count, 3);
  EXPECT_FALSE(ask());
  permits.pop_back();
  EXPECT_FALSE(ask());
  permits.pop_back();
  EXPECT_TRUE(ask());
  permits.clear();
  EXPECT_EQ(admission->stats().abandoned_count, 0);
}

TEST_F(AdmissionTest, PermitIsGivenBackOnEveryPath) {
  open({.inflight_max = 2});
  {
    AdmissionPermit permit = *ask();
    AdmissionPermit moved = std::move(permit);
    EXPECT_FALSE(permit.valid());  // NOLINT(bugprone-use-after-move): what the move leaves is empty
    EXPECT_EQ(admission->stats().run_count, 1);
    moved.abandon();
    moved = *ask();  // the old one goes back
    EXPECT_EQ(admission->stats().run_count, 1);
    EXPECT_EQ(admission->stats().abandoned_count, 0);
    moved.release();
    moved.release();
    EXPECT_EQ(admission->stats().run_count, 0);
    (void)ask();  // dropped at once
    EXPECT_EQ(admission->stats().run_count, 0);
    moved = *ask();
  }
  EXPECT_EQ(admission->stats().run_count, 0);
}

TEST_F(AdmissionTest, AnEmptyPermitDoesNothing) {
  AdmissionPermit empty;
  empty.abandon();
  empty.release();
  EXPECT_FALSE(empty.valid());
}

TEST_F(AdmissionTest, S32_AClassEntersWhileLessThanItsShareOfTheLimitIsInFlight) {
  open({.inflight_max = 100, .class_shares = {1, 0.9, 0.7, 0.5}});
  const auto enter = [&](Priority priority) {
    return admission->try_admit({.now = at(0), .node_count = 1, .priority = priority});
  };
  admission->set_limit(10);
  std::vector<AdmissionPermit> permits;
  const auto fill = [&](Priority priority) {
    for (auto permit = enter(priority); permit; permit = enter(priority))
      permits.push_back(*std::move(permit));
    return permits.size();
  };
  EXPECT_EQ(fill(Priority::kBackground), 5U);
  EXPECT_EQ(fill(Priority::kLow), 7U);
  EXPECT_EQ(fill(Priority::kNormal), 9U);
  EXPECT_EQ(fill(Priority::kHigh), 10U);
  // The share is that of the whole limit, whose fraction counts.
  permits.clear();
  admission->set_limit(13.9);
  EXPECT_EQ(fill(Priority::kBackground), 6U);
  EXPECT_EQ(fill(Priority::kLow), 9U);
  EXPECT_EQ(fill(Priority::kNormal), 12U);
  EXPECT_EQ(fill(Priority::kHigh), 13U);
  // A limit of one still lets one of each class in: the share is at least 1.
  permits.clear();
  admission->set_limit(1);
  for (const Priority priority : {Priority::kHigh, Priority::kBackground})
    EXPECT_TRUE(enter(priority));
}

TEST_F(AdmissionTest, S31_TheLimitStaysWithinInflightMaxAndRunsInFlightStay) {
  open({.inflight_max = 3});
  EXPECT_EQ(admission->stats().limit, 3);
  admission->set_limit(1000);
  EXPECT_EQ(admission->stats().limit, 3);
  std::vector<AdmissionPermit> permits;
  for (int run = 0; run < 3; ++run) permits.push_back(*ask());
  EXPECT_EQ(admission->take_peak(), 3);
  admission->set_limit(0);
  EXPECT_EQ(admission->stats().limit, 1);
  EXPECT_EQ(admission->stats().run_count, 3);
  EXPECT_FALSE(ask());
  permits.clear();
  EXPECT_EQ(admission->take_peak(), 3);  // since the last call
  EXPECT_EQ(admission->take_peak(), 0);
  EXPECT_TRUE(ask());
}

TEST_F(AdmissionTest, SharesOutsideOfZeroToOneAreRefused) {
  const auto outcome = Admission::create({.class_shares = {1, 1.5, 1, 1}}, gauge);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().to_string(), HasSubstr("1.5"));
}

}  // namespace
}  // namespace millrace::runtime
