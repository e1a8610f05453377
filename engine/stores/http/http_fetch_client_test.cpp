#include "stores/http/http_fetch_client.h"

#include <chrono>

#include <gtest/gtest.h>

#include "net/http_client.h"
#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

using std::chrono::milliseconds;

// What a fetch does is told by the task that uses it: http_fetch_test.cpp.
TEST(HttpFetchClientTest, TakesTheEndpointsPolicy) {
  const plan::EndpointInfo endpoint{.name = "web",
                                    .kind = plan::EndpointKind::kHttp,
                                    .host = "h",
                                    .port = 8081,
                                    .policy = {.max_inflight = 7,
                                               .connections = 3,
                                               .connect_timeout = milliseconds(5),
                                               .request_timeout = milliseconds(9),
                                               .breaker_failures = 2,
                                               .breaker_open = milliseconds(11)}};
  const net::HttpClientOptions options = http_options_of(endpoint, "");
  EXPECT_EQ(to_string(options.address), "h:8081");
  EXPECT_EQ(options.inflight_max, 7U);
  EXPECT_EQ(options.idle_max, 3U);
  EXPECT_EQ(options.connect.connect_timeout, milliseconds(5));
  EXPECT_EQ(options.request_timeout, milliseconds(9));
  EXPECT_EQ(options.breaker.consecutive_failures_max, 2U);
  EXPECT_EQ(options.breaker.open_min, milliseconds(11));
}

}  // namespace
}  // namespace millrace::stores
