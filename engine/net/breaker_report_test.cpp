#include "net/breaker_report.h"

#include <chrono>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"
#include "net/breaker.h"

namespace millrace::net {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::EndsWith;

class BreakerReportTest : public testing::Test {
 protected:
  void fail_once() {
    const auto ticket = breaker_->try_begin();
    ASSERT_TRUE(ticket);
    breaker_->end(*ticket, Breaker::Outcome::kFailure);
  }

  base::ManualClock clock_;
  base::SplitMix64 random_{1};
  base::MemoryLogSink sink_;
  base::Logger log_{sink_};
  base::GaugeCell open_count_;
  std::optional<BreakerReport> report_{
      std::in_place, &log_, open_count_, BreakerPeer{.endpoint = "users", .address = "h:1"}};
  std::optional<Breaker> breaker_{
      std::in_place,
      BreakerOptions{.consecutive_failures_max = 2, .open_min = milliseconds(100), .jitter = 0},
      clock_,
      random_,
      &*report_};
};

TEST_F(BreakerReportTest, WritesALineWhenItOpensAndOneWhenItCloses) {
  fail_once();
  EXPECT_EQ(open_count_.value(), 0);
  fail_once();
  EXPECT_EQ(open_count_.value(), 1);
  // A failed probe is no news.
  clock_.advance(milliseconds(100));
  fail_once();
  EXPECT_EQ(breaker_->opened_count(), 2U);
  EXPECT_EQ(open_count_.value(), 1);
  breaker_->note_success();
  EXPECT_EQ(open_count_.value(), 0);
  EXPECT_THAT(
      sink_.lines(),
      ElementsAre(
          EndsWith(R"("level":"warn","msg":"The endpoint keeps failing: calls are refused until )"
                   R"(it answers again","event":"breaker_open","endpoint":"users",)"
                   R"("address":"h:1","probe_after_ms":100})"),
          EndsWith(R"("level":"info","msg":"The endpoint answers again: calls are let through",)"
                   R"("event":"breaker_closed","endpoint":"users","address":"h:1"})")));
}

TEST_F(BreakerReportTest, AFlappingPeerDoesNotFloodTheLog) {
  for (int flap = 0; flap < 100; ++flap) {
    fail_once();
    fail_once();
    breaker_->note_success();
  }
  EXPECT_LE(sink_.lines().size(), 10U);
}

TEST_F(BreakerReportTest, ABreakerThatGoesIsNotOpenAnyMore) {
  fail_once();
  fail_once();
  ASSERT_EQ(open_count_.value(), 1);
  breaker_.reset();
  report_.reset();
  EXPECT_EQ(open_count_.value(), 0);
}

TEST_F(BreakerReportTest, WorksWithoutALog) {
  BreakerReport silent(nullptr, open_count_, {});
  silent.on_breaker_opened(milliseconds(1));
  EXPECT_EQ(open_count_.value(), 1);
  silent.on_breaker_closed();
  EXPECT_EQ(open_count_.value(), 0);
}

}  // namespace
}  // namespace millrace::net
