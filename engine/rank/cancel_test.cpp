#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/ranker.h"

// What becomes of a request that is given up, in virtual time. Races are in
// cancel_concurrency_test.cpp.

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using std::chrono_literals::operator""ms;

constexpr base::TimePoint kBegin{};

/// Lets time pass until the body of a node has begun.
void run_until_begun(RankRig& rig, std::string_view node) {
  while (rig.order().find(node) == std::string::npos && rig.step()) {
  }
  ASSERT_THAT(rig.order(), HasSubstr(std::string(node)));
}

void expect_cancelled(const TestCall& call) {
  EXPECT_EQ(call.answer_count(), 1);
  EXPECT_EQ(call.outcome(), RankOutcome::kCancelled);
  EXPECT_EQ(call.code(), RankErrorCode::kCancelled);
  EXPECT_FALSE(call.ok());
  EXPECT_EQ(call.error_code(), "cancelled");
  EXPECT_EQ(call.part("request_id"), R"("r")");
}

std::string sleeping_plan(std::string_view more = "") {
  return plan_text(source_node(3) + node("slow", "sleep", "src", R"({"duration_ms": 50})", more) +
                       node("after", "take", "slow", R"({"count": 2})"),
                   R"(["after"])");
}

TEST(CancelTest, C7_BeforeAnyNodeHasStarted) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r"})");
  call->cancel();
  rig.drain();
  expect_cancelled(*call);
  EXPECT_EQ(rig.order(), "");
}

TEST(CancelTest, C7_WhileAnAsyncNodeWaits) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r"})");
  run_until_begun(rig, "slow");
  call->cancel();
  rig.drain();
  expect_cancelled(*call);
  // Nothing is left to wait for: neither the answer nor the sleep took any time.
  EXPECT_EQ(call->answered_at(), kBegin);
  EXPECT_EQ(rig.clock.now(), kBegin);
  EXPECT_THAT(rig.order(), Not(HasSubstr("after")));
}

TEST(CancelTest, C7_WhileACpuBodyRuns) {
  RankRig rig;
  rig.costs["busy"] = 80ms;
  rig.load(plan_text(source_node(3) +
                         node("busy", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})") +
                         node("after", "take", "busy", R"({"count": 2})"),
                     R"(["after"])"));
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r"})");
  run_until_begun(rig, "busy");
  call->cancel();
  // The answer does not wait for the body, which ends in the background; nothing follows it.
  static_cast<void>(rig.loop.run_ready());
  expect_cancelled(*call);
  EXPECT_THAT(rig.order(true), Not(HasSubstr("busy")));
  rig.drain();
  expect_cancelled(*call);
  EXPECT_THAT(rig.order(true), HasSubstr("busy"));
  EXPECT_THAT(rig.order(), Not(HasSubstr("after")));
}

TEST(CancelTest, C7_WhileAFallbackRuns) {
  RankRig rig;
  rig.load(plan_text(source_node(3) + node("spare", "sleep", "src", R"({"duration_ms": 30})") +
                         node("slow",
                              "sleep",
                              "src",
                              R"({"duration_ms": 90})",
                              R"("timeout_ms": 20, "on_failure": {"use": "node", "id": "spare"})"),
                     R"(["slow"])"));
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r"})");
  run_until_begun(rig, "spare");
  EXPECT_EQ(rig.clock.now(), kBegin + 20ms);
  call->cancel();
  rig.drain();
  expect_cancelled(*call);
  EXPECT_EQ(call->answered_at(), kBegin + 20ms);
}

TEST(CancelTest, C7_AFallbackIsNotTakenForACancelledNode) {
  RankRig rig;
  rig.load(sleeping_plan(R"("on_failure": {"use": "input"})"));
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r"})");
  run_until_begun(rig, "slow");
  call->cancel();
  rig.drain();
  expect_cancelled(*call);
}

TEST(CancelTest, C7_WithADeadlineThatWouldComeLater) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto call = rig.start(R"({"user_id": 1, "request_id": "r", "deadline_ms": 20})");
  run_until_begun(rig, "slow");
  call->cancel();
  rig.drain();
  expect_cancelled(*call);
  EXPECT_EQ(call->answered_at(), kBegin);
}

TEST(CancelTest, C7_BeforeTheStartThatThenAnswersAtOnce) {
  RankRig rig;
  rig.load(sleeping_plan());
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  rig.events.clear();
  TestCall call(rig.clock);
  call.cancel();
  rig.ranker->start(call, rig.reader, R"({"user_id": 1, "request_id": "r"})");
  expect_cancelled(call);
  rig.drain();
  EXPECT_EQ(rig.order(), "");
  // The next request of the same call is none the wiser.
  rig.ranker->start(call, rig.reader, R"({"user_id": 1})");
  rig.drain();
  EXPECT_EQ(call.answer_count(), 2);
  EXPECT_EQ(call.outcome(), RankOutcome::kOk);
  EXPECT_EQ(call.code(), std::nullopt);
}

TEST(CancelTest, C7_AfterTheAnswerItDoesNothing) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto call = rig.ask(R"({"user_id": 1})");
  call->cancel();
  rig.drain();
  EXPECT_EQ(call->answer_count(), 1);
  EXPECT_EQ(call->outcome(), RankOutcome::kOk);
  rig.ranker->start(*call, rig.reader, R"({"user_id": 1})");
  rig.drain();
  EXPECT_EQ(call->answer_count(), 2);
  EXPECT_EQ(call->outcome(), RankOutcome::kOk);
}

TEST(CancelTest, C7_ACancelledCallIsUsedAgain) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto call = rig.start(R"({"user_id": 1})");
  call->cancel();
  rig.drain();
  EXPECT_EQ(call->outcome(), RankOutcome::kCancelled);
  rig.ranker->start(*call, rig.reader, R"({"user_id": 1})");
  rig.drain();
  EXPECT_EQ(call->answer_count(), 2);
  EXPECT_EQ(call->outcome(), RankOutcome::kOk);
}

TEST(CancelTest, C7_OthersGoOn) {
  RankRig rig;
  rig.load(sleeping_plan());
  const auto given_up = rig.start(R"({"user_id": 1})");
  const auto other = rig.start(R"({"user_id": 1})");
  run_until_begun(rig, "slow slow");
  given_up->cancel();
  rig.drain();
  EXPECT_EQ(given_up->outcome(), RankOutcome::kCancelled);
  EXPECT_EQ(other->outcome(), RankOutcome::kOk);
  EXPECT_EQ(other->answered_at(), kBegin + 50ms);
}

}  // namespace
}  // namespace millrace::rank::testing
