#include "rank/output_order.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

/// Rows 1..count with a score that `expr` gives, ordered by it; `more` nodes follow.
std::string ordered(int count, std::string_view expr, std::string_view more = "") {
  return plan_text(
      source_node(count) +
          node("s", "vm", "src", base::format(R"({{"out_key": "score", "expr": "{}"}})", expr)) +
          node("o", "sort", "s", R"({"key": "score", "order": "desc"})") + std::string(more),
      more.empty() ? R"(["o"])" : R"(["last"])");
}

std::string warnings_of(const std::string& plan) {
  RankRig rig;
  rig.load(plan);
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(call->ok()) << call->response();
  return std::string(call->part("warnings"));
}

TEST(OutputOrderTest, E7_AnOrderByAKeyThatIsAlwaysNullIsAWarningThatNamesTheWriter) {
  EXPECT_EQ(
      warnings_of(ordered(3, "if(id > 100, 1.0, null)")),
      R"(["the rows are ordered by 'score', which is null in 3 of 3 rows; node 's' (vm) wrote it"])");
  EXPECT_EQ(warnings_of(ordered(3, "id * 1.0")), "[]");
}

TEST(OutputOrderTest, E7_MoreThanHalfOfMoreThanTenIsAWarning) {
  EXPECT_THAT(warnings_of(ordered(11, "if(id > 5, null, 1.0)")), HasSubstr("null in 6 of 11 rows"));
  EXPECT_EQ(warnings_of(ordered(11, "if(id > 6, null, 1.0)")), "[]");
  EXPECT_EQ(warnings_of(ordered(10, "if(id > 1, null, 1.0)")), "[]");
}

TEST(OutputOrderTest, E7_LooksBehindTasksThatKeepTheOrder) {
  const std::string taken = node("last", "take", "o", R"({"count": 2})");
  EXPECT_THAT(warnings_of(ordered(3, "if(id > 100, 1.0, null)", taken)),
              HasSubstr("null in 2 of 2 rows; node 's' (vm)"));
  const std::string rewritten = node("last", "vm", "o", R"({"out_key": "score", "expr": "score"})");
  EXPECT_EQ(warnings_of(ordered(3, "if(id > 100, 1.0, null)", rewritten)), "[]");
}

TEST(OutputOrderTest, E7_AnAnswerWithoutRowsSaysNothing) {
  const std::string none = node("last", "filter", "o", R"({"pred": "id > 100"})");
  EXPECT_EQ(warnings_of(ordered(3, "if(id > 100, 1.0, null)", none)), "[]");
}

}  // namespace
}  // namespace millrace::rank::testing
