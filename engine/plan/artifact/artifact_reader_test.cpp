#include "plan/artifact/artifact_reader.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

using ArtifactReaderTest = PlanFixture;

TEST_F(ArtifactReaderTest, ART1_ART2_BothSpellingsAreTheSamePlan) {
  const auto plan = compile(R"({"schema_version": 1, "plan_name": "p", "nodes": [
      {"node_id": "s", "kernel": "fixed_source", "outputs": ["data", "copy"]},
      {"id": "fast_transform", "kernel": "transform", "inputs": ["data"], "outputs": ["result"],
       "scheduling": {"inline": true, "cost_estimate_us": 5}}], "outputs": ["result"]})");
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->name, "p");
  EXPECT_THAT(ids(*plan), ElementsAre("s", "fast_transform"));
  EXPECT_EQ(plan->nodes[1].task->op, "vm");
  EXPECT_EQ(plan->nodes[1].inline_hint, true);
  EXPECT_EQ(plan->nodes[1].cost_estimate, std::chrono::microseconds(5));
  EXPECT_THAT(plan->outputs, ElementsAre(1U));
}

TEST_F(ArtifactReaderTest, ART10_FragmentsAndTheirVersionsAreKept) {
  const auto plan = compile(artifact(R"({"id": "s", "op": "fixed_source"})",
                                     R"("s")",
                                     R"(, "fragments": {"cut": "2"}, "variant_of": "p")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(plan->fragments, ElementsAre(testing::Pair("cut", "2")));
  EXPECT_EQ(plan->variant_of, "p");
}

TEST_F(ArtifactReaderTest, ART10_AFragmentsVersionIsAText) {
  for (const char* const fields : {R"(, "fragments": {"cut": 2})", R"(, "fragments": ["cut"])"}) {
    EXPECT_TRUE(problems(artifact(R"({"id": "s", "op": "fixed_source"})", R"("s")", fields))
                    .has(ProblemCode::kWrongType));
  }
}

TEST_F(ArtifactReaderTest, ReadsEverySettingOfANode) {
  const auto plan = compile(artifact(
      R"({"id": "b", "op": "fixed_source"},
         {"id": "s", "op": "fixed_source", "timeout_ms": 30, "priority": "low", "trace": false,
          "on_failure": {"use": "node", "id": "b"}, "on_row_error": "drop",
          "scheduling": {"inline": false, "cost_estimate_us": 900}},
         {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 1}, "on_failure": "fail"},
         {"id": "e", "op": "take", "inputs": ["t"], "params": {"count": 1}, "on_failure": {"use": "empty"}},
         {"id": "i", "op": "take", "inputs": ["e"], "params": {"count": 1}, "on_failure": {"use": "input"}})",
      R"("i")",
      R"(, "version": "v7", "reserve_ms": 4)"));
  ASSERT_NE(plan, nullptr);
  const CompiledNode& s = node(*plan, "s");
  EXPECT_EQ(s.timeout, std::chrono::milliseconds(30));
  EXPECT_EQ(s.priority, PlanPriority::kLow);
  EXPECT_FALSE(s.trace);
  EXPECT_EQ(s.on_failure, OnFailure::kUseNode);
  EXPECT_EQ(plan->nodes[s.fallback_node].id, "b");
  EXPECT_EQ(s.on_row_error, RowErrorRule::kDrop);
  EXPECT_EQ(s.inline_hint, false);
  EXPECT_EQ(s.cost_estimate, std::chrono::microseconds(900));
  EXPECT_EQ(node(*plan, "t").on_failure, OnFailure::kFail);
  EXPECT_EQ(node(*plan, "e").on_failure, OnFailure::kUseEmpty);
  EXPECT_EQ(node(*plan, "i").on_failure, OnFailure::kUseInput);
  EXPECT_EQ(plan->version, "v7");
  EXPECT_EQ(plan->reserve, std::chrono::milliseconds(4));
}

