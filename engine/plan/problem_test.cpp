#include "plan/problem.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace millrace::plan {
namespace {

TEST(ProblemTest, EveryCodeHasItsNameCauseAndCure) {
  ASSERT_EQ(problem_table().size(), kProblemCodeCount);
  for (std::size_t i = 0; i < problem_table().size(); ++i) {
    const ProblemEntry& entry = problem_table()[i];
    EXPECT_EQ(static_cast<std::size_t>(entry.code), i);
    EXPECT_EQ(to_string(entry.code), entry.name);
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
    EXPECT_FALSE(entry.cure.empty()) << entry.name;
  }
}

TEST(ProblemTest, TheReferencePageIsWhatTheTableGives) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/plan-errors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, problem_reference()) << "print it anew: plan_errors_page > docs/reference/…";
}

TEST(ProblemTest, ART7_AProblemHasACodeOfTheTable) {
  ProblemReport report;
  report.add({.code = ProblemCode::kUnknownOp, .path = "nodes[1].op", .message = "Unknown op: x"});
  EXPECT_EQ(report.to_text(), "unknown_op: Unknown op: x (at nodes[1].op)\n");
  EXPECT_TRUE(report.has(ProblemCode::kUnknownOp));
  EXPECT_FALSE(report.has(ProblemCode::kCycle));
  EXPECT_EQ(reader_codes().out_of_range, ProblemCode::kParamRange);
}

}  // namespace
}  // namespace millrace::plan
