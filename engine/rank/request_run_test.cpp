#include "rank/request_run.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

using std::chrono_literals::operator""ms;

/// One vm node over ids 1..2, whose result is shown.
std::string scored_plan(const std::string& expr) {
  return plan_text(
      source_node(2) + node("s", "vm", "src", R"({"out_key": "score", "expr": ")" + expr + R"("})"),
      R"(["s"])",
      R"(["id", "score"])");
}

TEST(RequestRunTest, REQ2_OverridesSetParamsOfOneRequestOnly) {
  RankRig rig;
  rig.load(scored_plan("id * coalesce($weight, 0.5)"));
  const std::string plain = R"([{"id":1,"fields":{"score":0.5}},{"id":2,"fields":{"score":1}}])";
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(), plain);
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "param_overrides": {"weight": 2}})")->candidates(),
            R"([{"id":1,"fields":{"score":2}},{"id":2,"fields":{"score":4}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "param_overrides": {"weight": null}})")->candidates(), plain);
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(), plain);
}

TEST(RequestRunTest, REQ2_AParamThatThePlanDoesNotReadMayBeOverridden) {
  RankRig rig;
  rig.load(scored_plan("id * 0.5"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1, "param_overrides": {"tag": "x"}})")->ok());
}

/// The candidates of a request, ordered by a score of their own.
std::string candidates_plan(const std::string& params, const std::string& more = "") {
  return plan_text(R"({"id": "c", "op": "candidates", "inputs": [], "params": )" + params + more +
                       "}" + node("o", "sort", "c", R"({"key": "score", "order": "desc"})"),
                   R"(["o"])",
                   R"(["id", "score", "name"])");
}

TEST(RequestRunTest, REQ12_CandidatesOfTheRequestAreRows) {
  RankRig rig;
  rig.load(candidates_plan(R"({"keys": ["score", "name"]})"));
  EXPECT_EQ(
      rig.ask(R"({"user_id": 1, "candidates": [7, {"id": 8, "score": 3, "name": "x"},
                  {"id": "9", "score": 4.5, "likes": 1}]})")
          ->candidates(),
      R"([{"id":9,"fields":{"score":4.5,"name":null}},{"id":8,"fields":{"score":3,"name":"x"}},)"
      R"({"id":7,"fields":{"score":null,"name":null}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "candidates": []})")->candidates(), "[]");
  // What one request brought along is not there for the next one.
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->error_code(), "node_failed");
}

TEST(RequestRunTest, REQ12_CandidatesAreCheckedBeforeThePlanRuns) {
  RankRig rig;
  rig.load(candidates_plan(R"({"keys": ["score", "name"]})"));
  const auto code = [&](const std::string& candidates) {
    return rig.ask(R"({"user_id": 1, "candidates": )" + candidates + "}")->error_code();
  };
  EXPECT_EQ(code(R"([{"id": 1, "score": "3"}])"), "wrong_type");
  EXPECT_EQ(code(R"([{"id": 1, "scor": 3}])"), "unknown_field");
  EXPECT_EQ(code(R"([{"id": 1, "parent_id": 3}])"), "not_allowed");
  EXPECT_EQ(rig.order(), "");
}

