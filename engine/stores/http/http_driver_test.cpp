#include "stores/http/http_driver.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/stream_fixture.h"

namespace millrace::stores {
namespace {

TEST(HttpDriverTest, CLI3_AnEndpointThatCannotBeReachedIsToldWithAdvice) {
  net::RawServer server;
  const std::uint16_t port = server.address().port;
  server.stop();
  const plan::EndpointInfo endpoint{.name = "web",
                                    .kind = plan::EndpointKind::kHttp,
                                    .host = "127.0.0.1",
                                    .port = port,
                                    .policy = {.connect_timeout = std::chrono::minutes(1),
                                               .request_timeout = std::chrono::minutes(1)}};
  const auto answer = HttpDriver().probe({.endpoint = endpoint, .root = ""});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(),
            "Cannot connect: connection refused; nodes that use it fail, or take their on_failure. "
            "Start the server, or correct registry/endpoints.toml.");
}

TEST(HttpDriverTest, MakesAClientForEachLoop) {
  const auto loop = *loop::EventLoop::create("test");
  HttpDriver driver;
  const plan::EndpointInfo endpoint{
      .kind = plan::EndpointKind::kHttp, .host = "127.0.0.1", .port = 1};
  auto made = driver.connect({.endpoint = endpoint, .root = ""}, {.loop = *loop});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->client->client_kind(), tasks::ClientKind::kHttp);
  loop::run_and_wait(*loop, [&] { made->client.reset(); });
  loop->stop();
}

}  // namespace
}  // namespace millrace::stores
