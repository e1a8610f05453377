#include "plan/registry/endpoint_reader.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "plan/registry/registry.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

/// The endpoint `e` of dev with these fields; those of the other environments are fine.
std::expected<Registry, ProblemReport> read_endpoint_text(std::string_view dev) {
  const std::string text = base::format(
      "[dev.e]\n{}[test.e]\nkind = 'embedded'\ndata_file = 'x'\n[prod.e]\nkind = 'embedded'\n"
      "data_file = 'x'\n",
      dev);
  return read_registry({.keys = "", .params = "", .endpoints = text}, Environment::kDev);
}

/// `file:line code` of every problem.
std::vector<std::string> endpoint_problems(std::string_view dev) {
  const auto registry = read_endpoint_text(dev);
  std::vector<std::string> list;
  if (registry) return list;
  for (const Problem& problem : registry.error().problems()) {
    list.push_back(base::format("{}:{} {}", problem.file, problem.line, to_string(problem.code)));
  }
  return list;
}

TEST(EndpointReaderTest, EndpointsHaveTheFieldsOfTheirKind) {
  EXPECT_THAT(endpoint_problems("kind = 'embedded'\ndata_file = 'x'\n"), ElementsAre());
  EXPECT_THAT(endpoint_problems("kind = 'embedded'\ndata_file = 'x'\nport = 5\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
  EXPECT_THAT(endpoint_problems("kind = 'http'\nhost = 'h'\nport = 70000\n"),
              ElementsAre("endpoints.toml:4 param_range"));
  EXPECT_THAT(endpoint_problems("kind = 'http'\nhost = 'h'\nport = 1\ndata_file = 'x'\n"),
              ElementsAre("endpoints.toml:5 unknown_field"));
  EXPECT_THAT(endpoint_problems(
                  "kind = 'http'\nhost = 'h'\nport = 1\npolicy = { connect_timeout = '5' }\n"),
              ElementsAre("endpoints.toml:5 bad_timeout"));
  EXPECT_THAT(endpoint_problems(
                  "kind = 'http'\nhost = 'h'\nport = 1\npolicy = { connect_timeout = '2h' }\n"),
              ElementsAre("endpoints.toml:5 bad_timeout"));
  EXPECT_THAT(
      endpoint_problems("kind = 'http'\nhost = 'h'\nport = 1\npolicy = { max_inflight = 0 }\n"),
      ElementsAre("endpoints.toml:5 param_range"));
}

TEST(EndpointReaderTest, G70_AGraphEndpointNamesTheTablesOfAGraph) {
  const auto registry = read_endpoint_text("kind = 'graph'\ntables = ['trending', 'seen']\n");
  ASSERT_TRUE(registry);
  EXPECT_EQ(registry->endpoints().front().kind, EndpointKind::kGraph);
  EXPECT_THAT(registry->endpoints().front().tables, ElementsAre("trending", "seen"));
  EXPECT_EQ(to_string(EndpointKind::kGraph), "graph");
  EXPECT_THAT(endpoint_problems("kind = 'graph'\n"), ElementsAre("endpoints.toml:1 missing_field"));
  for (const char* const tables : {"[]", "['']", "['a:b']", "[3]", "['a', 'a']"}) {
    EXPECT_THAT(endpoint_problems(base::format("kind = 'graph'\ntables = {}\n", tables)),
                ElementsAre("endpoints.toml:3 bad_value"))
        << tables;
  }
  EXPECT_THAT(endpoint_problems("kind = 'graph'\ntables = ['a']\nhost = 'h'\npolicy = {}\n"),
              ElementsAre("endpoints.toml:4 unknown_field", "endpoints.toml:5 unknown_field"));
  EXPECT_THAT(endpoint_problems("kind = 'embedded'\ndata_file = 'x'\ntables = ['a']\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
}

TEST(EndpointReaderTest, REG3_ARedisEndpointSaysWhereAndHow) {
  const auto registry = read_endpoint_text(
      "kind = 'redis'\nhost = 'h'\nport = 7\nusername = 'u'\npassword_env = 'P'\ndatabase = 3\n"
      "tls = { ca_file = 'ca', certificate_file = 'c', key_file = 'k', server_name = 's', "
      "verify = false }\n"
      "policy = { breaker_failures = 2, breaker_open = '1s', single_flight = false, "
      "hedge_after = '5ms', cache_ttl = '2s', cache_bytes = 1000, protocol = 2 }\n");
  ASSERT_TRUE(registry) << registry.error().to_text();
  const EndpointInfo& endpoint = registry->endpoints()[0];
  EXPECT_EQ(endpoint.username, "u");
  EXPECT_EQ(endpoint.password_env, "P");
  EXPECT_EQ(endpoint.database, 3U);
  ASSERT_TRUE(endpoint.tls.has_value());
  EXPECT_EQ(endpoint.tls->ca_file, "ca");
  EXPECT_EQ(endpoint.tls->certificate_file, "c");
  EXPECT_EQ(endpoint.tls->key_file, "k");
  EXPECT_EQ(endpoint.tls->server_name, "s");
  EXPECT_FALSE(endpoint.tls->verify);
  EXPECT_EQ(endpoint.policy.breaker_failures, 2U);
  EXPECT_EQ(endpoint.policy.breaker_open, std::chrono::seconds(1));
  EXPECT_FALSE(endpoint.policy.single_flight);
  EXPECT_EQ(endpoint.policy.hedge_after, std::chrono::milliseconds(5));
  EXPECT_EQ(endpoint.policy.cache_ttl, std::chrono::seconds(2));
  EXPECT_EQ(endpoint.policy.cache_bytes, 1000U);
  EXPECT_EQ(endpoint.policy.protocol, 2U);
}

TEST(EndpointReaderTest, REG3_AUnixSocketStandsForHostAndPort) {
  const auto registry = read_endpoint_text("kind = 'redis'\nunix_path = '/s'\n");
  ASSERT_TRUE(registry) << registry.error().to_text();
  EXPECT_EQ(registry->endpoints()[0].unix_path, "/s");
  EXPECT_THAT(endpoint_problems("kind = 'redis'\nunix_path = '/s'\nport = 1\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
  EXPECT_EQ(read_endpoint_text("kind = 'http'\nunix_path = '/s'\n")->endpoints()[0].unix_path,
            "/s");
  EXPECT_THAT(endpoint_problems("kind = 'embedded'\ndata_file = 'd'\nunix_path = '/s'\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
}

TEST(EndpointReaderTest, REG3_AnHttpEndpointMayUseTls) {
  const auto registry =
      read_endpoint_text("kind = 'http'\nhost = 'h'\nport = 1\ntls = { ca_file = 'ca' }\n");
  ASSERT_TRUE(registry) << registry.error().to_text();
  EXPECT_EQ(registry->endpoints()[0].tls->ca_file, "ca");
  EXPECT_THAT(endpoint_problems("kind = 'embedded'\ndata_file = 'd'\ntls = {}\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
}

TEST(EndpointReaderTest, RED11_AClusterIsNamedByOneOfItsNodes) {
  const std::string node = "kind = 'redis'\nhost = 'h'\nport = 1\ncluster = true\n";
  const auto registry = read_endpoint_text(node);
  ASSERT_TRUE(registry) << registry.error().to_text();
  EXPECT_TRUE(registry->endpoints()[0].cluster);
  EXPECT_THAT(endpoint_problems(node + "database = 1\n"),
              ElementsAre("endpoints.toml:6 unknown_field"));
  EXPECT_THAT(endpoint_problems("kind = 'redis'\ncluster = true\nunix_path = '/s'\n"),
              ElementsAre("endpoints.toml:4 unknown_field"));
}

TEST(EndpointReaderTest, FieldsOfRedisAreRefusedElsewhereAndChecked) {
  const std::string http = "kind = 'http'\nhost = 'h'\nport = 1\n";
  const std::string redis = "kind = 'redis'\nhost = 'h'\nport = 1\n";
  for (const std::string_view field :
       {"username = 'u'", "password_env = 'P'", "database = 1", "cluster = true"}) {
    EXPECT_THAT(endpoint_problems(http + std::string(field) + "\n"),
                ElementsAre("endpoints.toml:5 unknown_field"))
        << field;
  }
  for (const std::string_view field : {"single_flight = true",
                                       "hedge_after = '1ms'",
                                       "cache_ttl = '1s'",
                                       "cache_bytes = 5",
                                       "protocol = 2"}) {
    EXPECT_THAT(endpoint_problems(http + "policy = { " + std::string(field) + " }\n"),
                ElementsAre("endpoints.toml:5 unknown_field"))
        << field;
  }
  for (const std::string_view field : {"database = -1",
                                       "policy = { protocol = 1 }",
                                       "policy = { protocol = 4 }",
                                       "policy = { cache_bytes = 0 }",
                                       "policy = { breaker_failures = 0 }"}) {
    EXPECT_THAT(endpoint_problems(redis + std::string(field) + "\n"),
                ElementsAre("endpoints.toml:5 param_range"))
        << field;
  }
  EXPECT_THAT(endpoint_problems(redis + "username = 'u'\n"),
              ElementsAre("endpoints.toml:5 missing_field"));
  EXPECT_THAT(endpoint_problems(redis + "tls = { key_file = 'k' }\n"),
              ElementsAre("endpoints.toml:5 missing_field"));
  EXPECT_THAT(endpoint_problems(redis + "tls = 1\n"), ElementsAre("endpoints.toml:5 wrong_type"));
  EXPECT_THAT(endpoint_problems(redis + "policy = { hedge_after = 'x' }\n"),
              ElementsAre("endpoints.toml:5 bad_timeout"));
}

}  // namespace
}  // namespace millrace::plan
