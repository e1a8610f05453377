#include "plan/artifact/artifact_fields.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

TEST(ArtifactFieldsTest, NamesAreBoundedAndPrintable) {
  EXPECT_TRUE(is_artifact_name("a.b-c d", 10));
  EXPECT_FALSE(is_artifact_name("", 10));
  EXPECT_FALSE(is_artifact_name("$a", 10));
  EXPECT_FALSE(is_artifact_name("a\n", 10));
  EXPECT_FALSE(is_artifact_name("abc", 2));
}

TEST(ArtifactFieldsTest, LongTextIsCutAtACharacter) {
  EXPECT_EQ(shortened("short"), "short");
  const std::string text = std::string(79, 'x') + "ä tail";
  EXPECT_EQ(shortened(text), std::string(79, 'x') + "…");
}

TEST(ArtifactFieldsTest, SuggestsTheNearestName) {
  const std::vector<std::string_view> names{"viewer", "follow"};
  EXPECT_EQ(suggest("veiwer", names), "did you mean 'viewer'?");
  EXPECT_EQ(suggest("xyz", names), "");
}

}  // namespace
}  // namespace millrace::plan
