#include "rank/ranker.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rows/sort.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using std::chrono_literals::operator""ms;

constexpr base::TimePoint kStart{};

/// `src` makes ids 1..3, `slow` sleeps; `more` goes into the slow node.
std::string slow_plan(int ms, const std::string& more, bool fails = false) {
  return plan_text(
      source_node(3) +
          node("slow",
               "sleep",
               "src",
               base::format(R"({{"duration_ms": {}, "fail_after_sleep": {}}})", ms, fails),
               more),
      R"(["slow"])");
}

TEST(RankerTest, ART9_REQ10_TheAnswerNamesRequestPlanAndDigest) {
  RankRig rig;
  LoadedPlan& plan = rig.load(plan_text(source_node(2), R"(["src"])"));
  const auto call = rig.ask(R"({"user_id": 1, "request_id": "r"})");
  EXPECT_TRUE(call->ok());
  EXPECT_EQ(call->part("request_id"), R"("r")");
  EXPECT_EQ(call->part("engine_request_id"), R"("e1")");
  EXPECT_EQ(call->part("plan"),
            base::format(R"({{"name":"p","digest":"{}"}})", plan.plan().digest));
  EXPECT_EQ(call->candidates(), R"([{"id":1,"fields":{}},{"id":2,"fields":{}}])");
  EXPECT_EQ(call->part("degraded"), R"({"is":false,"reasons":[]})");
  EXPECT_EQ(call->part("warnings"), "[]");
  // What was not given is left out.
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("request_id"), "");
}

TEST(RankerTest, REQ10_ARequestForNoLoadedPlanIsRefused) {
  RankRig rig;
  rig.load(plan_text(source_node(1), R"(["src"])", R"(["id"])", "feed"));
  const auto call = rig.ask(R"({"user_id": 1, "request_id": "r", "plan": "fed"})");
  EXPECT_FALSE(call->ok());
  EXPECT_EQ(call->part("request_id"), R"("r")");
  EXPECT_EQ(call->error_code(), "unknown_plan");
  EXPECT_THAT(call->response(), HasSubstr("'feed'"));
}

TEST(RankerTest, REQ10_WithSeveralPlansARequestMustNameOne) {
  RankRig rig;
  rig.load(plan_text(source_node(1), R"(["src"])", R"(["id"])", "a"));
  rig.load(plan_text(source_node(2), R"(["src"])", R"(["id"])", "b"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->error_code(), "unknown_plan");
  EXPECT_TRUE(rig.ask(R"({"user_id": 1, "plan": "b"})")->ok());
}

TEST(RankerTest, REQ10_AVersionThatIsNotLoadedIsRefused) {
  RankRig rig;
  rig.load(plan_text(source_node(1), R"(["src"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "plan_version": "9"})")->error_code(), "unknown_version");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "fragment_versions": {"f": "1"}})")->error_code(),
            "unknown_version");
}

TEST(RankerTest, REQ10_WhatTheReaderRefusesIsAnswered) {
  RankRig rig;
  rig.load(plan_text(source_node(1), R"(["src"])"));
  EXPECT_EQ(rig.ask("{")->error_code(), "bad_json");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "a": 1})")->error_code(), "unknown_field");
  EXPECT_EQ(rig.ask(R"({})")->error_code(), "missing_field");
  EXPECT_EQ(rig.ask(R"({"user_id": true})")->error_code(), "wrong_type");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "limit": -1})")->error_code(), "bad_value");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "params": )" + std::string(100, '['))->error_code(),
            "too_large");
}

TEST(RankerTest, REQ6_ARequiredNodeThatFailsFailsTheRequestByName) {
  RankRig rig;
  rig.load(slow_plan(5, "", true));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_FALSE(call->ok());
  EXPECT_EQ(call->error_code(), "node_failed");
  EXPECT_THAT(call->part("error"), HasSubstr(R"("node":"slow","op":"sleep")"));
  EXPECT_EQ(call->answered_at(), kStart + 5ms);
}

TEST(RankerTest, REQ10_EveryKindOfFailureOfANodeHasItsCode) {
  for (const auto& [how, code] : {std::pair("unavailable", "endpoint_unavailable"),
                                  std::pair("limit", "limit_reached"),
                                  std::pair("internal", "internal"),
                                  std::pair("own", "node_failed")}) {
    RankRig rig;
    rig.load(plan_text(
        source_node(1) + node("bad", "fail_as", "src", base::format(R"({{"how": "{}"}})", how)),
        R"(["bad"])"));
    const auto call = rig.ask(R"({"user_id": 1})");
    EXPECT_EQ(call->error_code(), code);
    EXPECT_THAT(call->part("error"), HasSubstr(R"("node":"bad","op":"fail_as")"));
  }
}

