#include "server/page_exchange.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

TEST(PageExchangeTest, TheFormatFollowsAccept) {
  FrontRig rig;
  rig.rank.load(small_plan());
  auto& plain = rig.ask("GET", "/metrics");
  EXPECT_EQ(field(plain, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  auto& open = rig.ask(
      "GET", "/metrics", "", {{"Accept", "application/openmetrics-text;version=1.0.0,*/*;q=0.1"}});
  EXPECT_EQ(field(open, "Content-Type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(open.reply_body.ends_with("# EOF\n"));
}

TEST(PageExchangeTest, AClientThatGoesWhileThePageIsMadeIsForgotten) {
  FrontRig rig;
  rig.rank.load(small_plan());
  auto& exchange = rig.start("GET", "/metrics");
  ASSERT_FALSE(exchange.is_complete);
  exchange.receiver->on_gone(net::kHttpClientGone);
  EXPECT_EQ(rig.front().open_count(), 1U);
  rig.rank.drain();
  EXPECT_EQ(rig.front().open_count(), 0U);
  EXPECT_FALSE(exchange.is_complete);
}

}  // namespace
}  // namespace millrace::server::testing
