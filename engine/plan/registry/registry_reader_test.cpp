#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"
#include "plan/registry/registry.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

constexpr std::string_view kEndpoints = R"([dev.e]
kind = "embedded"
data_file = "d.jsonl"
[test.e]
kind = "redis"
host = "127.0.0.1"
port = 6379
policy = { max_inflight = 5, connections = 2, connect_timeout = "50ms", request_timeout = "2s" }
[prod.e]
kind = "http"
host = "h"
port = 80
)";

/// `file:line code` of every problem.
std::vector<std::string> problems_of(std::string_view keys,
                                     std::string_view params = "",
                                     std::string_view endpoints = "") {
  const auto registry =
      read_registry({.keys = keys, .params = params, .endpoints = endpoints}, Environment::kDev);
  std::vector<std::string> list;
  if (registry) return list;
  for (const Problem& problem : registry.error().problems()) {
    list.push_back(base::format("{}:{} {}", problem.file, problem.line, to_string(problem.code)));
  }
  return list;
}

TEST(RegistryReaderTest, REG1_ReadsEveryFieldOfAKey) {
  const auto registry =
      read_registry({.keys = "[keys.a]\ntype = 'float'\nnullable = false\ndefault = 1\ndoc = 'd'\n"
                             "lifecycle = 'deprecated'\nallow_write = false\nreplaced_by = 'b'\n"
                             "[keys.b]\ntype = 'string'\n",
                     .params = "",
                     .endpoints = ""},
                    Environment::kDev);
  ASSERT_TRUE(registry) << registry.error().to_text();
  const FieldInfo& key = *registry->find_key("a");
  EXPECT_EQ(key.type, rows::ColumnType::kFloat64);
  EXPECT_FALSE(key.nullable);
  EXPECT_FALSE(key.allow_write);
  EXPECT_EQ(key.lifecycle, Lifecycle::kDeprecated);
  EXPECT_EQ(std::get<double>(key.fallback), 1.0);
  EXPECT_EQ(key.doc, "d");
  EXPECT_EQ(key.replaced_by, "b");
  EXPECT_TRUE(registry->find_key("b")->nullable);
  EXPECT_TRUE(registry->find_key("b")->allow_write);
}

TEST(RegistryReaderTest, REG2_ParamsHaveTheSameFields) {
  const auto registry = read_registry(
      {.keys = "", .params = "[params.p]\ntype = 'int'\ndefault = 3\n", .endpoints = ""},
      Environment::kDev);
  ASSERT_TRUE(registry);
  EXPECT_EQ(std::get<std::int64_t>(registry->find_param("p")->fallback), 3);
}

TEST(RegistryReaderTest, REG3_EachEnvironmentHasItsEndpoints) {
  const RegistryTexts texts{.keys = "", .params = "", .endpoints = kEndpoints};
  const auto dev = read_registry(texts, Environment::kDev);
  const auto test = read_registry(texts, Environment::kTest);
  const auto prod = read_registry(texts, Environment::kProd);
  ASSERT_TRUE(dev && test && prod);
  EXPECT_EQ(dev->endpoints()[0].data_file, "d.jsonl");
  const EndpointInfo& redis = test->endpoints()[0];
  EXPECT_EQ(redis.kind, EndpointKind::kRedis);
  EXPECT_EQ(redis.port, 6379);
  EXPECT_EQ(redis.policy.max_inflight, 5U);
  EXPECT_EQ(redis.policy.connections, 2U);
  EXPECT_EQ(redis.policy.connect_timeout, std::chrono::milliseconds(50));
  EXPECT_EQ(redis.policy.request_timeout, std::chrono::seconds(2));
  EXPECT_EQ(prod->endpoints()[0].kind, EndpointKind::kHttp);
}

TEST(RegistryReaderTest, ReportsAllProblemsOfAllFiles) {
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'text'\nnulable = true\n[keys.B]\ntype = 5\n",
                          "[parms.p]\ntype = 'int'\n",
                          "[dev.e]\nkind = 'redis'\nhost = 1\n[stage.x]\n"),
              ElementsAre("keys.toml:3 unknown_field",
                          "keys.toml:2 bad_value",
                          "keys.toml:4 bad_name",
                          "keys.toml:5 wrong_type",
                          "params.toml:1 unknown_field",
                          "endpoints.toml:1 missing_field",
                          "endpoints.toml:3 wrong_type",
                          "endpoints.toml:4 unknown_field",
                          "endpoints.toml:1 missing_endpoint",
                          "endpoints.toml:1 missing_endpoint"));
}

TEST(RegistryReaderTest, RefusesWhatIsNotToml) {
  EXPECT_THAT(problems_of("[keys.a\n"), ElementsAre("keys.toml:1 bad_toml"));
  EXPECT_THAT(problems_of("keys = 5\n"), ElementsAre("keys.toml:1 wrong_type"));
  EXPECT_THAT(problems_of("[keys]\na = 5\n"), ElementsAre("keys.toml:2 wrong_type"));
  EXPECT_THAT(problems_of("[keys.a]\n"), ElementsAre("keys.toml:1 missing_field"));
}

TEST(RegistryReaderTest, DefaultsHaveTheTypeOfTheirField) {
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'int'\ndefault = 1.5\n"),
              ElementsAre("keys.toml:3 wrong_type"));
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'float'\ndefault = nan\n"),
              ElementsAre("keys.toml:3 wrong_type"));
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'bool'\ndefault = 'x'\n"),
              ElementsAre("keys.toml:3 wrong_type"));
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'string'\ndefault = 'x'\n"), ElementsAre());
}

TEST(RegistryReaderTest, REG4_ReplacementsExistAndDoNotCircle) {
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'int'\nreplaced_by = 'x'\n"),
              ElementsAre("keys.toml:3 bad_replacement"));
  EXPECT_THAT(problems_of("[keys.a]\ntype = 'int'\nreplaced_by = 'b'\n"
                          "[keys.b]\ntype = 'int'\nreplaced_by = 'a'\n"),
              ElementsAre("keys.toml:3 bad_replacement", "keys.toml:6 bad_replacement"));
}

TEST(RegistryReaderTest, REG5_TheIdIsAnIntThatIsNeverNullAndNeverWritten) {
  EXPECT_THAT(
      problems_of("[keys.id]\ntype = 'string'\nnullable = true\nallow_write = true\n"),
      ElementsAre("keys.toml:2 bad_value", "keys.toml:4 bad_value", "keys.toml:3 bad_value"));
  EXPECT_THAT(problems_of("[keys.source]\ntype = 'int'\n"), ElementsAre("keys.toml:2 bad_value"));
}

}  // namespace
}  // namespace millrace::plan
