#include "plan/reporter.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

TEST(ReporterTest, ART7_PlacesAProblemInTheSourceWhenItsNodeIsKnownThere) {
  const auto document = base::read_json("{\"a\":\n  1}");
  ASSERT_TRUE(document);
  ProblemReport report;
  Reporter reporter(*document, report);
  reporter.set_source_file("p.plan.ts");
  reporter.set_span("n", {.line = 7, .column = 6, .end_line = 7, .end_column = 9});
  reporter.add(ProblemCode::kCycle, {.path = "nodes[0]", .offset = 8, .node = "n"}, "in source");
  reporter.add(ProblemCode::kCycle, {.path = "nodes[1]", .offset = 8, .node = "m"}, "in artifact");
  ASSERT_EQ(report.problems().size(), 2U);
  EXPECT_EQ(
      report.to_text(),
      "p.plan.ts:7:6: cycle: in source (at nodes[0])\n2:3: cycle: in artifact (at nodes[1])\n");
  EXPECT_EQ(reporter.span("n").end_column, 9U);
  EXPECT_EQ(reporter.span("m").line, 0U);
}

TEST(ReporterTest, PathsGrowByMembersAndItems) {
  const auto document = base::read_json(R"({"a": [1]})");
  ASSERT_TRUE(document);
  const base::JsonValue a = *document->root().find_member("a");
  const Where where = Where{}.member("a", a).item(0, *a.children().begin());
  EXPECT_EQ(where.path, "a[0]");
  EXPECT_EQ(where.offset, 7U);
}

}  // namespace
}  // namespace millrace::plan
