#include "apps/rankd/serve_flags.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ServeFlagsTest, S45_FlagsBecomeSettings) {
  const auto flags = parse({"serve",
                            "--listen",
                            "127.0.0.1:1",
                            "--listen",
                            "[::1]:2",
                            "--admin",
                            "127.0.0.1:3",
                            "--set",
                            "cors.origins=https://a.example=x",
                            "--loops",
                            "2",
                            "--deadline_ms",
                            "2.5"});
  ASSERT_TRUE(flags.has_value()) << flags.error().text;
  EXPECT_THAT(flags->serve.settings,
              ElementsAre(Pair("server.loops", "2"),
                          Pair("server.deadline", "2500us"),
                          Pair("server.listen", "127.0.0.1:1,[::1]:2"),
                          Pair("server.admin", "127.0.0.1:3"),
                          Pair("cors.origins", "https://a.example=x")));
}

TEST(ServeFlagsTest, S1_PortIsShortForAnAddress) {
  const auto flags = parse({"serve", "--port", "0", "--check-config", "--config", "x.toml"});
  ASSERT_TRUE(flags.has_value()) << flags.error().text;
  EXPECT_THAT(flags->serve.settings, ElementsAre(Pair("server.listen", "127.0.0.1:0")));
  EXPECT_TRUE(flags->serve.check_config);
  EXPECT_EQ(flags->serve.config_file, "x.toml");
  EXPECT_FALSE(parse({"serve", "--port", "1", "--listen", "a:1"}).has_value());
}

TEST(ServeFlagsTest, AWordWithoutAnEqualsSignIsANameThatNothingHas) {
  const auto flags = parse({"serve", "--set", "nonsense"});
  ASSERT_TRUE(flags.has_value());
  EXPECT_THAT(flags->serve.settings, ElementsAre(Pair("nonsense", "")));
}

}  // namespace
}  // namespace millrace::rankd::testing
