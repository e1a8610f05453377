#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

using CompilerTest = PlanFixture;

TEST_F(CompilerTest, CompilesTheExampleOfTheContract) {
  const auto plan = compile(R"json({
  "schema_version": 1, "name": "mixed_pipeline",
  "nodes": [
    {"id": "v",  "op": "viewer", "inputs": [],     "params": {"endpoint": "redis_default"}},
    {"id": "f",  "op": "follow", "inputs": ["v"],  "params": {"endpoint": "redis_default", "fanout": 100},
     "scheduling": {"inline": false, "cost_estimate_us": 900}, "timeout_ms": 30,
     "on_failure": {"use": "empty"}},
    {"id": "s",  "op": "vm",     "inputs": ["f"],  "params": {"out_key": "score", "expr": "id * coalesce($weight, 0.5)"}},
    {"id": "k",  "op": "filter", "inputs": ["s"],  "params": {"pred": "score >= 0.5"}},
    {"id": "o",  "op": "sort",   "inputs": ["k"],  "params": {"key": "score", "order": "desc"}},
    {"id": "t",  "op": "take",   "inputs": ["o"],  "params": {"count": 10}}
  ],
  "outputs": ["t"], "output_keys": ["id", "score"],
  "sources": {"file": "mixed_pipeline.plan.ts", "digest": "sha256:…", "spans": {"v": [7, 6, 7, 52]}}
})json");
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(ids(*plan), ElementsAre("v", "f", "s", "k", "t"));
  EXPECT_EQ(plan->source_file, "mixed_pipeline.plan.ts");
  EXPECT_EQ(plan->nodes[0].source.line, 7U);
  ASSERT_EQ(plan->params.size(), 1U);
  EXPECT_EQ(plan->params[0].name, "weight");
  EXPECT_TRUE(plan->params[0].nullable);
  EXPECT_THAT(plan->output_keys, ElementsAre("id", "score"));
}

TEST_F(CompilerTest, ART9_TheDigestIsThatOfTheBytes) {
  const std::string bytes = artifact(kViewer, R"("v")");
  EXPECT_EQ(compile(bytes)->digest, base::sha256_digest(bytes));
  EXPECT_NE(compile(bytes + "\n")->digest, compile(bytes)->digest);
}

TEST_F(CompilerTest, ART6_ART7_AllProblemsComeInOneReport) {
  const ProblemReport report = problems(
      R"({"schema_version": 1, "name": "p", "nodes": [
          {"id": "a", "op": "veiwer"},
          {"id": "t", "op": "take", "inputs": ["zz"], "params": {"cuont": 1}}],
          "outputs": ["q"], "extra": 1})");
  std::vector<std::string_view> codes;
  for (const Problem& problem : report.problems()) codes.push_back(to_string(problem.code));
  EXPECT_THAT(codes,
              testing::UnorderedElementsAre("unknown_field",
                                            "unknown_op",
                                            "unknown_input",
                                            "missing_param",
                                            "unknown_param",
                                            "unknown_output"));
}

TEST_F(CompilerTest, I3_ACostEstimateIsAWholeNumberUpToAnHour) {
  const auto with_cost = [](std::string_view cost) {
    return artifact(R"({"id": "t", "op": "fixed_source", "scheduling": {"cost_estimate_us": )" +
                        std::string(cost) + "}}",
                    R"("t")");
  };
  for (const char* cost : {"-1", "0.5", "3600000001", "18446744073709551615"}) {
    EXPECT_TRUE(problems(with_cost(cost)).has(ProblemCode::kBadCost)) << cost;
  }
  EXPECT_EQ(compile(with_cost("3600000000"))->nodes[0].cost_estimate, std::chrono::hours(1));
}

TEST_F(CompilerTest, ART7_AReportOfVeryManyProblemsKeepsTheFirstAndCountsTheRest) {
  std::string nodes;
  constexpr int kNodeCount = 5'000;
  for (int i = 0; i < kNodeCount; ++i) {
    nodes += base::format(
        R"({}{{"id": "node_{}", "op": "take", "inputs": ["nodx_{}"], "params": {{"count": 1}}}})",
        i == 0 ? "" : ", ",
        i,
        i);
  }
  const ProblemReport report = problems(artifact(nodes, R"("node_0")"));
  ASSERT_EQ(report.problems().size(), ProblemReport::kKeptMax);
  EXPECT_EQ(report.dropped_count(), kNodeCount - ProblemReport::kKeptMax);
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownInput);
  EXPECT_EQ(report.problems()[0].hint, "did you mean 'node_0'?");
  EXPECT_TRUE(report.to_text().ends_with("and 4500 more\n"));
}

}  // namespace
}  // namespace millrace::plan
