#include "server/observation/trace_export.h"

#include <atomic>
#include <string>
#include <thread>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/address.h"
#include "net/listening_socket.h"
#include "observe/otlp_fixture.h"

namespace millrace::server {
namespace {

TEST(TraceExportTest, S41_WhatWaitsIsSentWhenTheServerEnds) {
  auto socket = *net::ListeningSocket::open(*net::parse_listen_address("127.0.0.1:0"));
  std::string received;
  std::thread collector([&] {
    while (true) {
      auto accepted = socket.accept();
      auto* const peer = std::get_if<net::ListeningSocket::Accepted>(&accepted);
      if (peer == nullptr) {
        std::this_thread::yield();
        continue;
      }
      char bytes[4096];
      while (received.find("\"scopeSpans\"") == std::string::npos || !received.ends_with("}")) {
        const auto count = ::recv(peer->descriptor.get(), bytes, sizeof bytes, 0);
        if (count > 0) received.append(bytes, static_cast<std::size_t>(count));
        if (count == 0) return;
      }
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
      ::send(peer->descriptor.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
      return;
    }
  });
  {
    observe::OtlpOptions options;
    options.client.address = socket.address();
    const auto exported = TraceExport::start(options);
    ASSERT_TRUE(exported.has_value());
    (*exported)->exporter().offer(observe::testing::finished_request());
  }
  collector.join();
  EXPECT_THAT(received, ::testing::StartsWith("POST /v1/traces HTTP/1.1\r\n"));
  EXPECT_THAT(received, ::testing::HasSubstr("\"spanId\":\"0000000000000abc\""));
}

TEST(TraceExportTest, S41_ACollectorThatIsNotThereKeepsNobodyFromEnding) {
  observe::OtlpOptions options;
  options.client.address = *net::parse_address("127.0.0.1:1");
  const auto exported = TraceExport::start(options);
  ASSERT_TRUE(exported.has_value());
  for (int request = 0; request < 2000; ++request)
    (*exported)->exporter().offer(observe::testing::finished_request());
  EXPECT_GT((*exported)->exporter().dropped_count(), 0U);
}

}  // namespace
}  // namespace millrace::server
