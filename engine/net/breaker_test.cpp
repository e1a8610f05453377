#include "net/breaker.h"

#include <chrono>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"

namespace millrace::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = Breaker::Outcome;
using State = Breaker::State;

class BreakerTest : public testing::Test {
 protected:
  static BreakerOptions exact() {
    return {.consecutive_failures_max = 3,
            .failure_share_max = 0.5,
            .window_count = 10,
            .open_min = milliseconds(100),
            .open_max = milliseconds(350),
            .jitter = 0};
  }
  static void call(Breaker& breaker, Outcome outcome) {
    const auto ticket = breaker.try_begin();
    ASSERT_TRUE(ticket);
    breaker.end(*ticket, outcome);
  }
  void open(Breaker& breaker) {
    while (breaker.state() == State::kClosed) call(breaker, Outcome::kFailure);
  }

  base::ManualClock clock_;
  base::SplitMix64 random_{1};
};

TEST_F(BreakerTest, OpensAfterSoManyFailuresInARow) {
  Breaker breaker(exact(), clock_, random_);
  call(breaker, Outcome::kFailure);
  call(breaker, Outcome::kFailure);
  call(breaker, Outcome::kSuccess);
  call(breaker, Outcome::kFailure);
  call(breaker, Outcome::kFailure);
  call(breaker, Outcome::kAbandoned);
  EXPECT_EQ(breaker.state(), State::kClosed);
  call(breaker, Outcome::kFailure);
  EXPECT_EQ(breaker.state(), State::kOpen);
  EXPECT_FALSE(breaker.try_begin());
}

TEST_F(BreakerTest, OpensWhenAShareOfTheLastCallsFailed) {
  Breaker breaker(exact(), clock_, random_);
  for (int i = 0; i < 3; ++i) call(breaker, Outcome::kSuccess);
  for (int i = 0; i < 4; ++i) {
    call(breaker, Outcome::kFailure);
    call(breaker, Outcome::kSuccess);
  }
  EXPECT_EQ(breaker.state(), State::kClosed) << "4 of the last 10";
  call(breaker, Outcome::kFailure);
  EXPECT_EQ(breaker.state(), State::kOpen) << "5 of the last 10";
}

TEST_F(BreakerTest, AFullWindowIsNeededForAShare) {
  Breaker breaker(exact(), clock_, random_);
  for (int i = 0; i < 4; ++i) {
    call(breaker, Outcome::kFailure);
    call(breaker, Outcome::kSuccess);
  }
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST_F(BreakerTest, AfterItsTimeOneProbeGoesThroughAndSuccessCloses) {
  Breaker breaker(exact(), clock_, random_);
  open(breaker);
  clock_.advance(milliseconds(99));
  EXPECT_FALSE(breaker.try_begin());
  clock_.advance(milliseconds(1));
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  const auto probe = breaker.try_begin();
  ASSERT_TRUE(probe);
  EXPECT_FALSE(breaker.try_begin()) << "one probe at a time";
  breaker.end(*probe, Outcome::kSuccess);
  EXPECT_EQ(breaker.state(), State::kClosed);
  call(breaker, Outcome::kFailure);
  call(breaker, Outcome::kFailure);
  EXPECT_EQ(breaker.state(), State::kClosed) << "old failures are forgotten";
}

TEST_F(BreakerTest, EachFailedProbeDoublesTheTimeUpToTheLongest) {
  Breaker breaker(exact(), clock_, random_);
  open(breaker);
  for (const int expected : {100, 200, 350, 350}) {
    EXPECT_EQ(breaker.open_until() - clock_.now(), milliseconds(expected));
    clock_.set(breaker.open_until());
    call(breaker, Outcome::kFailure);
  }
  clock_.set(breaker.open_until());
  call(breaker, Outcome::kSuccess);
  open(breaker);
  EXPECT_EQ(breaker.open_until() - clock_.now(), milliseconds(100));
  EXPECT_EQ(breaker.opened_count(), 6U);
}

TEST_F(BreakerTest, AnAbandonedProbeLetsTheNextThrough) {
  Breaker breaker(exact(), clock_, random_);
  open(breaker);
  clock_.set(breaker.open_until());
  call(breaker, Outcome::kAbandoned);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  call(breaker, Outcome::kSuccess);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST_F(BreakerTest, LateResultsOfEarlierCallsDoNotCount) {
  Breaker breaker(exact(), clock_, random_);
  const auto early = breaker.try_begin();
  const auto other = breaker.try_begin();
  open(breaker);
  breaker.end(*early, Outcome::kSuccess);
  EXPECT_EQ(breaker.state(), State::kOpen);
  clock_.set(breaker.open_until());
  const auto probe = breaker.try_begin();
  breaker.end(*other, Outcome::kFailure);
  EXPECT_FALSE(breaker.try_begin()) << "the probe is still out";
  breaker.end(*probe, Outcome::kSuccess);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST_F(BreakerTest, WhatIsNotedCountsLikeCalls) {
  Breaker breaker(exact(), clock_, random_);
  breaker.note_failure();
  breaker.note_failure();
  breaker.note_success();
  breaker.note_failure();
  breaker.note_failure();
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.note_failure();
  EXPECT_EQ(breaker.state(), State::kOpen);
  const base::TimePoint until = breaker.open_until();
  breaker.note_failure();
  EXPECT_EQ(breaker.open_until(), until) << "it is known already";
  breaker.note_success();
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST_F(BreakerTest, ANotedFailureEndsTheProbe) {
  Breaker breaker(exact(), clock_, random_);
  open(breaker);
  clock_.set(breaker.open_until());
  const auto probe = breaker.try_begin();
  ASSERT_TRUE(probe);
  breaker.note_failure();
  EXPECT_EQ(breaker.state(), State::kOpen);
  breaker.end(*probe, Outcome::kSuccess);
  EXPECT_EQ(breaker.state(), State::kOpen) << "the probe is of a time that is over";
}

TEST_F(BreakerTest, ChanceShortensTheTimeWithinItsShare) {
  BreakerOptions options = exact();
  options.jitter = 0.25;
  base::Duration shortest = seconds(1);
  base::Duration longest{};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::SplitMix64 random(seed);
    Breaker breaker(options, clock_, random);
    open(breaker);
    const base::Duration span = breaker.open_until() - clock_.now();
    shortest = std::min(shortest, span);
    longest = std::max(longest, span);
  }
  EXPECT_GE(shortest, milliseconds(75));
  EXPECT_LE(longest, milliseconds(100));
  EXPECT_GT(longest - shortest, milliseconds(20));
}

TEST_F(BreakerTest, NeverOpensWhenBothLimitsAreOff) {
  BreakerOptions options = exact();
  options.consecutive_failures_max = 0;
  options.failure_share_max = 2;
  Breaker breaker(options, clock_, random_);
  for (int i = 0; i < 200; ++i) call(breaker, Outcome::kFailure);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

}  // namespace
}  // namespace millrace::net
