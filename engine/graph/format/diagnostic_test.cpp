#include "graph/format/diagnostic.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/json_writer.h"

namespace millrace::graph {
namespace {

TEST(DiagnosticTest, G7_EachCodeHasOneNameAndAFix) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < diagnostic_table().size(); ++i) {
    const DiagnosticEntry& entry = diagnostic_table()[i];
    EXPECT_EQ(static_cast<std::size_t>(entry.code), i);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.fix.empty()) << entry.name;
    EXPECT_TRUE(entry.meaning.ends_with('.')) << entry.name;
  }
  EXPECT_EQ(names.size(), 50U);
}

TEST(DiagnosticTest, G7_TheReferencePageIsWhatTheTableGives) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/graph-errors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, diagnostic_reference()) << "print it anew: graph_errors_page > docs/reference/…";
}

TEST(DiagnosticTest, G7_AReportHoldsAllAndIsDataAndText) {
  DiagnosticReport report;
  report.add({.code = DiagnosticCode::kFreeRunningComponent,
              .severity = base::Severity::kWarning,
              .path = "components[1]",
              .line = 9,
              .column = 5,
              .message = "Component 'b' runs in every epoch"});
  report.add({.code = DiagnosticCode::kUnknownLane,
              .path = "components[0].execution.lane",
              .line = 4,
              .column = 7,
              .message = "No lane has the id 'x'",
              .hint = "write 'y'"});
  report.sort();
  EXPECT_EQ(report.error_count(), 1U);
  EXPECT_EQ(report.warning_count(), 1U);
  EXPECT_TRUE(report.has(DiagnosticCode::kUnknownLane));
  EXPECT_FALSE(report.has(DiagnosticCode::kBadValue));
  EXPECT_EQ(report.to_text("g.yaml").substr(0, 122),
            "g.yaml:4:7: error: unknown_lane: No lane has the id 'x' (at components[0].execution."
            "lane)\n  fix: write 'y'\ng.yaml:9:5: war");
  std::string text;
  base::JsonWriter json(text);
  report.write_json(json);
  EXPECT_EQ(
      text.substr(0, 176),
      R"([{"code":"unknown_lane","severity":"error","path":"components[0].execution.lane",)"
      R"("line":4,"column":7,"message":"No lane has the id 'x'","suggested_fix":"write 'y'"},{"code":"fr)");
}

TEST(DiagnosticTest, WhatIsBeyondTheBoundIsCounted) {
  DiagnosticReport report;
  for (std::size_t i = 0; i < DiagnosticReport::kKeptMax + 7; ++i) {
    report.add({.code = DiagnosticCode::kBadValue});
  }
  EXPECT_TRUE(report.to_text("f").ends_with("f: 7 more are not shown\n"));
}

}  // namespace
}  // namespace millrace::graph
