#include "plan/check/node_checker.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using NodeCheckerTest = PlanFixture;

TEST_F(NodeCheckerTest, AnExpressionGetsTheTypeOfTheKeyItIsWrittenTo) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id"}})",
      R"("t")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(std::get<expr::CompiledExprRef>(node(*plan, "t").param("expr"))->type(),
            rows::ColumnType::kFloat64);
}

TEST_F(NodeCheckerTest, ART6_AnExpressionErrorPointsIntoTheText) {
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 1 and scroe > 2"}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownKey);
  EXPECT_EQ(report.problems()[0].path, "nodes[1].params.pred");
  EXPECT_THAT(report.problems()[0].message, testing::HasSubstr("at 1:12 of the expression"));
}

TEST_F(NodeCheckerTest, REG6_ReadingADeprecatedKeyIsAWarning) {
  const auto plan = compile(artifact(
      std::string(kViewer) +
          R"(, {"id": "t", "op": "filter", "inputs": ["v"], "params": {"pred": "old_score > 1.0"}})",
      R"("t")",
      R"(, "output_keys": ["id"])"));
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(plan->warnings.size(), 1U);
  EXPECT_EQ(plan->warnings[0].code, ProblemCode::kDeprecatedName);
  EXPECT_EQ(plan->warnings[0].subject, "node 't' (filter)");
  EXPECT_EQ(plan->warnings[0].message, "The key is deprecated: old_score");
  EXPECT_EQ(plan->warnings[0].hint, "use 'score' instead");
}

TEST_F(NodeCheckerTest, REG6_ADeprecatedEndpointIsAWarning) {
  const auto plan = compile(
      artifact(R"({"id": "v", "op": "viewer", "params": {"endpoint": "redis_old"}})", R"("v")"));
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(plan->warnings.size(), 1U);
  EXPECT_EQ(plan->warnings[0].message, "The endpoint is deprecated: redis_old");
  EXPECT_EQ(plan->warnings[0].hint, "use 'redis_default' instead");
}

TEST_F(NodeCheckerTest, TSK4_NamesOfAPatternAreKeysOrFieldsOfTheRequest) {
  const auto message = [&](const std::string& pattern, const std::string& inputs) {
    const std::string node = R"(, {"id": "l", "op": "list", "inputs": [)" + inputs +
                             R"(], "params": {"endpoint": "redis_default", "pattern": ")" +
                             pattern + R"("}})";
    const auto compiled =
        compile_plan(artifact(std::string(kViewer) + node, R"("l")"), registry_, catalog_);
    return compiled ? std::string() : compiled.error().problems().front().message;
  };
  EXPECT_EQ(message("trending", ""), "");
  EXPECT_EQ(message("trending", R"("v")"), "");
  EXPECT_EQ(message("a:{user_id}:{country}", ""), "");
  EXPECT_EQ(message("a:{country}:{id}", R"("v")"), "");
  EXPECT_EQ(message("a:{id}", ""), "The node has no input to read a key from: id");
  EXPECT_EQ(message("a:{user_id}:{usr}", ""), "Unknown field of the request: usr");
  EXPECT_EQ(message("a:{id}:{usr}", R"("v")"), "Unknown key: usr");
  EXPECT_EQ(message("a:{id}:{score}", R"("v")"), "Nothing before this node writes the key: score");
}

TEST_F(NodeCheckerTest, E1_AFanOutWithoutInputsTakesNothingAlong) {
  const ProblemReport report = problems(artifact(
      R"({"id": "l", "op": "list",
          "params": {"endpoint": "redis_default", "pattern": "trending", "carry": ["name"]}})",
      R"("l")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].path, "nodes[0].params.carry");
  EXPECT_EQ(report.problems()[0].message, "The node has no input to read a key from: name");
}

TEST_F(NodeCheckerTest, E5_TwoParamsOfANodeDoNotWriteTheSameKey) {
  const auto plan = [](std::string_view carry) {
    return artifact(std::string(kViewer) + R"(, {"id": "s", "op": "vm", "inputs": ["v"],
              "params": {"out_key": "score", "expr": "1.0"}},
            {"id": "l", "op": "scored_list", "inputs": ["s"],
             "params": {"endpoint": "redis_default", "with_scores": "score", "carry": )" +
                        std::string(carry) + "}}",
                    R"("l")");
  };
  const ProblemReport report = problems(plan(R"(["score"])"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kKeyClash);
  EXPECT_EQ(report.problems()[0].path, "nodes[2].params.carry");
  EXPECT_EQ(report.problems()[0].message, "Both `with_scores` and `carry` write the key: score");
  EXPECT_NE(compile(plan("[]")), nullptr);
}

TEST_F(NodeCheckerTest, E2_AForgottenHydrateNamesWhereTheKeyWasLostAndTheTwoWaysOut) {
  const ProblemReport report = problems(artifact(
      std::string(kViewer) + "," + std::string(kFollow) +
          R"(, {"id": "m", "op": "media", "inputs": ["f"], "params": {"endpoint": "redis_default"}},
              {"id": "t", "op": "take", "inputs": ["m"], "params": {"count": 5}},
              {"id": "o", "op": "sort", "inputs": ["t"], "params": {"key": "name"}})",
      R"("o")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  const Problem& problem = report.problems()[0];
  EXPECT_EQ(problem.code, ProblemCode::kKeyNotAvailable);
  EXPECT_EQ(problem.path, "nodes[4].params.key");
  EXPECT_EQ(problem.subject, "node 'o' (sort)");
  // The viewer offers it, and the first fan-out after it is where it goes.
  EXPECT_EQ(problem.message,
            "The key was lost at 'f' (follow), whose rows are other entities than those before it: "
            "name");
  EXPECT_EQ(problem.hint,
            "fetch it for these rows with `hydrate` after 'f', or take the value of the row before "
            "along with `carry: [\"name\"]` of 'f'");
}

TEST_F(NodeCheckerTest, E2_AKeyThatNothingWroteSaysSo) {
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "score > 1.0"}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].message, "Nothing before this node writes the key: score");
  EXPECT_THAT(report.problems()[0].hint, testing::HasSubstr("`vm`"));
}

