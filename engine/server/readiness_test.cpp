#include "server/readiness.h"

#include <chrono>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using std::chrono::milliseconds;

TEST(ReadinessTest, S46_NeedsEveryPartOnce) {
  Readiness readiness;
  readiness.expect({"a", "b"}, {"p"});
  EXPECT_FALSE(readiness.is_ready());
  readiness.report_endpoint("a", std::nullopt);
  readiness.report_plan("p", std::nullopt);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.to_text(), "[+]endpoint a ok\n[-]endpoint b: not tried yet\n[+]plan p ok\n");
  readiness.report_endpoint("b", std::nullopt);
  EXPECT_TRUE(readiness.is_ready());
  readiness.report_endpoint("a", "gone");
  readiness.report_endpoint("stranger", "gone");
  EXPECT_TRUE(readiness.is_ready());
  readiness.begin_drain();
  EXPECT_FALSE(readiness.is_ready());
}

TEST(LoopPulsesTest, S46_FindsTheLoopThatHasNotTurnedForASecond) {
  const base::TimePoint start{};
  LoopPulses pulses(2, start);
  EXPECT_FALSE(pulses.find_stuck(start + milliseconds(1000)));
  pulses.beat(0, start + milliseconds(500));
  EXPECT_EQ(pulses.find_stuck(start + milliseconds(1001)), 1U);
  pulses.beat(1, start + milliseconds(1001));
  EXPECT_FALSE(pulses.find_stuck(start + milliseconds(1001)));
}

TEST(ReadinessTest, S26_StalePlansShowAndDoNotMakeItNotReady) {
  Readiness readiness;
  readiness.set_plans({"early"});
  readiness.expect({}, {"a", "b"});
  readiness.report_plan("a", std::nullopt);
  readiness.report_plan("b", std::nullopt);
  EXPECT_TRUE(readiness.is_ready());
  readiness.set_stale({{"a", "a.plan.json: half of it"}});
  EXPECT_TRUE(readiness.is_ready());
  readiness.set_plans({"a", "c"});
  EXPECT_EQ(readiness.to_text(),
            "[+]plan a ok\n[+]plan c ok\n[-]plan a: stale: a.plan.json: half of it\n");
  readiness.set_stale({});
  EXPECT_EQ(readiness.to_text(), "[+]plan a ok\n[+]plan c ok\n");
}

TEST(ReadinessTest, APlanThatIsUnloadedIsNotWaitedFor) {
  Readiness readiness;
  readiness.expect({}, {"a", "b"});
  readiness.report_plan("a", std::nullopt);
  readiness.report_plan("b", "it fails");
  EXPECT_FALSE(readiness.is_ready());
  readiness.set_plans({"a"});
  readiness.report_plan("b", std::nullopt);
  EXPECT_TRUE(readiness.is_ready());
}

TEST(ReadinessTest, NAT6_ATransportKeepsTheServerUnreadyOnlyWhereItIsRequired) {
  Readiness readiness;
  readiness.expect({}, {"home"});
  readiness.report_plan("home", std::nullopt);
  readiness.set_transport("there is no connection", false);
  EXPECT_TRUE(readiness.is_ready());
  EXPECT_EQ(readiness.to_text(), "[+]plan home ok\n[-]transport nats: there is no connection\n");
  readiness.set_transport("there is no connection", true);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_TRUE(readiness.is_warm());
  readiness.set_transport({}, false);
  EXPECT_TRUE(readiness.is_ready());
  EXPECT_EQ(readiness.to_text(), "[+]plan home ok\n[+]transport nats ok\n");
}

}  // namespace
}  // namespace millrace::server
