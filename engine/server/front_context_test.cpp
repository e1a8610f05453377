#include "server/front_context.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using std::chrono::seconds;

TEST(FrontContextTest, S18_TheLeastOfAllTimeLimitsCounts) {
  FrontRig rig({.deadline = seconds(3), .deadline_max = seconds(5)});
  rig.rank.load(small_plan());
  const base::TimePoint start{};
  EXPECT_EQ(rig.front().deadline_of(start, std::nullopt), start + seconds(3));
  EXPECT_EQ(rig.front().deadline_of(start, seconds(1)), start + seconds(1));
  EXPECT_EQ(rig.front().deadline_of(start, seconds(9)), start + seconds(3));
  FrontRig other({.deadline_max = seconds(5)});
  other.rank.load(small_plan());
  EXPECT_EQ(other.front().deadline_of(start, seconds(9)), start + seconds(5));
}

TEST(FrontContextTest, S16_OnlyRefusalsSayWhenToComeBack) {
  FrontRig rig;
  rig.rank.load(small_plan());
  net::FakeHttpExchange exchange;
  rig.front().add_retry_after(exchange.reply_fields(), 500);
  EXPECT_EQ(field(exchange, "Retry-After"), "");
  rig.front().add_retry_after(exchange.reply_fields(), 429);
  EXPECT_NE(field(exchange, "Retry-After"), "");
}

}  // namespace
}  // namespace millrace::server::testing