TEST(RequestRunTest, REQ5_APlanMaySayWhatStandsInForMissingCandidates) {
  RankRig rig;
  rig.load(
      candidates_plan(R"({"keys": ["score", "name"]})", R"(, "on_failure": {"use": "empty"})"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->candidates(), "[]");
  EXPECT_THAT(call->part("degraded"), HasSubstr(R"("node":"c")"));
}

TEST(RequestRunTest, REQ12_CandidatesThatNoNodeReadsAreAWarning) {
  RankRig rig;
  rig.load(scored_plan("id * 0.5"));
  EXPECT_THAT(rig.ask(R"({"user_id": 1, "candidates": [1]})")->part("warnings"),
              HasSubstr("'candidates' of the request are ignored"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("warnings"), "[]");
}

TEST(RequestRunTest, CMP4_WhatNoOutputNeedsIsNothingToAnAnswerWhateverPassesRun) {
  const std::string plan = plan_text(
      source_node(2) + R"(, {"id": "c", "op": "candidates", "inputs": []})" +
          node("w", "vm", "src", R"({"out_key": "likes", "expr": "9223372036854775807 + id"})"),
      R"(["src"])");
  for (const bool removes : {true, false}) {
    RankRig rig;
    rig.load(plan, {}, {.remove_dead_nodes = removes});
    const auto without = rig.ask(R"({"user_id": 1})");
    EXPECT_TRUE(without->ok()) << without->response();
    EXPECT_EQ(without->part("degraded"), R"({"is":false,"reasons":[]})");
    EXPECT_EQ(without->part("warnings"), "[]");
    EXPECT_THAT(rig.ask(R"({"user_id": 1, "candidates": [1]})")->part("warnings"),
                HasSubstr("'candidates' of the request are ignored"));
  }
}

/// Groups of the candidates of a request by name.
std::string grouping_plan(const std::string& more = "") {
  return plan_text(
      R"({"id": "c", "op": "candidates", "inputs": [], "params": {"keys": ["name", "likes"]}})" +
          node("g",
               "aggregate",
               "c",
               R"({"by": "name", "sum": ["likes"], "mean": {"score": "likes"}})",
               more),
      R"(["g"])",
      R"(["id", "name", "likes", "score"])");
}

TEST(RequestRunTest, TSK7_AggregateSumsUpTheRowsOfARequest) {
  RankRig rig;
  rig.load(grouping_plan(), {.artifact = grouping_plan()});
  const auto call = rig.ask(R"({"user_id": 1, "explain": {"ids": [8, 6]}, "candidates": [
      {"id": 9, "name": "x", "likes": 4}, {"id": 8, "likes": 9223372036854775807},
      {"id": 7, "name": "x", "likes": 1}, {"id": 6, "likes": 1}]})");
  EXPECT_EQ(call->candidates(),
            R"([{"id":9,"fields":{"name":"x","likes":5,"score":2.5}},)"
            R"({"id":8,"fields":{"name":null,"likes":null,"score":4611686018427387904}}])");
  EXPECT_THAT(call->part("warnings"),
              HasSubstr("node 'g' (aggregate): 1 row error; the first: sum of likes is beyond"));
  // The rows of groups begin at the node that makes them, and those before it were used there.
  EXPECT_THAT(call->part("explain"), HasSubstr(R"("verdict":"served")"));
  EXPECT_THAT(call->part("explain"), HasSubstr(R"("verdict":"used")"));
}

TEST(RequestRunTest, REQ5_AFallbackOfGroupsIsNotMistakenForThem) {
  RankRig rig;
  rig.load(grouping_plan(R"("on_row_error": "fail", "on_failure": {"use": "input"})"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "candidates": [{"id": 8, "likes": 9223372036854775807},
                        {"id": 6, "likes": 1}]})")
                ->candidates(),
            R"([{"id":8,"fields":{"name":null,"likes":null,"score":null}},)"
            R"({"id":6,"fields":{"name":null,"likes":null,"score":null}}])");
}

TEST(RequestRunTest, REQ10_OverridesAreChecked) {
  RankRig rig;
  rig.load(scored_plan("id * coalesce($weight, 0.5) + $floor"));
  const auto code = [&](const std::string& overrides) {
    return rig.ask(R"({"user_id": 1, "param_overrides": )" + overrides + "}")->error_code();
  };
  EXPECT_EQ(code(R"({"wieght": 1})"), "unknown_param");
  EXPECT_EQ(code(R"({"frozen": 1})"), "not_allowed");
  EXPECT_EQ(code(R"({"weight": "1"})"), "wrong_type");
  EXPECT_EQ(code(R"({"weight": true})"), "wrong_type");
  EXPECT_EQ(code(R"({"floor": 1.5})"), "wrong_type");
  EXPECT_EQ(code(R"({"floor": null})"), "wrong_type");
  EXPECT_EQ(code(R"({"tag": 1})"), "wrong_type");
  EXPECT_EQ(code(R"({"floor": 3})"), "");
  EXPECT_THAT(rig.ask(R"({"user_id": 1, "param_overrides": {"wieght": 1}})")->response(),
              ::testing::AllOf(HasSubstr("'weight'"), HasSubstr("(line 1, column 46)")));
}

TEST(RequestRunTest, REQ2_ParamsAreWhatExpressionsReadOfTheRequest) {
  RankRig rig;
  rig.load(scored_plan("id + coalesce($req.weight, 0.25)"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "params": {"weight": 10}})")->candidates(),
            R"([{"id":1,"fields":{"score":11}},{"id":2,"fields":{"score":12}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(),
            R"([{"id":1,"fields":{"score":1.25}},{"id":2,"fields":{"score":2.25}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "params": {"weight": "x"}})")->error_code(), "wrong_type");
}

TEST(RequestRunTest, EXP3_FieldsOfTheRequestItselfCanBeRead) {
  RankRig rig;
  rig.load(scored_plan("id + $req.user_id * 1.0 + coalesce($req.limit, 0)"));
  EXPECT_EQ(rig.ask(R"({"user_id": 40})")->candidates(),
            R"([{"id":1,"fields":{"score":41}},{"id":2,"fields":{"score":42}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 40, "limit": 1})")->candidates(),
            R"([{"id":1,"fields":{"score":42}}])");
}

