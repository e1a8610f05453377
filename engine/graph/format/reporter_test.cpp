#include "graph/format/reporter.h"

#include <gtest/gtest.h>

#include "base/formats/json_document.h"
#include "base/formats/yaml_reader.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {
namespace {

TEST(ReporterTest, G7_FindsPathLineAndColumn) {
  const auto document = base::read_yaml("a:\n  - {x: 1}\n  - é: 2\n    b: 3\n");
  ASSERT_TRUE(document);
  const base::JsonValue list = *document->root().find_member("a");
  auto items = list.children().begin();
  const base::JsonValue first = *items;
  const base::JsonValue second = *++items;
  const base::OriginPaths origins{{first.index(), "templates[0].a[7]"}};
  DiagnosticReport report;
  Reporter reporter(*document, origins, report);
  reporter.at_value(DiagnosticCode::kBadValue, *second.find_member("b"), "value");
  reporter.at_key(DiagnosticCode::kUnknownField, *second.find_member("é"), "key");
  reporter.at_member(DiagnosticCode::kMissingField, second, "none", "object");
  reporter.at_member(DiagnosticCode::kBadValue, first, "x", "moved");
  const auto found = report.problems();
  EXPECT_EQ(found[0].path, "a[1].b");
  EXPECT_EQ(found[0].line, 4U);
  EXPECT_EQ(found[0].column, 8U);
  EXPECT_EQ(found[1].path, "a[1].é");
  EXPECT_EQ(found[1].line, 3U);
  EXPECT_EQ(found[1].column, 5U);
  EXPECT_EQ(found[2].path, "a[1]");
  EXPECT_EQ(found[3].path, "templates[0].a[7].x");
  EXPECT_EQ(reporter.problems().unread_count(), 3U);
}

}  // namespace
}  // namespace millrace::graph