TEST(RankerTest, C6_AnExceptionOfABodyIsAnErrorOfItsNode) {
  RankRig rig;
  rig.load(plan_text(source_node(1) + node("bad", "fail_as", "src", R"({"how": "exception"})"),
                     R"(["bad"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_FALSE(call->ok());
  EXPECT_THAT(call->part("error"), HasSubstr(R"("node":"bad")"));
  EXPECT_FALSE(rig.ask(R"({"user_id": 2})")->ok());
}

TEST(RankerTest, REQ3_ANodesOwnTimeoutNamesIt) {
  RankRig rig;
  rig.load(slow_plan(50, R"("timeout_ms": 20)"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->error_code(), "node_timeout");
  EXPECT_THAT(
      call->response(),
      HasSubstr(R"("pending":[{"node":"slow","op":"sleep","state":"running","elapsed_ms":20,)"
                R"("budget_ms":20}])"));
  EXPECT_THAT(call->part("error"), HasSubstr(R"("node":"slow","op":"sleep")"));
  EXPECT_EQ(call->answered_at(), kStart + 20ms);
}

TEST(RankerTest, REQ3_TheLeastTimeoutCounts) {
  for (const auto& [own, all, expected] :
       {std::tuple(20, 30ms, 20ms), std::tuple(20, 10ms, 10ms)}) {
    RankRig rig;
    rig.load(slow_plan(50, base::format(R"("timeout_ms": {})", own)), {.node_timeout = all});
    EXPECT_EQ(rig.ask(R"({"user_id": 1})")->answered_at(), kStart + expected);
  }
  RankRig rig;
  rig.load(slow_plan(50, R"("timeout_ms": 20)"), {.node_timeout = 30ms});
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 5})");
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->answered_at(), kStart + 5ms);
}

TEST(RankerTest, C12_ADeadlineErrorNamesTheNodeItWaitedFor) {
  RankRig rig;
  rig.load(slow_plan(50, R"("timeout_ms": 20)"), {});
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 5})");
  EXPECT_THAT(call->part("error"),
              HasSubstr(R"("pending":[{"node":"slow","op":"sleep","state":"running",)"
                        R"("elapsed_ms":5,"budget_ms":5}])"));
}

TEST(RankerTest, REQ5_REQ6_UseEmptyGivesNoRowsAndSaysSo) {
  RankRig rig;
  rig.load(slow_plan(5, R"("on_failure": {"use": "empty"})", true));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(call->ok());
  EXPECT_EQ(call->candidates(), "[]");
  EXPECT_EQ(call->part("degraded"),
            R"({"is":true,"reasons":[{"node":"slow","kind":"error","fallback":"empty",)"
            R"("code":"node_failed","message":"Failed after its sleep, as asked"}]})");
}

TEST(RankerTest, REQ5_REQ6_UseInputPassesTheFirstInputThrough) {
  RankRig rig;
  rig.load(slow_plan(50, R"("timeout_ms": 20, "on_failure": {"use": "input"})"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->candidates(),
            R"([{"id":1,"fields":{}},{"id":2,"fields":{}},{"id":3,"fields":{}}])");
  EXPECT_EQ(call->part("degraded"),
            R"({"is":true,"reasons":[{"node":"slow","kind":"timeout","fallback":"input",)"
            R"("code":"node_timeout","message":"It was not done in time; its limit is 20 ms"}]})");
  EXPECT_EQ(call->answered_at(), kStart + 20ms);
}

TEST(RankerTest, REQ5_UseNodeRunsTheOtherNodeOnlyThen) {
  const std::string plan =
      plan_text(source_node(3) + ", " + source_node(1, "spare") +
                    node("slow",
                         "sleep",
                         "src",
                         R"({"duration_ms": 10})",
                         R"("timeout_ms": 20, "on_failure": {"use": "node", "id": "spare"})"),
                R"(["slow"])");
  RankRig rig;
  rig.load(plan);
  const auto good = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(good->part("degraded"), R"({"is":false,"reasons":[]})");
  EXPECT_THAT(rig.order(), Not(HasSubstr("spare")));

  RankRig late;
  late.load(plan, {.node_timeout = 5ms});
  const auto degraded = late.ask(R"({"user_id": 1})");
  EXPECT_EQ(degraded->candidates(), R"([{"id":1,"fields":{}}])");
  EXPECT_EQ(degraded->part("degraded"),
            R"({"is":true,"reasons":[{"node":"slow","kind":"timeout","fallback":"spare",)"
            R"("code":"node_timeout","message":"It was not done in time; its limit is 5 ms"}]})");
  EXPECT_EQ(late.order(), "src slow spare");
}

TEST(RankerTest, C2_AnswersAtTheDeadlineWhileANodeWaits) {
  RankRig rig;
  rig.load(slow_plan(80, ""));
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->answered_at(), kStart + 50ms);
  EXPECT_EQ(call->took(), 50ms);
  rig.drain();
  EXPECT_EQ(call->answer_count(), 1);
}

