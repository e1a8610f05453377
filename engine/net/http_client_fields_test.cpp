#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "net/http_client.h"
#include "net/http_message.h"

// What the client sends and shows of the fields of messages.

namespace millrace::net {
namespace {

using base::ErrorCode;

class KeptCall : public HttpCall {
 public:
  base::Result<HttpReply> reply = base::fail(ErrorCode::kInternal, "none yet");

 protected:
  void on_done(base::Result<HttpReply> got) override { reply = std::move(got); }
};

class HttpClientFieldsTest : public testing::Test {
 protected:
  /// What arrives at the server.
  std::string text_of(HttpRequest request) {
    KeptCall call;
    EXPECT_TRUE(client_.send(call, std::move(request), {}));
    loop_.run_ready();
    return connector_.peer(connector_.peer_count() - 1).take_received();
  }
  ErrorCode refusal_of(HttpRequest request) {
    KeptCall call;
    const base::Status sent = client_.send(call, std::move(request), {});
    EXPECT_FALSE(call.in_flight());
    return sent ? ErrorCode::kInternal : sent.error().code();
  }
  static HttpRequest with_field(const std::string& name, const std::string& value) {
    HttpRequest request;
    request.fields.add(name, value);
    return request;
  }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  base::SplitMix64 random_{1};
  HttpClient client_{loop_, connector_, random_, {.address = {.host = "h", .port = 80}}};
};

TEST_F(HttpClientFieldsTest, TheCallersFieldsReplaceTheClientsOwn) {
  HttpRequest request{.method = "POST", .target = "/v1/traces", .body = "\x01"};
  request.fields.add("content-type", "application/x-protobuf");
  request.fields.add("X-Id", "7");
  request.fields.add("USER-AGENT", "test");
  EXPECT_EQ(text_of(std::move(request)),
            "POST /v1/traces HTTP/1.1\r\nHost: h\r\nAccept: application/json\r\n"
            "Accept-Encoding: identity\r\ncontent-type: application/x-protobuf\r\nX-Id: 7\r\n"
            "USER-AGENT: test\r\nContent-Length: 1\r\n\r\n\x01");
}

TEST_F(HttpClientFieldsTest, AnEmptyPostSaysThatItIsEmpty) {
  EXPECT_TRUE(text_of({.method = "POST"}).ends_with("\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(text_of({}).find("Content-Length"), std::string::npos);
}

TEST_F(HttpClientFieldsTest, ACallSeesTheFieldsOfItsReply) {
  connector_.on_receive = [](FakePeer& peer) {
    peer.deliver("HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 0\r\nA: 1\r\n\r\n");
  };
  KeptCall call;
  ASSERT_TRUE(client_.send(call, {}, {}));
  loop_.run_ready();
  ASSERT_TRUE(call.reply);
  EXPECT_EQ(call.reply->fields.find("content-type"), "text/x");
  EXPECT_EQ(call.reply->fields.find("a"), "1");
}

TEST_F(HttpClientFieldsTest, WhatWouldBreakTheRequestIsRefused) {
  const ErrorCode bad = ErrorCode::kInvalidArgument;
  EXPECT_EQ(refusal_of(with_field("A", "b\r\nC: d")), bad);
  EXPECT_EQ(refusal_of(with_field("A b", "c")), bad);
  EXPECT_EQ(refusal_of(with_field("", "c")), bad);
  EXPECT_EQ(refusal_of(with_field("transfer-encoding", "chunked")), bad);
  EXPECT_EQ(refusal_of(with_field("Host", "other")), bad);
  EXPECT_EQ(refusal_of({.method = "GET /"}), bad);
  EXPECT_EQ(refusal_of({.target = "/a b"}), bad);
  EXPECT_EQ(refusal_of({.target = "/\r\nA: b"}), bad);
  EXPECT_EQ(refusal_of({.target = ""}), bad);
  EXPECT_EQ(connector_.peer_count(), 0U);
}

}  // namespace
}  // namespace millrace::net
