#include "server/observation/otel_settings.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::pair<ServerSettings, std::string> read_otel(const Pairs& flags, const Pairs& environment) {
  base::ProblemReport report;
  const auto values = base::SettingValues::read(settings_table(), {.flags = flags}, report);
  ServerSettings settings;
  read_otel_settings(values, environment, settings, report);
  return {std::move(settings), report.to_text()};
}

TEST(OtelSettingsTest, S41_NothingIsExportedUnlessAsked) {
  const auto [settings, problems] = read_otel({}, {});
  EXPECT_EQ(problems, "");
  EXPECT_EQ(settings.otlp.client.address.host, "");
  EXPECT_EQ(settings.front.trace_root_share, 0);
}

TEST(OtelSettingsTest, S41_TheVariablesOfOpenTelemetryCount) {
  const auto [settings, problems] =
      read_otel({},
                {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/base/"},
                 {"OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret,x=y=z,bad"},
                 {"OTEL_RESOURCE_ATTRIBUTES", "service.name=old,region=eu"},
                 {"OTEL_SERVICE_NAME", "ranking"},
                 {"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                 {"OTEL_TRACES_SAMPLER_ARG", "0.25"}});
  EXPECT_EQ(problems, "");
  const observe::OtlpOptions& otlp = settings.otlp;
  EXPECT_EQ(otlp.client.address.host, "collector");
  EXPECT_EQ(otlp.client.address.port, 4318);
  EXPECT_FALSE(otlp.client.connect.tls.has_value());
  EXPECT_EQ(otlp.target, "/base/v1/traces");
  EXPECT_EQ(otlp.fields.find("api-key"), "s3cret");
  EXPECT_EQ(otlp.fields.find("x"), "y=z");
  EXPECT_EQ(otlp.resource, (observe::OtlpResource{{"region", "eu"}, {"service.name", "ranking"}}));
  EXPECT_EQ(settings.front.trace_root_share, 0.25);
}

TEST(OtelSettingsTest, S45_OurSettingsWinOverTheVariables) {
  const auto [settings, problems] = read_otel(
      {{"trace.endpoint", "https://127.0.0.1"}, {"trace.root_share", "0.5"}},
      {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://other:1"}, {"OTEL_TRACES_SAMPLER", "always_on"}});
  EXPECT_EQ(problems, "");
  EXPECT_EQ(settings.otlp.client.address.host, "127.0.0.1");
  EXPECT_EQ(settings.otlp.client.address.port, 443);
  EXPECT_TRUE(settings.otlp.client.connect.tls.has_value());
  EXPECT_EQ(settings.front.trace_root_share, 0.5);
  EXPECT_EQ(read_otel({}, {{"OTEL_TRACES_SAMPLER", "parentbased_always_on"}})
                .first.front.trace_root_share,
            1);
  EXPECT_EQ(
      read_otel({}, {{"OTEL_SDK_DISABLED", "true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1"}})
          .first.otlp.client.address.host,
      "");
}

TEST(OtelSettingsTest, WhatCannotBeIsReported) {
  for (const std::string url :
       {"collector:4318", "ftp://x", "http://", "http://h:99999", "http://h:1/a b"}) {
    const auto [settings, problems] = read_otel({{"trace.endpoint", url}}, {});
    EXPECT_THAT(problems, HasSubstr("'trace.endpoint' cannot be '" + url + "'")) << url;
  }
  for (const std::string share : {"2", "-1", "x", "nan", "0.5x"}) {
    EXPECT_THAT(read_otel({{"trace.root_share", share}}, {}).second,
                HasSubstr("'trace.root_share' cannot be"))
        << share;
  }
  EXPECT_THAT(read_otel({}, {{"OTEL_TRACES_SAMPLER", "jaeger_remote"}}).second,
              HasSubstr("'OTEL_TRACES_SAMPLER' cannot be 'jaeger_remote'"));
  EXPECT_THAT(
      read_otel({}, {{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "many"}})
          .second,
      HasSubstr("OTEL_TRACES_SAMPLER"));
}

}  // namespace
}  // namespace millrace::server