TEST(RankerTest, C2_AnswersAtTheDeadlineWhileANodeComputes) {
  RankRig rig;
  rig.costs["busy"] = 80ms;
  rig.load(plan_text(
      source_node(3) + node("busy", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})"),
      R"(["busy"])"));
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->answered_at(), kStart + 50ms);
  // The body goes on in the background and harms nobody.
  const auto next = rig.ask(R"({"user_id": 1, "deadline_ms": 200})");
  EXPECT_TRUE(next->ok());
  rig.drain();
  EXPECT_EQ(call->answer_count(), 1);
}

// Registers a task that sorts its rows, but only after `pause`; notes how that ended.
void register_late_sort(RankRig& rig, base::Duration pause, std::optional<base::Error>& ended) {
  const base::Status added = tasks::register_task(
      rig.tasks,
      {.op = "late_sort",
       .doc = "Sorts, late.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kReorder},
      [&rig, pause, &ended](const rows::RowSet& rows, tasks::TaskContext& context) {
        // Time passes while the body computes, and the loop does what is due meanwhile.
        rig.loop.advance(pause);
        const std::vector<rows::SortKey> keys = {{.column = "id"}};
        base::Result<rows::RowSet> sorted = rows::sort(rows, keys, context.scratch());
        if (!sorted) ended = sorted.error();
        return sorted;
      });
  ASSERT_TRUE(added.has_value()) << added.error().to_string();
}

TEST(RankerTest, C2_ADeadlineEndsAnOperatorInTheMiddleOfItsWork) {
  RankRig rig;
  std::optional<base::Error> ended;
  register_late_sort(rig, 60ms, ended);
  rig.load(plan_text(source_node(3) + node("late", "late_sort", "src", "{}"), R"(["late"])"));
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  rig.drain();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code(), base::ErrorCode::kCancelled);
  EXPECT_EQ(ended->where(), "late");
  // What the caller sees is the deadline, as if the node had gone on.
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->answered_at(), kStart + 50ms);
  EXPECT_EQ(call->answer_count(), 1);
}

TEST(RankerTest, C3_ATimeoutEndsAnOperatorWhileTheRunGoesOn) {
  RankRig rig;
  std::optional<base::Error> ended;
  register_late_sort(rig, 20ms, ended);
  rig.load(plan_text(source_node(3) +
                         node("late",
                              "late_sort",
                              "src",
                              "{}",
                              R"("timeout_ms": 10, "on_failure": {"use": "input"})") +
                         node("rest", "sleep", "late", R"({"duration_ms": 100})"),
                     R"(["rest"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code(), base::ErrorCode::kCancelled);
  EXPECT_EQ(call->part("degraded"),
            R"({"is":true,"reasons":[{"node":"late","kind":"timeout","fallback":"input",)"
            R"("code":"node_timeout","message":"It was not done in time; its limit is 10 ms"}]})");
  EXPECT_EQ(call->answered_at(), kStart + 110ms);
}

TEST(RankerTest, C8_ANodeWithAFallbackGivesUpEarlyEnough) {
  RankRig rig;
  rig.load(slow_plan(80, R"("on_failure": {"use": "input"})"));
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  EXPECT_TRUE(call->ok());
  EXPECT_THAT(call->part("degraded"), HasSubstr(R"("kind":"timeout")"));
  EXPECT_LE(call->answered_at(), kStart + 49ms);
}

TEST(RankerTest, CLI2_TheOperatorsDeadlineHoldsForRequestsThatNameNone) {
  RankRig rig;
  rig.options.deadline = 30ms;
  rig.load(slow_plan(80, ""));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->answered_at(), kStart + 30ms);
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "deadline_ms": 100})")->took(), 80ms);
}

TEST(RankerTest, REQ11_SchedulingIsRefusedUnlessTheOperatorAllowsIt) {
  const std::string_view request =
      R"({"user_id": 1, "scheduling": {"enable_inline_execution": false}})";
  const std::string plan =
      plan_text(source_node(3) + node("t", "take", "src", R"({"count": 2})"), R"(["t"])");
  RankRig strict;
  strict.load(plan);
  const auto refused = strict.ask(request);
  EXPECT_EQ(refused->error_code(), "not_allowed");
  EXPECT_THAT(refused->response(), ::testing::HasSubstr("--allow_scheduling_overrides"));
  RankRig rig;
  rig.options.allow_scheduling_overrides = true;
  rig.load(plan);
  const auto plain = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(rig.pool->counters().inlined, 1U);  // the take that follows the source
  const auto queued = rig.ask(request);
  EXPECT_EQ(rig.pool->counters().inlined, 1U);
  EXPECT_EQ(queued->candidates(), plain->candidates());
}

TEST(RankerTest, ACallIsUsedAgain) {
  RankRig rig;
  rig.load(plan_text(source_node(1), R"(["src"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  const std::string first = call->candidates();
  rig.ranker->start(*call, rig.reader, R"({"user_id": 1, "limit": 0})");
  rig.drain();
  EXPECT_EQ(call->answer_count(), 2);
  EXPECT_EQ(call->candidates(), "[]");
  EXPECT_EQ(call->part("engine_request_id"), R"("e2")");
}

}  // namespace
}  // namespace millrace::rank::testing
