#include "rank/explain/explain_sentence.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/explain/explain_fixture.h"

namespace millrace::rank {
namespace {

using testing::ExplainEngine;
using ::testing::HasSubstr;

// The sentence about an id in a plan of ids 1 to 6 with the score `id % 3`, then `nodes`.
std::string sentence(std::string_view nodes, std::string_view output, int id) {
  ExplainEngine engine;
  engine.load(std::string(R"([
    {"id": "s", "op": "fixed_source", "params": {"row_count": 6}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id % 3"}},)") +
                  std::string(nodes) + "]",
              "[\"" + std::string(output) + "\"]");
  const std::string told = engine.explain(R"({"user_id": 1, "limit": 4, "exclude": [5],
                                              "explain": {"ids": [)" +
                                          std::to_string(id) + "]}}");
  const std::string name = "\"sentence\":\"";
  const std::size_t begin = told.find(name) + name.size();
  return told.substr(begin, told.find("\",\"", begin) - begin);
}

TEST(ExplainSentenceTest, OrdinalsAreEnglish) {
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(2), "2nd");
  EXPECT_EQ(ordinal(3), "3rd");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(112), "112th");
  EXPECT_EQ(ordinal(61), "61st");
  EXPECT_EQ(ordinal(100), "100th");
}

TEST(ExplainSentenceTest, CutsOfTheRequestAreTheRequests) {
  const std::string_view sort =
      R"({"id": "sort", "op": "sort", "inputs": ["v"], "params": {"key": "score"}})";
  EXPECT_EQ(sentence(sort, "sort", 3), "served: 1st of 4 candidates, from output `sort`");
  EXPECT_EQ(sentence(sort, "sort", 2), "cut by the request: 5th of 5 candidates, `limit` keeps 4");
  EXPECT_EQ(sentence(sort, "sort", 5), "cut by the request: `exclude` has this id");
}

TEST(ExplainSentenceTest, EXPL9_ATakeSaysWhatTheRowsAreOrderedBy) {
  EXPECT_EQ(sentence(R"({"id": "o", "op": "sort", "inputs": ["v"], "params": {"key": "score"}},
                        {"id": "take", "op": "take", "inputs": ["o"], "params": {"count": 4}})",
                     "take",
                     2),
            "cut: 5th by score 2, `take` keeps the first 4");
  EXPECT_EQ(
      sentence(R"({"id": "t", "op": "skip", "inputs": ["v"], "params": {"count": 3}})", "t", 2),
      "cut: 2nd of 6 rows, `t` (skip) leaves out the first 3");
}

TEST(ExplainSentenceTest, EXPL9_GroupsAndDuplicatesSayWhichRowStayed) {
  EXPECT_EQ(sentence(R"({"id": "g", "op": "group_limit", "inputs": ["v"],
                         "params": {"by": "score", "count": 1}})",
                     "g",
                     4),
            "cut: 2nd row with score 1, `g` (group_limit) keeps 1 of each");
  EXPECT_EQ(sentence(R"({"id": "d", "op": "dedupe", "inputs": ["v"],
                         "params": {"by": "score", "keep": "last"}})",
                     "d",
                     1),
            "cut by `d` (dedupe): it keeps one row with score 1, and kept the last one of id 4");
  EXPECT_EQ(sentence(R"({"id": "d", "op": "dedupe", "inputs": ["v"],
                         "params": {"by": "score", "keep": "max", "score": "id"}})",
                     "d",
                     1),
            "cut by `d` (dedupe): it keeps one row with score 1, and kept that of id 4 with id 4; "
            "this one has 1");
}

TEST(ExplainSentenceTest, EXPL9_JoinsNameTheirKindAndTheirRightSide) {
  const std::string right = R"({"id": "r", "op": "fixed_source", "params": {"row_count": 2}},)";
  EXPECT_EQ(sentence(right + R"({"id": "j", "op": "join", "inputs": ["v"],
                                 "params": {"rhs": "r", "kind": "semi"}})",
                     "j",
                     4),
            "dropped by `j` (semi join with `r`): no row of `r` has id 4");
  EXPECT_EQ(sentence(right + R"({"id": "j", "op": "join", "inputs": ["v"],
                                 "params": {"rhs": "r", "kind": "anti"}})",
                     "j",
                     2),
            "dropped by `j` (anti join with `r`): `r` has a row with id 2");
}

TEST(ExplainSentenceTest, SamplesAndChoicesSayHowManyStay) {
  EXPECT_EQ(
      sentence(R"({"id": "p", "op": "sample", "inputs": ["v"], "params": {"count": 0}})", "p", 2),
      "cut by `p` (sample): by chance; it keeps 0 of 6 rows");
  EXPECT_EQ(sentence(R"({"id": "m", "op": "diversify", "inputs": ["v"],
                         "params": {"by": "score", "score": "score", "count": 1}})",
                     "m",
                     4),
            "cut by `m` (diversify): it chose 1 of 6 rows by score and by how they differ; this "
            "row has score 1");
}

TEST(ExplainSentenceTest, EXPL9_TheConditionThatFailedIsNamed) {
  EXPECT_EQ(sentence(R"({"id": "filter", "op": "filter", "inputs": ["v"],
                         "params": {"pred": "id > 0 and score >= 1.5"}})",
                     "filter",
                     4),
            "dropped by `filter`: score 1 is not >= 1.5");
}

}  // namespace
}  // namespace millrace::rank