TEST_F(ArtifactReaderTest, ART3_InputsMayBeRequestFieldsAndConstants) {
  const auto plan = compile(
      artifact(R"({"id": "t", "op": "concat", "inputs": ["$req.user_id", 7, [8, -9]]})", R"("t")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(std::get<RequestInput>(plan->nodes[0].inputs[0]).field, "user_id");
  EXPECT_THAT(std::get<ConstantInput>(plan->nodes[0].inputs[1]).ids, ElementsAre(7));
  EXPECT_THAT(std::get<ConstantInput>(plan->nodes[0].inputs[2]).ids, ElementsAre(8, -9));
}

TEST_F(ArtifactReaderTest, ART7_ProblemsArePlacedInTheSourceWhenSpansSaySo) {
  const ProblemReport report = problems(artifact(
      R"({"id": "t", "op": "veiwer"})",
      R"("t")",
      R"(, "sources": {"file": "p.plan.ts", "digest": "sha256:0", "spans": {"t": [7, 6, 7, 52]}})"));
  ASSERT_EQ(report.problems().size(), 1U);
  EXPECT_EQ(report.problems()[0].file, "p.plan.ts");
  EXPECT_EQ(report.problems()[0].line, 7U);
  EXPECT_EQ(report.problems()[0].column, 6U);
  EXPECT_EQ(report.problems()[0].path, "nodes[0].op");
  EXPECT_EQ(report.problems()[0].hint, "did you mean 'viewer'?");
}

TEST_F(ArtifactReaderTest, ART6_SpansOfNodesThatWereNotReadAreNoProblemsOfTheirOwn) {
  const std::string bytes = artifact(
      R"({"id": "t", "op": "fixed_source"}, {"id": "u", "op": "fixed_source"})",
      R"("t")",
      R"(, "sources": {"file": "p.plan.ts", "digest": "sha256:0", "spans": {"t": [7, 6, 7, 52], "u": [8, 6, 8, 52]}})");
  const auto plan = compile_plan(bytes, registry_, catalog_, {.limits = {.node_count_max = 1}});
  ASSERT_FALSE(plan);
  for (const Problem& problem : plan.error().problems()) {
    EXPECT_NE(problem.code, ProblemCode::kUnknownField) << problem.message;
  }
}

TEST_F(ArtifactReaderTest, ART6_SizesAreLimited) {
  const auto code_with = [&](const std::string& bytes, const ArtifactLimits& limits) {
    const auto plan = compile_plan(bytes, registry_, catalog_, {.limits = limits});
    return plan ? "compiled" : std::string(to_string(plan.error().problems()[0].code));
  };
  const std::string bytes = artifact(
      R"({"id": "t", "op": "take", "inputs": [[1, 2]], "params": {"count": 1}},
         {"id": "u", "op": "fixed_source"})",
      R"("t")");
  EXPECT_EQ(code_with(bytes, {}), "compiled");
  EXPECT_EQ(code_with(bytes, {.text_bytes_max = 20}), "too_large");
  EXPECT_EQ(code_with(bytes, {.node_count_max = 1}), "too_large");
  EXPECT_EQ(code_with(bytes, {.input_count_max = 0}), "too_large");
  EXPECT_EQ(code_with(bytes, {.param_count_max = 0}), "too_large");
  EXPECT_EQ(code_with(bytes, {.constant_ids_max = 1}), "too_large");
  EXPECT_EQ(code_with(bytes, {.output_count_max = 0}), "too_large");
  EXPECT_EQ(code_with(bytes, {.string_bytes_max = 5}), "too_large");
  const std::string with_key =
      artifact(R"({"id": "u", "op": "fixed_source"})", R"("u")", R"(, "output_keys": ["id"])");
  EXPECT_EQ(code_with(with_key, {}), "compiled");
  EXPECT_EQ(code_with(with_key, {.output_key_count_max = 0}), "too_large");
}

TEST_F(ArtifactReaderTest, TenThousandNodesCompile) {
  std::string nodes = R"({"id": "n0", "op": "fixed_source"})";
  for (int i = 1; i < 10'000; ++i) {
    nodes += base::format(
        R"(, {{"id": "n{}", "op": "take", "inputs": ["n{}"], "params": {{"count": {}}}}})",
        i,
        i - 1,
        i);
  }
  const auto plan = compile(artifact(nodes, R"("n9999")"));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->nodes.size(), 10'000U);
}

}  // namespace
}  // namespace millrace::plan
