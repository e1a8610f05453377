#include "apps/rankd/serve.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

TEST(RankdServeTest, S45_CheckConfigReportsEveryProblemAndExitsWithTwo) {
  Flags flags = repository_flags();
  flags.serve.check_config = true;
  flags.serve.settings = {{"server.loops", "99"}, {"log.level", "loud"}};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_serve(flags), 2);
  const std::string problems = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(problems, HasSubstr("'server.loops' cannot be '99'"));
  EXPECT_THAT(problems, HasSubstr("'log.level' cannot be 'loud'"));
}

TEST(RankdServeTest, S45_CheckConfigReadsTheFilesThatSettingsName) {
  Flags flags = repository_flags();
  flags.serve.check_config = true;
  flags.serve.settings = {{"auth.keys_file", "/nowhere/keys.toml"},
                          {"tls.cert", "/nowhere/server.pem"},
                          {"tls.key", "/nowhere/server.key"}};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_serve(flags), 2);
  const std::string problems = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(problems, HasSubstr("'auth.keys_file'"));
  EXPECT_THAT(problems, HasSubstr("'tls.cert'"));
}

TEST(RankdServeTest, S45_PrintConfigShowsEverySetting) {
  Flags flags = repository_flags();
  flags.serve.print_config = true;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_serve(flags), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("server.listen = 127.0.0.1:8080  # default\n"));
  flags.format = Format::kJson;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_serve(flags), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr(R"({"name":"server.listen","value":"127.0.0.1:8080","source":"default")"));
}

TEST(RankdServeTest, AMissingFileOfSettingsIsAnError) {
  Flags flags = repository_flags();
  flags.serve.config_file = "/nowhere/x.toml";
  EXPECT_EQ(run_serve(flags), 2);
}

}  // namespace
}  // namespace millrace::rankd::testing
