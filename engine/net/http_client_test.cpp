#include "net/http_client.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "net/breaker.h"
#include "net/fake_connector.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;

class RecordedCall : public HttpCall {
 public:
  std::optional<base::Result<HttpReply>> reply;
  std::function<void()> when_done;

  [[nodiscard]] ErrorCode code() const { return reply.value().error().code(); }
  [[nodiscard]] const std::string& message() const { return reply.value().error().message(); }

 protected:
  void on_done(base::Result<HttpReply> got) override {
    reply = std::move(got);
    if (when_done) when_done();
  }
};

std::string ok(const std::string& body, const std::string& header = "") {
  return "HTTP/1.1 200 OK\r\n" + header + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

class HttpClientTest : public testing::Test {
 protected:
  static HttpClientOptions settings() {
    return {.address = {.host = "h", .port = 80},
            .connect = {.connect_timeout = milliseconds(50)},
            .request_timeout = milliseconds(200),
            .inflight_max = 2,
            .idle_max = 2,
            .idle_timeout = seconds(10),
            .waiting_max = 8,
            .breaker = {.consecutive_failures_max = 3, .jitter = 0}};
  }
  HttpClient& make(const HttpClientOptions& options = settings()) {
    client_ = std::make_unique<HttpClient>(loop_, connector_, random_, options);
    return *client_;
  }
  RecordedCall& send(const std::string& target, HttpCallOptions options = {}) {
    RecordedCall& call = calls_.emplace_back();
    const base::Status sent = client_->send(call, {.target = target}, options);
    if (!sent) call.reply = std::unexpected(sent.error());
    return call;
  }
  /// Answers every request with its own target.
  void echo() {
    connector_.on_receive = [](FakePeer& peer) {
      const std::string text = peer.take_received();
      peer.deliver(ok(text.substr(4, text.find(' ', 4) - 4)));
    };
  }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  base::SplitMix64 random_{1};
  std::unique_ptr<HttpClient> client_;
  std::deque<RecordedCall> calls_;
};

TEST_F(HttpClientTest, SendsWhatAServerNeedsAndReadsTheReply) {
  make();
  RecordedCall& call = send("/a?b=c");
  loop_.run_ready();
  EXPECT_EQ(connector_.peer(0).received(),
            "GET /a?b=c HTTP/1.1\r\nHost: h\r\nAccept: application/json\r\n"
            "Accept-Encoding: identity\r\nUser-Agent: millrace\r\n\r\n");
  EXPECT_FALSE(call.reply);
  connector_.peer(0).deliver_split(ok("{}"), 1);
  loop_.run_ready();
  ASSERT_TRUE(call.reply);
  EXPECT_EQ((*call.reply)->status, 200);
  EXPECT_EQ((*call.reply)->body, "{}");
  EXPECT_FALSE(call.in_flight());
}

TEST_F(HttpClientTest, SendsABody) {
  HttpClientOptions options = settings();
  options.address.port = 8080;
  make(options);
  RecordedCall call;
  ASSERT_TRUE(client_->send(call, {.method = "POST", .target = "/x", .body = "hey"}, {}));
  loop_.run_ready();
  const std::string& text = connector_.peer(0).received();
  EXPECT_TRUE(text.starts_with("POST /x HTTP/1.1\r\nHost: h:8080\r\n")) << text;
  EXPECT_TRUE(text.ends_with("Content-Length: 3\r\n\r\nhey")) << text;
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
  make();
  echo();
  for (int i = 0; i < 5; ++i) {
    RecordedCall& call = send("/" + std::to_string(i));
    loop_.run_ready();
    EXPECT_EQ((*call.reply)->body, "/" + std::to_string(i));
  }
  EXPECT_EQ(client_->counters().connections, 1U);
  EXPECT_EQ(client_->counters().replies, 5U);
}

TEST_F(HttpClientTest, DoesNotUseAConnectionAgainThatThePeerCloses) {
  make();
  connector_.on_receive = [](FakePeer& peer) { peer.deliver(ok("x", "Connection: close\r\n")); };
  send("/");
  loop_.run_ready();
  EXPECT_EQ(client_->connection_count(), 0U);
  EXPECT_FALSE(connector_.peer(0).is_open());
}

TEST_F(HttpClientTest, AnErrorStatusIsAReply) {
  make();
  connector_.on_receive = [](FakePeer& peer) {
    peer.deliver("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
  };
  RecordedCall& call = send("/");
  loop_.run_ready();
  EXPECT_EQ((*call.reply)->status, 404);
  EXPECT_EQ(client_->connection_count(), 1U);
}

TEST_F(HttpClientTest, RepeatsAGetOnceWhenAKeptConnectionHadEnded) {
  make();
  echo();
  send("/first");
  loop_.run_ready();
  // The peer ends while the next request is on its way.
  connector_.on_receive = {};
  RecordedCall& call = send("/second");
  connector_.peer(0).reset();
  echo();
  loop_.run_ready();
  ASSERT_TRUE(call.reply);
  EXPECT_EQ((*call.reply)->body, "/second");
  EXPECT_EQ(client_->counters().repetitions, 1U);
  EXPECT_EQ(client_->counters().connections, 2U);
}

TEST_F(HttpClientTest, RepeatsNeitherAPostNorAReplyThatHadBegunNorTwice) {
  make();
  echo();
  send("/first");
  loop_.run_ready();
  connector_.on_receive = {};
  RecordedCall post;
  ASSERT_TRUE(client_->send(post, {.method = "POST", .target = "/"}, {}));
  connector_.peer(0).reset();
  loop_.run_ready();
  EXPECT_EQ(post.code(), ErrorCode::kUnavailable);

  connector_.on_receive = [](FakePeer& peer) {
    if (peer.received().find("/third") == std::string::npos) return peer.deliver(ok(""));
    peer.deliver("HTTP/1.1 2");
    peer.reset();
  };
  send("/second");
  loop_.run_ready();
  RecordedCall& begun = send("/third");
  loop_.run_ready();
  EXPECT_EQ(begun.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(client_->counters().repetitions, 0U);

  send("/fourth");
  loop_.run_ready();
  connector_.on_receive = {};
  connector_.on_connect = [](FakePeer& peer) {
    peer.accept();
    peer.reset();
  };
  RecordedCall& twice = send("/fifth");
  connector_.peer(connector_.peer_count() - 1).reset();
  loop_.run_ready();
  EXPECT_EQ(twice.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(client_->counters().repetitions, 1U);
}

TEST_F(HttpClientTest, BytesThatNobodyAskedForEndAConnection) {
  make();
  echo();
  send("/");
  loop_.run_ready();
  connector_.peer(0).deliver("HTTP/1.1 200 OK\r\n");
  loop_.run_ready();
  EXPECT_EQ(client_->connection_count(), 0U);
}

TEST_F(HttpClientTest, IdleConnectionsEndAfterATime) {
  make();
  echo();
  send("/");
  loop_.run_ready();
  loop_.advance(seconds(9));
  EXPECT_EQ(client_->connection_count(), 1U);
  loop_.advance(seconds(1));
  EXPECT_EQ(client_->connection_count(), 0U);
}

TEST_F(HttpClientTest, KeepsAsManyIdleConnectionsAsItMay) {
  HttpClientOptions options = settings();
  options.inflight_max = 5;
  make(options);
  echo();
  for (int i = 0; i < 5; ++i) send("/");
  loop_.run_ready();
  EXPECT_EQ(client_->counters().connections, 5U);
  EXPECT_EQ(client_->connection_count(), 2U);
}

TEST_F(HttpClientTest, TheRequestTimeoutCoversConnectingAndClosesTheConnection) {
  HttpClientOptions options = settings();
  options.connect.connect_timeout = seconds(5);
  make(options);
  connector_.on_connect = [](FakePeer& peer) { peer.accept(milliseconds(150)); };
  RecordedCall& call = send("/");
  loop_.advance(milliseconds(199));
  EXPECT_FALSE(call.reply);
  loop_.advance(milliseconds(1));
  EXPECT_EQ(call.code(), ErrorCode::kTimeout);
  EXPECT_EQ(call.message(), "The HTTP server did not answer in time");
  EXPECT_FALSE(connector_.peer(0).is_open());
}

TEST_F(HttpClientTest, TheConnectTimeoutIsTold) {
  make();
  connector_.on_connect = [](FakePeer&) {};
  RecordedCall& call = send("/");
  loop_.advance(milliseconds(50));
  EXPECT_EQ(call.code(), ErrorCode::kTimeout);
  EXPECT_EQ(call.message(), "Cannot connect in time");
}

TEST_F(HttpClientTest, ADeadlineBeforeTheRequestTimeoutCounts) {
  make();
  RecordedCall& call = send("/", {.deadline = clock_.now() + milliseconds(20)});
  loop_.advance(milliseconds(20));
  EXPECT_EQ(call.code(), ErrorCode::kTimeout);
}

TEST_F(HttpClientTest, AtMostSoManyAreUnderWayAndGroupsTakeTurns) {
  make();
  const int crowd = 0;
  const int other = 0;
  std::vector<std::string> order;
  connector_.on_receive = [&](FakePeer& peer) {
    const std::string text = peer.take_received();
    order.push_back(text.substr(4, 2));
    peer.deliver(ok(""), milliseconds(10));
  };
  for (const char* target : {"/1", "/2", "/3", "/4", "/5"}) send(target, {.group = &crowd});
  send("/x", {.group = &other});
  loop_.run_ready();
  EXPECT_EQ(order, (std::vector<std::string>{"/1", "/2"}));
  EXPECT_EQ(client_->waiting_count(), 4U);
  loop_.advance(milliseconds(10));
  EXPECT_EQ(order, (std::vector<std::string>{"/1", "/2", "/3", "/x"}));
  loop_.advance(milliseconds(20));
  EXPECT_EQ(order.size(), 6U);
  EXPECT_EQ(client_->counters().connections, 2U);
}

TEST_F(HttpClientTest, TooManyThatWaitAreRefusedAtOnce) {
  make();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(send("/").reply);
  RecordedCall& call = send("/");
  EXPECT_EQ(call.code(), ErrorCode::kResourceExhausted);
  EXPECT_FALSE(call.in_flight());
  for (RecordedCall& each : calls_) each.cancel();
}

TEST_F(HttpClientTest, ACallThatWaitsTooLongSaysSo) {
  make();
  send("/", {.deadline = clock_.now() + milliseconds(150)});
  send("/", {.deadline = clock_.now() + milliseconds(150)});
  RecordedCall& call = send("/", {.deadline = clock_.now() + milliseconds(100)});
  loop_.advance(milliseconds(100));
  EXPECT_EQ(call.code(), ErrorCode::kTimeout);
  EXPECT_EQ(call.message(), "No connection to the HTTP server was free in time");
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kClosed);
}

TEST_F(HttpClientTest, CancellingClosesTheConnectionAndLetsTheNextGo) {
  make();
  RecordedCall& first = send("/1");
  send("/2");
  RecordedCall& third = send("/3");
  loop_.run_ready();
  echo();
  first.cancel();
  EXPECT_FALSE(first.reply);
  EXPECT_FALSE(connector_.peer(0).is_open());
  loop_.run_ready();
  EXPECT_EQ((*third.reply)->body, "/3");
  calls_[1].cancel();
}

TEST_F(HttpClientTest, ACallMayBeDestroyedWhereverItIs) {
  make();
  auto running = std::make_unique<RecordedCall>();
  auto waiting = std::make_unique<RecordedCall>();
  auto done = std::make_unique<RecordedCall>();
  ASSERT_TRUE(client_->send(*running, {}, {}));
  ASSERT_TRUE(client_->send(*done, {.target = "/done"}, {}));
  ASSERT_TRUE(client_->send(*waiting, {}, {}));
  done->when_done = [&] {
    waiting.reset();
    running.reset();
    done.reset();
  };
  loop_.run_ready();
  connector_.peer(1).deliver(ok(""));
  loop_.run_ready();
  EXPECT_EQ(done, nullptr);
  EXPECT_EQ(client_->waiting_count(), 0U);
}

TEST_F(HttpClientTest, ACallMayBeSentAgainWhenItIsDone) {
  make();
  echo();
  RecordedCall call;
  int count = 0;
  call.when_done = [&] {
    if (++count < 3) ASSERT_TRUE(client_->send(call, {.target = "/again"}, {}));
  };
  ASSERT_TRUE(client_->send(call, {}, {}));
  loop_.run_ready();
  EXPECT_EQ(count, 3);
}

TEST_F(HttpClientTest, FailuresOpenTheBreakerAndWhatWaitsFailsWithIt) {
  make();
  connector_.on_connect = [](FakePeer& peer) { peer.refuse(milliseconds(1)); };
  for (int i = 0; i < 6; ++i) send("/");
  loop_.advance(milliseconds(5));
  for (const RecordedCall& call : calls_) EXPECT_EQ(call.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kOpen);
  EXPECT_EQ(connector_.peer_count(), 4U) << "two at a time; the fourth was on its way";
  const std::size_t before = connector_.peer_count();
  EXPECT_EQ(send("/").message(),
            "The HTTP server has failed too often and is left alone for a while");
  EXPECT_EQ(connector_.peer_count(), before);

  connector_.on_connect = {};
  echo();
  loop_.advance(milliseconds(100));
  RecordedCall& probe = send("/");
  EXPECT_EQ(send("/").code(), ErrorCode::kUnavailable) << "one probe at a time";
  loop_.run_ready();
  EXPECT_TRUE(probe.reply->has_value());
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kClosed);
}

TEST_F(HttpClientTest, ServerErrorsOpenTheBreakerAndClientErrorsDoNot) {
  make();
  std::string status = "404 Not Found";
  connector_.on_receive = [&](FakePeer& peer) {
    peer.deliver("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
  };
  const auto send_five = [&] {
    for (int i = 0; i < 5; ++i) {
      send("/");
      loop_.run_ready();
    }
  };
  send_five();
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kClosed);
  status = "503 Service Unavailable";
  send_five();
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kOpen);
}

TEST_F(HttpClientTest, TimeoutsOfTheServerOpenTheBreakerAndDeadlinesDoNot) {
  make();
  for (int i = 0; i < 5; ++i) {
    send("/", {.deadline = clock_.now() + milliseconds(10)});
    loop_.advance(milliseconds(10));
  }
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kClosed);
  for (int i = 0; i < 3; ++i) {
    send("/");
    loop_.advance(milliseconds(200));
  }
  EXPECT_EQ(client_->breaker().opened_count(), 1U);
  EXPECT_EQ(client_->counters().failed, 8U);
  EXPECT_EQ(client_->cells().breakers_open.value(), 1);
}

