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

/// A registry with keys of all types that plans may not write, and one that they may.
plan::Registry fetched_keys_registry() {
  std::string keys = "[keys.score]\ntype = \"float\"\n";
  for (const char* const key : {"age\"int", "name\"string", "rate\"float", "vip\"bool"}) {
    const std::string_view text = key;
    const std::size_t quote = text.find('"');
    keys += base::format("[keys.{}]\ntype = \"{}\"\nallow_write = false\n",
                         text.substr(0, quote),
                         text.substr(quote + 1));
  }
  auto read =
      plan::read_registry({.keys = keys, .params = "", .endpoints = ""}, plan::Environment::kDev);
  MR_CHECK(read.has_value(), read ? "" : read.error().to_text());
  return *std::move(read);
}

/// Candidates with a score that is null for id 8; names no output keys.
std::string keyless_plan(std::string_view outputs) {
  return base::format(
      R"({{"schema_version": 1, "name": "p", "nodes": [
          {{"id": "c", "op": "candidates", "inputs": [], "params": {{}}}}{}], "outputs": {}}})",
      node("s", "vm", "c", R"j({"out_key": "score", "expr": "1.0 / (id - 8)"})j"),
      outputs);
}

TEST(CandidateWriterTest, E8_ARowLeavesOutWhatCouldHaveBeenFetchedAndWasNot) {
  constexpr std::string_view kRequest =
      R"({"user_id": 1, "candidates": [{"id": 7, "age": 3, "name": "x", "rate": 0.5, "vip": true},
          8, {"id": 9, "name": "y"}]EXTRA})";
  const auto request = [&](std::string_view extra) {
    std::string text(kRequest);
    return text.replace(text.find("EXTRA"), 5, extra);
  };
  RankRig rig(2, fetched_keys_registry());
  rig.load(keyless_plan(R"(["s"])"));
  // The plan wrote `score`, so it is there as null.
  EXPECT_EQ(rig.ask(request(""))->candidates(),
            R"([{"id":7,"fields":{"age":3,"name":"x","rate":0.5,"score":-1,"vip":true}},)"
            R"({"id":8,"fields":{"score":null}},{"id":9,"fields":{"name":"y","score":1}}])");
  // Whoever names keys gets them.
  EXPECT_EQ(
      rig.ask(request(R"(, "limit": 2, "output_keys": ["age", "vip"])"))->candidates(),
      R"([{"id":7,"fields":{"age":3,"vip":true}},{"id":8,"fields":{"age":null,"vip":null}}])");
}

TEST(CandidateWriterTest, E8_ARowWithoutAnyOfThemHasNoFields) {
  RankRig rig(2, fetched_keys_registry());
  rig.load(keyless_plan(R"(["c", "s"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1, "candidates": [8, {"id": 9, "name": "y"}]})")->candidates(),
            R"([{"id":8,"fields":{},"output":"c"},{"id":9,"fields":{"name":"y"},"output":"c"},)"
            R"({"id":8,"fields":{"score":null},"output":"s"},)"
            R"({"id":9,"fields":{"name":"y","score":1},"output":"s"}])");
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
