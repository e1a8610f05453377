#include "plan/problem.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_writer.h"

namespace millrace::plan {
namespace {

TEST(ProblemTest, EveryCodeHasItsNameAndMeaning) {
  ASSERT_EQ(problem_table().size(), kProblemCodeCount);
  for (std::size_t i = 0; i < problem_table().size(); ++i) {
    const ProblemEntry& entry = problem_table()[i];
    EXPECT_EQ(static_cast<std::size_t>(entry.code), i);
    EXPECT_EQ(to_string(entry.code), entry.name);
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
  }
}

TEST(ProblemTest, TheReferencePageIsWhatTheTableGives) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/plan-errors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, problem_reference()) << "print it anew: plan_errors_page > docs/reference/…";
}

TEST(ProblemTest, ART7_AReportListsAllProblemsAsTextAndAsJson) {
  ProblemReport report;
  report.add({.code = ProblemCode::kUnknownOp,
              .path = "nodes[1].op",
              .file = "a.plan.ts",
              .line = 7,
              .column = 3,
              .message = "Unknown op: veiwer",
              .hint = "did you mean 'viewer'?"});
  report.add({.code = ProblemCode::kTooLarge, .message = "Text longer than 5 bytes"});
  EXPECT_EQ(report.to_text(),
            "a.plan.ts:7:3: unknown_op: Unknown op: veiwer (at nodes[1].op); did you mean "
            "'viewer'?\ntoo_large: Text longer than 5 bytes\n");
  std::string json;
  base::JsonWriter writer(json);
  report.write_json(writer);
  EXPECT_EQ(json,
            R"([{"code":"unknown_op","path":"nodes[1].op","file":"a.plan.ts","line":7,"column":3,)"
            R"("message":"Unknown op: veiwer","hint":"did you mean 'viewer'?"},)"
            R"({"code":"too_large","path":"","message":"Text longer than 5 bytes"}])");
  EXPECT_TRUE(report.has(ProblemCode::kTooLarge));
  EXPECT_FALSE(report.has(ProblemCode::kCycle));
  EXPECT_EQ(report.to_error().message(), "unknown_op: Unknown op: veiwer (and 1 more)");
  EXPECT_EQ(report.to_error().where(), "nodes[1].op");
}

TEST(ProblemTest, AReportKeepsABoundedNumberAndCountsTheRest) {
  ProblemReport report;
  for (std::size_t i = 0; i < ProblemReport::kKeptMax + 3; ++i) report.add({});
  EXPECT_EQ(report.problems().size(), ProblemReport::kKeptMax);
  EXPECT_EQ(report.dropped_count(), 3U);
  EXPECT_TRUE(report.to_text().ends_with("and 3 more\n"));
  ProblemReport other;
  other.append(report);
  EXPECT_EQ(other.dropped_count(), 3U);
}

}  // namespace
}  // namespace millrace::plan
