#include "stores/http/http_probe.h"

#include <chrono>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "net/stream_fixture.h"
#include "plan/registry/registry.h"

namespace millrace::stores {
namespace {

plan::EndpointInfo endpoint_at(std::uint16_t port) {
  return {.name = "web",
          .kind = plan::EndpointKind::kHttp,
          .host = "127.0.0.1",
          .port = port,
          .policy = {.connect_timeout = std::chrono::minutes(1),
                     .request_timeout = std::chrono::minutes(1)}};
}

TEST(HttpProbeTest, CLI3_GivesTheStatusOfTheAnswer) {
  net::RawServer server;
  std::thread serve([&] {
    const int peer = server.accept();
    EXPECT_EQ(net::RawServer::read(peer, 6), "GET / ");
    const std::string reply = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    EXPECT_EQ(::write(peer, reply.data(), reply.size()), static_cast<ssize_t>(reply.size()));
    // Waits for the end, so that nothing unread resets the connection.
    (void)net::RawServer::read(peer, 1 << 20);
    ::close(peer);
  });
  EXPECT_EQ(probe_http(endpoint_at(server.address().port), "").value(), 403);
  serve.join();
}

TEST(HttpProbeTest, CLI3_SaysWhyAnEndpointCannotBeReached) {
  net::RawServer server;
  const std::uint16_t port = server.address().port;
  server.stop();
  const auto status = probe_http(endpoint_at(port), "");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "Cannot connect: connection refused");
}

}  // namespace
}  // namespace millrace::stores
