#include "graph/record/divergence.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::graph {
namespace {

std::optional<Divergence> between(const std::string& recorded, const std::string& now) {
  const auto before = base::read_json(recorded);
  const auto after = base::read_json(now);
  EXPECT_TRUE(before);
  EXPECT_TRUE(after);
  return find_divergence(before->root(), after->root());
}

TEST(Divergence, NamesTheMemberAndTheComponent) {
  const auto found = between(R"({"is":"run","domain":"main","epoch":2,"component":"a","spent":1})",
                             R"({"is":"run","domain":"main","epoch":2,"component":"a","spent":3})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->domain, "main");
  EXPECT_EQ(found->epoch, 2U);
  EXPECT_EQ(found->place, "a");
  EXPECT_EQ(found->recorded, "spent: 1");
  EXPECT_EQ(found->now, "spent: 3");
}

TEST(Divergence, AMemberMayBeMissingOnEitherSide) {
  EXPECT_EQ(between(R"({"is":"end","edge":"e"})", R"({"is":"end"})")->now, "edge: nothing");
  EXPECT_EQ(between(R"({"is":"end"})", R"({"is":"end","edge":"e"})")->recorded, "edge: nothing");
}

TEST(Divergence, OfABoundaryTheFirstMessageThatDiffersIsToBlame) {
  const auto found =
      between(R"({"is":"begin","took":["a#1","b#2"]})", R"({"is":"begin","took":["a#1","c#1"]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, "b");
}

TEST(Divergence, EqualEntriesHaveNone) {
  EXPECT_FALSE(between(R"({"is":"end","epoch":1})", R"({"epoch":1,"is":"end"})"));
}

}  // namespace
}  // namespace millrace::graph
