#include "plan/check/join_checker.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::HasSubstr;

class JoinCheckerTest : public PlanFixture {
 protected:
  /// Joins rows with `score` to hydrated rows with `name` and `age`; `params` are further params of
  /// the join, and `more` nodes after it, the last with id `o`.
  [[nodiscard]] static std::string joined(std::string_view params, std::string_view more = "") {
    return artifact(
        R"({"id": "a", "op": "fixed_source"},
           {"id": "s", "op": "vm", "inputs": ["a"], "params": {"out_key": "score", "expr": "id * 1.0"}},
           {"id": "b", "op": "fixed_source", "params": {"row_count": 2}},
           {"id": "h", "op": "hydrate", "inputs": ["b"], "params": {"endpoint": "redis_default", "keys": ["name", "age"]}},
           {"id": "j", "op": "join", "inputs": ["s"], "params": {"rhs": "h")" +
            std::string(params) + "}}" + std::string(more),
        more.empty() ? R"("j")" : R"("o")");
  }
  [[nodiscard]] std::string code_of(const std::string& bytes) const {
    const ProblemReport report = problems(bytes);
    return report.empty() ? "compiled" : std::string(report.problems()[0].code.text());
  }
  static constexpr std::string_view kSortByName =
      R"(, {"id": "o", "op": "sort", "inputs": ["j"], "params": {"key": "name"}})";
};

TEST_F(JoinCheckerTest, E5_TheRightColumnsAreThereAfterInnerAndLeftOnly) {
  EXPECT_EQ(code_of(joined("", kSortByName)), "compiled");
  EXPECT_EQ(code_of(joined(R"(, "kind": "left")", kSortByName)), "compiled");
  for (const char* kind : {R"(, "kind": "semi")", R"(, "kind": "anti")"}) {
    const ProblemReport report = problems(joined(kind, kSortByName));
    ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
    EXPECT_EQ(report.problems()[0].code, ProblemCode::kKeyNotAvailable);
    EXPECT_THAT(report.problems()[0].message, HasSubstr("lost at 'j' (join)"));
  }
}

TEST_F(JoinCheckerTest, E5_ColumnsChooseAndRename) {
  EXPECT_EQ(code_of(joined(R"(, "columns": ["name"])", kSortByName)), "compiled");
  EXPECT_EQ(code_of(joined(R"(, "columns": ["age"])", kSortByName)), "key_not_available");
  EXPECT_EQ(
      code_of(joined(
          R"(, "columns": {"author_name": "name"})",
          R"(, {"id": "o", "op": "sort", "inputs": ["j"], "params": {"key": "author_name"}})")),
      "compiled");
  EXPECT_EQ(code_of(joined(R"(, "columns": ["country"])")), "key_not_available");
  EXPECT_EQ(code_of(joined(R"(, "columns": ["name"], "kind": "semi")")), "bad_value");
}

TEST_F(JoinCheckerTest, E5_KeysMustExistAndBeOfTheSameType) {
  EXPECT_EQ(code_of(joined(R"(, "by": ["id"], "rhs_by": ["age"])")), "compiled");
  EXPECT_EQ(code_of(joined(R"(, "by": [])")), "bad_value");
  EXPECT_EQ(code_of(joined(R"(, "rhs_by": ["nope"])")), "unknown_key");
  EXPECT_EQ(code_of(joined(R"(, "rhs_by": ["country"])")), "key_not_available");
  EXPECT_EQ(code_of(joined(R"(, "rhs_by": ["name"])")), "wrong_key_type");
  EXPECT_EQ(code_of(joined(R"(, "rhs_by": ["id", "age"])")), "bad_value");
  EXPECT_EQ(code_of(joined(R"(, "by": ["country"])")), "key_not_available");
}

TEST_F(JoinCheckerTest, E5_KeysThatByNamesMustBeOnBothSides) {
  EXPECT_EQ(code_of(joined(R"(, "by": ["score"], "rhs_by": ["score"])")), "key_not_available");
  for (const char* kind : {"inner", "left", "semi", "anti"}) {
    const ProblemReport report =
        problems(joined(base::format(R"(, "by": ["score"], "kind": "{}")", kind)));
    ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
    EXPECT_EQ(report.problems()[0].code, ProblemCode::kKeyNotAvailable);
    EXPECT_EQ(report.problems()[0].message,
              "The right side lacks a key that `by` names. Nothing before this node writes the "
              "key: score");
    EXPECT_THAT(report.problems()[0].hint, HasSubstr("`rhs_by`"));
  }
  // What neither side has is reported once.
  EXPECT_EQ(problems(joined(R"(, "by": ["country"])")).problems().size(), 1U);
}

TEST_F(JoinCheckerTest, E5_AClashNamesBothWriters) {
  const ProblemReport report = problems(artifact(
      std::string(kViewer) + "," + std::string(kFollow) +
          R"(, {"id": "r", "op": "recommendation", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
              {"id": "j", "op": "join", "inputs": ["f"], "params": {"rhs": "r"}})",
      R"("j")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kKeyClash);
  EXPECT_EQ(
      report.problems()[0].message,
      "Both sides of the join have the key parent_id: 'f' (follow) writes it on the left, 'r' "
      "(recommendation) on the right");
}

TEST_F(JoinCheckerTest, E5_WhatBothSidesCouldFetchIsAmbiguousOnlyIfItIsRead) {
  const std::string nodes =
      R"({"id": "a", "op": "fixed_source"}, {"id": "b", "op": "fixed_source", "params": {"row_count": 2}},
         {"id": "x", "op": "hydrate", "inputs": ["a"], "params": {"endpoint": "redis_default"}},
         {"id": "y", "op": "hydrate", "inputs": ["b"], "params": {"endpoint": "redis_default"}},
         {"id": "j", "op": "join", "inputs": ["x"], "params": {"rhs": "y"}})";
  EXPECT_EQ(code_of(artifact(nodes, R"("j")", R"(, "output_keys": ["id"])")), "compiled");
  const ProblemReport report = problems(artifact(nodes, R"("j")", R"(, "output_keys": ["name"])"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_THAT(report.problems()[0].message, HasSubstr("Both sides of 'j' (join) have the key"));
}

TEST_F(JoinCheckerTest, E5_AFanOutBehindAJoinLosesWhatItTook) {
  EXPECT_EQ(
      code_of(joined(
          R"(, "kind": "anti")",
          R"(, {"id": "m", "op": "media", "inputs": ["j"], "params": {"endpoint": "redis_default"}},
                               {"id": "o", "op": "sort", "inputs": ["m"], "params": {"key": "score"}})")),
      "key_not_available");
}

}  // namespace
}  // namespace millrace::plan
