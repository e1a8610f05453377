#include "base/check.h"

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(CheckTest, PassesSilentlyAndEvaluatesOnce) {
  int calls = 0;
  MR_CHECK(++calls == 1, "never printed");
  EXPECT_EQ(calls, 1);
}

TEST(CheckTest, IsOneStatementWithoutBraces) {
  const bool broken = false;
  bool took_else = false;
  // clang-format off
  if (broken) MR_CHECK(!broken);
  else took_else = true;
  // clang-format on
  EXPECT_TRUE(took_else);
}

TEST(CheckDeathTest, PrintsConditionPlaceAndValues) {
  const int count = 3;
  EXPECT_DEATH(MR_CHECK(count == 4, count, "items"),
               "MR_CHECK failed: count == 4 at .*check_test.cpp:[0-9]+ values: 3 items");
}

TEST(CheckDeathTest, PrintsWithoutValues) {
  EXPECT_DEATH(MR_CHECK(1 > 2), "MR_CHECK failed: 1 > 2 at [^ ]*check_test.cpp:[0-9]+\n");
}

#ifdef NDEBUG
TEST(CheckTest, DcheckEvaluatesNothingInRelease) {
  int calls = 0;
  MR_DCHECK(++calls == 99);
  EXPECT_EQ(calls, 0);
}
#else
TEST(CheckDeathTest, DcheckStopsDebugBuilds) {
  EXPECT_DEATH(MR_DCHECK(1 > 2, "why"), "MR_CHECK failed: 1 > 2 .* values: why");
}
#endif

}  // namespace
}  // namespace millrace::base
