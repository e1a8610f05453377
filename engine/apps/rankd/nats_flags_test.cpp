#include "apps/rankd/nats_flags.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

using ::testing::ElementsAre;

TEST(NatsFlagsTest, NAT8_PasswordsComeFromTheEnvironment) {
  NatsFlags flags;
  flags.urls = {"nats://a"};
  flags.credentials_file = "given.creds";
  const nats::LinkSettings settings = link_settings(flags, [](const char* name) -> const char* {
    if (std::strcmp(name, "RANKD_NATS_USER") == 0) return "me";
    if (std::strcmp(name, "RANKD_NATS_PASSWORD") == 0) return "secret";
    if (std::strcmp(name, "RANKD_NATS_CREDS") == 0) return "other.creds";
    return nullptr;
  });
  EXPECT_EQ(settings.user, "me");
  EXPECT_EQ(settings.password, "secret");
  EXPECT_EQ(settings.credentials_file, "given.creds");
  EXPECT_EQ(settings.tls_ca_file, "");
}

TEST(NatsFlagsTest, SeveralServersAreSeparatedByCommas) {
  CLI::App app;
  NatsFlags flags;
  add_nats_options(app, flags);
  app.parse("--nats nats://a:1,tls://b:2", false);
  EXPECT_THAT(flags.urls, ElementsAre("nats://a:1", "tls://b:2"));
  EXPECT_THROW(app.parse("--nats nats://a,", false), CLI::ParseError);
  EXPECT_THROW(app.parse("--nats http://a", false), CLI::ParseError);
  EXPECT_THROW(app.parse("", false), CLI::ParseError);
}

}  // namespace
}  // namespace millrace::rankd
