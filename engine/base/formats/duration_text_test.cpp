#include "base/formats/duration_text.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(DurationTextTest, ReadsAWholeNumberWithAUnit) {
  EXPECT_EQ(parse_duration("500us"), std::chrono::microseconds(500));
  EXPECT_EQ(parse_duration("50ms"), std::chrono::milliseconds(50));
  EXPECT_EQ(parse_duration("3600s"), std::chrono::hours(1));
}

TEST(DurationTextTest, RefusesWhatIsNoneOrTooLong) {
  for (const char* bad : {"", "5", "ms", "0ms", "-1ms", "1.5ms", "5 ms", "2h", "3601s", "5msx"}) {
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_duration("99999999999999999999s"), std::nullopt);
}

}  // namespace
}  // namespace millrace::base