TEST(RequestRunTest, EXP6_NowIsReadOncePerRequest) {
  RankRig rig;
  rig.load(plan_text(
      source_node(1) + node("a", "vm", "src", R"j({"out_key": "likes", "expr": "now()"})j") +
          node("w", "sleep", "a", R"({"duration_ms": 5})") +
          node("b", "vm", "w", R"({"out_key": "score", "expr": "now() - likes + 0.5"})"),
      R"(["b"])",
      R"(["id", "score"])"));
  const auto call = rig.start(R"({"user_id": 1})");
  while (!call->is_answered()) {
    rig.wall_clock.advance(1000ms);
    ASSERT_TRUE(rig.step());
  }
  EXPECT_EQ(call->candidates(), R"([{"id":1,"fields":{"score":0.5}}])");
}

TEST(RequestRunTest, ART3_AnInputMayBeAFieldOfTheRequestOrALiteral) {
  RankRig rig;
  rig.load(
      plan_text(R"({"id": "u", "op": "take", "inputs": ["$req.user_id"], "params": {"count": 5}},
                        {"id": "l", "op": "take", "inputs": [[7, 8]], "params": {"count": 5}})",
                R"(["u", "l"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": "-9223372036854775808"})")->candidates(),
            R"([{"id":-9223372036854775808,"fields":{},"output":"u"},)"
            R"({"id":7,"fields":{},"output":"l"},{"id":8,"fields":{},"output":"l"}])");
}

TEST(RequestRunTest, REQ5_TheKindTellsATimeoutFromAnError) {
  // The body that timed out is told to stop and then fails too; that does not change the reason.
  RankRig rig;
  rig.load(plan_text(source_node(2) +
                         node("late",
                              "sleep",
                              "src",
                              R"({"duration_ms": 50})",
                              R"("timeout_ms": 10, "on_failure": {"use": "input"})") +
                         node("more", "sleep", "late", R"({"duration_ms": 100})"),
                     R"(["more"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->part("degraded"),
            R"({"is":true,"reasons":[{"node":"late","kind":"timeout","fallback":"input",)"
            R"("code":"node_timeout","message":"It was not done in time; its limit is 10 ms"}]})");
}

TEST(RequestRunTest, EXP7_RowErrorsAreCountedInAWarning) {
  RankRig rig;
  rig.load(plan_text(
      source_node(3) +
          node("big",
               "vm",
               "src",
               R"({"out_key": "likes", "expr": "if(id > 1, 9223372036854775807, 0) + id"})"),
      R"(["big"])",
      R"(["id", "likes"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->candidates(),
            R"([{"id":1,"fields":{"likes":1}},{"id":2,"fields":{"likes":null}},)"
            R"({"id":3,"fields":{"likes":null}}])");
  EXPECT_THAT(call->part("warnings"), HasSubstr("node 'big' (vm): 2 row errors; the first: "));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("warnings"), call->part("warnings"));
}

TEST(RequestRunTest, EXP7_OnRowErrorDropsOrFailsIfAsked) {
  for (const auto& [rule, expected] :
       {std::pair("drop", R"([{"id":1,"fields":{}}])"), std::pair("fail", "")}) {
    RankRig rig;
    rig.load(
        plan_text(
            source_node(3) +
                node("big",
                     "vm",
                     "src",
                     R"({"out_key": "likes", "expr": "if(id > 1, 9223372036854775807, 0) + id"})",
                     base::format(R"("on_row_error": "{}")", rule)),
            R"(["big"])"),
        {},
        plan::CompileOptions::without_passes());
    EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(), expected);
  }
}

TEST(RequestRunTest, RowsThatPassANodeByHaveItsColumnsWithoutValues) {
  RankRig rig;
  rig.load(plan_text(source_node(2) +
                         node("s",
                              "vm",
                              "src",
                              R"({"out_key": "score", "expr": "(9223372036854775807 + id) * 1.0"})",
                              R"("on_row_error": "fail", "on_failure": {"use": "input"})") +
                         node("o", "sort", "s", R"({"key": "score"})"),
                     R"(["o"])",
                     R"(["id", "score"])"));
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(call->ok()) << call->response();
  EXPECT_EQ(call->candidates(),
            R"([{"id":1,"fields":{"score":null}},{"id":2,"fields":{"score":null}}])");
}

}  // namespace
}  // namespace millrace::rank::testing
