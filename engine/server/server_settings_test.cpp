#include "server/server_settings.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::pair<ServerSettings, std::string> read_with(const Pairs& flags) {
  base::ProblemReport report;
  const auto values = base::SettingValues::read(settings_table(), {.flags = flags}, report);
  ServerSettings settings = read_server_settings(values, report);
  return {std::move(settings), report.to_text()};
}

TEST(ServerSettingsTest, S45_DefaultsAreThoseOfTheContract) {
  const auto [settings, problems] = read_with({});
  EXPECT_EQ(problems, "");
  EXPECT_EQ(settings.listen, (std::vector<std::string>{"127.0.0.1:8080"}));
  EXPECT_EQ(settings.connections_max, 10'000U);
  EXPECT_EQ(settings.http.limits.header_bytes_max, 16U << 10);
  EXPECT_EQ(settings.http.idle_timeout, std::chrono::seconds(75));
  EXPECT_EQ(settings.front.deadline_max, std::chrono::seconds(60));
  EXPECT_FALSE(settings.front.deadline);
  EXPECT_EQ(settings.drain_timeout, std::chrono::seconds(25));
}

TEST(ServerSettingsTest, S7_LoopsShareTheConnectionsThatMayBeInsideARequest) {
  const net::HttpServerSettings http{.reading_max = 1000};
  EXPECT_EQ(share_of_loop(http, 1).reading_max, 1000U);
  EXPECT_EQ(share_of_loop(http, 3).reading_max, 333U);
  EXPECT_EQ(share_of_loop({.reading_max = 2}, 3).reading_max, 1U);
}

TEST(ServerSettingsTest, S45_WhatOnlyTogetherIsWrongIsReported) {
  const auto [settings, problems] = read_with({{"server.listen", "nonsense"},
                                               {"server.admin", "1.2.3.4:99999"},
                                               {"cors.origins", "https://a.example,*"},
                                               {"tls.cert", "x"},
                                               {"log.requests", "2/3"},
                                               {"drain.notice", "30s"}});
  for (const char* part : {"'server.listen' cannot be 'nonsense'",
                           "'server.admin'",
                           "'cors.origins'",
                           "'tls.cert' and 'tls.key'",
                           "'log.requests'",
                           "'drain.timeout'"})
    EXPECT_THAT(problems, HasSubstr(part));
}

TEST(ServerSettingsTest, NAT8_SettingsOfNatsAreChecked) {
  const auto [good, none] = read_with({{"nats.urls", "nats://a:4222,tls://b"},
                                       {"nats.creds", "user.creds"},
                                       {"nats.required", "true"}});
  EXPECT_EQ(none, "");
  EXPECT_EQ(good.nats.link.urls.size(), 2U);
  EXPECT_EQ(good.nats.link.credentials_file, "user.creds");
  EXPECT_EQ(good.nats.group, "rankd");
  EXPECT_TRUE(good.nats.is_required);
  const auto [bad, problems] = read_with({{"nats.urls", "nats://me:secret@a,http://b"},
                                          {"nats.prefix", "rank.*"},
                                          {"nats.group", "a b"},
                                          {"nats.tls_cert", "x"}});
  for (const char* part : {"must not have a user or a password",
                           "not http://",
                           "'nats.prefix'",
                           "'nats.group'",
                           "'nats.tls_cert' and 'nats.tls_key'"})
    EXPECT_THAT(problems, HasSubstr(part));
  EXPECT_THAT(problems, ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(read_with({{"nats.required", "true"}}).second, HasSubstr("'nats.required'"));
  EXPECT_THAT(read_with({{"nats.group", "a\r\nPUB"}}).second, HasSubstr("'nats.group'"));
  EXPECT_THAT(read_with({{"nats.password", "x"}}).second, HasSubstr("nats.password"))
      << "not on the command line";
}

TEST(ServerSettingsTest, S45_NamesAndVariablesAreUnique) {
  std::set<std::string> names;
  for (const base::SettingSpec& spec : settings_table())
    EXPECT_TRUE(names.insert(base::variable_of(spec)).second) << spec.name;
}

TEST(ServerSettingsTest, HostSettingsComeFromTheTable) {
  base::ProblemReport report;
  const Pairs flags{{"server.loops", "3"},
                    {"plans.env", "prod"},
                    {"engine.pin", "true"},
                    {"engine.node_timeout", "50ms"}};
  const auto values = base::SettingValues::read(settings_table(), {.flags = flags}, report);
  host::Settings settings;
  settings.plan_dir = "kept";
  apply_to_host(values, settings);
  EXPECT_EQ(settings.loops, 3U);
  EXPECT_EQ(settings.env, "prod");
  EXPECT_TRUE(settings.pin);
  EXPECT_EQ(settings.plan_dir, "kept");
  EXPECT_EQ(settings.node_timeout, std::chrono::milliseconds(50));
}

TEST(ServerSettingsTest, ThePageInTheReferenceIsTheOnePrinted) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/settings.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), settings_page()) << "print it anew with settings_page";
}

}  // namespace
}  // namespace millrace::server
