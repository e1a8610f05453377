#include "stores/connect_options.h"

#include <chrono>

#include <gtest/gtest.h>

#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

TEST(ConnectOptionsTest, FilesAreBelowTheRootAndMissingOnesStayMissing) {
  plan::EndpointInfo endpoint{.host = "h", .port = 7};
  endpoint.policy.connect_timeout = std::chrono::milliseconds(5);
  EXPECT_EQ(to_string(address_of(endpoint)), "h:7");
  EXPECT_FALSE(connect_options_of(endpoint, "/project").tls);
  endpoint.tls = plan::EndpointTls{.ca_file = "tls/ca.pem", .server_name = "s", .verify = false};
  const net::ConnectOptions options = connect_options_of(endpoint, "/project");
  EXPECT_EQ(options.connect_timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(options.tls->ca_file, "/project/tls/ca.pem");
  EXPECT_EQ(options.tls->key_file, "");
  EXPECT_EQ(options.tls->server_name, "s");
  EXPECT_FALSE(options.tls->verify);
}

}  // namespace
}  // namespace millrace::stores
