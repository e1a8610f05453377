#include "plan/artifact/artifact_names.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "plan/problem.h"

namespace millrace::plan {
namespace {

TEST(ArtifactNamesTest, NamesAreBoundedAndPrintable) {
  EXPECT_TRUE(is_artifact_name("a.b-c d", 10));
  EXPECT_FALSE(is_artifact_name("", 10));
  EXPECT_FALSE(is_artifact_name("$a", 10));
  EXPECT_FALSE(is_artifact_name("a\n", 10));
  EXPECT_FALSE(is_artifact_name("abc", 2));
}

TEST(ArtifactNamesTest, LeavesOutWhatIsNoName) {
  const auto document = base::read_json(R"({"outputs": ["a", 1, "$b", "c"]})");
  ASSERT_TRUE(document);
  ProblemReport report;
  base::DocumentReporter reporter(*document, report, reader_codes());
  const base::JsonValue outputs = *document->root().find_member("outputs");
  const std::vector<ArtifactName> names = read_artifact_names(
      outputs, base::ValuePlace{}.child(outputs), {.bytes_max = 8, .count_max = 4}, reporter);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[1].text, "c");
  EXPECT_EQ(names[1].where.offset, 27U);
  EXPECT_EQ(report.to_text(),
            "1:19: wrong_type: Expected string, found int (at outputs[1])\n"
            "1:22: bad_name: Not a name: $b (at outputs[2]); 1 to 8 bytes, no control characters, "
            "no '$' first\n");
}

TEST(ArtifactNamesTest, ART6_AListHasALargestSize) {
  const auto document = base::read_json(R"(["a", "b"])");
  ASSERT_TRUE(document);
  ProblemReport report;
  base::DocumentReporter reporter(*document, report, reader_codes());
  EXPECT_TRUE(read_artifact_names(document->root(), {}, {.bytes_max = 8, .count_max = 1}, reporter)
                  .empty());
  EXPECT_EQ(report.to_text(), "1:1: too_large: More than 1 names\n");
}

}  // namespace
}  // namespace millrace::plan
