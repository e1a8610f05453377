#include "server/cors.h"

#include <string>

#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

TEST(CorsTest, S20_IsOffUnlessOriginsAreNamed) {
  FrontRig rig;
  rig.rank.load(small_plan());
  auto& answer = rig.ask("GET", "/v1/plans", "", {{"Origin", "https://a.example"}});
  EXPECT_EQ(field(answer, "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(field(answer, "Vary"), "");
}

TEST(CorsTest, S20_NamesExactlyTheOriginThatIsListed) {
  FrontRig rig({.cors_origins = {"https://a.example"}});
  rig.rank.load(small_plan());
  auto& answer =
      rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", {{"Origin", "https://a.example"}});
  EXPECT_EQ(field(answer, "Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(field(answer, "Vary"), "Origin");
  EXPECT_NE(field(answer, "Access-Control-Expose-Headers").find("Server-Timing"),
            std::string::npos);
  for (const char* other :
       {"https://b.example", "http://a.example", "https://a.example:8080", "null", "*"}) {
    auto& refused = rig.ask("GET", "/v1/plans", "", {{"Origin", other}});
    EXPECT_EQ(field(refused, "Access-Control-Allow-Origin"), "") << other;
    EXPECT_EQ(field(refused, "Vary"), "Origin") << other;
  }
}

TEST(CorsTest, S20_APreflightIsAnsweredForTenMinutes) {
  FrontRig rig({.cors_origins = {"https://a.example"}});
  rig.rank.load(small_plan());
  const Headers asks{{"Origin", "https://a.example"}, {"Access-Control-Request-Method", "POST"}};
  auto& allowed = rig.ask("OPTIONS", "/v1/rank/p", "", asks);
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(field(allowed, "Access-Control-Max-Age"), "600");
  EXPECT_EQ(field(allowed, "Access-Control-Allow-Origin"), "https://a.example");
  const Headers stranger{{"Origin", "https://b.example"},
                         {"Access-Control-Request-Method", "POST"}};
  EXPECT_EQ(field(rig.ask("OPTIONS", "/v1/rank/p", "", stranger), "Access-Control-Max-Age"), "");
}

}  // namespace
}  // namespace millrace::server::testing
