#include "rank/response.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

std::string ids_plan(const std::string& ids) {
  return plan_text(
      R"({"id": "t", "op": "take", "inputs": [)" + ids + R"(], "params": {"count": 99}})",
      R"(["t"])");
}

TEST(ResponseTest, REQ4_IdsAreWrittenExactly) {
  RankRig rig;
  rig.load(ids_plan("[9223372036854775807, -9223372036854775808, 9007199254740993, 0]"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(),
            R"([{"id":9223372036854775807,"fields":{}},{"id":-9223372036854775808,"fields":{}},)"
            R"({"id":9007199254740993,"fields":{}},{"id":0,"fields":{}}])");
}

TEST(ResponseTest, REQ4_IdsAreWrittenAsStringsOnDemand) {
  RankRig rig;
  rig.options.ids_as_strings = true;
  rig.load(ids_plan("[9223372036854775807, -9223372036854775808]"));
  EXPECT_EQ(
      rig.ask(R"({"user_id": 1})")->candidates(),
      R"([{"id":"9223372036854775807","fields":{}},{"id":"-9223372036854775808","fields":{}}])");
}

TEST(ResponseTest, ExcludedIdsAreLeftOutBeforeTheLimitCuts) {
  RankRig rig;
  rig.load(ids_plan("[5, 4, 3, 2, 1]"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "exclude": [4, "5", 77], "limit": 2})")->candidates(),
            R"([{"id":3,"fields":{}},{"id":2,"fields":{}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "limit": 0})")->candidates(), "[]");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "limit": 9223372036854775807, "exclude": [1, 2, 3, 4]})")
                ->candidates(),
            R"([{"id":5,"fields":{}}])");
}

TEST(ResponseTest, REQ8_SeveralOutputsComeInOrderAndTagged) {
  RankRig rig;
  rig.load(plan_text(source_node(2, "b") + ", " + source_node(1, "a"), R"(["b", "a"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(),
            R"([{"id":1,"fields":{},"output":"b"},{"id":2,"fields":{},"output":"b"},)"
            R"({"id":1,"fields":{},"output":"a"}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "limit": 2, "exclude": [1]})")->candidates(),
            R"([{"id":2,"fields":{},"output":"b"}])");
}

TEST(ResponseTest, OutputKeysOfTheRequestChooseAndOrderTheFields) {
  RankRig rig;
  rig.load(plan_text(source_node(1) +
                         node("a", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})") +
                         node("b", "vm", "a", R"({"out_key": "boost", "expr": "id * 2.0"})"),
                     R"(["b"])",
                     R"(["id", "score", "boost"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(),
            R"([{"id":1,"fields":{"score":0.5,"boost":2}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "output_keys": ["boost", "score"]})")->candidates(),
            R"([{"id":1,"fields":{"boost":2,"score":0.5}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "output_keys": ["id"]})")->candidates(),
            R"([{"id":1,"fields":{}}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "output_keys": []})")->candidates(),
            R"([{"id":1,"fields":{}}])");
  const auto call = rig.ask(R"({"user_id": 1, "output_keys": ["scor"]})");
  EXPECT_EQ(call->error_code(), "unknown_output_key");
  EXPECT_THAT(call->response(), HasSubstr("'score'"));
}

TEST(ResponseTest, REQ10_AnErrorNamesTheSourceOfItsNode) {
  RankRig rig;
  std::string text =
      plan_text(source_node(1) + node("bad", "fail_as", "src", R"({"how": "own"})"), R"(["bad"])");
  text.insert(
      text.size() - 1,
      R"(, "sources": {"file": "x.plan.ts", "digest": "sha256:0", "spans": {"bad": [7, 3, 7, 20]}})");
  rig.load(text);
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "request_id": "r"})")->part("error"),
            R"({"code":"node_failed","message":"Failed as asked","node":"bad","op":"fail_as",)"
            R"("source":"x.plan.ts:7:3"})");
}

TEST(ResponseTest, REQ9_CandidatesAreTheSameBytesEveryTime) {
  const std::string plan =
      plan_text(source_node(200) +
                    node("n", "vm", "src", R"j({"out_key": "score", "expr": "1.0 / (id % 7)"})j") +
                    node("s", "sample", "n", R"({"count": 50})") +
                    node("o", "sort", "s", R"({"key": "score", "order": "desc"})"),
                R"(["o"])",
                R"(["id", "score"])");
  std::string first;
  for (const std::uint32_t workers : {1U, 2U, 8U}) {
    RankRig rig(workers);
    rig.load(plan);
    for (int again = 0; again < 2; ++again) {
      const std::string got = rig.ask(R"({"user_id": 1, "seed": 42})")->candidates();
      if (first.empty()) first = got;
      EXPECT_EQ(got, first);
    }
    EXPECT_NE(rig.ask(R"({"user_id": 1, "seed": 43})")->candidates(), first);
  }
}

TEST(ResponseTest, REQ10_AnErrorWithoutRequestIdSaysNull) {
  std::string out;
  write_error("", "e7", {.code = RankErrorCode::kBusy, .message = "m"}, nullptr, out);
  EXPECT_EQ(out, R"({"engine_request_id":"e7","error":{"code":"busy","message":"m"}})");
}

}  // namespace
}  // namespace millrace::rank::testing
