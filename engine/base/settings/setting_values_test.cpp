#include "base/settings/setting_values.h"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::base {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<SettingSpec, 5> kTable{{
    {.name = "server.listen",
     .kind = SettingKind::kTextList,
     .initial = "127.0.0.1:8080",
     .help = "Where it listens",
     .flag = "--listen"},
    {.name = "server.idle_timeout",
     .kind = SettingKind::kDuration,
     .initial = "75s",
     .help = "How long an idle connection stays",
     .is_hot = true},
    {.name = "server.body_max", .kind = SettingKind::kSize, .initial = "1MiB", .help = "A body"},
    {.name = "server.half_close", .kind = SettingKind::kFlag, .initial = "true", .help = "Ends"},
    {.name = "auth.token",
     .kind = SettingKind::kText,
     .initial = "",
     .help = "A secret",
     .is_secret = true},
}};

struct ReadResult {
  ProblemReport report;
  SettingValues values;
};

ReadResult read_all(const SettingInputs& inputs) {
  ProblemReport report;
  SettingValues values = SettingValues::read(kTable, inputs, report);
  return {std::move(report), std::move(values)};
}

TEST(SettingValuesTest, S45_FlagsWinOverEnvironmentOverFileOverDefault) {
  const Pairs flags{{"server.idle_timeout", "4s"}};
  const Pairs environment{{"RANKD_SERVER_IDLE_TIMEOUT", "3s"}, {"RANKD_SERVER_BODY_MAX", "3KiB"}};
  const auto [report, values] = read_all(
      {.flags = flags,
       .environment = environment,
       .file_name = "r.toml",
       .file_text = "[server]\nidle_timeout = \"2s\"\nbody_max = 2048\nhalf_close = false\n"
                    "listen = [\"a:1\", \"b:2\"]\n"});
  EXPECT_TRUE(report.empty()) << report.to_text();
  EXPECT_EQ(values.duration("server.idle_timeout"), std::chrono::seconds(4));
  EXPECT_EQ(values.integer("server.body_max"), 3072);
  EXPECT_FALSE(values.flag("server.half_close"));
  EXPECT_EQ(values.list("server.listen"), (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(values.text("auth.token"), "");
  EXPECT_EQ(values.source("server.idle_timeout"), SettingSource::kFlag);
  EXPECT_EQ(values.source("server.body_max"), SettingSource::kEnvironment);
  EXPECT_EQ(values.source("server.half_close"), SettingSource::kFile);
  EXPECT_EQ(values.source("auth.token"), SettingSource::kDefault);
}

TEST(SettingValuesTest, S45_UnknownKeysOfTheFileHaveAPlaceAndASuggestion) {
  const auto [report, values] = read_all(
      {.file_name = "r.toml", .file_text = "[server]\nidle_timeuot = \"2s\"\n[other]\nx = 1\n"});
  EXPECT_TRUE(report.has_errors());
  EXPECT_EQ(report.to_text(),
            "r.toml:2:1: unknown_setting: There is no setting 'server.idle_timeuot'; did you mean "
            "'server.idle_timeout'?\n"
            "r.toml:4:1: unknown_setting: There is no setting 'other.x'\n");
}

TEST(SettingValuesTest, S45_BadValuesSayWhereAndWhatIsAllowed) {
  const Pairs flags{{"server.body_max", "lots"}, {"nonsense", "1"}};
  const Pairs environment{{"RANKD_SERVER_HALF_CLOSE", "yes"}};
  const auto [report, values] = read_all({.flags = flags,
                                          .environment = environment,
                                          .file_name = "r.toml",
                                          .file_text = "[server]\n  idle_timeout = 5\n"});
  const std::string text = report.to_text();
  EXPECT_THAT(text, HasSubstr("r.toml:2:3: bad_setting: 'server.idle_timeout' cannot be '5'"));
  EXPECT_THAT(text, HasSubstr("'server.half_close' cannot be 'yes' (RANKD_SERVER_HALF_CLOSE)"));
  EXPECT_THAT(text, HasSubstr("'server.body_max' cannot be 'lots' (command line)"));
  EXPECT_THAT(text, HasSubstr("There is no setting 'nonsense' (command line)"));
  EXPECT_EQ(values.integer("server.body_max"), 1 << 20);
}

TEST(SettingValuesTest, S45_UnknownVariablesOnlyWarn) {
  const Pairs environment{{"RANKD_SERVICE_HOST", "10.0.0.1"}, {"HOME", "/"}};
  const auto [report, values] = read_all({.environment = environment});
  EXPECT_FALSE(report.has_errors());
  EXPECT_THAT(report.to_text(), HasSubstr("warning: unknown_variable"));
  EXPECT_THAT(report.to_text(), Not(HasSubstr("HOME")));
}

TEST(SettingValuesTest, S45_BadTomlHasAPlace) {
  const auto [report, values] = read_all({.file_name = "r.toml", .file_text = "[server\n"});
  EXPECT_THAT(report.to_text(), HasSubstr("r.toml:1:"));
  EXPECT_TRUE(report.has_errors());
}

TEST(SettingValuesTest, S45_SecretsAreNeitherShownNorTakenFromTheCommandLine) {
  const Pairs environment{{"RANKD_AUTH_TOKEN", "sesame"}};
  const auto good = read_all({.environment = environment});
  EXPECT_EQ(good.values.text("auth.token"), "sesame");
  EXPECT_THAT(good.values.to_text(), HasSubstr("auth.token = ***  # RANKD_AUTH_TOKEN"));
  std::string json;
  JsonWriter writer(json);
  good.values.write_json(writer);
  EXPECT_THAT(json, Not(HasSubstr("sesame")));
  const Pairs flags{{"auth.token", "sesame"}};
  const auto refused = read_all({.flags = flags});
  EXPECT_TRUE(refused.report.has_errors());
  EXPECT_THAT(refused.report.to_text(), Not(HasSubstr("sesame")));
  EXPECT_THAT(refused.report.to_text(), HasSubstr("RANKD_AUTH_TOKEN"));
}

TEST(SettingValuesTest, S45_PrintsValueSourceAndWhetherAReloadChangesIt) {
  const Pairs flags{{"server.listen", "x:1"}};
  const auto [report, values] = read_all(
      {.flags = flags, .file_name = "r.toml", .file_text = "[server]\nidle_timeout = \"2s\"\n"});
  EXPECT_EQ(values.to_text(),
            "server.listen = x:1  # command line\n"
            "server.idle_timeout = 2s  # r.toml:2:1, changed by a reload\n"
            "server.body_max = 1MiB  # default\n"
            "server.half_close = true  # default\n"
            "auth.token =   # default\n");
}

TEST(SettingValuesTest, PageHasARowPerSetting) {
  const std::string page = settings_reference(kTable);
  EXPECT_THAT(page, HasSubstr("| `server.idle_timeout` | duration | `75s` | yes |"));
  EXPECT_THAT(page, HasSubstr("; `--listen` |"));
}

}  // namespace
}  // namespace millrace::base