TEST_F(NodeCheckerTest, E1_TheViewersFieldsAreNoColumnsOfOtherRows) {
  const auto filtered = [&](std::string_view pred) {
    return artifact(std::string(kViewer) + "," + std::string(kFollow) +
                        R"(, {"id": "k", "op": "filter", "inputs": ["f"], "params": {"pred": ")" +
                        std::string(pred) + R"("}})",
                    R"("k")");
  };
  EXPECT_TRUE(problems(filtered("country == viewer.country")).has(ProblemCode::kKeyNotAvailable));
  EXPECT_NE(compile(filtered("viewer.country == 'DE'")), nullptr);
}

TEST_F(NodeCheckerTest, E4_AListedKeyMustBeOfThePrefix) {
  const auto with_prefix = [&](std::string_view prefix) {
    return artifact(R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default", "prefix": ")" +
                        std::string(prefix) + R"(", "keys": ["created_at"]}})",
                    R"("h")");
  };
  EXPECT_NE(compile(with_prefix("post")), nullptr);
  const ProblemReport report = problems(with_prefix("user"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kKeyNotAvailable);
  EXPECT_EQ(report.problems()[0].hint, "keys.toml says that it is of item, post");
}

TEST_F(NodeCheckerTest, E6_OrderingOrScoringByAKeyOfSomeInputsIsAWarning) {
  const auto warnings = [&](std::string_view last) {
    const auto plan = compile(artifact(
        R"({"id": "s", "op": "fixed_source"},
           {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "1.0"}},
           {"id": "c", "op": "concat", "inputs": ["a", "s"]}, )" +
            std::string(last),
        R"("t")"));
    std::vector<std::string_view> codes;
    for (const base::Problem& warning : plan->warnings) codes.push_back(warning.code.text());
    return codes;
  };
  const auto is_warned = testing::ElementsAre("key_missing_in_some");
  EXPECT_THAT(warnings(R"({"id": "t", "op": "sort", "inputs": ["c"], "params": {"key": "score"}})"),
              is_warned);
  EXPECT_THAT(
      warnings(R"({"id": "t", "op": "sort", "inputs": ["c"], "params": {"by": ["id", "score"]}})"),
      is_warned);
  const auto vm = [](std::string_view expr) {
    return R"({"id": "t", "op": "vm", "inputs": ["c"], "params": {"out_key": "boost", "expr": ")" +
           std::string(expr) + R"("}})";
  };
  EXPECT_THAT(warnings(vm("score * 2.0")), is_warned);
  EXPECT_THAT(warnings(vm("coalesce(score, 0.0) * 2.0")), testing::IsEmpty());
  EXPECT_THAT(warnings(vm("if(score is null, 0.0, 1.0)")), testing::IsEmpty());
}

TEST_F(NodeCheckerTest, E9_AKeyOfAnotherTypeIsRefusedWhereANumberIsRead) {
  const ProblemReport report = problems(
      artifact(std::string(kViewer) +
                   R"(, {"id": "d", "op": "dedupe", "inputs": ["v"], "params": {"score": "name"}})",
               R"("d")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kWrongKeyType);
  EXPECT_EQ(report.problems()[0].message,
            "dedupe.score takes a key of type int or float, and name is string");
}

TEST_F(NodeCheckerTest, E9_StoreKeysAreMadeOfIntsAndStrings) {
  const auto pattern = [&](std::string_view name) {
    return artifact(std::string(kViewer) +
                        R"(, {"id": "f", "op": "follow", "inputs": ["v"],
             "params": {"endpoint": "redis_default", "pattern": "x:{)" +
                        std::string(name) + R"(}"}})",
                    R"("f")");
  };
  EXPECT_NE(compile(pattern("country")), nullptr);
  EXPECT_TRUE(problems(pattern("verified")).has(ProblemCode::kWrongKeyType));
}

TEST_F(NodeCheckerTest, ListsOfKeysAreNotEmptyAndFetchNoKeyOfTheEngine) {
  const auto keys = [&](std::string_view list) {
    return artifact(R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default", "keys": )" +
                        std::string(list) + "}}",
                    R"("h")");
  };
  EXPECT_TRUE(problems(keys("[]")).has(ProblemCode::kBadValue));
  EXPECT_TRUE(problems(keys(R"(["id"])")).has(ProblemCode::kKeyNotWritable));
}

TEST_F(NodeCheckerTest, AProblemOfAnotherNameDoesNotBlameAKeyOfTheSameName) {
  // `$likes` is no param; that `likes` is a key which is not available here is beside the point.
  const ProblemReport report = problems(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "t", "op": "filter", "inputs": ["s"], "params": {"pred": "id > $likes"}})",
      R"("t")"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownName);
}

}  // namespace
}  // namespace millrace::plan
