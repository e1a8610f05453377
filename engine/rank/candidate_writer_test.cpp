#include "rank/candidate_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

/// A plan of some ids and four keys of all types, nulls, NaN and odd text among their values.
std::string odd_plan() {
  return plan_text(
      source_node(6) +
          node("a", "vm", "src", R"j({"out_key": "score", "expr": "1.0 / (id - 3)"})j") +
          node("b",
               "vm",
               "a",
               R"j({"out_key": "boost", "expr": "log(id - 2.0) * 1e300 * 1e300"})j") +
          node("c",
               "vm",
               "b",
               R"j({"out_key": "likes", "expr": "if(id == 2, 0 - id, id * 1000)"})j") +
          node(
              "d",
              "vm",
              "c",
              R"j({"out_key": "name", "expr": "if(id == 1, 'a\"b\\\\c', if(id == 2, 'ü', 'plain'))"})j"),
      R"(["d"])",
      R"(["id", "score", "boost", "likes", "name"])");
}

TEST(CandidateWriterTest, REQ9_WritesEveryTypeAsTheJsonWriterDoes) {
  RankRig rig;
  rig.load(odd_plan());
  const auto call = rig.ask(R"({"user_id": 1})");
  const std::string got = call->candidates();
  base::JsonReader reader;
  base::JsonDocument document;
  ASSERT_TRUE(reader.read(call->response(), document)) << call->response();
  // Written again, value by value, by the general writer.
  std::string again;
  base::JsonWriter json(again);
  json.begin_array();
  for (const base::JsonValue candidate : document.root().find_member("candidates")->children()) {
    json.begin_object();
    json.member("id", *candidate.find_member("id")->find_int());
    json.key("fields");
    json.begin_object();
    for (const base::JsonValue field : candidate.find_member("fields")->children()) {
      json.key(field.key());
      if (const auto text = field.find_string()) {
        json.value(*text);
      } else if (const auto integer = field.find_int()) {
        json.value(*integer);
      } else if (const auto number = field.find_number()) {
        json.value(*number);
      } else {
        json.null();
      }
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  EXPECT_EQ(got, again);
  EXPECT_NE(got.find(R"("score":null)"), std::string::npos);
  EXPECT_NE(got.find(R"("name":"a\"b\\c")"), std::string::npos);
  EXPECT_NE(got.find(R"("likes":-2)"), std::string::npos);
}

// With fewer candidates than the dictionary has values, these are not rendered in advance.
TEST(CandidateWriterTest, REQ9_FewCandidatesHaveTheSameTexts) {
  RankRig rig;
  rig.load(odd_plan());
  const std::string all = rig.ask(R"({"user_id": 1})")->candidates();
  std::string few = rig.ask(R"({"user_id": 1, "limit": 2})")->candidates();
  ASSERT_EQ(few.back(), ']');
  few.pop_back();
  EXPECT_EQ(few + ",", all.substr(0, few.size() + 1));
  EXPECT_NE(few.find("ü"), std::string::npos);
}

TEST(CandidateWriterTest, WritesAnEmptyListForNoCandidates) {
  RankRig rig;
  rig.load(odd_plan());
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "limit": 0})")->candidates(), "[]");
}

TEST(CandidateWriterTest, IsUsedAgainForAnotherPlan) {
  RankRig rig;
  rig.load(odd_plan());
  rig.load(plan_text(
      source_node(1, "x") + ", " + source_node(1, "y"), R"(["x", "y"])", R"(["id"])", "q"));
  const std::string before = rig.ask(R"({"user_id": 1, "plan": "p"})")->candidates();
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "plan": "q"})")->candidates(),
            R"([{"id":1,"fields":{},"output":"x"},{"id":1,"fields":{},"output":"y"}])");
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "plan": "p"})")->candidates(), before);
}

TEST(CandidateWriterTest, GrowsWithTheAnswer) {
  RankRig rig;
  rig.load(plan_text(source_node(5000), R"(["src"])"));
  std::string expected = "[";
  for (int id = 1; id <= 5000; ++id)
    expected += (id == 1 ? "" : ",") + base::format(R"({{"id":{},"fields":{{}}}})", id);
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(), expected + "]");
}

}  // namespace
}  // namespace millrace::rank::testing
