#include "base/problems/problem_report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/json_writer.h"

namespace millrace::base {
namespace {

enum class ReportTestCode : std::uint8_t { kUnknownOp, kTooLarge };

std::string_view to_string(ReportTestCode code) {
  return code == ReportTestCode::kUnknownOp ? "unknown_op" : "too_large";
}

ProblemReport sample_report() {
  ProblemReport report;
  report.add({.code = ReportTestCode::kUnknownOp,
              .path = "nodes[1].op",
              .file = "a.plan.ts",
              .line = 7,
              .column = 3,
              .message = "Unknown op: veiwer",
              .hint = "did you mean 'viewer'?"});
  report.add({.code = ReportTestCode::kTooLarge, .message = "Text longer than 5 bytes"});
  report.add({.code = ReportTestCode::kTooLarge,
              .severity = Severity::kWarning,
              .line = 2,
              .column = 1,
              .message = "Almost too long"});
  return report;
}

TEST(ProblemReportTest, IsPrintedAsText) {
  EXPECT_EQ(sample_report().to_text(),
            "a.plan.ts:7:3: unknown_op: Unknown op: veiwer (at nodes[1].op); did you mean "
            "'viewer'?\ntoo_large: Text longer than 5 bytes\n"
            "2:1: warning: too_large: Almost too long\n");
}

TEST(ProblemReportTest, IsPrintedAsJsonFromTheSameData) {
  std::string json;
  JsonWriter writer(json);
  sample_report().write_json(writer);
  EXPECT_EQ(json,
            R"([{"code":"unknown_op","path":"nodes[1].op","file":"a.plan.ts","line":7,"column":3,)"
            R"("message":"Unknown op: veiwer","hint":"did you mean 'viewer'?"},)"
            R"({"code":"too_large","path":"","message":"Text longer than 5 bytes"},)"
            R"({"code":"too_large","severity":"warning","path":"","line":2,"column":1,)"
            R"("message":"Almost too long"}])");
}

TEST(ProblemReportTest, CodesComeFromTheCallersList) {
  const ProblemReport report = sample_report();
  EXPECT_EQ(report.problems()[0].code, ReportTestCode::kUnknownOp);
  EXPECT_EQ(to_string(report.problems()[0].code), "unknown_op");
  EXPECT_TRUE(report.has(ReportTestCode::kTooLarge));
  EXPECT_FALSE(ProblemReport().has(ReportTestCode::kTooLarge));
}

TEST(ProblemReportTest, SortsByPlaceAndKeepsTheOrderWithinOne) {
  ProblemReport report;
  report.add({.code = ReportTestCode::kTooLarge, .line = 2, .column = 1, .message = "a"});
  report.add({.code = ReportTestCode::kTooLarge, .line = 1, .column = 9, .message = "b"});
  report.add({.code = ReportTestCode::kTooLarge, .line = 2, .column = 1, .message = "c"});
  report.add({.code = ReportTestCode::kTooLarge, .line = 1, .column = 3, .message = "d"});
  report.sort();
  std::string order;
  for (const Problem& problem : report.problems()) order += problem.message;
  EXPECT_EQ(order, "dbac");
}

TEST(ProblemReportTest, WarningsAreNoErrors) {
  ProblemReport report;
  EXPECT_TRUE(report.empty());
  report.add({.code = ReportTestCode::kTooLarge, .severity = Severity::kWarning});
  EXPECT_FALSE(report.empty());
  EXPECT_FALSE(report.has_errors());
  EXPECT_EQ(report.warning_count(), 1U);
  report.add({.code = ReportTestCode::kTooLarge});
  EXPECT_TRUE(report.has_errors());
}

TEST(ProblemReportTest, KeepsABoundedNumberAndCountsTheRest) {
  ProblemReport report;
  const Problem warning{.code = ReportTestCode::kTooLarge, .severity = Severity::kWarning};
  for (std::size_t i = 0; i < ProblemReport::kKeptMax; ++i) report.add(warning);
  EXPECT_TRUE(report.full());
  for (int i = 0; i < 3; ++i) report.add({.code = ReportTestCode::kUnknownOp});
  EXPECT_EQ(report.problems().size(), ProblemReport::kKeptMax);
  EXPECT_EQ(report.dropped_count(), 3U);
  EXPECT_TRUE(report.has_errors());
  EXPECT_TRUE(report.to_text().ends_with("and 3 more\n"));
}

TEST(ProblemReportTest, TextOfTheInputCannotSteerATerminal) {
  ProblemReport report;
  report.add({.message = "Not a name: \x1b[2J\nall well", .hint = "\x07"});
  EXPECT_EQ(report.to_text(), ": Not a name: \\u001b[2J all well; \\u0007\n");
}

}  // namespace
}  // namespace millrace::base