TEST_F(HttpClientTest, ATooLargeBodyFailsTheCallOnly) {
  make();
  connector_.on_receive = [](FakePeer& peer) { peer.deliver(ok(std::string(11, 'x'))); };
  for (int i = 0; i < 5; ++i) {
    RecordedCall& call = send("/", {.body_bytes_max = 10});
    loop_.run_ready();
    EXPECT_EQ(call.code(), ErrorCode::kResourceExhausted);
    EXPECT_EQ(client_->connection_count(), 0U);
  }
  EXPECT_EQ(client_->breaker().state(), Breaker::State::kClosed);
}

TEST_F(HttpClientTest, AHostileServerIsCutOff) {
  HttpClientOptions options = settings();
  options.breaker.consecutive_failures_max = 0;
  options.breaker.failure_share_max = 2;
  make(options);
  const std::string head = "HTTP/1.1 200 OK\r\n";
  for (const auto& [text, code] : std::vector<std::pair<std::string, ErrorCode>>{
           {"garbage", ErrorCode::kUnavailable},
           {head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", ErrorCode::kUnavailable},
           {head + "X: " + std::string(100'000, 'x'), ErrorCode::kResourceExhausted},
           {head + "\r\n" + std::string(3'000'000, 'x'), ErrorCode::kResourceExhausted},
           {ok("x") + "y", ErrorCode::kUnavailable}}) {
    connector_.on_receive = [&](FakePeer& peer) { peer.deliver(text); };
    RecordedCall& call = send("/");
    loop_.run_ready();
    ASSERT_TRUE(call.reply) << text.substr(0, 60);
    EXPECT_EQ(call.code(), code);
    EXPECT_EQ(client_->connection_count(), 0U);
  }
  // Too short a body is early, too long a stall is late.
  connector_.on_receive = [&](FakePeer& peer) {
    peer.deliver(head + "Content-Length: 5\r\n\r\nabc");
    peer.half_close();
  };
  RecordedCall& early = send("/");
  loop_.run_ready();
  EXPECT_EQ(early.message(), "Bad HTTP reply: ends early");
  EXPECT_EQ(early.reply->error().where(), "h");
  connector_.on_receive = [&](FakePeer& peer) { peer.deliver(head); };
  RecordedCall& late = send("/");
  loop_.advance(milliseconds(200));
  EXPECT_EQ(late.code(), ErrorCode::kTimeout);
}

TEST_F(HttpClientTest, ABodyWithoutLengthIsWholeOnlyIfThePeerEndsInGoodOrder) {
  make();
  connector_.on_receive = [](FakePeer& peer) {
    peer.deliver("HTTP/1.1 200 OK\r\n\r\nabc");
    peer.half_close();
  };
  RecordedCall& whole = send("/");
  loop_.run_ready();
  EXPECT_EQ((*whole.reply)->body, "abc");
  connector_.on_receive = [](FakePeer& peer) {
    peer.deliver("HTTP/1.1 200 OK\r\n\r\nabc");
    peer.reset();
  };
  RecordedCall& cut = send("/");
  loop_.run_ready();
  EXPECT_EQ(cut.code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::net
